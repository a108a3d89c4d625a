/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Input that is to be read more than once, or not from its beginning: a pipe is copied. Called by
 * mains that read archives and packets, and by the readers of traces and of pages.
 */
#ifndef KP_BASE_SEEKABLE_H
#define KP_BASE_SEEKABLE_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/*
 * A temporary copy of all that comes from file, which it leaves open; it says how far it is. shown: its
 * name in messages. bytes, if not NULL, gets how many there are. NULL with why in at most room bytes; also
 * when the user interrupts it.
 */
FILE *kp_copy_pipe(FILE *file, const char *shown, uint64_t *bytes, char *why, size_t room);

/*
 * file itself, if it is a file; else, and then it is closed, a temporary copy of all that comes from
 * it. shown: its name in messages. What goes wrong ends the program.
 */
FILE *kp_seekable(FILE *file, const char *shown);

#endif
