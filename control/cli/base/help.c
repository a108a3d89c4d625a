// SPDX-License-Identifier: BSD-3-Clause
/*
 * Help texts of kutrace_control and of each of its commands. The man page has the details. Must not print
 * them in a program that has set its own help.
 */
#include "cli/base/base.h"

static const char help[] =
	"usage: kutrace_control [--session NAME] [COMMAND [ARGUMENT]...]\n"
	"       kutrace_control [--session NAME] run [-o FILE] [OPTION]... -- PROGRAM "
	"[ARGUMENT]...\n"
	"       kutrace_control 0 | 1\n"
	"       kutrace_control [--session NAME] -force [COMMAND [ARGUMENT]...]\n"
	"                 if COMMAND records, first end and discard any recording\n"
	"\n"
	"Records every transition between user and kernel code on every CPU.\n"
	"Without a command, reads commands from standard input, with a prompt if that\n"
	"is a terminal.\n"
	"\n"
	"  go             empty the buffer and record until it is full\n"
	"  gowrap         empty the buffer and record; overwrite the oldest events when full\n"
	"  goipc, goipcwrap (gowrapipc)\n"
	"                 do the same with instructions per cycle\n"
	"  start [OPTION]...\n"
	"                 do the same as go, or gowrap (--wrap), with options\n"
	"  stop [FILE]    end recording and write the trace (off, flush, dump)\n"
	"  dump [FILE]    write the trace again; the default for FILE is a name such as\n"
	"                 kutrace_20180606_121314_dclab-1_3456.trace\n"
	"  snapshot [-o FILE] [--session NAME]\n"
	"                 write the present content; the recording continues\n"
	"  wait [-o FILE] [--timeout S] [--next]\n"
	"                 wait until a trigger fires (--next: until another one fires),\n"
	"                 then print it and write the trace\n"
	"  watch [--into FOLDER] [--keep MB] [--pause S] [--findings MB] [OPTION]...\n"
	"                 record permanently, or continue the session's recording, and\n"
	"                 write a trace each time a trigger fires, at least S seconds\n"
	"                 apart (10); remove the oldest traces above MB in total (1024)\n"
	"    --findings MB\n"
	"                 search traces of at most MB for known faults (64; 0: none)\n"
	"  off, on        turn recording off, on again\n"
	"  reset [wrap | ipc]\n"
	"                 empty the buffer\n"
	"  init           set the name of the recording process in the trace\n"
	"  flush          pad the CPUs' partly filled blocks\n"
	"  stat           print how much is recorded; at the prompt, Enter does the same\n"
	"  test           print whether the module is loaded and records\n"
	"  quit, exit     end recording without writing it, and leave; at the prompt, end\n"
	"                 only a recording that was started there\n"
	"  help [COMMAND] print this text, or the help of COMMAND\n"
	"\n"
	"  run            record while PROGRAM runs, write the trace, exit with its status:\n"
	"                 128+N signal N ended it, 127 not found, 126 cannot be run, 125\n"
	"                 kutrace_control failed. Under sudo, run PROGRAM as the calling user\n"
	"    --user NAME  run PROGRAM as that user\n"
	"    --open       then make the page and open it in the browser\n"
	"    --no-next    do not print the command that makes the page\n"
	"    --no-findings  do not search the trace for known faults\n"
	"  record [--for S] [-o FILE] [OPTION]...\n"
	"                 record until ^C or for S seconds, and write the trace; when the\n"
	"                 buffer is full, overwrite the oldest events, as with --wrap\n"
	"  stream [-o FILE [--rotate MB|TIME] | --connect HOST:PORT |\n"
	"         --listen [HOST:]PORT] [--state FILE]\n"
	"  stream --through COMMAND | --connect HOST:PORT --acknowledged\n"
	"         [--rotate MB|TIME] [--patience S] [--state FILE]\n"
	"                 write blocks as they fill, until recording ends or ^C, to standard\n"
	"                 output, a file, or a TCP connection, as a trace for rawtoevent\n"
	"    --rotate MB|TIME\n"
	"                 begin FILE.0001, FILE.0002 ... after that size or time (64, 5m)\n"
	"    --state FILE keep a list of the sent blocks, to continue there the next time\n"
	"    --through COMMAND, --acknowledged\n"
	"                 send to the command receive, which acknowledges the bytes on its\n"
	"                 disk: after a break, or no answer for S seconds (30), continue in\n"
	"                 a new connection\n"
	"  receive [FOLDER]\n"
	"                 store a trace of such a stream, from standard input, in FOLDER\n"
	"  status [--json]\n"
	"                 print the state of module and recording: use of the buffer, rate of\n"
	"                 events, time until it is full, losses, cost\n"
	"  doctor [--json]\n"
	"                 list what prevents recording on this machine, with the commands\n"
	"                 that fix it; exit with 1 if nothing can be recorded\n"
	"  selftest [--quick] [--json FILE] [--size MB] [counts | order | costs | rate]...\n"
	"                 check recordings against the kernel's counters, and the order of\n"
	"                 times between CPUs; measure the cost of recording, and the rate of\n"
	"                 a stream; exit with 1 if a check fails\n"
	"    --json FILE  also write the results to FILE\n"
	"    --quick      measure less often\n"
	"    --size MB    record into a buffer of that size\n"
	"  show [-f] [-n N]\n"
	"                 print the events in the buffer; -n: the last N, -f: follow\n"
	"  tracepoints [--json] [PATTERN]\n"
	"                 list every kind of event: recorded or not, count, losses\n"
	"  tracepoint PATTERN on|off\n"
	"                 switch kinds of events, also while recording\n"
	"  mask [--json | LIST | +LIST | -LIST]\n"
	"                 record exactly the categories and kinds in LIST, separated by\n"
	"                 commas; +LIST: record these also; -LIST: do not record these\n"
	"  filter FILTER... | none\n"
	"                 select tasks and CPUs: --pid P,.. --group G,.. --cgroup PATH,..\n"
	"                 --cpus 0-3,7; P and G: numbers of the initial pid namespace\n"
	"  session create NAME [--size MB] [--wrap [--per-cpu]] | list [--json] | destroy NAME\n"
	"                 manage sessions other than the main session\n"
	"  0, 1           do the same as off, on\n"
	"\n"
	"Options of run, record, start and watch:\n"
	"  -o FILE        (run, record) write to FILE\n"
	"  --wrap         keep the last part if not everything fits\n"
	"  --per-cpu      with --wrap: give each CPU a share of the buffer\n"
	"  --ipc          record instructions per cycle of every span, as goipc\n"
	"  --llc          record misses of the last-level cache of every span\n"
	"  --size MB      use a session with a buffer of that size\n"
	"  --mask LIST    record only these kinds of events\n"
	"  --pid, --group, --cgroup, --cpus\n"
	"                 record only events of these tasks, on these CPUs\n"
	"  --trigger SPEC record until this happens; up to eight:\n"
	"                 syscall[:NAME]>TIME softirq[:NAME]>TIME irq[:NAME]>TIME\n"
	"                 trap[:NAME]>TIME runq>TIME mark:TEXT marks:FROM..TO>TIME\n"
	"                 signal[:NAME] exit!=0 exit:STATUS, each with @PID (of the\n"
	"                 initial pid namespace) or without\n"
	"  --after MS     record for MS milliseconds after the trigger (100)\n"
	"  --snapshot     then write a snapshot and go on recording\n"
	"\n"
	"  --session NAME use that session; start, run and record create it\n"
	"  -h, --help     print this and exit\n"
	"  -V, --version  print the version and exit\n"
	"\n"
	"Exit status: 0 done, 1 failed, 2 usage; run: see above.\n";

/* Returns whether @line, the first line of a paragraph, lists @command. */
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

/* Prints a paragraph: the first line, indented by two, and the more indented lines after it. */
static const char *print_paragraph(const char *line)
{
	do {
		const char *end = strchr(line, '\n') + 1;

		fwrite(line, 1, (size_t)(end - line), stdout);
		line = end;
	} while (!strncmp(line, "    ", 4));
	return line;
}

/* Prints the help of a command. Returns false if the command is unknown. */
static bool print_command(const char *command)
{
	const char *line = strstr(help, "\n\n  ") + 2;
	const char *options = strstr(help, "\nOptions of run, record, start and watch");

	while (line < options && !(strncmp(line, "  ", 2) == 0 && is_of(line, command)))
		line = strchr(line, '\n') + 1;
	if (line >= options)
		return false;
	printf("usage: %s %s%s ...\n\n", cmd_typed_tool(), cmd_typed_tool() == cmd_tool() ? "[--session NAME] " : "", command);
	print_paragraph(line);
	if (!strcmp(command, "run") || !strcmp(command, "record") || !strcmp(command, "start") || !strcmp(command, "watch"))
		fwrite(options, 1, (size_t)(strstr(options, "\n\n") + 1 - options), stdout);
	return true;
}

static void (*help_of_tool)(const char *command);

void cmd_set_tool(const char *name, void (*print)(const char *command))
{
	cmd_message_tool(name);
	help_of_tool = print;
}

void cmd_help(const char *command)
{
	if (help_of_tool)
		help_of_tool(command);
	else if (!command || !print_command(command))
		fputs(help, stdout);
}
