/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Which session commands are about, see session.c.
 */
#ifndef KU_CLI_SHARED_SESSION_H
#define KU_CLI_SHARED_SESSION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kutrace_abi.h"
#include "kutrace_events.h"
#include "libkutrace.h"

/* What --session says; NULL: nothing. -1 for a usage error that has been printed. */
int cmd_set_session(const char *name);
const char *cmd_session(void);
/*
 * Makes the library use that session, for the command called what; it stays open until
 * another one is set. CMD_OK, or a status after a message.
 */
int cmd_use_session(const char *what);
/* The same, and creates it if there is none; *created. options may be NULL. */
int cmd_use_or_create(const char *what, const struct kutrace_session_options *options,
		      bool *created);
/* Creates that one and uses it. 0, or the library's error, without a message. */
int cmd_create_session(const char *name, const struct kutrace_session_options *options);
/* At the end: one that was there for this program only goes. */
void cmd_leave_session(void);
/* What is used; NULL: the main one, without a handle. */
struct kutrace_handle *cmd_handle(void);
/* Makes the next cmd_make_way() end and empty what the session has, as -force requests; or not. */
void cmd_force(bool force);
/*
 * After -force, ends what the session in use records, and empties its buffer. The caller is
 * about to record, and its arguments are valid. 0, or the library's error, without a message.
 */
int cmd_make_way(void);
/* "kutrace_control: WHAT: session NAME: cause, what to do"; CMD_FAILED. */
int cmd_session_error(const char *what, const char *name, int error);

#endif
