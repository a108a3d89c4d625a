/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The output file of -o: a part file (common/file.h) that gets its final name when everything is
 * written. A device or pipe is written directly, without a part file. Symbolic links are followed.
 * ku_part_abandon() discards the output.
 */
#ifndef KP_OUTPUT_H
#define KP_OUTPUT_H

#include <stdint.h>

#include "common/file.h"

/*
 * Opens the output. The umask sets the mode of a new file. A replaced file keeps its mode, and its
 * owner where permitted. Returns 0 or -errno.
 */
int kp_output_open(struct ku_part *output, const char *path);

/*
 * Writes the dirty pages of @fd to the disk, which can take long. Shows the progress of @total
 * bytes, of which earlier calls have stored *stored. Adds the file's size to *stored. Returns 0 or
 * -errno; -EINTR if stopped().
 */
int kp_output_store(int fd, uint64_t *stored, uint64_t total, bool (*stopped)(void));

/*
 * Gives the part file its final name. The file must be complete and closed. Returns 0 or -errno.
 * After an error the part is removed and the previous file remains, unless only the sync of the
 * folder failed.
 */
int kp_output_commit(struct ku_part *output);

#endif
