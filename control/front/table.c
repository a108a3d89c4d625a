// SPDX-License-Identifier: BSD-3-Clause
/* The table of all commands, and their help. Must not execute a word that is no command. */
#include <fcntl.h>
#include <limits.h>
#include <sys/stat.h>
#include <unistd.h>

#include "front/front.h"

const struct front_command front_commands[] = {
	{"run", .act = front_run, .usage = "[OPTION]... [--] PROGRAM [ARGUMENT]...",
	 .summary = "record a program, explain its time, show the page"},
	{"record", .program = CMD_TOOL, .first = "record", .summary = "record until ^C, or for some seconds"},
	{"snapshot", .program = CMD_TOOL, .first = "snapshot", .summary = "write what a running recording has so far"},
	{"page", .act = front_page, .program = "rawtohtml", .summary = "make the page of a trace"},
	{"why", .program = "spantowhy", .summary = "explain why a program did not run"},
	{"top", .program = "spantoprof", .summary = "list what each process spent its time on"},
	{"diff", .program = "spandiff", .summary = "compare two traces"},
	{"events", .program = "rawtoevent", .summary = "print the events of a trace as text"},
	{"spans", .program = "rawtohtml", .first = "--json", .summary = "print the spans of a trace as JSON"},
	{"check", .program = "checktrace", .summary = "check that a trace is sound"},
	{"doctor", .program = CMD_TOOL, .first = "doctor", .summary = "list what prevents recording on this machine"},
	{"selftest", .program = CMD_TOOL, .first = "selftest", .summary = "test and measure the module on this machine"},
	{"guest", .act = front_guest, .usage = "[NAME=VALUE]...",
	 .summary = "get a shell in a virtual machine with the module"},
	{"help", .act = front_help, .usage = "[COMMAND]", .summary = "show the manual page of a command"},
	{NULL},
};

const struct front_command *front_find(const char *name)
{
	const struct front_command *command = front_commands;

	while (command->name && strcmp(command->name, name))
		command++;
	return command->name ? command : NULL;
}

/* --- help ---------------------------------------------------------------------- */

static const char run_help[] =
	"\n"
	"Records every transition between user and kernel code while PROGRAM runs. Writes\n"
	"PROGRAM.trace and the page PROGRAM.html, or PROGRAM-2.trace and so on if they\n"
	"exist. Prints how long PROGRAM lasted, on what it spent its time and for what it\n"
	"waited, and the three most expensive known faults that concern PROGRAM. Opens the\n"
	"page if there is a browser.\n"
	"\n"
	"  -o, --output FILE\n"
	"                 write the trace to FILE, and the page beside it; replace both\n"
	"  -f, --force    replace PROGRAM.trace and PROGRAM.html\n"
	"  --no-open      do not open the page\n"
	"  --no-findings  do not search the trace for known faults\n"
	"  --user NAME    run PROGRAM as that user\n"
	"  --wrap, --per-cpu, --ipc, --llc, --size MB, --mask LIST, --pid P, --group G,\n"
	"  --cgroup PATH, --cpus LIST, --trigger SPEC, --after MS, --snapshot,\n"
	"  --session NAME\n"
	"                 do what they do in kutrace_control run\n"
	"  -h, --help     show this help\n"
	"  -V, --version  show the version\n"
	"\n"
	"Exit status: the status of PROGRAM; 128+N: signal N ended it; 127: it was not\n"
	"found; 126: it cannot be run; 125: kutrace failed.\n";

static const char guest_help[] =
	"\n"
	"Boots a Debian kernel in QEMU, loads the module there, and opens a root shell. Runs\n"
	"\"make guest\" in the checkout of KUtrace that contains the current folder or this\n"
	"program. A variable such as KERNEL=stock-6.12, CPUS=4 or CMD='ls -l' is passed to\n"
	"make; \"make help\" lists all.\n";

static const char help_help[] =
	"\n"
	"Shows the manual page kutrace-COMMAND(1), or kutrace(1). Without man, prints the help.\n";

static void print_overview(void)
{
	fputs("usage: kutrace COMMAND [ARGUMENT]...\n"
	      "\n"
	      "Shows where programs spend their time: records every transition between user\n"
	      "and kernel code on every CPU. To begin, type:\n"
	      "\n"
	      "    kutrace run -- ls -l\n"
	      "\n", stdout);
	for (const struct front_command *command = front_commands; command->name; command++)
		printf("  %-10s %s\n", command->name, command->summary);
	fputs("\n"
	      "  -h, --help     show this overview\n"
	      "  -V, --version  show the version\n"
	      "\n"
	      "\"kutrace help COMMAND\" shows the manual page of a command.\n", stdout);
}

void front_print_help(const char *name)
{
	const struct front_command *command = name ? front_find(name) : NULL;

	if (!command) {
		print_overview();
		return;
	}
	printf("usage: kutrace %s %s\n", name, command->usage);
	fputs(command->act == front_run ? run_help : command->act == front_guest ? guest_help : help_help, stdout);
}

/* Finds the manual page that belongs to this program, installed or in the checkout. */
static bool find_man_page(const char *name, char *path, size_t size)
{
	static const char *const forms[] = {
		"%s/../share/man/man1/%s.1", "%s/../share/man/man1/%s.1.gz", "%s/../../docs/reference/man/%s.1",
	};
	char own[PATH_MAX];

	for (size_t i = 0; i < sizeof(forms) / sizeof(forms[0]); i++)
		if (cmd_own_folder(own, sizeof(own)) && snprintf(path, size, forms[i], own, name) < (int)size &&
		    !access(path, R_OK))
			return true;
	return false;
}

static int run_silently(char **argv)
{
	int null = open("/dev/null", O_WRONLY | O_CLOEXEC), status;

	status = front_wait(front_start(argv, null, NULL));
	close(null);
	return status;
}

int front_help(int argc, char **argv)
{
	struct cmd_options o = {.what = "help", .list = (const struct cmd_option[]){{0}}};
	char man[4200], page[PATH_MAX + 100], name[40] = "kutrace";
	char *call[] = {man, page, NULL}, *query[] = {man, (char[]){"-w"}, page, NULL}, *words[] = {NULL, (char[]){"--help"}, NULL};

	if (cmd_next_option(&o, argc, argv) == CMD_OPTION_STOP)
		return o.status;
	if (argc - optind > 1)
		return cmd_usage_error("help: %s: takes one command", argv[optind + 1]);
	if (optind < argc && !front_find(argv[optind]))
		return cmd_no_command(argv[optind]);
	if (optind < argc)
		snprintf(name, sizeof(name), "kutrace-%s", argv[optind]);
	if (!find_man_page(name, page, sizeof(page)))
		strcpy(page, name);
	/* first find out, without messages, whether man finds the page */
	if (cmd_find_in_path("man", man, sizeof(man)) && !run_silently(query) && !front_wait(front_start(call, -1, NULL)))
		return CMD_OK;
	if (optind == argc) {
		print_overview();
		return CMD_OK;
	}
	words[0] = argv[optind];
	return !strcmp(words[0], "help") ? (front_print_help("help"), CMD_OK) : front_do(2, words);
}

int front_do(int argc, char **argv)
{
	const struct front_command *command = front_find(argv[0]);

	/* for messages; a program that kutrace starts gets the name by the environment */
	cmd_set_typed_command(argv[0]);
	return command->act ? command->act(argc, argv) : front_exec(command->program, command->first, argc, argv);
}
