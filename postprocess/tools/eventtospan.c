// SPDX-License-Identifier: BSD-3-Clause
/*
 * Converts event text to spans as JSON: pairs calls with returns, follows context switches, and
 * finds waits and wakeups.
 *
 *   1207652033 293 2087 0  51 0  44495 51 0 getpid (827)
 *   becomes  [ 12.07652033, 0.00000293, 0, 51, 0, 2087, 44495, 51, 0, "getpid"],
 */
#include <stdlib.h>
#include <unistd.h>

#include "base/input.h"
#include "base/progress.h"
#include "base/tool.h"
#include "eventtext/eventtext.h"
#include "reconstruct/reconstruct.h"
#include "spanjson/json.h"
#include "transform/order.h"

static const char help[] =
"Read event text (rawtoevent; file, or standard input), and print spans as JSON,\n"
"one per line. The padding lets LC_ALL=C sort bring them into time order after the\n"
"header:\n"
"\n"
"  [start_s, duration_s, CPU, pid, RPC, event, arg0, retval, IPC, \"name\"]\n"
"\n"
"Input that is not in time order is sorted in memory. The title appears above\n"
"the picture. A ? after the name of a call means that its beginning or its end\n"
"was not recorded. A summary goes to standard error.\n"
"\n"
"  -v             print on standard error each event that is read\n"
"  -t             print on standard error each inference\n"
KP_HELP_OPTIONS
"\n"
"Exit status: 0 done, 1 bad data or I/O error, 2 usage.\n";

static struct kp_tool tool = {
	.name = "eventtospan",
	.usage = "[\"Title\" [file]] [-v] [-t] [-o FILE]",
	.help = help,
};

static bool verbose, trace, ignored;

static const struct kp_option options[] = {
	{ NULL, 'v', NULL, &verbose }, { NULL, 't', NULL, &trace },
	/* ignored, as in KUtrace 3 (Sites) */
	{ "rel0", KP_LONG(0), NULL, &ignored },
	{0},
};

static struct kp_reconstruct *rec;

/* Sets the width of times before the first row. @self: the JSON writer. */
static int on_header(void *self, const struct kp_header_item *items, size_t count)
{
	kp_json_writer_set_last(self, kp_reconstruct_announced_last(rec));
	return kp_json_write_header(self, items, count);
}

/* A sink that prints the events that pass through. */
struct echo {
	struct kp_event_writer writer;
	struct kp_event_sink to_text, next;
};

static int echo_event(void *self, const struct kp_event *event)
{
	struct echo *echo = self;

	echo->to_text.event(echo->to_text.self, event);
	return echo->next.event(echo->next.self, event);
}

static int echo_namedef(void *self, const struct kp_namedef *def)
{
	struct echo *echo = self;

	echo->to_text.namedef(echo->to_text.self, def);
	return echo->next.namedef(echo->next.self, def);
}

static int echo_comment(void *self, const char *text, size_t len)
{
	struct echo *echo = self;

	echo->to_text.comment(echo->to_text.self, text, len);
	return echo->next.comment(echo->next.self, text, len);
}

static void summary_inferred(const struct kp_reconstruct_stats *stats)
{
	if (stats->missing_returns || stats->missing_calls || stats->gaps)
		fprintf(stderr, "  not recorded: %" PRIu64 " returns, %" PRIu64 " calls, %" PRIu64 " context switches\n",
			stats->missing_returns, stats->missing_calls, stats->gaps);
	if (stats->stray_returns || stats->clipped || stats->too_deep)
		fprintf(stderr, "  corrected: %" PRIu64 " returns ignored, %" PRIu64 " calls cut off by the next event, %" PRIu64 " nested too deep\n",
			stats->stray_returns, stats->clipped, stats->too_deep);
	if (stats->bad_pause)
		fputs("  " KP_BAD_PAUSE, stderr);
	if (stats->bad_partial)
		fputs("  " KP_BAD_PARTIAL, stderr);
	if (stats->made_events)
		fprintf(stderr, "  " KP_MADE_EVENTS, stats->made_events);
	kp_print_count(stats->arcs_dropped, "interrupts sent and never taken");
}

static void print_summary(void)
{
	const struct kp_reconstruct_stats *stats = kp_reconstruct_stats(rec);
	const char *base = kp_reconstruct_base(rec);

	if (kp_output_unread())
		return;
	kp_progress_clear();
	fprintf(stderr, "%s: %s, %" PRIu64 " CPU%s, %" PRIu64 " spans, %" PRId64 ".%08" PRId64 " to %" PRId64 ".%08" PRId64 " s\n",
		tool.name, *base ? base : "no date", stats->cpus,
		stats->cpus == 1 ? "" : "s", stats->spans, stats->first / 100000000,
		stats->first % 100000000, stats->last / 100000000,
		stats->last % 100000000);
	fprintf(stderr, "  %" PRIu64 " user, %" PRIu64 " idle, %" PRIu64 " system call, %" PRIu64 " trap, %" PRIu64 " interrupt, %" PRIu64 " scheduler, %" PRIu64 " wait, %" PRIu64 " arc, %" PRIu64 " point, %" PRIu64 " other\n",
		stats->user, stats->idle, stats->syscalls, stats->traps, stats->irqs,
		stats->scheds, stats->waits, stats->arcs, stats->points, stats->others);
	summary_inferred(stats);
}

/* Reports the failure of the reader, the order or the reconstruction, and exits. */
static _Noreturn void die(const struct kp_event_reader *reader, const char *shown,
			  const struct kp_order *order)
{
	const char *why = kp_order_message(order);

	if (reader->message[0])
		kp_die(KP_BAD, "%s", reader->message);
	if (!*why)
		why = kp_reconstruct_message(rec);
	if (*why)
		kp_die(KP_BAD, "%s (line %" PRIu64 "): %s", shown, reader->line, why);
	exit(kp_finish(KP_BAD));	/* writing failed, which kp_finish() reports */
}

int main(int argc, char **argv)
{
	static struct kp_event_reader reader;
	static struct kp_json_writer writer;
	static struct echo echo;
	const char *title = NULL, *path = NULL, *value, *shown, *slash = strrchr(argv[0], '/');
	const struct kp_span_sink spans = {
		.header = on_header, .span = kp_json_write_span, .end = kp_json_write_end,
		.self = &writer,
	};
	struct kp_event_sink sink;
	static struct kp_order *order;	/* static: kp_die() does not free it */
	FILE *in;
	int err;

	if (!strcmp(slash ? slash + 1 : argv[0], "eventtospan3"))
		tool.name = "eventtospan3";
	kp_begin(&tool, argc, argv);
	while (kp_next_option(argc, argv, options, &value) > 0) {
		if (path)
			kp_usage_error("more than one file: %s", value);
		*(title ? &path : &title) = value;
	}
	/* a single argument is the title, unless nothing else can be the input */
	if (title && !path && isatty(STDIN_FILENO) && kp_is_format(title, KP_FORMAT_EVENT_TEXT)) {
		path = title;
		title = NULL;
	}
	in = kp_open_format(path, KP_FORMAT_EVENT_TEXT, &shown);
	kp_open_output();
	kp_json_writer_init(&writer, stdout);
	rec = kp_needed(kp_reconstruct_new(title ? title : "", &spans));
	if (trace)
		kp_reconstruct_trace(rec, stderr);
	sink = kp_reconstruct_sink(rec);
	if (verbose) {
		kp_event_writer_init(&echo.writer, stderr);
		echo.to_text = kp_event_writer_sink(&echo.writer);
		echo.next = sink;
		sink = (struct kp_event_sink){ echo_event, echo_namedef, echo_comment, &echo };
	}
	order = kp_needed(kp_order_new(&sink));
	sink = kp_order_sink(order);
	err = kp_event_text_read(&reader, in, shown, &sink);
	if (!err)
		err = kp_order_end(order);
	if (!err && !kp_reconstruct_stats(rec)->cpus) {
		if (title && !path && kp_is_format(title, KP_FORMAT_EVENT_TEXT))
			kp_die(KP_BAD, "%s: no events in it; %s was taken as the title; type: eventtospan TITLE %s", shown, title, title);
		kp_die(KP_BAD, "%s: no events in it: not event text, or an empty trace", shown);
	}
	if (!err)
		err = kp_reconstruct_end(rec);
	if (verbose)
		kp_event_writer_flush(&echo.writer);
	if (err)
		die(&reader, shown, order);
	print_summary();
	err = kp_finish(KP_OK);
	kp_order_free(order);
	kp_reconstruct_free(rec);
	kp_json_writer_free(&writer);
	return err;
}
