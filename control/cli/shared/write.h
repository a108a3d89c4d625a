/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Dumps and snapshots, see write.c.
 */
#ifndef KU_CLI_SHARED_WRITE_H
#define KU_CLI_SHARED_WRITE_H

#include <stdbool.h>

/*
 * Writes the recording to fname (NULL: a name like the guide's) and says on out
 * what was recorded. what: the command, for messages.
 */
int cmd_write_trace(const char *what, const char *fname, bool to_stderr);
/* The same while it goes on. */
int cmd_write_snapshot(const char *what, const char *fname, bool to_stderr);

#endif
