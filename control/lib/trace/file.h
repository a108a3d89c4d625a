/* SPDX-License-Identifier: BSD-3-Clause */
/* The file that a trace is written to. */
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
 * Called several times a second and after each signal, while a write or open waits. Any result
 * except 0 ends it with that result. go_on NULL: waits without a limit.
 */
struct ku_patience {
	int (*go_on)(void *arg);
	void *arg;
};

/* A file that gets its name when it is complete. */
struct ku_trace_file {
	/* always has the descriptor; without a name, the file is written directly */
	struct ku_part part;
	bool replaces;		/* an existing file, which before describes */
	struct stat before;
	uint64_t written_bytes;
	size_t last_bytes;	/* bytes of the last write, which may have ended early */
	struct ku_patience patience;
};

int ku_file_create(struct ku_trace_file *file, const char *fname, struct ku_patience patience);
/* Gives a new file the owner in @options (may be NULL), if root writes it. */
void ku_file_give(const struct ku_trace_file *file, const struct kutrace_dump_options *options);
/* Writes everything. Changes @iov. */
int ku_file_write(struct ku_trace_file *file, struct iovec *iov, int count);
/*
 * Closes the file and gives it its name. After an error, no file remains, except when only
 * syncing the folder failed: the file is then complete and has its name.
 */
int ku_file_commit(struct ku_trace_file *file);
/* Closes the file. No file remains. */
void ku_file_abandon(struct ku_trace_file *file);

#endif
