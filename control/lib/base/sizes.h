/* SPDX-License-Identifier: BSD-3-Clause */
/* Copies structs between a program and the library that may have different versions of them. */
#ifndef KU_LIB_BASE_SIZES_H
#define KU_LIB_BASE_SIZES_H

#include <stddef.h>
#include <stdint.h>

/* Fills the caller's struct @to, if not NULL. If @to is longer than @from, zeroes the rest. */
void ku_copy_out(void *to, size_t to_bytes, const void *from, size_t from_bytes);
/*
 * Copies the caller's struct @from; NULL: all zero. Returns -E2BIG if @from is longer and has a bit
 * set beyond @to_bytes.
 */
int ku_copy_in(void *to, size_t to_bytes, const void *from, size_t from_bytes);

static inline uint32_t ku_common(size_t a, size_t b)
{
	return (uint32_t)(a < b ? a : b);
}

#endif
