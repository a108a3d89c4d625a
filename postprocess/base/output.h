/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The output file of -o. It is a part file (common/file.h) until everything is written, and then
 * gets its final name. If the path is not a regular file (device, pipe), the filter writes to it
 * directly, and the part has no name. Symbolic links are followed. ku_part_abandon() discards the
 * output.
 */
#ifndef KP_OUTPUT_H
#define KP_OUTPUT_H

#include <stdbool.h>
#include <stdint.h>

#include "common/file.h"

/*
 * Opens the output. A new file gets mode 0600, because pages and JSON contain program names of all
 * users. A replaced file keeps its mode, and also its owner where permitted. Returns 0 or -errno.
 */
int kp_output_open(struct ku_part *output, const char *path);

/*
 * Writes the dirty pages of @fd to the disk, and reports any write error. This can take long on a
 * slow disk, so the function shows progress: *stored of @total bytes have been stored before. Adds
 * the size of the file to *stored. Returns 0 or -errno; -EINTR if stopped() returned true.
 */
int kp_output_store(int fd, uint64_t *stored, uint64_t total, bool (*stopped)(void));

/*
 * Gives the part its final name. All bytes must have been written and the descriptor closed.
 * Returns 0 or -errno. After an error the part is removed, and the previous file still exists,
 * unless only the sync of the folder failed.
 */
int kp_output_commit(struct ku_part *output);

#endif
