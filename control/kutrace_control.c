// SPDX-License-Identifier: BSD-3-Clause
/*
 * kutrace_control: starts, stops and writes recordings, at a prompt or by one
 * command. Here: its arguments. All that it does to the kernel goes through
 * libkutrace.
 */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "cmd.h"

static const char help[] =
	"usage: kutrace_control [COMMAND [ARGUMENT]]\n"
	"       kutrace_control run [-o FILE] [--wrap] -- PROGRAM [ARGUMENT]...\n"
	"       kutrace_control status [--json]\n"
	"       kutrace_control snapshot [-o FILE]\n"
	"       kutrace_control stream [-o FILE [--rotate MB] | --connect ADDRESS:PORT |\n"
	"                              --listen [ADDRESS:]PORT] [--state FILE]\n"
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
	"  start [--wrap] the same as go, gowrap\n"
	"  stop [FILE]    end recording and write the trace (off, flush, dump)\n"
	"  dump [FILE]    write the trace again; FILE as\n"
	"                 kutrace_20180606_121314_dclab-1_3456.trace if not given\n"
	"  snapshot [-o FILE]\n"
	"                 write what is in the buffer now, while recording goes on\n"
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
	"  stream         write blocks as they fill, until recording ends or ^C, to standard\n"
	"                 output, a file, or a TCP connection: a trace for rawtoevent\n"
	"    --rotate MB  begin FILE.0001, FILE.0002 ... when one is so large\n"
	"    --state FILE where it left off, to go on there the next time\n"
	"  status         everything that is known about module and recording: how full,\n"
	"                 how fast, until when, what was lost, what it costs\n"
	"    --json       as JSON\n"
	"  0, 1           off, on\n"
	"\n"
	"  -h, --help     print this and exit\n"
	"  --version      print the version and exit\n"
	"\n"
	"Exit status: 0 done, 1 failed, 2 usage.\n";

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
	if (!strcmp(argv[1], "snapshot"))
		return cmd_snapshot(argc - 1, argv + 1);
	if (!strcmp(argv[1], "stream"))
		return cmd_stream(argc - 1, argv + 1);
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
