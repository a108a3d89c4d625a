/* SPDX-License-Identifier: BSD-3-Clause */
/* The file with a dump of memory. */
#ifndef KU_CRASH_DUMPFILE_H
#define KU_CRASH_DUMPFILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

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

#endif
