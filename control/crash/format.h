/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What a format of dumps is asked for. Each is a file: elf.c, kdump.c; memory.c chooses.
 */
#ifndef KU_CRASH_FORMAT_H
#define KU_CRASH_FORMAT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "crash/dumpfile.h"

struct kc_memory;

struct kc_format {
	const char *name;
	/* Whether it is one: by its first bytes, of which there are at least 16. */
	bool (*is)(const unsigned char *begin);
	/* NULL, or what is wrong with it. */
	const char *(*open)(struct kc_memory *memory);
	void (*close)(struct kc_memory *memory);
	/* Not more than up to the next page's beginning. */
	bool (*read)(struct kc_memory *memory, uint64_t at, void *to, size_t bytes);
	/* Moves *at on to the next multiple of step that is there; false: there is none. */
	bool (*next)(const struct kc_memory *memory, uint64_t *at, uint64_t step);
};

/* The memory of a machine as a dump has it, by physical addresses. */
struct kc_memory {
	const struct kc_format *format;
	struct kc_file file;
	void *own;		/* of the format */
	uint64_t end;		/* behind the highest address */
	char note[160];		/* something to be said of it that is no error; "": nothing */
};

#endif
