// SPDX-License-Identifier: BSD-3-Clause
/*
 * spantoprof: what a trace's time went into. A thin main over kp_prof.
 *
 *   [ 11.00000200, 0.00000020, 0, 51, 0, 2087, 0, 51, 0, "getpid"],   and others like it
 *   become       200 ns         1       200 ns       11.00000200 getpid
 */
#include <string.h>

#include "kp_json.h"
#include "kp_main.h"
#include "kp_prof.h"

static const struct kp_tool tool = {
	.name = "spantoprof",
	.usage = "[JSON] [--json | --folded | --folded-pc]",
	.help =
"Reads span JSON (file, or standard input) and prints what each process spent its\n"
"time on: for each kind (user code, system call, fault, interrupt ...) the CPU\n"
"time, the number of calls, the longest call and when it was; the same for waits;\n"
"and the addresses that were sampled most.\n"
"\n"
"  --json         the same for programs\n"
"  --folded       stacks for flame graphs: process;call;fault and nanoseconds\n"
"  --folded-pc    the same of PC samples: process;address and their number\n"
"  -h, --help     this text\n"
"  --version      the version\n"
"\n"
"Of a call that is interrupted or blocks, all parts are one call.\n"
"Exit status: 0 done, 1 bad data or I/O error, 2 usage, 3 interrupted.\n",
};

int main(int argc, char **argv)
{
	static struct kp_json_reader reader;
	static struct kp_prof prof;
	const char *path = NULL, *shown;
	void (*print)(const struct kp_prof *prof, FILE *out) = kp_prof_text;
	enum kp_json_result result;
	struct kp_span_sink sink;
	int status;
	FILE *in;

	kp_begin(&tool, argc, argv);
	for (int i = 1; i < argc; i++) {
		if (!strcmp(argv[i], "--json")) {
			print = kp_prof_json;
		} else if (!strcmp(argv[i], "--folded")) {
			print = kp_prof_folded;
			prof.fold = true;
		} else if (!strcmp(argv[i], "--folded-pc")) {
			print = kp_prof_folded;
			prof.fold_samples = true;
		} else {
			kp_file_argument(argv[i], &path);
		}
	}
	if (prof.fold && prof.fold_samples)
		kp_usage_error("--folded and --folded-pc at once");
	in = kp_open_input(path, &shown);
	sink = kp_prof_sink(&prof);
	result = kp_json_read(&reader, in, shown, &sink);
	status = kp_json_ordered_status(&reader, result, shown);
	if (prof.no_memory)
		kp_error("%s: no memory", shown);
	if (result == KP_JSON_OK && status == KP_OK) {
		kp_prof_sort(&prof);
		print(&prof, stdout);
	}
	kp_prof_free(&prof);
	return kp_finish(status);
}
