// SPDX-License-Identifier: BSD-3-Clause
/*
 * Prints the events of a raw trace in time order, one per line:
 *
 *   word 4c8a782733332679 of block 3
 *   becomes  1207652033 293 2087 0  51 0  9849 51 0 getpid (827)
 */

#include "base/input.h"
#include "base/number.h"
#include "base/progress.h"
#include "base/tool.h"
#include "eventtext/eventtext.h"
#include "rawtrace/blocks.h"

#define LAG_MAX_USEC	1000000000000ll

static const struct kp_tool tool = {
	.name = "rawtoevent",
	.usage = "[file] [-v] [-f [--lag SECONDS]] [-o FILE]",
	.help =
"Print a raw trace (file, or standard input) as text in time order, one event\n"
"per line:\n"
"\n"
"  TS DUR EVENT CPU PID RPC ARG0 RETVAL IPC NAME\n"
"\n"
"Times are in units of 10 ns since the start minute. A summary goes to standard\n"
"error. Usual pipeline:\n"
"\n"
"  rawtoevent foo.trace | sort -n | eventtospan \"Title\" | LC_ALL=C sort | \\\n"
"    makeself >foo.html\n"
"\n"
"  -v             print a comment with the words of each entry, in hex, before\n"
"                 it\n"
"  -f             follow a trace that is being recorded: print events as soon as\n"
"                 their order is certain, until a pipe ends, a file's recording\n"
"                 has ended, or ^C\n"
"  --lag SECONDS  with -f, wait no longer than this for a CPU that fills its\n"
"                 block slowly; its later events are printed out of order\n"
"  --maxblock N   read only the first N blocks of the file\n"
KP_HELP_OPTIONS
"\n"
"Input that cannot be read twice (a pipe) is copied to a temporary file in\n"
"$TMPDIR or /tmp.\n"
"Exit status: 0 done, 1 bad data or I/O error, 2 usage.\n",
};

static void summary_lost(const struct kp_raw *raw)
{
	int64_t step_us = kp_raw_clock_step_us(raw);
	char step[KP_CLOCK_STEP_CHARS];

	if (step_us) {
		kp_clock_step_text(step_us, step);
		fprintf(stderr, "  during the recording the wall clock moved %s against the time counter\n",
			step);
	}
	if (kp_raw_clock_is_bad(raw))
		fprintf(stderr, "  during the recording the time counter jumped, or the kernel marked it unstable\n");
	if (raw->has_meta)
		fprintf(stderr, "  %" PRIu64 " events lost\n", raw->lost);
	kp_print_count(raw->dropped_first_block,
		       "stale entries of the first block dropped, the trace wrapped");
	kp_print_count(raw->late_entries, "late entries put back in order");
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

	if (kp_output_unread())
		return;
	for (i = 0; i < 256; i++)
		cpus += raw->cpu_events[i] != 0;
	for (i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		events += sum->by_kind[i];
	kp_raw_date(raw->start_usec, date);
	kp_progress_clear();
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
	if (sum->points)
		fprintf(stderr, "  %" PRIu64 " of typed tracepoints, %" PRIu64 " of these not defined in the trace\n",
			sum->points, sum->unknown_points);
	fprintf(stderr, "  %" PRId64 ".%08" PRId64 " to %" PRId64 ".%08" PRId64 " s after the start minute, %" PRId64 ".%08" PRId64 " s\n",
		raw->first_time / 100000000, raw->first_time % 100000000,
		raw->last_time / 100000000, raw->last_time % 100000000,
		span / 100000000, span % 100000000);
	summary_lost(raw);
}

static struct {
	const char *path;
	bool verbose, follow;
	/* value of --lag in microseconds; 0: none */
	uint64_t lag_usec;
	int64_t blocks;		/* number of blocks to read; 0: all blocks */
} args;

enum { LAG = KP_LONG(0), MAXBLOCK };

#define BLOCKS_WANTS "a number of blocks, 1 or more"

static const struct kp_option options[] = {
	{ NULL, 'v', NULL, &args.verbose }, { NULL, 'f', NULL, &args.follow },
	{ "lag", LAG, "a number of seconds", NULL },
	{ "maxblock", MAXBLOCK, BLOCKS_WANTS, NULL }, {0},
};

static void parse_arguments(int argc, char **argv)
{
	const char *value;
	int64_t lag;
	int option;

	while ((option = kp_next_option(argc, argv, options, &value)) > 0) {
		switch (option) {
		case LAG:
			if (kp_number_argument(value, 6, &lag) != KP_NUMBER_OK || lag <= 0 ||
			    lag > LAG_MAX_USEC)
				kp_usage_error("--lag: bad number \"%s\" (seconds, above 0 and up to 1000000)",
					       value);
			args.lag_usec = (uint64_t)lag;
			break;
		case MAXBLOCK:
			if (kp_number_argument(value, 0, &args.blocks) || args.blocks < 1)
				kp_usage_error("--maxblock needs " BLOCKS_WANTS);
			break;
		default:
			kp_file_argument(value, &args.path);
		}
	}
	if (args.lag_usec && !args.follow)
		kp_usage_error("--lag needs -f");
	if (args.blocks && args.follow)
		kp_usage_error("--maxblock cannot be used with -f");
}

static int flush_now(void *self)
{
	return kp_event_writer_flush(self) || fflush(stdout) ? -1 : 0;
}

/* Follows the trace. Returns 0, or nonzero; raw->message has the cause, if it is known. */
static int follow(struct kp_raw *raw, FILE *file, const char *shown, struct kp_event_writer *writer,
		  struct kp_raw_summary *summary)
{
	const struct kp_event_sink sink = kp_event_writer_sink(writer);
	struct kp_raw_follow how = {
		.file = file, .shown = shown,
		.path = file == stdin ? NULL : args.path,
		.lag_usec = args.lag_usec, .flush = flush_now, .self = writer,
	};
	int err = kp_raw_follow(raw, &how, &sink, args.verbose, summary);

	if (how.late_blocks)
		kp_error("%s: %" PRIu64 " blocks came too late, the beginning of each is out of order",
			 shown, how.late_blocks);
	if (how.note)
		kp_error("%s: %s", shown, how.note);
	return err;
}

int main(int argc, char **argv)
{
	static struct kp_event_writer writer;
	static struct kp_raw raw;
	struct kp_raw_summary summary;
	struct kp_event_sink sink;
	const char *shown;
	FILE *file;
	int status = KP_OK, err;

	kp_begin(&tool, argc, argv);
	parse_arguments(argc, argv);
	file = args.follow ? kp_open_input(args.path, &shown) :
			     kp_open_format(args.path, KP_FORMAT_RAW_TRACE, &shown);
	kp_open_output();
	if (!args.follow && kp_raw_open_first(&raw, file, shown, args.blocks ? (uint64_t)args.blocks : UINT64_MAX))
		kp_die(KP_BAD, "%s", raw.message);
	kp_event_writer_init(&writer, stdout);
	sink = kp_event_writer_sink(&writer);
	err = args.follow ? follow(&raw, file, shown, &writer, &summary) :
			    kp_raw_events(&raw, &sink, args.verbose, &summary);
	if (kp_event_writer_flush(&writer) || (err && !raw.message[0])) {
		status = KP_BAD;	/* writing failed, which kp_finish() reports */
	} else if (err) {
		if (!kp_interrupted())
			kp_error("%s", raw.message);
		status = KP_BAD;
	} else {
		kp_retain_output();	/* retain the valid part of a damaged trace */
		status = kp_raw_exit_status(&raw);
		print_summary(&raw, &summary);
	}
	status = kp_finish(status);
	kp_raw_close(&raw);
	return status;
}
