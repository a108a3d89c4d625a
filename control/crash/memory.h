/* SPDX-License-Identifier: BSD-3-Clause */
/* Reads the memory in a dump. */
#ifndef KU_CRASH_MEMORY_H
#define KU_CRASH_MEMORY_H

#include "crash/format.h"

/* Returns NULL, or the cause of the error. The caller must call kc_memory_close() in every case. */
const char *kc_memory_open(struct kc_memory *memory, const char *path);
void kc_memory_close(struct kc_memory *memory);
/* Reads all these bytes. Returns false if the dump does not contain them or they cannot be read. */
bool kc_memory_read(struct kc_memory *memory, uint64_t at, void *to, size_t bytes);
bool kc_memory_next(const struct kc_memory *memory, uint64_t *at, uint64_t step);

#endif
