/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Stores the output file of -o on the disk before it gets its final name (ku_output_commit()).
 */
#ifndef KP_OUTPUT_H
#define KP_OUTPUT_H

#include <stdint.h>

#include "common/file.h"

/*
 * Writes the dirty pages of @fd to the disk, which can take long. Shows the progress of @total
 * bytes, of which earlier calls have stored *stored. Adds the file's size to *stored. Returns 0 or
 * -errno; -EINTR if stopped().
 */
int kp_output_store(int fd, uint64_t *stored, uint64_t total, bool (*stopped)(void));

#endif
