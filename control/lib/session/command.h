/* SPDX-License-Identifier: BSD-3-Clause */
/* Commands to a session, one at a time. */
#ifndef KU_LIB_SESSION_COMMAND_H
#define KU_LIB_SESSION_COMMAND_H

#include <stddef.h>

/*
 * Locks the commands and returns a descriptor of the session that this thread uses. After an
 * error returns a negative errno, without the lock.
 */
int ku_command_begin(void);
/* Closes the descriptor and unlocks. Returns @ret. */
int ku_command_end(int fd, int ret);

/* Sets the name of the recording process in the trace. Lock held. */
void ku_set_process_name(const char *name);
/* Copies the name; empty: none was set. Takes the lock. */
void ku_process_name(char *name, size_t size);

#endif
