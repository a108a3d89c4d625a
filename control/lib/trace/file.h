/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The file that a trace is written to, see file.c.
 */
#ifndef KU_LIB_TRACE_FILE_H
#define KU_LIB_TRACE_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>
#include <sys/uio.h>

#include "common/file.h"
#include "libkutrace.h"

/*
 * What has to be waited for, asks this: several times a second, and after every signal.
 * Anything but 0 ends it, with that. NULL: waits as long as it takes.
 */
struct ku_patience {
	int (*go_on)(void *arg);
	void *arg;
};

/* A file that gets its name when it is whole. */
struct ku_trace_file {
	struct ku_part part;	/* its descriptor in any case; no name: written directly */
	bool replaces;		/* a file that was this: */
	struct stat before;
	uint64_t written_bytes;
	size_t last_bytes;	/* by the last write, which may have ended early */
	struct ku_patience patience;
};

int ku_file_create(struct ku_trace_file *file, const char *fname, struct ku_patience patience);
/* A new one gets the owner that options (or NULL) name, if root writes it. */
void ku_file_give(const struct ku_trace_file *file, const struct kutrace_dump_options *options);
/* Writes all; iov is used up. */
int ku_file_write(struct ku_trace_file *file, struct iovec *iov, int count);
/*
 * Closes and names it; on failure nothing is left. (But whole and named it is if only
 * the folder could not be brought to the disk.)
 */
int ku_file_commit(struct ku_trace_file *file);
/* Closes it; nothing is left. */
void ku_file_abandon(struct ku_trace_file *file);

#endif
