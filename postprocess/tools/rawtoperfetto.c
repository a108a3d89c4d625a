// SPDX-License-Identifier: BSD-3-Clause
/*
 * Converts a raw trace to a Perfetto trace (protobuf), for ui.perfetto.dev and trace_processor:
 *
 *   word 4c8a782733332679 of block 3
 *   becomes  a slice "getpid" on the track of CPU 0, and one on the track of thread 51
 *
 * An incomplete file must not get the name that -o requests.
 */
#include "base/tool.h"
#include "export/exporters.h"

static const struct kp_tool tool = {
	.name = "rawtoperfetto",
	.usage = "[file] [--title TEXT] [-o FILE]",
	.help =
"Convert a raw trace (file, or standard input) to a Perfetto trace, for\n"
"https://ui.perfetto.dev and for trace_processor: which thread ran where,\n"
"wakeups, system calls and faults on a track for each thread, all kernel code on\n"
"a track for each CPU, IPIs, marks, frequencies, the number of threads that wait\n"
"for a CPU.\n"
"\n"
"  --title TEXT   store TEXT as the title of the trace\n"
KP_HELP_OPTIONS
"\n"
"Input that cannot be read twice (a pipe), and spans beyond about a million, are\n"
"kept in temporary files in $TMPDIR or /tmp. A summary goes to standard error.\n"
"Exit status: 0 done, 1 bad data or I/O error, 2 usage. A trace with\n"
"damage inside its blocks gives a trace of the rest, and 1.\n",
};

static struct kp_source source;

static const struct kp_option options[] = {
	{ "title", KP_LONG(0), "a text", &source.trace.title }, {0},
};

int main(int argc, char **argv)
{
	struct kp_perfetto_options how = {
		.about = &source.about, .raw = &source.trace.raw, .tasks = &source.tasks,
	};
	const char *path = NULL, *value;
	struct kp_perfetto *perfetto;
	struct kp_span_sink sink;
	int err, status;

	kp_begin(&tool, argc, argv);
	while (kp_next_option(argc, argv, options, &value) > 0)
		kp_file_argument(value, &path);
	kp_refuse_terminal("a Perfetto trace");
	kp_source_open(&source, path);
	kp_open_output();
	kp_source_read(&source);
	how.out = stdout;	/* kp_begin() has changed this stream */
	perfetto = kp_needed(kp_perfetto_new(&how));
	sink = kp_perfetto_sink(perfetto);
	err = kp_trace_replay(&source.trace, &sink);
	status = kp_finish(kp_source_status(&source, err, "", tool.name,
					    kp_perfetto_packets(perfetto), "packets"));
	kp_perfetto_free(perfetto);
	kp_source_free(&source);
	return status;
}
