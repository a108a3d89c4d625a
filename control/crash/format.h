/* SPDX-License-Identifier: BSD-3-Clause */
/* Operations of a dump format. elf.c and kdump.c implement them; memory.c selects the format. */
#ifndef KU_CRASH_FORMAT_H
#define KU_CRASH_FORMAT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "crash/dumpfile.h"

struct kc_memory;

struct kc_format {
	const char *name;
	/* Returns whether the dump has this format, by its first 16 bytes. */
	bool (*is)(const unsigned char *begin);
	/* Returns NULL, or the cause of the error. */
	const char *(*open)(struct kc_memory *memory);
	void (*close)(struct kc_memory *memory);
	/* Reads bytes that lie within one page. */
	bool (*read)(struct kc_memory *memory, uint64_t at, void *to, size_t bytes);
	/* Moves *at to the next multiple of step in the dump. Returns false if there is none. */
	bool (*next)(const struct kc_memory *memory, uint64_t *at, uint64_t step);
};

/* The memory of a machine in a dump, by physical addresses. */
struct kc_memory {
	const struct kc_format *format;
	struct kc_file file;
	void *own;		/* data of the format */
	uint64_t end;		/* highest address + 1 */
	char note[160];		/* a remark on the dump that is not an error; "": none */
};

#endif
