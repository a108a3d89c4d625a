/* SPDX-License-Identifier: BSD-3-Clause */
/* Messages of kutrace_control. */
#ifndef KU_CLI_BASE_MESSAGE_H
#define KU_CLI_BASE_MESSAGE_H

#include "cli/base/exit.h"

#define CMD_TOO_LARGE \
	"the buffers of all sessions would exceed the limit (module parameter sessions_mb; 0: half " \
	"of the memory): use a smaller --size, or destroy a session"

/* Prints "kutrace_control: WHAT: cause: remedy" for a negative errno. Returns CMD_FAILED. */
int cmd_error(const char *what, int error);
/* Prints the message for a dump to @fname (NULL: the default name). Returns CMD_FAILED. */
int cmd_dump_error(const char *what, const char *fname, int error);
/* Prints "kutrace_control: message". Returns CMD_FAILED. */
int cmd_fail(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
/* Prints "kutrace_control: message" and a hint at --help. Returns CMD_USAGE. */
int cmd_usage_error(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/*
 * Sets the session that commands in messages must name. NULL: the main session. The name is not
 * copied.
 */
void cmd_message_session(const char *name);

#endif
