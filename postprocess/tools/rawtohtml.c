// SPDX-License-Identifier: BSD-3-Clause
/*
 * rawtohtml: a raw trace to a page, or to span JSON, in one process. The same
 * cores as rawtoevent | sort -n | eventtospan | sort | spantotrim | spantospan |
 * makeself, with records instead of text between them, and the same output to
 * the byte; several times as fast.
 *
 *	word 4c8a782733332679 of block 3
 *	becomes  [ 12.07652033, 0.00000293, 0, 51, 0, 2087, 9849, 51, 0, "getpid"],
 *
 * Must never write the end of a page or of JSON whose trace could not be read to
 * its end.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/number.h"
#include "base/options.h"
#include "base/tool.h"
#include "model/header.h"
#include "page/page.h"
#include "rawtrace/events.h"
#include "rawtrace/raw.h"
#include "rawtrace/status.h"
#include "reconstruct/reconstruct.h"
#include "spanjson/format.h"
#include "spanjson/write.h"
#include "transform/merge.h"
#include "transform/order.h"
#include "transform/pipe.h"
#include "transform/rows.h"

static const struct kp_tool tool = {
	.name = "rawtohtml",
	.usage = "[file] [--title TEXT] [--trim start stop] [--merge usec] [--json] [-o FILE]",
	.help =
"Makes a page of a raw trace (file, or standard input) in one go: what rawtoevent,\n"
"eventtospan, spantotrim, spantospan and makeself do, without text in between.\n"
"\n"
"  --title TEXT   shown above the picture\n"
"  --trim start stop\n"
"                 only what overlaps [start .. stop], in seconds from the start\n"
"                 minute of the trace (spantotrim)\n"
"  --merge usec   coarser spans, usec microseconds at least (spantospan)\n"
"  --json         span JSON in time order instead of a page\n"
"  --template FILE\n"
"                 the page to fill (makeself)\n"
"  -o FILE        write to FILE instead of standard output; it is there when\n"
"                 it is whole, and not before\n"
"  -h, --help     this text\n"
"  --version      the version\n"
"\n"
"Input that cannot be read twice (a pipe), and spans beyond about a million, are\n"
"kept in temporary files in $TMPDIR or /tmp. A summary goes to standard error.\n"
"Exit status: 0 done, 1 bad data or I/O, 2 usage, 3 interrupted. A trace with\n"
"damage inside its blocks gives a page of the rest, and 1.\n",
};

struct html {
	/* what is wanted */
	const char *path, *title, *template;
	bool json, trim;
	int64_t trim_start, trim_stop;	/* 10 ns units */
	int64_t resolution;		/* 10 ns units, 0 = as it is */

	struct kp_raw raw;
	struct kp_raw_summary summary;
	struct kp_rows *rows;
	struct kp_reconstruct *rec;
	struct kp_order *order;
	struct kp_merge *merge;
	struct kp_json_writer writer;
	struct kp_page *page;
	int start_width;		/* of the JSON's start field, in a page, too */
	struct kp_span_sink out;	/* writer or page */
	struct kp_span_sink to;		/* where rows go that were not left out */
	uint64_t kept;
};

static int64_t number(const char *text, int decimals, const char *what)
{
	int64_t value;

	if (kp_number_argument(text, decimals, &value) != KP_NUMBER_OK || value < 0 ||
	    value > KP_JSON_TIME_MAX)
		kp_usage_error("bad %s: %s is no number, or out of range", what, text);
	return value;
}

#define TRIM_WANTS "two times"

enum { TITLE = KP_LONG(0), TEMPLATE, TRIM, MERGE, JSON };

static const struct kp_option options[] = {
	{ "title", TITLE, "a text" }, { "template", TEMPLATE, "the name of a file" },
	{ "trim", TRIM, TRIM_WANTS }, { "merge", MERGE, "microseconds" }, { "json", JSON, NULL },
	{0},
};

static void parse_arguments(struct html *h, int argc, char **argv)
{
	const char *value, *stop;
	int option;

	while ((option = kp_next_option(argc, argv, options, &value)) > 0) {
		switch (option) {
		case TITLE:
			h->title = value;
			break;
		case TEMPLATE:
			h->template = value;
			break;
		case TRIM:
			h->trim = true;
			stop = kp_next_value(argc, argv, "--trim", TRIM_WANTS);
			h->trim_start = number(value, 8, "start time");
			h->trim_stop = number(stop, 8, "stop time");
			if (h->trim_stop < h->trim_start)
				kp_usage_error("stop time %s is before start time %s", stop,
					       value);
			break;
		case MERGE:
			h->resolution = number(value, 2, "resolution");
			break;
		case JSON:
			h->json = true;
			break;
		default:
			kp_file_argument(value, &h->path);
		}
	}
	if (h->json && h->template)
		kp_usage_error("--json and --template: either JSON or a page");
}

/* ---- trace to rows ---- */

/* Whose failure was it? */
static _Noreturn void die_reading(const struct html *h)
{
	const char *why = h->raw.message;

	if (!*why)
		why = kp_order_message(h->order);
	if (!*why)
		why = kp_reconstruct_message(h->rec);
	if (!*why)
		why = kp_rows_message(h->rows);
	kp_die(KP_BAD, "%s", *why ? why : "the trace cannot be read");
}

/* All events through the reconstruction to the rows; it is in a thread of its own. */
static int reconstruct(struct html *h)
{
	struct kp_event_sink events = kp_reconstruct_sink(h->rec);
	struct kp_event_pipe *pipe = kp_event_pipe_open(&events);
	int err, late = 0;

	if (pipe)
		events = kp_event_pipe_sink(pipe);
	h->order = kp_order_new_ordered(&events);
	if (!h->order)
		kp_die(KP_BAD, "no memory");
	events = kp_order_sink(h->order);
	err = kp_raw_events(&h->raw, &events, false, &h->summary);
	err = err ? err : kp_order_end(h->order);
	if (pipe)
		late = kp_event_pipe_close(pipe);
	return err ? err : late;
}

static void read_trace(struct html *h, FILE *in, const char *shown)
{
	struct kp_span_sink spans;

	if (kp_raw_open(&h->raw, in, shown))
		kp_die(KP_BAD, "%s", h->raw.message);
	h->rows = kp_rows_new();
	if (!h->rows)
		kp_die(KP_BAD, "no memory");
	spans = kp_rows_sink(h->rows);
	h->rec = kp_reconstruct_new(h->title ? h->title : "", &spans);
	if (!h->rec)
		kp_die(KP_BAD, "no memory");
	if (reconstruct(h))
		die_reading(h);
	if (!kp_reconstruct_stats(h->rec)->cpus)
		kp_die(KP_BAD, "%s: no events in it: an empty trace", shown);
	if (kp_reconstruct_end(h->rec))
		die_reading(h);
}

/* ---- rows to output ---- */

static int trim_span(void *self, const struct kp_span *span)
{
	struct html *h = self;

	if (!kp_span_overlaps(span, h->trim_start, h->trim_stop))
		return 0;
	h->kept++;
	if (!h->resolution)
		return h->to.span(h->to.self, span);
	return kp_merge_span(h->merge, span);
}

static int count_span(void *self, const struct kp_span *span)
{
	(void)self;
	(void)span;
	return 0;
}

/* All rows once, to to. */
static int pass(struct html *h, const struct kp_span_sink *to)
{
	struct kp_span_sink first = { .span = trim_span, .self = h };
	int err;

	h->kept = 0;
	h->to = *to;
	if (!h->resolution)
		return kp_rows_replay(h->rows, &first);
	h->merge = kp_merge_new(h->resolution, to);
	if (!h->merge)
		return KP_MERGE_MEMORY;
	err = kp_rows_replay(h->rows, &first);
	return err ? err : (int)kp_merge_end(h->merge);
}

/*
 * To the output, in a thread of its own unless spans are put together: then a
 * span's name may not outlive the call, and there are few spans left anyway.
 */
static int pass_to_output(struct html *h)
{
	struct kp_span_sink threaded = { .span = kp_span_pipe_span };
	struct kp_span_pipe *pipe = h->resolution ? NULL : kp_span_pipe_open(&h->out);
	int err, late;

	if (!pipe)
		return pass(h, &h->out);
	threaded.self = pipe;
	err = pass(h, &threaded);
	late = kp_span_pipe_close(pipe);
	return err ? err : late;
}

/* How many rows the merge leaves out stands in front of all of them. */
static int count_dropped(struct html *h)
{
	const struct kp_span_sink nowhere = { .span = count_span };
	int err = pass(h, &nowhere);

	if (!err && kp_header_add_dropped(kp_rows_header(h->rows), "short",
					  kp_merge_counts(h->merge)->dropped))
		err = KP_MERGE_MEMORY;
	kp_merge_free(h->merge);
	h->merge = NULL;
	return err;
}

static int write_output(struct html *h)
{
	const struct kp_header *header = kp_rows_header(h->rows);
	int err = 0;

	h->start_width = kp_json_width(kp_reconstruct_announced_last(h->rec));
	if (h->json) {
		kp_json_writer_init(&h->writer, stdout);
		kp_json_writer_set_width(&h->writer, h->start_width);
		h->out = kp_json_writer_sink(&h->writer);
	} else {
		h->out = kp_page_sink(h->page);
	}
	if (h->resolution)
		err = count_dropped(h);
	if (!err)
		err = h->out.header(h->out.self, header->items, header->count);
	if (!err)
		err = pass_to_output(h);
	return err ? err : h->out.end(h->out.self);
}

static void open_page(struct html *h)
{
	const struct kp_page_options how = {
		.out = stdout, .template_path = h->template,
		.start_width = &h->start_width,
	};
	char text[512];

	h->page = kp_page_open(&how, text, sizeof(text));
	if (!h->page)
		kp_die(KP_BAD, "%s", text);
}

static void report_failure(const struct html *h)
{
	const char *why = kp_rows_message(h->rows);

	if (ferror(stdout) || kp_interrupted())
		return;		/* kp_finish() says why */
	if (!*why && h->page)
		why = kp_page_error(h->page);
	kp_error("%s", *why ? why : "no memory");
}

static void print_summary(const struct html *h)
{
	const struct kp_reconstruct_stats *stats = kp_reconstruct_stats(h->rec);

	fprintf(stderr, "%s: %s, %" PRIu64 " CPU%s, %" PRIu64 " events, %" PRIu64 " spans, %" PRId64 ".%08" PRId64 " to %" PRId64 ".%08" PRId64 " s%s\n",
		tool.name, kp_reconstruct_base(h->rec), stats->cpus,
		stats->cpus == 1 ? "" : "s", h->raw.events, stats->spans,
		stats->first / 100000000, stats->first % 100000000,
		stats->last / 100000000, stats->last % 100000000,
		h->raw.wrapped ? ", wrapped" : "");
	if (h->trim)
		fprintf(stderr, "  kept %" PRIu64 " spans\n", h->kept);
	if (h->raw.has_meta)
		fprintf(stderr, "  %" PRIu64 " events lost\n", h->raw.lost);
	if (stats->missing_returns || stats->missing_calls || stats->gaps)
		fprintf(stderr, "  not recorded: %" PRIu64 " returns, %" PRIu64 " calls, %" PRIu64 " context switches\n",
			stats->missing_returns, stats->missing_calls, stats->gaps);
}

int main(int argc, char **argv)
{
	static struct html html;
	struct html *h = &html;
	const char *shown;
	int status = KP_OK;
	FILE *in;

	kp_begin(&tool, argc, argv);
	kp_page_begin();
	h->trim_stop = INT64_MAX;
	h->trim_start = INT64_MIN;
	parse_arguments(h, argc, argv);
	if (!h->json)
		open_page(h);
	in = kp_open_input(h->path, &shown);
	if (h->template)
		kp_note_input(h->template);
	kp_open_output();
	read_trace(h, in, shown);
	if (write_output(h)) {
		report_failure(h);
		status = KP_BAD;
	} else {
		print_summary(h);
		kp_keep_output();	/* of a damaged trace, a page of the rest */
		status = kp_raw_exit_status(&h->raw);
	}
	kp_merge_free(h->merge);
	if (h->page)
		kp_page_close(h->page);
	kp_json_writer_free(&h->writer);
	status = kp_finish(status);
	kp_order_free(h->order);
	kp_reconstruct_free(h->rec);
	kp_rows_free(h->rows);
	kp_raw_close(&h->raw);
	return status;
}
