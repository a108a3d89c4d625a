/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Reading the memory that a dump has, see memory.c.
 */
#ifndef KU_CRASH_MEMORY_H
#define KU_CRASH_MEMORY_H

#include "crash/format.h"

/* NULL, or what is wrong with the file; to be closed in any case. */
const char *kc_memory_open(struct kc_memory *memory, const char *path);
void kc_memory_close(struct kc_memory *memory);
/* All of these bytes; false: the dump does not have them, or they cannot be read. */
bool kc_memory_read(struct kc_memory *memory, uint64_t at, void *to, size_t bytes);
bool kc_memory_next(const struct kc_memory *memory, uint64_t *at, uint64_t step);

#endif
