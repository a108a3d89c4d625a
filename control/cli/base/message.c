// SPDX-License-Identifier: BSD-3-Clause
/* Messages of kutrace_control and kutrace. An error message must contain the remedy. */
#include "cli/base/base.h"

#include <signal.h>
#include <stdarg.h>

#include "common/utf8.h"

static const char *session;

void cmd_message_session(const char *name)
{
	session = name;
}

static const char *tool = CMD_TOOL;

void cmd_message_tool(const char *name)
{
	tool = name;
}

const char *cmd_tool(void)
{
	return tool;
}

static const char *typed_command;	/* command of kutrace that the user typed; NULL: none */

void cmd_set_typed_command(const char *name)
{
	typed_command = name;
}

void cmd_take_typed_command(void)
{
	const char *typed = getenv("KUTRACE_COMMAND");

	if (typed && !strncmp(typed, "kutrace ", 8))
		typed_command = strdup(typed + 8);
	/* programs that this program starts have their own names */
	unsetenv("KUTRACE_COMMAND");
}

const char *cmd_typed_tool(void)
{
	return typed_command ? "kutrace" : cmd_tool();
}

/* Prints the beginning of a message: "kutrace run: " if the user typed this command. Returns the rest of @line. */
static const char *print_name(const char *line)
{
	const size_t length = typed_command ? strlen(typed_command) : 0;

	fflush(stdout);
	fprintf(stderr, "%s%s%s: ", cmd_typed_tool(), length ? " " : "", length ? typed_command : "");
	return length && !strncmp(line, typed_command, length) && !strncmp(line + length, ": ", 2) ? line + length + 2 : line;
}

/* Prints a single line: control characters, as in file names, become ?. */
static void print_line(const char *fmt, va_list args)
{
	char line[1600];
	const char *rest;

	vsnprintf(line, sizeof(line), fmt, args);
	ku_utf8_clean(line);
	rest = print_name(line);
	fprintf(stderr, "%s\n", rest);
}

void cmd_note(const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	print_line(fmt, args);
	va_end(args);
}

/* Prints which recording prevents a new one. Returns false if the error has another cause. */
static bool print_busy(const char *what)
{
	char with[60] = "";
	struct kutrace_info info;

	if (!strcmp(what, "flush") || !strcmp(what, "dump") || !strcmp(what, "stop") ||
	    kutrace_get_info(&info) < 0 || !info.recording)
		return false;
	if (session)
		snprintf(with, sizeof(with), " --session %s", session);
	cmd_fail("%s: already recording, started by %s (pid %u): "
		 "\"kutrace_control%s stop\" writes it, \"kutrace_control%s off\" ends it",
		 what, info.start_comm[0] ? info.start_comm : "?", info.start_pid, with, with);
	return true;
}

int cmd_error(const char *what, int error)
{
	char text[200];

	if (error == -EBUSY && print_busy(what))
		return CMD_FAILED;
	/* the limit of the module; cmd_dump_error() handles the limit of a disk */
	if (error == -EDQUOT)
		return cmd_fail("%s: " CMD_TOO_LARGE, what);
	return cmd_fail("%s: %s", what, kutrace_explain(error, text, sizeof(text)));
}

/* Returns the argument by which the user names the file of @what: a command, or a command and its option. */
static const char *file_argument(const char *what)
{
	static const char *const with_o[] = {"run", "record", "snapshot", "stream", "wait"};
	const char *option = strstr(what, "--");

	for (size_t i = 0; i < sizeof(with_o) / sizeof(with_o[0]); i++)
		if (!strcmp(what, with_o[i]))
			return "-o";
	return option ? option : "file";
}

int cmd_dump_error(const char *what, const char *fname, int error)
{
	char text[200];

	if (error == -EPIPE && cmd_stdout_unread())
		return CMD_SIGNAL + SIGPIPE;
	switch (error) {
	case -ENODEV:
	case -EPERM:
	case -EPROTO:
	case -ENOSYS:
	case -EBUSY:
	case -ENODATA:
	case -EOPNOTSUPP:
	case -ENOTCONN:
	case -EBADMSG:
	case -ESTALE:
	case -EAGAIN:
	case -EINVAL:
	case -ESRCH:
		return cmd_error(what, error);
	case -ENOENT:
	case -ENOTDIR:
		return cmd_fail("%s: %s: no such folder; make it, or use another %s", what,
				fname ? fname : "trace file", file_argument(what));
	case -EACCES:
	case -EROFS:
		return cmd_fail("%s: %s: %s; use another %s", what, fname ? fname : "trace file",
				error == -EROFS ? "read-only file system" : "no permission for the file or its folder",
				file_argument(what));
	default:
		return cmd_fail("%s: %s: %s", what, fname ? fname : "trace file",
				kutrace_explain(error, text, sizeof(text)));
	}
}

int cmd_fail(const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	print_line(fmt, args);
	va_end(args);
	return CMD_FAILED;
}

int cmd_usage_error(const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	print_line(fmt, args);
	va_end(args);
	fprintf(stderr, "try '%s%s%s --help'\n", cmd_typed_tool(), typed_command ? " " : "",
		typed_command ? typed_command : "");
	return CMD_USAGE;
}
