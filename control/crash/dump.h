/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Reads a dump of memory: the file, its format (ELF core or kdump-compressed), the machine's
 * memory by physical address, and kernel memory that is spread over physical pages.
 */
#ifndef KU_CRASH_DUMP_H
#define KU_CRASH_DUMP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* --- the file ---------------------------------------------------------------------- */

/*
 * A part of the dump and its place in a flattened file. If parts overlap, the one with the larger
 * order is valid.
 */
struct kc_record {
	uint64_t at;
	uint64_t bytes;
	uint64_t offset;
	uint64_t order;
	uint64_t reach;		/* largest end of this record and of all before it */
};

struct kc_file {
	int fd;
	uint64_t bytes;		/* size of the file */
	struct kc_record *records;	/* sorted by at; NULL: the file is not flattened */
	size_t nrecords;
	bool cut;		/* the end of a flattened file is missing */
	/*
	 * An errno if a read failed or memory was missing. The dump itself may then be complete.
	 * 0: no such error.
	 */
	int error;
};

/* Returns NULL, or the cause of the error as text. */
const char *kc_file_open(struct kc_file *file, const char *path);
void kc_file_close(struct kc_file *file);
/*
 * Reads all these bytes of the dump. Returns false if they are missing or cannot be read (error).
 */
bool kc_file_read(struct kc_file *file, uint64_t at, void *to, size_t bytes);

/* --- formats ----------------------------------------------------------------------- */

struct kc_memory;

struct kc_format {
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

extern const struct kc_format kc_elf, kc_kdump;

/* The memory of a machine in a dump, by physical addresses. */
struct kc_memory {
	const struct kc_format *format;
	struct kc_file file;
	void *own;		/* data of the format */
	uint64_t end;		/* highest address + 1 */
	char note[160];		/* a remark on the dump that is not an error; "": none */
};

/* --- physical memory --------------------------------------------------------------- */

/* Returns NULL, or the cause of the error. The caller must call kc_memory_close() in every case. */
const char *kc_memory_open(struct kc_memory *memory, const char *path);
void kc_memory_close(struct kc_memory *memory);
/* Reads all these bytes. Returns false if the dump does not contain them or they cannot be read. */
bool kc_memory_read(struct kc_memory *memory, uint64_t at, void *to, size_t bytes);
bool kc_memory_next(const struct kc_memory *memory, uint64_t *at, uint64_t step);

/* --- kernel memory ----------------------------------------------------------------- */

struct kc_extent {
	uint64_t from;		/* offset in the region */
	uint64_t at;		/* physical address */
};

struct kc_region {
	uint64_t bytes;		/* size of all extents together */
	struct kc_extent *extents;
	size_t count;
};

/* Makes a region from words of an anchor's list. Returns false if there is no memory. */
bool kc_region_make(struct kc_region *region, const uint64_t *words, size_t count,
		    uint32_t page_bytes);
void kc_region_free(struct kc_region *region);
bool kc_region_read(struct kc_memory *memory, const struct kc_region *region, uint64_t offset,
		    void *to, size_t bytes);

#endif
