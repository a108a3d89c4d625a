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
#include "rawtrace/status.h"
#include "spanjson/format.h"
#include "spanjson/write.h"
#include "transform/merge.h"
#include "transform/pipe.h"
#include "transform/trace.h"

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

	struct kp_trace trace;
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

static void read_trace(struct html *h, FILE *in, const char *shown)
{
	h->trace.title = h->title;
	if (kp_trace_open(&h->trace, in, shown) || kp_trace_read(&h->trace))
		kp_die(KP_BAD, "%s", kp_trace_message(&h->trace));
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
static int pass(void *self, const struct kp_span_sink *to)
{
	struct html *h = self;
	struct kp_span_sink first = { .span = trim_span, .self = h };
	int err;

	h->kept = 0;
	h->to = *to;
	if (!h->resolution)
		return kp_rows_replay(h->trace.rows, &first);
	h->merge = kp_merge_new(h->resolution, to);
	if (!h->merge)
		return KP_MERGE_MEMORY;
	err = kp_rows_replay(h->trace.rows, &first);
	return err ? err : (int)kp_merge_end(h->merge);
}

/*
 * To the output, in a thread of its own unless spans are put together: then a
 * span's name may not outlive the call, and there are few spans left anyway.
 */
static int pass_to_output(struct html *h)
{
	return h->resolution ? pass(h, &h->out) : kp_span_pipe_pass(pass, h, &h->out);
}

/* How many rows the merge leaves out stands in front of all of them. */
static int count_dropped(struct html *h)
{
	const struct kp_span_sink nowhere = { .span = count_span };
	int err = pass(h, &nowhere);

	if (!err && kp_header_add_dropped(kp_rows_header(h->trace.rows), "short",
					  kp_merge_counts(h->merge)->dropped))
		err = KP_MERGE_MEMORY;
	kp_merge_free(h->merge);
	h->merge = NULL;
	return err;
}

static int write_output(struct html *h)
{
	const struct kp_header *header = kp_rows_header(h->trace.rows);
	int err = 0;

	h->start_width = kp_json_width(kp_reconstruct_announced_last(h->trace.rec));
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
	const char *why = kp_rows_message(h->trace.rows);

	if (ferror(stdout) || kp_interrupted())
		return;		/* kp_finish() says why */
	if (!*why && h->page)
		why = kp_page_error(h->page);
	kp_error("%s", *why ? why : "no memory");
}

static void print_summary(const struct html *h)
{
	const struct kp_reconstruct_stats *stats = kp_reconstruct_stats(h->trace.rec);

	fprintf(stderr, "%s: %s, %" PRIu64 " CPU%s, %" PRIu64 " events, %" PRIu64 " spans, %" PRId64 ".%08" PRId64 " to %" PRId64 ".%08" PRId64 " s%s\n",
		tool.name, kp_reconstruct_base(h->trace.rec), stats->cpus,
		stats->cpus == 1 ? "" : "s", h->trace.raw.events, stats->spans,
		stats->first / 100000000, stats->first % 100000000,
		stats->last / 100000000, stats->last % 100000000,
		h->trace.raw.wrapped ? ", wrapped" : "");
	if (h->trim)
		fprintf(stderr, "  kept %" PRIu64 " spans\n", h->kept);
	if (h->trace.raw.has_meta)
		fprintf(stderr, "  %" PRIu64 " events lost\n", h->trace.raw.lost);
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
		status = kp_raw_exit_status(&h->trace.raw);
	}
	kp_merge_free(h->merge);
	if (h->page)
		kp_page_close(h->page);
	kp_json_writer_free(&h->writer);
	status = kp_finish(status);
	kp_trace_free(&h->trace);
	return status;
}
