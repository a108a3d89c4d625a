/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What kutrace_control says when something is wrong, see message.c.
 */
#ifndef KU_CLI_BASE_MESSAGE_H
#define KU_CLI_BASE_MESSAGE_H

#include "cli/base/exit.h"

#define CMD_TOO_LARGE \
	"the buffers of all sessions would be larger than they may be (the module's parameter " \
	"sessions_mb; 0: half of the memory): take a smaller --size or destroy a session"

/* "kutrace_control: WHAT: cause, what to do" for a negative errno; CMD_FAILED. */
int cmd_error(const char *what, int error);
/* The same for a dump to fname (NULL: the default name). */
int cmd_dump_error(const char *what, const char *fname, int error);
/* "kutrace_control: message"; CMD_FAILED. */
int cmd_fail(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
/* "kutrace_control: message", and the line on --help; CMD_USAGE. */
int cmd_usage_error(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/* The session that commands are about, for what to type; NULL: the main one. Not copied. */
void cmd_message_session(const char *name);

#endif
