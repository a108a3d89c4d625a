/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The file of -o: a part (common/file.h) that gets its name when all is written, or, where
 * that is no regular file (device, pipe), the thing itself: then the part has no name.
 * Links are followed. Called by base/tool.c; ku_part_abandon() when it is not to be.
 */
#ifndef KP_OUTPUT_H
#define KP_OUTPUT_H

#include <stdbool.h>
#include <stdint.h>

#include "common/file.h"

/*
 * 0 or -errno. A new file is for its owner alone (0600), because pages and JSON hold
 * everybody's programs; one that was there keeps its mode, and its owner if we may
 * give it to them.
 */
int kp_output_open(struct ku_part *output, const char *path);

/*
 * What the kernel has put off writing of fd is on the disk when this returns, and whether it could be is known; on a slow
 * disk that takes as long as all the rest. Says how far it is, as so much of total bytes, of which *stored are, of files
 * before this one. 0 or -errno; -EINTR when stopped() came to hold.
 */
int kp_output_store(int fd, uint64_t *stored, uint64_t total, bool (*stopped)(void));

/*
 * Gives the part its name; all must have been written and the descriptor be closed.
 * 0 or -errno; then the part is gone, and the file before is still there unless it is the
 * name that did not reach the disk.
 */
int kp_output_commit(struct ku_part *output);

#endif
