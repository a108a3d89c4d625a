// SPDX-License-Identifier: BSD-3-Clause
/*
 * A raw trace as one line of text per event, in time order.
 *
 *   word 4c8a782733332679 of block 3
 *   becomes  1207652033 293 2087 0  51 0  9849 51 0 getpid (827)
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "kp_event_text.h"
#include "kp_main.h"
#include "kp_raw.h"

static const struct kp_tool tool = {
	.name = "rawtoevent",
	.usage = "[file] [-v]",
	.help =
"Prints a raw trace (file, or standard input) as text, one event a line, in\n"
"time order:\n"
"\n"
"  TS DUR EVENT CPU PID RPC ARG0 RETVAL IPC NAME\n"
"\n"
"times in units of 10 ns since the start minute. A summary goes to standard\n"
"error. Usual pipeline:\n"
"\n"
"  rawtoevent foo.trace | sort -n | eventtospan \"Title\" | LC_ALL=C sort | \\\n"
"    makeself show_cpu.html >foo.html\n"
"\n"
"  -v             a comment with the words of each entry, in hex, in front of it\n"
"  -h, --help     this text\n"
"  --version      the version\n"
"\n"
"Input that cannot be read twice (a pipe) is copied to a temporary file in\n"
"$TMPDIR or /tmp. Exit status: 0 done, 1 bad data or I/O, 2 usage, 3 interrupted.\n",
};

static void summary_lost(const struct kp_raw *raw)
{
	if (raw->has_meta)
		fprintf(stderr, "  %" PRIu64 " events lost\n", raw->lost);
	if (raw->dropped_first_block)
		fprintf(stderr, "  %" PRIu64 " stale entries of the first block dropped, the trace wrapped\n",
			raw->dropped_first_block);
	if (raw->late_entries)
		fprintf(stderr, "  %" PRIu64 " late entries put back in order\n",
			raw->late_entries);
}

static void print_summary(const struct kp_raw *raw, const struct kp_raw_summary *sum)
{
	static const char *const kinds[] = {
		"system call", "trap", "interrupt", "scheduler", "wakeup and IPI",
		"mark", "PC sample", "other",
	};
	const char *separator = "  ";
	unsigned int cpus = 0, i;
	uint64_t events = 0;
	int64_t span = raw->last_time - raw->first_time;
	char date[32];

	for (i = 0; i < 256; i++)
		cpus += raw->cpu_events[i] != 0;
	for (i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		events += sum->by_kind[i];
	kp_raw_date(raw->start_usec, date);
	fprintf(stderr, "rawtoevent: %s, %u CPU%s, %" PRIu64 " events, %" PRIu64 " names, %s\n",
		date, cpus, cpus == 1 ? "" : "s", events, sum->names,
		raw->wrapped ? "wrapped" : "not wrapped");
	for (i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		if (!sum->by_kind[i])
			continue;
		fprintf(stderr, "%s%" PRIu64 " %s", separator, sum->by_kind[i], kinds[i]);
		separator = ", ";
	}
	fputs(events ? "\n" : "", stderr);
	fprintf(stderr, "  %" PRId64 ".%08" PRId64 " to %" PRId64 ".%08" PRId64 " s after the start minute, %" PRId64 ".%08" PRId64 " s\n",
		raw->first_time / 100000000, raw->first_time % 100000000,
		raw->last_time / 100000000, raw->last_time % 100000000,
		span / 100000000, span % 100000000);
	summary_lost(raw);
}

/* Faults inside blocks: the rest was printed, but this is not a good trace. */
static int report_faults(const struct kp_raw *raw)
{
	uint64_t count = raw->faults.bad_words + raw->faults.cut_entries +
			 raw->faults.bad_times;

	if (!count)
		return KP_OK;
	kp_error("%s: %s; %" PRIu64 " such left out: damaged, see checktrace", raw->shown,
		 raw->faults.first, count);
	return KP_BAD;
}

int main(int argc, char **argv)
{
	static struct kp_event_writer writer;
	static struct kp_raw raw;
	struct kp_raw_summary summary;
	struct kp_event_sink sink;
	const char *path = NULL, *shown;
	bool verbose = false;
	FILE *file;
	int i, status = KP_OK;

	kp_begin(&tool, argc, argv);
	for (i = 1; i < argc; i++) {
		if (!strcmp(argv[i], "-v"))
			verbose = true;
		else if (argv[i][0] == '-' && argv[i][1])
			kp_usage_error("unknown option %s", argv[i]);
		else if (path)
			kp_usage_error("more than one file: %s", argv[i]);
		else
			path = argv[i];
	}
	file = kp_open_input(path, &shown);
	if (kp_raw_open(&raw, file, shown))
		kp_die(KP_BAD, "%s", raw.message);
	kp_event_writer_init(&writer, stdout);
	sink = kp_event_writer_sink(&writer);
	if (kp_raw_events(&raw, &sink, verbose, &summary)) {
		if (raw.message[0])
			kp_die(KP_BAD, "%s", raw.message);
		status = KP_BAD;	/* writing failed: kp_finish() says why */
	} else if (kp_event_writer_flush(&writer)) {
		status = KP_BAD;
	} else {
		status = report_faults(&raw);
		print_summary(&raw, &summary);
	}
	status = kp_finish(status);
	kp_raw_close(&raw);
	return status;
}
