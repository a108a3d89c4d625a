// SPDX-License-Identifier: BSD-3-Clause
/*
 * Explains why a thread did not run (report/why.h):
 *
 *   [  7.97775329, 0.00001393, -1, 109, 0, 783, 0, 0, 0, "wait_pipe"],   and the rows around it
 *   become  7.97775329  28.91 us  in read: waited 13.93 us for pipe, woken by ...
 */

#include "base/input.h"
#include "base/number.h"
#include "base/tool.h"
#include "report/why.h"
#include "spanjson/json.h"

static const struct kp_tool tool = {
	.name = "spantowhy",
	.usage = "[JSON] [--pid P] [--from A --to B] [--json] [-o FILE]",
	.help =
"Read span JSON (file, or standard input), and explain why threads did not run.\n"
"\n"
"  --pid P        explain each gap of thread P (number or name): the call in which\n"
"                 it stopped, what it waited for, the waker and its call, how long\n"
"                 it then waited for a CPU, and which threads ran there meanwhile.\n"
"                 If several threads have the name, explain the one with the\n"
"                 longest time from first to last run in the selected time\n"
"                 (default: print a line of totals for each thread)\n"
"  --from A --to B   explain only this time, in seconds from the start minute\n"
"  --json         print the result as JSON\n"
KP_HELP_OPTIONS
"\n"
"The critical path of P follows (default: of the thread that ran last), from its\n"
"end back to the beginning: if P waited for another thread, it shows what that\n"
"thread did meanwhile.\n"
"Exit status: 0 done, 1 bad data or I/O error, 2 usage.\n",
};

#define PID_WANTS "the number or the name of a thread"
#define TIME_WANTS "a time in seconds"

enum { PID = KP_LONG(1), FROM, TO };

static bool json;

static const struct kp_option options[] = {
	{ "json", KP_LONG(0), NULL, &json }, { "pid", PID, PID_WANTS, NULL },
	{ "from", FROM, TIME_WANTS, NULL }, { "to", TO, TIME_WANTS, NULL }, {0},
};

static int64_t seconds(const char *option, const char *text)
{
	int64_t value;

	if (kp_number_argument(text, 8, &value) || value < 0 || value > KP_JSON_TIME_MAX)
		kp_usage_error("%s: bad number \"%s\" of seconds (0 to 9999999999)", option, text);
	return value;
}

/* Reports that the trace has no row in the selected time. */
static void nothing_selected(const struct kp_why *why, const char *shown)
{
	kp_error("%s: the trace has nothing in the selected time: it is from %" PRId64 ".%08" PRId64 " to %" PRId64 ".%08" PRId64 " s",
		 shown, why->trace_first / 100000000, why->trace_first % 100000000,
		 why->trace_last / 100000000, why->trace_last % 100000000);
}

/* Returns the index of the thread that --pid names. Reports that there is none, and returns -1. */
static int64_t selected_thread(const struct kp_why *why, int64_t pid, const char *name, const char *shown,
			       const char *when)
{
	size_t count;
	int64_t index = name ? kp_why_named(why, name, &count) : kp_why_find(why, pid);

	if (name && index < 0)
		kp_error("%s: no thread with the name %s runs in %s", shown, name, when);
	else if (name && count > 1)
		kp_error("%s: %zu threads have the name %s; this is %s", shown, count, name,
			 why->pids.items[index].name->text);
	if (!name && (index < 0 || !why->pids.items[index].runs.count)) {
		kp_error("%s: pid %" PRId64 " does not run in %s", shown, pid, when);
		return -1;
	}
	return index;
}

int main(int argc, char **argv)
{
	static struct kp_json_reader reader;
	static struct kp_why why;
	const char *path = NULL, *name = NULL, *shown, *value;
	int64_t pid = -1, from = 0, to = 0, index = -1;
	enum kp_json_result result;
	struct kp_span_sink sink;
	int option, status;
	FILE *in;

	kp_begin(&tool, argc, argv);
	while ((option = kp_next_option(argc, argv, options, &value)) > 0) {
		switch (option) {
		case PID:
			name = kp_number_argument(value, 0, &pid) ? value : NULL;
			if (name ? !*name : pid < 1)
				kp_usage_error("--pid needs " PID_WANTS);
			break;
		case FROM:
			from = seconds("--from", value);
			break;
		case TO:
			to = seconds("--to", value);
			break;
		default:
			kp_file_argument(value, &path);
		}
	}
	if (to && to <= from)
		kp_usage_error("--to is not after --from");
	in = kp_open_format(path, KP_FORMAT_SPAN_JSON, &shown);
	kp_open_output();
	kp_why_init(&why, from, to);
	sink = kp_why_sink(&why);
	result = kp_json_read(&reader, in, shown, &sink);
	status = kp_json_ordered_status(&reader, result, shown);
	if (why.no_memory)
		kp_error("%s: no memory; trim the trace, or use --from and --to", shown);
	if (result != KP_JSON_OK || status != KP_OK) {
		/* the error has been reported already */
	} else if ((name || pid >= 0) && (why.any || !(from || to)) &&
		   (index = selected_thread(&why, pid, name, shown, from || to ? "the selected time" : "this trace")) < 0) {
		status = KP_BAD;
	} else {
		if (!why.any && why.trace_last && !kp_why_paused(&why, why.from, why.to))
			nothing_selected(&why, shown);
		(json ? kp_why_json : kp_why_text)(&why, index, stdout);
	}
	kp_why_free(&why);
	return kp_finish(status);
}
