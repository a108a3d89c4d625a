// SPDX-License-Identifier: BSD-3-Clause
/* Help texts of the tool and of each command. The man page has the details. */
#include "cli/base/help.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

static const char help[] =
	"usage: kutrace_control [--session NAME] [COMMAND [ARGUMENT]...]\n"
	"       kutrace_control [--session NAME] run [-o FILE] [OPTION]... -- PROGRAM "
	"[ARGUMENT]...\n"
	"       kutrace_control 0 | 1\n"
	"       kutrace_control [--session NAME] -force [COMMAND [ARGUMENT]...]\n"
	"                 before a command records, end and empty what its session has\n"
	"\n"
	"Records every transition between user and kernel code on every CPU.\n"
	"Without a command, reads commands from standard input, with a prompt if that\n"
	"is a terminal.\n"
	"\n"
	"  go             empty the buffer and record until it is full\n"
	"  gowrap         the same, but overwrite the oldest when it is full\n"
	"  goipc, goipcwrap (gowrapipc)\n"
	"                 the same with instructions per cycle\n"
	"  start [OPTION]...\n"
	"                 the same as go, gowrap (--wrap)\n"
	"  stop [FILE]    end recording and write the trace (off, flush, dump)\n"
	"  dump [FILE]    write the trace again; FILE as\n"
	"                 kutrace_20180606_121314_dclab-1_3456.trace if not given\n"
	"  snapshot [-o FILE]\n"
	"                 write what is in the buffer now, while recording goes on\n"
	"  wait [-o FILE] [--timeout S] [--next]\n"
	"                 until a trigger fires (--next: another one than before), then\n"
	"                 say what it was and write the trace\n"
	"  watch [--into FOLDER] [--keep MB] [--pause S] [OPTION]...\n"
	"                 a standing recorder: record, or go on with what the session\n"
	"                 records, and write a trace each time a trigger fires, S seconds\n"
	"                 apart (10); the oldest go when all have more than MB (1024)\n"
	"  off, on        turn recording off, on again\n"
	"  reset [wrap | ipc]\n"
	"                 empty the buffer\n"
	"  init           note who is recording\n"
	"  flush          pad the CPUs' partly filled blocks\n"
	"  stat           how much is recorded; at the prompt, Enter does it too\n"
	"  test           is there a module, and is it recording\n"
	"  quit, exit     end recording without writing it, and leave; at the prompt only\n"
	"                 what was begun there\n"
	"  help           this text\n"
	"\n"
	"  run            record while PROGRAM runs, write the trace, exit with its status:\n"
	"                 128+N signal N ended it, 127 not found, 126 cannot be run, 125 it is\n"
	"                 kutrace_control that failed. Under sudo PROGRAM runs as who called it\n"
	"    --user NAME  as that user\n"
	"    --open       then make the page and open it in the browser\n"
	"  stream [-o FILE [--rotate MB] | --connect HOST:PORT | --listen [HOST:]PORT]\n"
	"         [--state FILE]\n"
	"  stream --through COMMAND | --connect HOST:PORT --acknowledged [--rotate MB]\n"
	"         [--patience S] [--state FILE]\n"
	"                 write blocks as they fill, until recording ends or ^C, to standard\n"
	"                 output, a file, or a TCP connection: a trace for rawtoevent\n"
	"    --rotate MB  begin FILE.0001, FILE.0002 ... when one is so large\n"
	"    --state FILE where it left off, to go on there the next time\n"
	"    --through COMMAND, --acknowledged\n"
	"                 to receive at the other end, which says what it has kept: when the\n"
	"                 connection breaks, or is silent for S seconds (30), it goes on in a\n"
	"                 new one\n"
	"  receive [FOLDER]\n"
	"                 the other end: a trace from standard input into FOLDER\n"
	"  status [--json]\n"
	"                 everything that is known about module and recording: how full,\n"
	"                 how fast, until when, what was lost, what it costs\n"
	"  doctor [--json]\n"
	"                 what on this machine is in the way of recording, and the command\n"
	"                 that mends it; exits with 1 if anything is\n"
	"  show [-f] [-n N]\n"
	"                 the events in the buffer as text; -n: the last N, -f: and go on\n"
	"  tracepoints [--json] [PATTERN]\n"
	"                 every kind of event: recorded or not, how many, lost\n"
	"  tracepoint PATTERN on|off\n"
	"                 switch kinds of events, also while recording\n"
	"  mask [--json | LIST | +LIST | -LIST]\n"
	"                 the same by categories and kinds, with commas between: exactly\n"
	"                 these; these, too; not these\n"
	"  filter FILTER... | none\n"
	"                 whose events, where: --pid P,.. --group G,.. --cgroup PATH,..\n"
	"                 --cpus 0-3,7; P and G: numbers of the initial pid namespace\n"
	"  session create NAME [--size MB] [--wrap [--per-cpu]] | list [--json] | destroy NAME\n"
	"                 recordings beside the main one\n"
	"  0, 1           off, on\n"
	"\n"
	"Options of run, start and watch:\n"
	"  -o FILE        (run) write to FILE\n"
	"  --wrap         keep the last part if it does not all fit\n"
	"  --per-cpu      with --wrap: give each CPU a share of the buffer\n"
	"  --ipc          with instructions per cycle of every span, as goipc\n"
	"  --llc          with its misses of the last cache\n"
	"  --size MB      in a session with a buffer of that size\n"
	"  --mask LIST    only these kinds of events\n"
	"  --pid, --group, --cgroup, --cpus\n"
	"                 only these tasks' events, only there\n"
	"  --trigger SPEC record until that happens; up to eight:\n"
	"                 syscall[:NAME]>TIME softirq[:NAME]>TIME irq[:NAME]>TIME\n"
	"                 trap[:NAME]>TIME runq>TIME mark:TEXT marks:FROM..TO>TIME\n"
	"                 signal[:NAME] exit!=0 exit:STATUS, each with @PID (of the\n"
	"                 initial pid namespace) or without\n"
	"  --after MS     and so long after (100)\n"
	"  --snapshot     write it then, and go on recording\n"
	"\n"
	"  --session NAME do it to that session; start and run create it\n"
	"  -h, --help     print this and exit\n"
	"  --version      print the version and exit\n"
	"\n"
	"Exit status: 0 done, 1 failed, 2 usage; run: see there.\n";

/*
 * Returns whether the line, the first of a paragraph, begins with that command. The line may
 * begin with several.
 */
static bool is_of(const char *line, const char *command)
{
	size_t length = strcspn(command, " "), word;	/* "session create" belongs to "session" */

	for (line += 2; *line != ' ' && *line != '\n'; line += word) {
		word = strcspn(line, ", \n");
		if (word == length && !strncmp(line, command, length))
			return true;
		word += strspn(line + word, ",");
		if (line[word] == ' ' && line[word - 1] == ',')
			word++;
	}
	return false;
}

/*
 * Prints a paragraph: its first line, which is indented by two, and the following lines with more
 * indentation.
 */
static const char *print_paragraph(const char *line)
{
	do {
		const char *end = strchr(line, '\n') + 1;

		fwrite(line, 1, (size_t)(end - line), stdout);
		line = end;
	} while (!strncmp(line, "    ", 4));
	return line;
}

/* Prints the help of a command. Returns false if there is none. */
static bool print_command(const char *command)
{
	const char *line = strstr(help, "\n\n  ") + 2;
	const char *options = strstr(help, "\nOptions of run, start and watch");

	while (line < options && !(strncmp(line, "  ", 2) == 0 && is_of(line, command)))
		line = strchr(line, '\n') + 1;
	if (line >= options)
		return false;
	printf("usage: kutrace_control [--session NAME] %s ...\n\n", command);
	print_paragraph(line);
	if (!strcmp(command, "run") || !strcmp(command, "start") || !strcmp(command, "watch"))
		fwrite(options, 1, (size_t)(strstr(options, "\n\n") + 1 - options), stdout);
	return true;
}

void cmd_help(const char *command)
{
	if (!command || !print_command(command))
		fputs(help, stdout);
}
