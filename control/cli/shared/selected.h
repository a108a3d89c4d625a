/* SPDX-License-Identifier: BSD-3-Clause */
/* The session that commands apply to. */
#ifndef KU_CLI_SHARED_SELECTED_H
#define KU_CLI_SHARED_SELECTED_H

#include <stdbool.h>

#include "kutrace_events.h"
#include "libkutrace.h"

/* Sets the session named by --session. Returns CMD_OK, or CMD_USAGE after a message. */
int cmd_set_session(const char *name);
const char *cmd_session(void);
/*
 * Makes the library use that session, for the command @what. It stays open until another one is
 * set. Returns CMD_OK, or a status after a message.
 */
int cmd_use_session(const char *what);
/* Does the same, and creates the session if it does not exist (*@created). @options may be NULL. */
int cmd_use_or_create(const char *what, const struct kutrace_session_options *options,
		      bool *created);
/* Creates the session and uses it. Returns 0 or the library's error, without a message. */
int cmd_create_session(const char *name, const struct kutrace_session_options *options);
/* Closes the session. A session without keep that this program created is destroyed. */
void cmd_close_session(void);
/* Returns the handle in use; NULL: the main session without a handle. */
struct kutrace_handle *cmd_handle(void);
/* Sets whether the next cmd_apply_force() ends and empties the session's recording (-force). */
void cmd_force(bool force);
/*
 * After -force, ends the recording of the selected session and empties its buffer. The caller is
 * about to record, with valid arguments. Returns 0 or the library's error, without a message.
 */
int cmd_apply_force(void);
/* Prints "kutrace_control: WHAT: session NAME: cause: remedy". Returns CMD_FAILED. */
int cmd_session_error(const char *what, const char *name, int error);

#endif
