// SPDX-License-Identifier: BSD-3-Clause
/*
 * Prints the time that each process of a trace spent in each kind of execution (report/prof.h):
 *
 *   [ 11.00000200, 0.00000020, 0, 51, 0, 2087, 0, 51, 0, "getpid"],   and similar rows
 *   become       200 ns         1       200 ns       11.00000200 getpid
 */
#include <getopt.h>

#include "base/input.h"
#include "base/terminal.h"
#include "report/prof.h"
#include "spanjson/json.h"

static const struct kp_tool tool = {
	.name = "spantoprof",
	.usage = "[JSON] [--json | --folded | --folded-pc] [--group] [--top N] [--color WHEN]\n"
"       [--no-pager] [-o FILE]",
	.help =
"Read span JSON (file, or standard input), and print on what each process spent\n"
"its time. For each kind of execution (user code, system call, fault, interrupt\n"
"...) and of waiting, a line has the time, the number of calls, and their times\n"
"from beginning to end: the longest, p50, p99, the sum, and when the longest\n"
"began. Further lines have the ten addresses with the most PC samples.\n"
"\n"
"  --json         print the report, with all addresses, as a JSON object\n"
"  --folded       print stacks for flame graphs: process;call;fault, nanoseconds\n"
"  --folded-pc    print PC samples for flame graphs: process;address, number\n"
"  --group        add up the threads of each program: those with the same name,\n"
"                 except the number at its end\n"
"  --top N        print only the N processes with the most CPU time, and of each\n"
"                 the N kinds of execution and the N of waiting with the most\n"
"                 time; a line has the number and the sum of the rest\n"
KP_HELP_REPORT
KP_HELP_OPTIONS
"\n"
"All parts of an interrupted or blocked call are one call. A call is cut off if\n"
"its beginning or end is not in the trace, or is inferred: such calls are counted\n"
"separately.\n"
"Exit status: 0 done, 1 bad data or I/O error, 2 usage.\n",
};

enum { FOLDED = KP_LONG(1), FOLDED_PC, GROUP, ROW };

static bool json;
static bool old;		/* an option of KUtrace 3 was given */

static const struct kp_option options[] = {
	{ "json", KP_LONG(0), NULL, &json }, { "folded", FOLDED, NULL, NULL },
	{ "folded-pc", FOLDED_PC, NULL, NULL }, { "group", GROUP, NULL, NULL },
	/* options of KUtrace 3 (Sites); without -group, -row is the default */
	{ "row", ROW, NULL, NULL }, KP_TOP_OPTION, KP_REPORT_OPTIONS,
	{ "all", KP_LONG(5), NULL, &old }, { NULL, 'v', NULL, &old }, {0},
};

int main(int argc, char **argv)
{
	static struct kp_json_reader reader;
	static struct kp_prof prof;
	const char *path = NULL, *shown, *value;
	void (*print)(const struct kp_prof *prof, FILE *out) = NULL;
	enum kp_json_result result;
	struct kp_span_sink sink;
	bool group = false;
	int option, status;
	FILE *in, *out;
	size_t top;

	kp_begin(&tool, argc, argv);
	while ((option = kp_next_option(argc, argv, options, &value)) > 0) {
		switch (option) {
		case FOLDED:
			print = kp_prof_folded;
			prof.fold = true;
			break;
		case FOLDED_PC:
			print = kp_prof_folded;
			prof.fold_samples = true;
			break;
		case GROUP:
			group = true;
			/* old spelling with one dash, such as -group */
			old |= argv[optind - 1][1] != '-';
			break;
		case ROW:
			group = false;
			old = true;
			break;
		default:
			kp_file_argument(value, &path);
		}
	}
	if (prof.fold && prof.fold_samples)
		kp_usage_error("--folded cannot be used with --folded-pc");
	if (json && (prof.fold || prof.fold_samples))
		kp_usage_error("--json cannot be used with --folded%s", prof.fold ? "" : "-pc");
	if (json)
		print = kp_prof_json;
	top = kp_top(json ? "--json" : prof.fold ? "--folded" : prof.fold_samples ? "--folded-pc" : NULL);
	if (old)
		kp_error("prints a profile, not the rows of KUtrace 3 for makeself; "
			 "-all and -v have no effect");
	in = kp_open_format(path, KP_FORMAT_SPAN_JSON, &shown);
	kp_open_output();
	out = print ? stdout : kp_report_open();
	sink = kp_prof_sink(&prof);
	result = kp_json_read(&reader, in, shown, &sink);
	status = kp_json_ordered_status(&reader, result, shown);
	if (result == KP_JSON_OK && status == KP_OK && group && kp_prof_group(&prof))
		status = KP_BAD;
	if (prof.no_memory)
		kp_error("%s: no memory", shown);
	if (result == KP_JSON_OK && status == KP_OK) {
		kp_prof_sort(&prof);
		if (print)
			print(&prof, out);
		else
			kp_prof_text(&prof, top, out);
	}
	kp_report_close(out);
	kp_prof_free(&prof);
	return kp_finish(status);
}
