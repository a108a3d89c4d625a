// SPDX-License-Identifier: BSD-3-Clause
/*
 * spantowhy: why a thread did not run. A thin main over kp_why.
 *
 *   [  7.97775329, 0.00001393, -1, 109, 0, 783, 0, 0, 0, "wait_pipe"],   and what is around it
 *   become  7.97775329  28.91 us  in read: waited 13.93 us for pipe, woken by ...
 */
#include <string.h>

#include "kp_json.h"
#include "kp_main.h"
#include "kp_number.h"
#include "kp_why.h"

static const struct kp_tool tool = {
	.name = "spantowhy",
	.usage = "[JSON] [--pid P] [--from A --to B] [--json]",
	.help =
"Reads span JSON (file, or standard input) and explains why threads did not run.\n"
"\n"
"  --pid P        explain each gap of thread P: what it was in, what it waited\n"
"                 for, who woke it, from what, how long it then waited for a\n"
"                 CPU, and who ran there meanwhile\n"
"                 (without: one line of totals for each thread)\n"
"  --from A --to B   only this time, in seconds from the trace's start minute\n"
"  --json         the same for programs\n"
"  -h, --help     this text\n"
"  --version      the version\n"
"\n"
"Then follows the critical path of P (without: of the thread that ran last), from\n"
"its end back to the beginning: where P waited for another thread, what that one\n"
"did meanwhile.\n"
"Exit status: 0 done, 1 bad data or I/O error, 2 usage, 3 interrupted.\n",
};

static int64_t seconds(const char *option, const char *text)
{
	int64_t value;

	if (!text || kp_number_argument(text, 8, &value) || value < 0 ||
	    value > KP_JSON_TIME_MAX)
		kp_usage_error("%s wants a time in seconds", option);
	return value;
}

int main(int argc, char **argv)
{
	static struct kp_json_reader reader;
	static struct kp_why why;
	const char *path = NULL, *shown;
	int64_t pid = -1, from = 0, to = 0, index = -1;
	enum kp_json_result result;
	struct kp_span_sink sink;
	bool json = false;
	int status;
	FILE *in;

	kp_begin(&tool, argc, argv);
	for (int i = 1; i < argc; i++) {
		if (!strcmp(argv[i], "--json")) {
			json = true;
		} else if (!strcmp(argv[i], "--pid")) {
			if (++i == argc || kp_number_argument(argv[i], 0, &pid) || pid < 1)
				kp_usage_error("--pid wants the number of a thread");
		} else if (!strcmp(argv[i], "--from")) {
			from = seconds("--from", argv[++i]);
		} else if (!strcmp(argv[i], "--to")) {
			to = seconds("--to", argv[++i]);
		} else {
			kp_file_argument(argv[i], &path);
		}
	}
	if (to && to <= from)
		kp_usage_error("--to is not behind --from");
	in = kp_open_input(path, &shown);
	kp_why_init(&why, from, to);
	sink = kp_why_sink(&why);
	result = kp_json_read(&reader, in, shown, &sink);
	status = kp_json_ordered_status(&reader, result, shown);
	if (why.no_memory)
		kp_error("%s: no memory; trim the trace, or use --from and --to", shown);
	if (result != KP_JSON_OK || status != KP_OK) {
		/* said */
	} else if (pid >= 0 &&
		   ((index = kp_why_find(&why, pid)) < 0 || !why.pids.items[index].runs.count)) {
		kp_error("%s: pid %lld does not run in it", shown, (long long)pid);
		status = KP_BAD;
	} else {
		(json ? kp_why_json : kp_why_text)(&why, index, stdout);
	}
	kp_why_free(&why);
	return kp_finish(status);
}
