// SPDX-License-Identifier: BSD-3-Clause
/* Messages of kutrace_control. An error message must contain the remedy. */
#include "cli/base/base.h"

#include <signal.h>
#include <stdarg.h>

#include "common/utf8.h"

static const char *session;

void cmd_message_session(const char *name)
{
	session = name;
}

/* Prints a single line: control characters, as in file names, become ?. */
static void print_line(const char *fmt, va_list args)
{
	char line[1600];

	vsnprintf(line, sizeof(line), fmt, args);
	ku_utf8_clean(line);
	fflush(stdout);
	fprintf(stderr, CMD_TOOL ": %s\n", line);
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
	fputs("try '" CMD_TOOL " --help'\n", stderr);
	return CMD_USAGE;
}
