/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Structs that a program and the library both know, but perhaps not of the same age, see
 * sizes.c.
 */
#ifndef KU_LIB_BASE_SIZES_H
#define KU_LIB_BASE_SIZES_H

#include <stddef.h>
#include <stdint.h>

/*
 * Fills a struct of the caller's, which may be shorter than ours, or longer: then the
 * rest is zero. NULL: there is none.
 */
void ku_give(void *to, size_t to_bytes, const void *from, size_t from_bytes);
/*
 * The other way; NULL: all zero. -E2BIG: the caller's is longer, and says something there
 * that we know nothing of.
 */
int ku_take(void *to, size_t to_bytes, const void *from, size_t from_bytes);

static inline uint32_t ku_common(size_t a, size_t b)
{
	return (uint32_t)(a < b ? a : b);
}

#endif
