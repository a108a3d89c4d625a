// SPDX-License-Identifier: BSD-3-Clause
/*
 * Converts the ftrace events of a Perfetto trace (protobuf) to event text:
 *
 *	ftrace_events { cpu: 0 event { timestamp: 16073585980 pid: 51 sys_enter { id: 39 } } }
 *	becomes  1607358598 0 2087 0  51 0  0 0 0 getpid (827)
 *
 * Must not print any event of a trace that cannot be read to its end.
 */

#include "base/input.h"
#include "base/progress.h"
#include "base/temp.h"
#include "base/tool.h"
#include "eventtext/eventtext.h"
#include "interop/perfetto_import.h"

static const struct kp_tool tool = {
	.name = "perfettotoevent",
	.usage = "[file] [-o FILE]",
	.help =
"Print a Perfetto trace (file, or standard input) of Linux's ftrace as event\n"
"text: scheduling, wakeups, system calls, interrupts, softirqs, idle states,\n"
"frequencies, names. A page of an existing trace is made like this:\n"
"\n"
"  perfettotoevent foo.perfetto-trace | eventtospan | LC_ALL=C sort | \\\n"
"    makeself >foo.html\n"
"\n"
"The page shows what the trace recorded in part or not at all, and its losses.\n"
"\n"
KP_HELP_OPTIONS
"\n"
"Input that cannot be read twice (a pipe), and compressed packets, are copied to\n"
"a temporary file in $TMPDIR or /tmp. A summary goes to standard error.\n"
"Exit status: 0 done, 1 bad data or I/O error, 2 usage.\n",
};

static void print_summary(const struct kp_pf_import_counts *counts)
{
	if (kp_output_unread())
		return;
	kp_progress_clear();
	fprintf(stderr, "%s: %" PRIu64 " packets, %" PRIu64 " events of ftrace; %" PRIu64 " events\n",
		tool.name, counts->packets, counts->read, counts->events);
	kp_print_count(counts->others,
		       "events of kinds that the page cannot show are left out");
	kp_print_count(counts->numberless, "events of tasks with numbers below 0 are left out");
	kp_print_count(counts->twice,
		       "events were recorded by another data source as well: they are left out");
	kp_print_count(counts->late,
		       "events are earlier than the event before them in their sequence: "
		       "they get the time of that event");
	kp_print_count(counts->other_machines, "packets of other machines are left out");
	kp_print_count(counts->renumbered,
		       "tasks have numbers below 0 or above 2147483647: they get other numbers");
	kp_print_count(counts->far_cpus, "events of CPUs above 255 are left out");
	fprintf(stderr, "  %" PRIu64 " events lost\n", counts->lost);
}

int main(int argc, char **argv)
{
	static struct kp_event_writer writer;
	static char message[400];
	struct kp_pf_import_counts counts;
	const char *path = NULL, *value, *shown;
	struct kp_event_sink sink;
	int status = KP_OK;
	FILE *file;

	kp_begin(&tool, argc, argv);
	while (kp_next_option(argc, argv, NULL, &value) > 0)
		kp_file_argument(value, &path);
	file = kp_open_format(path, KP_FORMAT_PERFETTO, &shown);
	kp_open_output();
	file = kp_seekable(file, shown);
	kp_event_writer_init(&writer, stdout);
	sink = kp_event_writer_sink(&writer);
	if (kp_pf_import(file, &sink, &counts, message, sizeof(message)) ||
	    kp_event_writer_flush(&writer)) {
		if (message[0] && !kp_interrupted())
			kp_error("%s: %s", shown, message);
		status = KP_BAD;	/* otherwise writing failed, which kp_finish() reports */
	} else {
		print_summary(&counts);
	}
	return kp_finish(status);
}
