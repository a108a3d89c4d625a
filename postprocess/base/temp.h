/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Nameless temporary files, and a spool: bytes kept until something that must
 * stand in front of them is known. Small ones never touch the disk.
 * Called by what must read a pipe twice, or holds more than fits in memory.
 */
#ifndef KP_TEMP_H
#define KP_TEMP_H

#include <stddef.h>
#include <stdio.h>

/*
 * Opened for reading and writing in $TMPDIR or /tmp, only for this user, gone
 * with the process. NULL with errno set if it cannot be made.
 */
FILE *kp_temp_file(void);

/*
 * The same with its name, to path, for who must open it once more, and removes the name right
 * then.
 */
FILE *kp_temp_named(char *path, size_t room);

#define KP_SPOOL_MEMORY_BYTES	(8u * 1024 * 1024)

struct kp_spool {
	FILE *in;		/* write here */
	FILE *file;		/* what did not fit into memory, or NULL */
	char *memory;
	size_t used;
	int error;		/* errno of the first failure, 0 = none */
};

/* 0, or -1 with errno set. */
int kp_spool_open(struct kp_spool *spool);

/*
 * Copies all that was written to out. 0; -1 when the spool failed (spool->error
 * says why); -2 when out did, or there was an interrupt.
 */
int kp_spool_copy(struct kp_spool *spool, FILE *out);

/* Also after a failed open. */
void kp_spool_close(struct kp_spool *spool);

#endif
