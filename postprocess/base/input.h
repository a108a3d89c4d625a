/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Opens the input of a filter in the format that it reads. A file that is packed, or of another
 * format of ours, passes through the programs that unpack and convert it.
 */
#ifndef KP_BASE_INPUT_H
#define KP_BASE_INPUT_H

#include <stdbool.h>
#include <stdio.h>

#include "base/text.h"

/*
 * Opens @path for reading like kp_open_input(). If it is packed by xz, gzip or zstd, unpacks it by
 * that program. If @reads is one of these formats, also runs the filters that convert to it, and
 * prints a line on stderr that names the first of them:
 *
 *   KP_FORMAT_SPAN_JSON   a raw trace by rawtohtml --json, a page by unmakeself, event text by
 *                         eventtospan, then sort
 *   KP_FORMAT_EVENT_TEXT  a raw trace by rawtoevent
 *
 * Every other format is passed on unchanged, so that the tool's reader reports it. The filters are
 * taken from the folder of this program, otherwise from PATH. The stream has no descriptor
 * (fileno() is -1) if the input is no regular file and no terminal, or passes through a program. An
 * error ends the program.
 */
FILE *kp_open_format(const char *path, enum kp_format reads, const char **shown);

/* Returns the format of a regular file, or KP_FORMAT_NONE if it is unknown or cannot be read. */
enum kp_format kp_path_format(const char *path);

/* Returns whether kp_open_format() reads or converts a file of format @from for a tool that reads @reads. */
bool kp_can_convert(enum kp_format from, enum kp_format reads);

/*
 * Returns whether @path is a file that kp_open_format() can open for a tool that reads @reads: by its
 * format, or because it is "-" or a pipe, whose format is not known yet.
 */
bool kp_is_format(const char *path, enum kp_format reads);

/* Returns whether @text is no number, and has a dot or a slash, like the name of a file. */
bool kp_is_path(const char *text);

#endif
