// SPDX-License-Identifier: BSD-3-Clause
/*
 * kutrace_control: starts, stops and writes recordings, at a prompt or by one
 * command. Here: arguments, messages, signals. All that it does to the kernel
 * goes through libkutrace.
 */
#include <errno.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cmd.h"

static const char help[] =
	"usage: kutrace_control [COMMAND [ARGUMENT]]\n"
	"       kutrace_control run [-o FILE] [--wrap] -- PROGRAM [ARGUMENT]...\n"
	"       kutrace_control status [--json]\n"
	"       kutrace_control 0 | 1\n"
	"\n"
	"Records every transition between user and kernel code on every CPU.\n"
	"Without arguments, reads commands from standard input, with a prompt if that\n"
	"is a terminal.\n"
	"\n"
	"  go             empty the buffer and record until it is full\n"
	"  gowrap         the same, but overwrite the oldest when it is full\n"
	"  goipc, goipcwrap\n"
	"                 the same with instructions per cycle\n"
	"  stop [FILE]    end recording and write the trace (off, flush, dump)\n"
	"  dump [FILE]    write the trace again; FILE as\n"
	"                 kutrace_20180606_121314_dclab-1_3456.trace if not given\n"
	"  off, on        turn recording off, on again\n"
	"  reset [wrap]   empty the buffer\n"
	"  init           note who is recording\n"
	"  flush          pad the CPUs' partly filled blocks\n"
	"  stat           how much is recorded; at the prompt, Enter does it too\n"
	"  test           is there a module, and is it recording\n"
	"  quit, exit     end recording without writing it, and leave\n"
	"  help           this text\n"
	"\n"
	"  run            record while PROGRAM runs, write the trace, exit with its status\n"
	"    -o FILE      write to FILE\n"
	"    --wrap       keep the last part if it does not all fit\n"
	"  status         everything that is known about module and recording\n"
	"    --json       as JSON\n"
	"  0, 1           off, on\n"
	"\n"
	"  -h, --help     print this and exit\n"
	"  --version      print the version and exit\n"
	"\n"
	"Exit status: 0 done, 1 failed, 2 usage.\n";

static volatile sig_atomic_t interrupted;
static const int signals[] = {SIGINT, SIGTERM, SIGHUP};
#define SIGNALS (sizeof(signals) / sizeof(signals[0]))
static struct sigaction before[SIGNALS];

static void on_signal(int signal_number)
{
	(void)signal_number;
	interrupted = 1;
}

void cmd_catch_signals(void)
{
	struct sigaction action = {.sa_handler = on_signal};
	size_t i;

	interrupted = 0;
	for (i = 0; i < SIGNALS; i++) {
		sigaction(signals[i], NULL, &before[i]);
		if (before[i].sa_handler != SIG_IGN)
			sigaction(signals[i], &action, NULL);
	}
}

void cmd_release_signals(void)
{
	size_t i;

	for (i = 0; i < SIGNALS; i++)
		sigaction(signals[i], &before[i], NULL);
}

bool cmd_interrupted(void)
{
	return interrupted;
}

/* One line, whatever is in a file name. */
static void print_line(const char *text)
{
	char line[1600];
	char *p;

	snprintf(line, sizeof(line), "%s", text);
	for (p = line; *p; p++)
		if ((unsigned char)*p < ' ' || *p == 0x7F)
			*p = '?';
	fflush(stdout);
	fprintf(stderr, CMD_TOOL ": %s\n", line);
}

/* Whose recording is in the way of a new one; false: not known, or not that. */
static bool print_busy(const char *what)
{
	char line[200];
	struct kutrace_info info;

	if (!strcmp(what, "flush") || !strcmp(what, "dump") || !strcmp(what, "stop") ||
	    kutrace_get_info(&info) < 0 || !info.recording)
		return false;
	snprintf(line, sizeof(line), "%s: already recording, started by %s (pid %u): "
		 "\"kutrace_control stop\" writes it, \"kutrace_control off\" ends it",
		 what, info.start_comm[0] ? info.start_comm : "?", info.start_pid);
	print_line(line);
	return true;
}

int cmd_error(const char *what, int error)
{
	char text[200], line[300];

	if (error == -EBUSY && print_busy(what))
		return CMD_FAILED;
	snprintf(line, sizeof(line), "%s: %s", what,
		 kutrace_explain(error, text, sizeof(text)));
	print_line(line);
	return CMD_FAILED;
}

int cmd_dump_error(const char *what, const char *fname, int error)
{
	char text[200], line[1500];

	switch (error) {
	case -ENODEV:
	case -EPERM:
	case -EPROTO:
	case -ENOSYS:
	case -EBUSY:
	case -ENODATA:
	case -EOPNOTSUPP:
	case -EBADMSG:
	case -ESTALE:
	case -EINVAL:
		return cmd_error(what, error);
	default:
		break;
	}
	snprintf(line, sizeof(line), "%s: %s: %s", what, fname ? fname : "trace file",
		 kutrace_explain(error, text, sizeof(text)));
	print_line(line);
	return CMD_FAILED;
}

int cmd_usage_error(const char *fmt, ...)
{
	char line[400];
	va_list args;

	va_start(args, fmt);
	vsnprintf(line, sizeof(line), fmt, args);
	va_end(args);
	print_line(line);
	fputs("try '" CMD_TOOL " --help'\n", stderr);
	return CMD_USAGE;
}

static int dispatch(int argc, char **argv)
{
	if (argc < 2)
		return cmd_prompt();
	if (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h")) {
		fputs(help, stdout);
		return CMD_OK;
	}
	if (!strcmp(argv[1], "--version")) {
		printf(CMD_TOOL " %s\n", KUTRACE_VERSION);
		return CMD_OK;
	}
	if (!strcmp(argv[1], "run"))
		return cmd_run(argc - 1, argv + 1);
	if (!strcmp(argv[1], "status"))
		return cmd_status(argc - 1, argv + 1);
	if (!strcmp(argv[1], "help") && argc == 2) {
		fputs(help, stdout);
		return CMD_OK;
	}
	if (argc > 3)
		return cmd_usage_error("%s: too many arguments", argv[1]);
	if (!strcmp(argv[1], "0"))
		return argc > 2 ? cmd_usage_error("0: takes no argument") : cmd_do("off", NULL);
	if (!strcmp(argv[1], "1"))
		return argc > 2 ? cmd_usage_error("1: takes no argument") : cmd_do("on", NULL);
	if (argv[1][0] == '-')
		return cmd_usage_error("%s: no such option", argv[1]);
	if (!cmd_is_command(argv[1]))
		return cmd_usage_error("%s: no such command", argv[1]);
	return cmd_do(argv[1], argv[2]);
}

int main(int argc, char **argv)
{
	int status;

	signal(SIGPIPE, SIG_IGN);
	status = dispatch(argc, argv);
	if (status == CMD_QUIT)
		status = CMD_OK;
	if (fflush(stdout) || ferror(stdout) || fclose(stdout)) {
		fprintf(stderr, CMD_TOOL ": standard output: %s: what was printed is not all\n",
			strerror(errno));
		if (status == CMD_OK)
			status = CMD_FAILED;
	}
	return status;
}
