// SPDX-License-Identifier: BSD-3-Clause
/*
 * Makes fewer and coarser spans of a trace, for an overview:
 *
 *   ... | LC_ALL=C sort | spantospan 10 | makeself ...
 *
 * With 10 us, these four spans of CPU 0
 *
 *   [ 12.81130152, 0.00000305, 0, 65, 0, 1038, 0, 0, 0, "page_fault"],
 *   [ 12.81130457, 0.00000691, 0, 65, 0, 65601, 0, 0, 0, "exe.65"],
 *   [ 12.81131148, 0.00000483, 0, 65, 0, 1038, 0, 0, 0, "page_fault"],
 *   [ 12.81131631, 0.00000554, 0, 65, 0, 65601, 0, 0, 0, "exe.65"],
 *
 * become one:
 *
 *   [ 12.81130152, 0.00002033, 0, 65, 0, 65601, 0, 0, 0, "exe.65"],
 *
 * The execution time of a CPU must not change, except in holes of up to 30 ns. Marks must remain.
 */

#include "base/input.h"
#include "base/number.h"
#include "base/temp.h"
#include "base/tool.h"
#include "page/foreign.h"
#include "spanjson/json.h"
#include "transform/merge.h"

static const struct kp_tool tool = {
	.name = "spantospan",
	.usage = "usec [start_sec [stop_sec]] [JSON] [-o FILE]",
	.help =
	"Read span JSON in time order (file, or standard input), and write it with\n"
	"coarser spans. On each CPU, execution spans are merged until they are usec microseconds\n"
	"long; the merged span has the kind that took most of the time. Marks and remote\n"
	"calls stay. Arcs, waits, wakeup points, lock spans and PC samples shorter than\n"
	"usec are omitted. The header has their number (dropped, cause short) and usec\n"
	"(resolution_us).\n"
	"\n"
	"  usec           merge to this length, in microseconds (example: 2.5); 0: merge\n"
	"                 and omit nothing\n"
	"  start stop     also omit rows that do not overlap [start .. stop], in seconds\n"
	"                 from the start minute of the trace, as for spantotrim\n"
	"\n"
	KP_HELP_OPTIONS
	"\n"
	"Exit status: 0 done, 1 bad data or I/O error, 2 usage.\n",
};

struct coarsen {
	struct kp_json_reader reader;
	struct kp_json_writer writer;
	struct kp_span_sink to_writer;
	struct kp_merge *merge;		/* merge of rows; NULL: rows do not change */
	/* spool of the rows, until the counts for the header are known */
	struct kp_spool spool;
	struct kp_header header;
	int64_t resolution;		/* resolution in units of 10 ns; 0: rows do not change */
	int64_t start, stop;		/* selected time, units of 10 ns */
};

static int64_t seconds_argument(const char *text)
{
	int64_t value;

	if (kp_number_argument(text, 8, &value) || value < 0 || value > KP_JSON_TIME_MAX)
		kp_usage_error("bad time: %s is not a number of seconds from 0 to 9999999999", text);
	return value;
}

/* Returns the resolution. Sets *@path if the last argument is the input. */
static int64_t parse_arguments(struct coarsen *c, int argc, char **argv, const char **path)
{
	const char *args[5] = { NULL }, *value;
	enum kp_number result;
	int64_t resolution;
	int count = 0, option;

	/* -1 is a number here, and is refused later */
	while ((option = kp_next_dashed(argc, argv, NULL, &value)) > 0) {
		if (option == KP_UNKNOWN)
			kp_usage_error("unknown option %s; type: spantospan USEC START STOP FILE", value);
		if (count < 5)
			args[count++] = value;
	}

	if (count && (kp_is_format(args[count - 1], KP_FORMAT_SPAN_JSON) ||
		      (count > 1 && kp_is_path(args[count - 1]))))
		*path = args[--count];
	if (count < 1)
		kp_usage_error("no number of microseconds given");
	if (count > 3)
		kp_usage_error("too many arguments: %s", args[3]);
	c->start = count > 1 ? seconds_argument(args[1]) : INT64_MIN;
	c->stop = count > 2 ? seconds_argument(args[2]) : INT64_MAX;
	if (c->stop < c->start)
		kp_usage_error("stop time %s is before start time %s", args[2], args[1]);
	result = kp_number_argument(args[0], 2, &resolution);
	if (result == KP_NUMBER_NONE)
		kp_usage_error("bad resolution: %s is not a number of microseconds", args[0]);
	if (result || resolution < 0 || resolution > KP_JSON_TIME_MAX)
		kp_usage_error("bad resolution: %s is out of range (0 to 9999999999000000 microseconds)",
			       args[0]);
	return resolution;
}

static int no_memory(void)
{
	kp_error("no memory");
	return -1;
}

static int on_header(void *self, const struct kp_header_item *items, size_t count)
{
	struct coarsen *c = self;

	kp_json_writer_set_width(&c->writer, c->reader.start_width);
	if (!c->merge)
		return kp_json_write_header(&c->writer, items, count);
	return kp_header_copy(&c->header, items, count) ? no_memory() : 0;
}

static int merge_failed(struct coarsen *c, enum kp_merge_result result)
{
	char where[300];

	switch (result) {
	case KP_MERGE_OK:
		return 0;
	case KP_MERGE_ORDER:
		kp_json_where(&c->reader, where, sizeof(where));
		kp_error("rows are not in time order: %s starts before the previous row; try LC_ALL=C sort",
			 where);
		break;
	case KP_MERGE_MEMORY:
		return no_memory();
	case KP_MERGE_SINK:
		kp_error("cannot write a temporary file: %s%s", strerror(c->spool.error),
			 kp_temp_remedy(c->spool.error));
		break;
	}
	return -1;
}

static int on_span(void *self, const struct kp_span *span)
{
	struct coarsen *c = self;

	if (!kp_span_overlaps(span, c->start, c->stop))
		return 0;
	if (!c->merge)
		return kp_json_write_span(&c->writer, span);
	return merge_failed(c, kp_merge_span(c->merge, span));
}

static int on_trailing(void *self, const struct kp_header_item *items, size_t count)
{
	struct coarsen *c = self;

	return kp_json_write_trailing(&c->writer, items, count) ? no_memory() : 0;
}

static int on_end(void *self)
{
	struct coarsen *c = self;
	const struct kp_merge_counts *counts;
	int status;

	if (!c->merge)
		return kp_json_write_end(&c->writer);
	if (merge_failed(c, kp_merge_end(c->merge)))
		return -1;
	if (kp_json_writer_flush(&c->writer, stdout))
		return merge_failed(c, KP_MERGE_SINK);
	counts = kp_merge_counts(c->merge);
	if (kp_header_add_dropped(&c->header, "short", counts->dropped) ||
	    kp_header_coarser(&c->header, c->resolution))
		return no_memory();
	if (kp_json_write_header(&c->writer, c->header.items, c->header.count) ||
	    kp_json_writer_flush(&c->writer, NULL))
		return -1;
	status = kp_spool_copy(&c->spool, stdout);
	if (status == -1)
		return merge_failed(c, KP_MERGE_SINK);
	return status ? -1 : kp_json_write_end(&c->writer);
}

static void report(const struct coarsen *c)
{
	const struct kp_merge_counts *n = kp_merge_counts(c->merge);

	kp_error("%" PRIu64 " execution spans became %" PRIu64 "; %" PRIu64 " of %" PRIu64
		 " other rows were short and are omitted",
		 n->execution_in, n->execution_out, n->dropped, n->passed + n->dropped);
	if (n->holes)
		kp_error("%" PRIu64 " holes of up to 30 ns between them, %" PRId64 " ns in all, are part of the spans now",
			 n->holes, n->hole_time * 10);
	if (n->overlaps)
		kp_error("%" PRIu64 " execution spans overlap the previous one on their CPU; they are unchanged",
			 n->overlaps);
}

static bool keep_foreign(void *self, const struct kp_foreign_row *row)
{
	const struct coarsen *c = self;

	return kp_foreign_overlaps(row, c->start, c->stop);
}

/* Copies the rows of RPCs, disk blocks or a profile that are in the requested time. */
static int select_foreign(struct coarsen *c, struct kp_foreign *foreign, FILE *in,
			  const char *shown)
{
	int status;

	foreign->keep = keep_foreign;
	foreign->self = c;
	status = kp_foreign_copy(foreign, in, shown, stdout);
	if (!status && c->start != INT64_MIN)
		kp_error("kept %" PRIu64 " of %" PRIu64 " rows", foreign->copied, foreign->rows);
	return status;
}

int main(int argc, char **argv)
{
	static struct coarsen coarsen;
	struct coarsen *c = &coarsen;
	const struct kp_span_sink sink = {
		.header = on_header, .span = on_span, .end = on_end, .self = c,
		.trailing = on_trailing,
	};
	struct kp_foreign foreign = { .kind = KP_FOREIGN_NONE };
	enum kp_json_result result;
	const char *path = NULL, *shown;
	int64_t resolution;
	FILE *input, *in;
	int status;

	kp_begin(&tool, argc, argv);
	resolution = parse_arguments(c, argc, argv, &path);
	input = kp_open_format(path, KP_FORMAT_SPAN_JSON, &shown);
	kp_open_output();
	in = kp_needed(kp_foreign_detect(input, &foreign.kind));
	if (foreign.kind) {
		if (resolution)
			kp_error("rows of %s are not spans of CPUs: nothing is merged",
				 kp_foreign_what(foreign.kind));
		status = select_foreign(c, &foreign, in, shown);
		if (in != input)
			fclose(in);
		return kp_finish(status);
	}

	kp_json_writer_init(&c->writer, stdout);
	c->resolution = resolution;
	if (resolution) {
		c->to_writer = kp_json_writer_sink(&c->writer);
		c->merge = kp_merge_new(resolution, &c->to_writer);
		if (!c->merge || kp_spool_open(&c->spool))
			kp_die(KP_BAD, "no memory");
		kp_json_writer_flush(&c->writer, c->spool.in);
	}
	result = kp_json_read(&c->reader, in, shown, &sink);
	status = kp_json_exit_status(&c->reader, result);
	if (in != input)
		fclose(in);
	if (result == KP_JSON_OK && c->merge)
		report(c);
	kp_merge_free(c->merge);
	kp_spool_close(&c->spool);
	kp_header_free(&c->header);
	kp_json_writer_free(&c->writer);
	return kp_finish(status);
}
