/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Input that is to be read more than once, or not from its beginning: a pipe is copied. Called by
 * mains that read archives and packets.
 */
#ifndef KP_BASE_SEEKABLE_H
#define KP_BASE_SEEKABLE_H

#include <stdio.h>

/*
 * file itself, if it is a file; else, and then it is closed, a temporary copy of all that comes from
 * it. shown: its name in messages. What goes wrong ends the program.
 */
FILE *kp_seekable(FILE *file, const char *shown);

#endif
