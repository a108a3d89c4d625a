/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Temporary files without a name, and a spool: it keeps output that must follow a header which is
 * not known yet. A small spool stays in memory.
 */
#ifndef KP_TEMP_H
#define KP_TEMP_H

#include <stddef.h>
#include <stdio.h>

/*
 * Returns a new file in $TMPDIR or /tmp, open for reading and writing, accessible only to this
 * user, and removed when the process ends. Returns NULL with errno set after an error.
 */
FILE *kp_temp_file(void);

/*
 * Creates a temporary file and writes its name to @path, so that the caller can open it again. The
 * caller must then remove the name immediately.
 */
FILE *kp_temp_named(char *path, size_t room);

/*
 * Returns the end of the message about an error of a temporary file: a remedy, or "" if @err would
 * be the same in any other folder.
 */
const char *kp_temp_remedy(int err);

#define KP_SPOOL_MEMORY_BYTES	(8u * 1024 * 1024)

struct kp_spool {
	FILE *in;		/* write to this stream */
	FILE *file;		/* the rest that did not fit into memory, or NULL */
	char *memory;
	size_t used;
	int error;		/* errno of the first error, or 0 */
};

/* Returns 0, or -1 with errno set. */
int kp_spool_open(struct kp_spool *spool);

/*
 * Copies everything in the spool to @out. Returns 0; -1 if the spool failed (see spool->error); -2
 * if writing @out failed or was interrupted.
 */
int kp_spool_copy(struct kp_spool *spool, FILE *out);

/* May also be called after kp_spool_open() failed. */
void kp_spool_close(struct kp_spool *spool);

#endif
