/* SPDX-License-Identifier: BSD-3-Clause */
/* Writes dumps and snapshots. */
#ifndef KU_CLI_SHARED_WRITE_H
#define KU_CLI_SHARED_WRITE_H

#include <stdbool.h>

/*
 * Writes the recording to @fname (NULL: the default name of the guide) and prints its properties
 * on stderr or stdout. @what: name of the command, for messages.
 */
int cmd_write_trace(const char *what, const char *fname, bool to_stderr);
/* Does the same while the recording goes on. */
int cmd_write_snapshot(const char *what, const char *fname, bool to_stderr);

#endif
