// SPDX-License-Identifier: BSD-3-Clause
/*
 * spantotrim: a part of a trace, by time or by a string in the rows.
 *
 *   ... | LC_ALL=C sort | spantotrim 11.0865 11.0866 | makeself ...
 *
 *   [ 11.08647690, 0.00004574, -1, 47, 0, 770, 0, 0, 0, "wait_cpu"],   kept
 *   [ 11.08661311, 0.00000483, 1, 11, 0, 3583, 0, 0, 0, "-sched-"],    not
 *
 * Rows are kept or left out whole: a span that runs at the cut stays with its
 * own start and duration. Must never change a row.
 */
#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "kp_json.h"
#include "kp_main.h"
#include "kp_number.h"
#include "kp_temp.h"

static const struct kp_tool tool = {
	.name = "spantotrim",
	.usage = "start_sec [stop_sec] | \"string\"",
	.help =
	"Reads span JSON on standard input and writes the part that is asked for.\n"
	"\n"
	"  0              everything\n"
	"  start stop     what overlaps [start .. stop], in seconds from the start\n"
	"                 minute of the trace, as rawtoevent and the page show them\n"
	"  n              the first n seconds of the trace\n"
	"  -n             the last n seconds of the trace\n"
	"  \"string\"       rows that hold the string in their text, such as \"write\"\n"
	"                 or \", 1234, \"; header and trailer stay\n"
	"\n"
	"  -h, --help     this text\n"
	"  --version      version\n"
	"  --             what follows is an argument, even --help\n"
	"\n"
	"Rows are kept whole, so spans that run at the cut stick out.\n"
	"Exit status: 0 done, 1 bad data or I/O error, 2 usage, 3 interrupted.\n",
};

enum mode { ALL, RANGE, FIRST, LAST, STRING };

struct trim {
	enum mode mode;
	int64_t start, stop;		/* 10 ns units; FIRST, LAST: length in stop */
	const char *string;
	struct kp_json_reader reader;
	struct kp_json_writer writer;
	uint64_t kept;
	bool begun;			/* FIRST: start is known */
	bool complained;
	int64_t trace_end;		/* of pass one of LAST */
};

static void seconds_argument(const char *text, int64_t *value)
{
	switch (kp_number_argument(text, 8, value)) {
	case KP_NUMBER_OK:
		if (*value <= KP_JSON_TIME_MAX && *value >= -KP_JSON_TIME_MAX)
			return;
		break;
	case KP_NUMBER_NONE:
		kp_usage_error("bad time: %s is no number of seconds", text);
	case KP_NUMBER_LONG:
	case KP_NUMBER_RANGE:
		break;
	}
	kp_usage_error("bad time: %s is out of range", text);
}

static void parse_arguments(struct trim *t, int count, char **args)
{
	int64_t ignored;

	if (count < 1)
		kp_usage_error("no start time or string given");
	if (count > 2)
		kp_usage_error("too many arguments: %s", args[2]);
	if (count == 2) {
		seconds_argument(args[0], &t->start);
		seconds_argument(args[1], &t->stop);
		if (t->start < 0)
			kp_usage_error("start time %s is negative; only a single -n counts from the end",
				       args[0]);
		if (t->stop < t->start)
			kp_usage_error("stop time %s is before start time %s",
				       args[1], args[0]);
		t->mode = RANGE;
		return;
	}
	if (!*args[0])
		kp_usage_error("the string to look for is empty");
	if (kp_number_argument(args[0], 8, &ignored) == KP_NUMBER_NONE) {
		t->mode = STRING;
		t->string = args[0];
		return;
	}
	seconds_argument(args[0], &t->stop);
	t->mode = t->stop == 0 ? ALL : t->stop > 0 ? FIRST : LAST;
	if (t->mode == LAST)
		t->stop = -t->stop;
}

static int on_header(void *self, const struct kp_header_item *items, size_t count)
{
	struct trim *t = self;

	kp_json_writer_set_width(&t->writer, t->reader.start_width);
	return kp_json_write_header(&t->writer, items, count);
}

/* -1: no memory. */
static int holds_string(struct trim *t, const struct kp_span *span)
{
	size_t len;
	const char *row = kp_json_format_span(&t->writer, span, &len);

	if (!row)
		return -1;
	return memmem(row, len, t->string, strlen(t->string)) != NULL;
}

static int on_span(void *self, const struct kp_span *span)
{
	struct trim *t = self;
	char where[300];
	int keep = 1;

	switch (t->mode) {
	case ALL:
		break;
	case FIRST:
		if (!t->begun) {
			t->begun = true;
			t->start = span->start;
			t->stop += span->start;
		} else if (span->start < t->start) {
			kp_json_where(&t->reader, where, sizeof(where));
			kp_error("rows are not in time order: %s starts before the first; put LC_ALL=C sort in front",
				 where);
			t->complained = true;
			return -1;
		}
		keep = kp_span_overlaps(span, t->start, t->stop);
		break;
	case RANGE:
	case LAST:
		keep = kp_span_overlaps(span, t->start, t->stop);
		break;
	case STRING:
		keep = holds_string(t, span);
		break;
	}
	if (keep < 0) {
		kp_error("out of memory");
		return -1;
	}
	if (!keep)
		return 0;
	t->kept++;
	return kp_json_write_span(&t->writer, span);
}

static int on_end(void *self)
{
	struct trim *t = self;

	return kp_json_write_end(&t->writer);
}

/* ---- the last n seconds: where does the trace end? ---- */

static int ignore_header(void *self, const struct kp_header_item *items, size_t count)
{
	(void)self;
	(void)items;
	(void)count;
	return 0;
}

static int find_end(void *self, const struct kp_span *span)
{
	struct trim *t = self;

	if (span->start + span->dur > t->trace_end)
		t->trace_end = span->start + span->dur;
	return 0;
}

static int ignore_end(void *self)
{
	(void)self;
	return 0;
}

/*
 * Reads in once for its end. A pipe is kept in a temporary file meanwhile. Gives
 * what to read in the second pass, or NULL with *status set.
 */
static FILE *first_pass(struct trim *t, FILE *in, const char *shown, int *status)
{
	const struct kp_span_sink sink = {
		.header = ignore_header, .span = find_end, .end = ignore_end, .self = t,
	};
	off_t from = ftello(in);
	FILE *again = in;
	enum kp_json_result result;

	if (from < 0) {
		from = 0;
		again = kp_temp_file();
		if (!again)
			kp_die(KP_BAD, "cannot make a temporary file: %s", strerror(errno));
		t->reader.tee = again;
	}
	result = kp_json_read(&t->reader, in, shown, &sink);
	if (result) {
		*status = kp_json_exit_status(&t->reader, result);
		return NULL;
	}
	if (fflush(again) || fseeko(again, from, SEEK_SET))
		kp_die(KP_BAD, "cannot read %s again: %s", shown, strerror(errno));
	t->reader.tee = NULL;
	t->start = t->trace_end - t->stop;
	t->stop = t->trace_end;
	return again;
}

int main(int argc, char **argv)
{
	static struct trim trim;
	struct trim *t = &trim;
	const struct kp_span_sink sink = {
		.header = on_header, .span = on_span, .end = on_end, .self = t,
	};
	enum kp_json_result result;
	const char *shown;
	FILE *in;
	int first = 1, status = KP_OK;

	kp_begin(&tool, argc, argv);
	if (first < argc && !strcmp(argv[first], "--"))
		first++;
	parse_arguments(t, argc - first, argv + first);
	in = kp_open_input(NULL, &shown);
	if (t->mode == LAST) {
		in = first_pass(t, in, shown, &status);
		if (!in)
			return kp_finish(status);
	}
	kp_json_writer_init(&t->writer, stdout);
	result = kp_json_read(&t->reader, in, shown, &sink);
	status = kp_json_exit_status(&t->reader, result);
	if (result == KP_JSON_OK && t->mode != ALL)
		kp_error("kept %" PRIu64 " of %" PRIu64 " spans", t->kept, t->reader.rows);
	kp_json_writer_free(&t->writer);
	return kp_finish(status);
}
