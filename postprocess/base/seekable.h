/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Copies a pipe to a temporary file, for input that is read more than once or not from its
 * beginning.
 */
#ifndef KP_BASE_SEEKABLE_H
#define KP_BASE_SEEKABLE_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/*
 * Returns a temporary copy of everything read from @file, which stays open. Shows progress. @shown
 * is the input's name in messages. If @bytes is not NULL, *bytes is set to the number of bytes.
 * After an error or an interrupt, returns NULL and writes the cause to @why, at most @room bytes.
 */
FILE *kp_copy_pipe(FILE *file, const char *shown, uint64_t *bytes, char *why, size_t room);

/*
 * Returns @file if it is a regular file. Otherwise returns a temporary copy of everything read from
 * it, and closes it. @shown is its name in messages. An error ends the program.
 */
FILE *kp_seekable(FILE *file, const char *shown);

#endif
