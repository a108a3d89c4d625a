/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The file that a dump of memory is in, see dumpfile.c.
 */
#ifndef KU_CRASH_DUMPFILE_H
#define KU_CRASH_DUMPFILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A part of the dump and where it is in a flattened file; order: a later one replaces it. */
struct kc_record {
	uint64_t at;
	uint64_t bytes;
	uint64_t offset;
	uint64_t order;
	uint64_t reach;		/* of this one and of all that begin before it: the furthest end */
};

struct kc_file {
	int fd;
	uint64_t bytes;		/* of the file */
	struct kc_record *records;	/* sorted by at; NULL: the file is not flattened */
	size_t nrecords;
	bool cut;		/* a flattened one has no end */
	/*
	 * Why something was not had that may be there, an errno: a read that failed, no memory. Then
	 * what is missing is no damage of the dump. 0: nothing of that kind.
	 */
	int error;
};

/* NULL, or what is wrong with it, as words. */
const char *kc_file_open(struct kc_file *file, const char *path);
void kc_file_close(struct kc_file *file);
/* All of these bytes of the dump; false: they are not there, or cannot be read (error). */
bool kc_file_read(struct kc_file *file, uint64_t at, void *to, size_t bytes);

#endif
