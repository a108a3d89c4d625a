// SPDX-License-Identifier: BSD-3-Clause
/*
 * Prints what takes longer in the second of two traces (report/diff.h):
 *
 *   mark_a=fault: 14.20 ms -> 19.01 ms (+4.81 ms, +33 %), 1 and 1 times
 *     page_fault: 9.13 ms -> 13.40 ms (+4.27 ms, +46 %); A: 521 times, longest ...
 */

#include "base/input.h"
#include "base/progress.h"
#include "base/terminal.h"
#include "report/diff.h"
#include "spanjson/json.h"

static const struct kp_tool tool = {
	.name = "spandiff",
	.usage = "A.json B.json [--json] [--top N] [--color WHEN] [--no-pager] [-o FILE]",
	.help =
"Compare two traces (span JSON; - is standard input), and print what takes\n"
"longer in B: from each mark to the next one, and for each process of the same\n"
"name. In each, print the kinds (user code, system call, fault, wait ...) with\n"
"the largest increase first, and the longest call of each trace with its start\n"
"time.\n"
"\n"
"  --json         print everything as JSON, also what became faster\n"
"  --top N        print only the N marks and the N processes with the largest\n"
"                 increase, and of each the N kinds (default: 6 kinds); a line has\n"
"                 the number and the sum of the rest\n"
KP_HELP_REPORT
KP_HELP_OPTIONS
"\n"
"Exit status: 0 done, 1 bad data or I/O error, 2 usage.\n",
};

static int read_side(struct kp_diff *diff, int side, const char *path)
{
	static struct kp_json_reader reader;
	struct kp_span_sink sink = kp_diff_sink(diff);
	enum kp_json_result result;
	const char *shown;
	FILE *in = kp_open_format(path, KP_FORMAT_SPAN_JSON, &shown);
	int status;

	diff->reading = side;
	kp_progress_phase(side ? "reading B" : "reading A", NULL);
	result = kp_json_read(&reader, in, shown, &sink);
	status = kp_json_ordered_status(&reader, result, shown);
	if (result == KP_JSON_INTERRUPTED)
		return KP_BAD;
	if (diff->no_memory)
		kp_error("%s: no memory", shown);
	if (in != stdin)
		fclose(in);
	return status;
}

static bool json;

static const struct kp_option options[] = { { "json", KP_LONG(0), NULL, &json }, KP_TOP_OPTION, KP_REPORT_OPTIONS, {0} };

int main(int argc, char **argv)
{
	static struct kp_diff diff;
	const char *paths[2] = { NULL, NULL }, *value;
	int count = 0, status = KP_OK;
	FILE *out;
	size_t top;

	kp_begin(&tool, argc, argv);
	while (kp_next_option(argc, argv, options, &value) > 0) {
		if (count == 2)
			kp_usage_error("more than two traces: %s", value);
		paths[count++] = value;
	}
	if (count < 2)
		kp_usage_error("two traces are needed, A and B");
	if (!strcmp(paths[0], "-") && !strcmp(paths[1], "-"))
		kp_usage_error("only one of the two can be standard input");
	top = kp_top(json ? "--json" : NULL);
	for (int side = 0; side < 2 && !status; side++)
		status = read_side(&diff, side, paths[side]);
	kp_open_output();
	out = json ? stdout : kp_report_open();
	if (!status && kp_diff_align(&diff)) {
		kp_error("no memory");
		status = KP_BAD;
	}
	if (diff.too_many_marks)
		kp_error("more than %d different marks; time after a further mark counts for the mark before it",
			 KP_DIFF_LABELS_MAX);
	if (!status && json)
		kp_diff_json(&diff, out);
	else if (!status)
		kp_diff_text(&diff, top, out);
	kp_report_close(out);
	kp_diff_free(&diff);
	return kp_finish(status);
}
