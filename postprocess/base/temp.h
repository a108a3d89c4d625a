/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Temporary files without a name; copies of pipes that must be read more than once; a spool for
 * output that follows a header which is not known yet (a small spool stays in memory).
 */
#ifndef KP_BASE_TEMP_H
#define KP_BASE_TEMP_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/*
 * Returns a new file in $TMPDIR or /tmp, open for reading and writing, accessible only to this
 * user, and removed when the process ends. Returns NULL with errno set after an error.
 */
FILE *kp_temp_file(void);

/* Creates a temporary file and writes its name to @path, which the caller must soon unlink. */
FILE *kp_temp_named(char *path, size_t room);

/* Returns a remedy for the end of a message; "" if no other folder helps against @err. */
const char *kp_temp_remedy(int err);

#define KP_SPOOL_MEMORY_BYTES	(8u * 1024 * 1024)

struct kp_spool {
	FILE *in;		/* write to this stream */
	FILE *file;		/* file with the rest that did not fit into memory, or NULL */
	char *memory;
	size_t used;
	int error;		/* errno of the first error, or 0 */
};

/* Opens the spool. Returns 0, or -1 with errno set. */
int kp_spool_open(struct kp_spool *spool);

/* Copies the spool to @out. Returns 0; -1 with spool->error; -2: @out failed, or interrupted. */
int kp_spool_copy(struct kp_spool *spool, FILE *out);

/* Closes the spool. May also be called after kp_spool_open() failed. */
void kp_spool_close(struct kp_spool *spool);

/*
 * Returns a temporary copy of all bytes of @file, and sets *bytes to their number, unless @bytes is
 * NULL. @file stays open. After an error or an interrupt, returns NULL with the cause in @why
 * (@room bytes).
 */
FILE *kp_copy_pipe(FILE *file, const char *shown, uint64_t *bytes, char *why, size_t room);

/*
 * Returns @file if it is a regular file. Otherwise returns a temporary copy of all its bytes, and
 * closes @file. @shown is the input's name in messages. An error ends the program.
 */
FILE *kp_seekable(FILE *file, const char *shown);

#endif
