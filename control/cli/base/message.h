/* SPDX-License-Identifier: BSD-3-Clause */
/* Exit statuses, messages and help texts of kutrace_control. */
#ifndef KU_CLI_BASE_MESSAGE_H
#define KU_CLI_BASE_MESSAGE_H

enum cmd_exit {
	CMD_OK = 0,
	CMD_FAILED = 1,
	CMD_USAGE = 2,
	CMD_RUN_FAILED = 125,	/* run: this tool failed, not the program; as in env and timeout */
	CMD_RUN_CANNOT = 126,	/* run: the program exists but cannot be run */
	CMD_RUN_NOT_FOUND = 127,
	CMD_QUIT = 256,		/* not an exit status: leave the prompt without an error */
};

#define CMD_TOOL "kutrace_control"

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

/*
 * Prints the help of the command, or the complete help if there is no such command or @command is
 * NULL.
 */
void cmd_help(const char *command);

#endif
