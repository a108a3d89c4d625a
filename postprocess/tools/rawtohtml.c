// SPDX-License-Identifier: BSD-3-Clause
/*
 * Converts a raw trace to a page, or to span JSON, in one process. Calls the same functions as the
 * pipeline rawtoevent | sort -n | eventtospan | sort | spantotrim | spantospan | makeself, with
 * records instead of text between them. The output is the same, byte for byte.
 *
 *	word 4c8a782733332679 of block 3
 *	becomes  [ 12.07652033, 0.00000293, 0, 51, 0, 2087, 9849, 51, 0, "getpid"],
 *
 * Must not write the end of a page or of JSON if the trace could not be read to its end.
 */

#include "base/input.h"
#include "base/number.h"
#include "base/progress.h"
#include "base/tool.h"
#include "page/page.h"
#include "report/findings/paged.h"
#include "spanjson/json.h"
#include "transform/merge.h"
#include "transform/trace.h"

static const struct kp_tool tool = {
	.name = "rawtohtml",
	.usage = "[file] [--title TEXT] [--trim start stop] [--merge usec] [--spans N] [--json]\n"
"       [--no-findings] [-o FILE]",
	.help =
"Make a page of a raw trace (file, or standard input) in one step, as\n"
"rawtoevent, eventtospan, spantotrim, spantospan and makeself do, without text\n"
"in between.\n"
"\n"
"  --title TEXT   show TEXT above the picture\n"
"  --trim start stop\n"
"                 keep only rows that overlap [start .. stop], in seconds from\n"
"                 the start minute of the trace (spantotrim)\n"
"  --merge usec   merge spans until they are usec microseconds long (spantospan)\n"
"  --spans N      keep about N spans at most (example: 20M): merge short ones as\n"
"                 --merge does, except between mark_a x and mark_a /x\n"
"  --json         write span JSON in time order instead of a page\n"
"  --no-findings  leave out the findings (spantowhy), which need about 50 bytes of\n"
"                 memory for each span\n"
"  --template FILE\n"
"                 fill this template (makeself)\n"
KP_HELP_OPTIONS
"\n"
"Input that cannot be read twice (a pipe), and spans beyond about a million, are\n"
"kept in temporary files in $TMPDIR or /tmp. A summary goes to standard error.\n"
"Exit status: 0 done, 1 bad data or I/O error, 2 usage. A trace with\n"
"damage inside its blocks gives a page of the rest, and 1.\n",
};

/* Maximum number of rounds in which --spans counts rows. */
#define THIN_TRIES	8

struct html {
	/* values of arguments */
	const char *path, *title, *template;
	bool json, trim, no_findings;
	int64_t trim_start, trim_stop;	/* units of 10 ns */
	int64_t resolution;		/* resolution in units of 10 ns; 0: spans are not merged */
	uint64_t most;			/* maximum number of spans; 0: no limit */

	bool leave_marked;		/* spans between marks are not merged */
	/* numbers of spans by length; NULL: not counted */
	struct kp_thin *thin;
	struct kp_trace trace;
	struct kp_merge *merge;
	struct kp_json_writer writer;
	struct kp_page *page;
	struct kp_paged *paged;		/* the page's findings */
	int start_width;		/* width of the start field in JSON, also for a page */
	struct kp_span_sink out;	/* sink of the writer or page */
	struct kp_span_sink to;		/* sink of the rows that remain */
	uint64_t selected;		/* number of rows that --trim selected */
	uint64_t written;
};

static int64_t number(const char *text, int decimals, const char *option, const char *wanted)
{
	int64_t value;

	if (kp_number_argument(text, decimals, &value) != KP_NUMBER_OK || value < 0 ||
	    value > KP_JSON_TIME_MAX)
		kp_usage_error("%s: bad number \"%s\" of %s", option, text, wanted);
	return value;
}

/* Parses a number of spans: "20M", "500k" or a full number. */
static uint64_t number_of_spans(const char *text)
{
	char *end;
	double value = strtod(text, &end);

	if (*end == 'k' || *end == 'K')
		value *= 1e3;
	else if (*end == 'M')
		value *= 1e6;
	else if (*end == 'G')
		value *= 1e9;
	if (end == text || (*end && end[1]) || !(value >= 1 && value <= 1e12) ||
	    (*end && !strchr("kKMG", *end)))
		kp_usage_error("--spans: bad number \"%s\" (examples: 20M, 500k)", text);
	return (uint64_t)value;
}

#define TRIM_WANTS "two times"
#define SECONDS "seconds (0 to 9999999999)"
#define MICROSECONDS "microseconds (0 to 9999999999000000)"

enum { TRIM = KP_LONG(3), MERGE, SPANS };

static struct html html;

static const struct kp_option options[] = {
	{ "title", KP_LONG(0), "a text", &html.title },
	{ "template", KP_LONG(1), "the name of a file", &html.template },
	{ "json", KP_LONG(2), NULL, &html.json }, { "no-findings", KP_LONG(6), NULL, &html.no_findings },
	{ "trim", TRIM, TRIM_WANTS, NULL },
	{ "merge", MERGE, "microseconds", NULL },
	{ "spans", SPANS, "a number of spans", NULL }, {0},
};

static void parse_arguments(struct html *h, int argc, char **argv)
{
	const char *value, *stop;
	int option;

	while ((option = kp_next_option(argc, argv, options, &value)) > 0) {
		switch (option) {
		case TRIM:
			h->trim = true;
			stop = kp_next_value(argc, argv, "--trim", TRIM_WANTS);
			h->trim_start = number(value, 8, "--trim", SECONDS);
			h->trim_stop = number(stop, 8, "--trim", SECONDS);
			if (h->trim_stop < h->trim_start)
				kp_usage_error("stop time %s is before start time %s", stop, value);
			break;
		case MERGE:
			h->resolution = number(value, 2, "--merge", MICROSECONDS);
			break;
		case SPANS:
			h->most = number_of_spans(value);
			break;
		default:
			kp_file_argument(value, &h->path);
		}
	}
	if (h->resolution && h->most)
		kp_usage_error("--merge cannot be used with --spans");
	if (h->json && h->template)
		kp_usage_error("--json cannot be used with --template");
	if (h->json && h->no_findings)
		kp_usage_error("--json cannot be used with --no-findings");
}

/* ---- rows to output ---- */

static int trim_span(void *self, const struct kp_span *span)
{
	struct html *h = self;

	if (!kp_span_overlaps(span, h->trim_start, h->trim_stop))
		return 0;
	h->selected++;
	if (!h->resolution)
		return h->to.span(h->to.self, span);
	return kp_merge_span(h->merge, span);
}

/* Passes all rows to @to once. */
static int pass(void *self, const struct kp_span_sink *to)
{
	struct html *h = self;
	struct kp_span_sink first = { .span = trim_span, .self = h };
	int err;

	h->selected = 0;
	h->to = *to;
	if (!h->resolution)
		return kp_rows_replay(h->trace.rows, &first);
	h->merge = kp_merge_new(h->resolution, to);
	if (!h->merge)
		return KP_MERGE_MEMORY;
	if (h->leave_marked)
		kp_merge_leave(h->merge, kp_thin_ranges(h->thin));
	err = kp_rows_replay(h->trace.rows, &first);
	return err ? err : (int)kp_merge_end(h->merge);
}

static int write_span(void *self, const struct kp_span *span)
{
	struct html *h = self;

	h->written++;
	return h->out.span(h->out.self, span);
}

/*
 * Passes all rows to the output. A separate thread writes, unless spans are merged: names of merged
 * spans may not outlive the call, and few spans remain.
 */
static int pass_to_output(struct html *h)
{
	const struct kp_span_sink to = { .span = write_span, .self = h };

	return h->resolution ? pass(h, &to) : kp_span_pipe_pass(pass, h, &to);
}

/* ---- fewer spans ---- */

static int mark_span(void *self, const struct kp_span *span)
{
	return kp_thin_mark(((struct html *)self)->thin, span);
}

static int count_span(void *self, const struct kp_span *span)
{
	kp_thin_count(((struct html *)self)->thin, span);
	return 0;
}

/* Passes all rows twice: finds the marks, then counts the spans inside and outside of them. */
static int count_all(struct html *h)
{
	const struct kp_span_sink marks = { .span = mark_span, .self = h };
	const struct kp_span_sink lengths = { .span = count_span, .self = h };
	int err;

	h->thin = kp_thin_new();
	if (!h->thin)
		return KP_MERGE_MEMORY;
	kp_progress_phase("looking for marks", "spans");
	err = pass(h, &marks);
	kp_progress_phase("counting", "spans");
	return err ? err : pass(h, &lengths);
}

/* Counts the rows that remain after the merge, and the rows that the merge leaves out. */
static int count_merged(struct html *h, uint64_t *rows, uint64_t *dropped)
{
	const struct kp_span_sink discard = { .span = kp_span_ignore_span };
	int err;

	kp_progress_phase("counting", "spans");
	err = pass(h, &discard);
	if (!err) {
		*rows = kp_merge_counts(h->merge)->execution_out +
			kp_merge_counts(h->merge)->passed;
		*dropped = kp_merge_counts(h->merge)->dropped;
	}
	kp_merge_free(h->merge);
	h->merge = NULL;
	return err;
}

/* Adds the number of rows that the merge leaves out, and its resolution, to the header. */
static int record_dropped(struct html *h, uint64_t dropped)
{
	struct kp_header *header = kp_rows_header(h->trace.rows);

	return kp_header_add_dropped(header, "short", dropped) ||
	       kp_header_coarser(header, h->resolution) ? KP_MERGE_MEMORY : 0;
}

/*
 * Finds a resolution with which at most h->most rows remain: begins with an estimate, counts the
 * rows, and increases the resolution by a quarter while they are too many. Some rows cannot be
 * merged, so the number of rounds is limited. Merges spans between marks if they alone are too
 * many.
 */
static int thin_out(struct html *h)
{
	uint64_t left, rows = 0, before = UINT64_MAX, dropped = 0;
	int err = count_all(h);

	if (err)
		return err;
	h->leave_marked = kp_thin_inside(h->thin) > 0;
	h->resolution = kp_thin_resolution(h->thin, h->most, h->leave_marked, &left);
	if (left > h->most && h->leave_marked) {
		h->leave_marked = false;
		h->resolution = kp_thin_resolution(h->thin, h->most, false, &left);
	}
	if (!h->resolution)
		return 0;
	for (int tries = 1; ; tries++) {
		err = count_merged(h, &rows, &dropped);
		if (err || rows <= h->most || rows == before || tries == THIN_TRIES)
			break;
		before = rows;
		h->resolution += h->resolution / 4 + 1;
	}
	return err ? err : record_dropped(h, dropped);
}

static int write_output(struct html *h)
{
	const struct kp_header *header = kp_rows_header(h->trace.rows);
	uint64_t rows, dropped;
	int err = 0;

	h->start_width = kp_json_width(kp_reconstruct_announced_last(h->trace.rec));
	if (h->json) {
		kp_json_writer_init(&h->writer, stdout);
		kp_json_writer_set_width(&h->writer, h->start_width);
		h->out = kp_json_writer_sink(&h->writer);
	} else {
		h->out = kp_paged_sink(h->paged);
	}
	if (h->most)
		err = thin_out(h);
	else if (h->resolution)
		err = count_merged(h, &rows, &dropped) || record_dropped(h, dropped);
	else if (!h->json && kp_rows_count(h->trace.rows) > KP_PAGE_LARGE)
		err = count_all(h);
	if (!h->json && !h->trim && !h->resolution)
		kp_paged_expect(h->paged, kp_rows_count(h->trace.rows));
	kp_progress_phase(h->json ? "writing" : "packing", "spans");
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
	h->paged = kp_needed(kp_paged_open(h->page, !h->no_findings));
}

static void report_failure(const struct html *h)
{
	const char *why = kp_rows_message(h->trace.rows);

	if (ferror(stdout) || kp_interrupted())
		return;		/* kp_finish() reports the error */
	if (!*why && h->page)
		why = kp_page_error(h->page);
	kp_error("%s", *why ? why : "no memory");
}

/* Prints whether spans between marks are merged. */
static void print_marked(const struct html *h, bool leave_marked)
{
	const uint64_t inside = kp_thin_inside(h->thin);

	if (inside && leave_marked)
		fprintf(stderr, ", except the %" PRIu64 " between marks", inside);
	else if (inside)
		fprintf(stderr, ", also the %" PRIu64 " between marks", inside);
}

static void print_thinned(const struct html *h)
{
	if (!h->resolution) {
		fprintf(stderr, "  there are no more than %" PRIu64 " spans: none are merged\n", h->most);
		return;
	}
	fprintf(stderr, "  spans shorter than %.2f us are merged", (double)h->resolution / 100);
	print_marked(h, h->leave_marked);
	fprintf(stderr, ": %" PRIu64 " of %" PRIu64 " are left%s\n", h->written, kp_thin_all(h->thin),
		h->written > h->most ? ", the fewest possible" : "");
}

/* Prints the effect that --spans would have on this page. */
static void print_advice(const struct html *h)
{
	const uint64_t most = KP_PAGE_LARGE / 2;
	bool leave_marked = true;
	uint64_t left;
	int64_t resolution = kp_thin_resolution(h->thin, most, true, &left);

	if (left > most) {
		leave_marked = false;
		resolution = kp_thin_resolution(h->thin, most, false, &left);
	}
	fprintf(stderr, "  --spans %.0fM would merge spans shorter than about %.2f us", (double)most / 1e6,
		(double)resolution / 100);
	print_marked(h, leave_marked);
	fprintf(stderr, "; a browser would then need %.1f GB\n",
		(double)left * KP_PAGE_BROWSER_BYTES / 1e9);
}

static void print_summary(const struct html *h)
{
	const struct kp_reconstruct_stats *stats = kp_reconstruct_stats(h->trace.rec);

	if (kp_output_unread())
		return;
	kp_progress_clear();
	fprintf(stderr, "%s: %s, %" PRIu64 " CPU%s, %" PRIu64 " events, %" PRIu64 " spans, %" PRId64 ".%08" PRId64 " to %" PRId64 ".%08" PRId64 " s%s\n",
		tool.name, kp_reconstruct_base(h->trace.rec), stats->cpus,
		stats->cpus == 1 ? "" : "s", h->trace.raw.events, stats->spans,
		stats->first / 100000000, stats->first % 100000000,
		stats->last / 100000000, stats->last % 100000000,
		h->trace.raw.wrapped ? ", wrapped" : "");
	if (h->trim)
		fprintf(stderr, "  kept %" PRIu64 " spans\n", h->selected);
	if (h->most)
		print_thinned(h);
	if (!h->json)
		kp_page_print_large(h->written, stderr);
	if (!h->most && h->thin)
		print_advice(h);
	if (h->trace.raw.has_meta)
		fprintf(stderr, "  %" PRIu64 " events lost\n", h->trace.raw.lost);
	if (stats->missing_returns || stats->missing_calls || stats->gaps)
		fprintf(stderr, "  not recorded: %" PRIu64 " returns, %" PRIu64 " calls, %" PRIu64 " context switches\n",
			stats->missing_returns, stats->missing_calls, stats->gaps);
	if (stats->bad_pause)
		fputs("  " KP_BAD_PAUSE, stderr);
	if (stats->bad_partial)
		fputs("  " KP_BAD_PARTIAL, stderr);
	if (stats->made_events)
		fprintf(stderr, "  " KP_MADE_EVENTS, stats->made_events);
}

int main(int argc, char **argv)
{
	struct html *h = &html;
	const char *shown;
	int status = KP_OK;
	FILE *in;

	kp_begin(&tool, argc, argv);
	kp_page_begin();
	h->trim_stop = INT64_MAX;
	h->trim_start = INT64_MIN;
	parse_arguments(h, argc, argv);
	if (!h->json) {
		kp_refuse_terminal("a page");
		open_page(h);
	}
	in = kp_open_format(h->path, KP_FORMAT_RAW_TRACE, &shown);
	if (h->template)
		kp_record_input(h->template);
	kp_open_output();
	h->trace.title = h->title;
	if (kp_trace_open(&h->trace, in, shown) || kp_trace_read(&h->trace))
		kp_die(KP_BAD, "%s", kp_trace_message(&h->trace));
	if (write_output(h)) {
		report_failure(h);
		status = KP_BAD;
	} else {
		print_summary(h);
		kp_retain_output();	/* retain the page of the valid part of a damaged trace */
		status = kp_raw_exit_status(&h->trace.raw);
	}
	kp_merge_free(h->merge);
	kp_thin_free(h->thin);
	kp_paged_close(h->paged);
	if (h->page)
		kp_page_close(h->page);
	kp_json_writer_free(&h->writer);
	status = kp_finish(status);
	kp_trace_free(&h->trace);
	return status;
}
