/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Commands to a session, one at a time, see command.c.
 */
#ifndef KU_LIB_SESSION_COMMAND_H
#define KU_LIB_SESSION_COMMAND_H

#include <stddef.h>

/*
 * A descriptor of the session that this thread uses, and the lock of commands, which is held
 * until the end; or a negative errno, and it is not.
 */
int ku_command_begin(void);
/* Closes and unlocks; returns ret. */
int ku_command_end(int fd, int ret);

/* What the recording is called in its trace. The lock is held. */
void ku_set_process_name(const char *name);
/* Takes the lock. Empty: nothing was said. */
void ku_process_name(char *name, size_t size);

#endif
