// SPDX-License-Identifier: BSD-3-Clause
/*
 * Prints a part of a trace, selected by time or by a string in the rows (transform/trim.h):
 *
 *   ... | LC_ALL=C sort | spantotrim 11.0865 11.0866 | makeself ...
 *
 *   [ 11.08647690, 0.00004574, -1, 47, 0, 770, 0, 0, 0, "wait_cpu"],   kept
 *   [ 11.08661311, 0.00000483, 1, 11, 0, 3583, 0, 0, 0, "-sched-"],    left out
 *
 * Without --state, each whole row is retained or left out: a span across the cut retains its start
 * and duration.
 */

#include "base/input.h"
#include "base/number.h"
#include "base/tool.h"
#include "page/foreign.h"
#include "transform/trim.h"

static const struct kp_tool tool = {
	.name = "spantotrim",
	.usage = "[-o FILE] [--pid P] [--state] start_sec [stop_sec] | \"string\" | --mark A B [JSON]",
	.help =
	"Read span JSON (file, or standard input), and write the selected part.\n"
	"\n"
	"  0              select everything\n"
	"  start stop     select rows that overlap [start .. stop], in seconds from the\n"
	"                 start minute of the trace, as rawtoevent and the page show them\n"
	"  n              select the first n seconds of the trace\n"
	"  -n             select the last n seconds of the trace\n"
	"  \"string\"       select rows with the string in their text, such as \"write\" or\n"
	"                 \", 1234, \"; header and trailer stay\n"
	"  --mark A B     select rows that overlap the time from the first mark A to the\n"
	"                 first mark B after it; a mark is named as in the trace\n"
	"                 (mark_a=getpid, mark_d=7) or by a label alone (getpid)\n"
	"  --pid P        of these rows, select only spans, waits and wakers of thread P\n"
	"                 (number, or name: all threads with this name); alone: in the\n"
	"                 whole trace\n"
	"  --state        cut rows at the beginning and the end of the time range; also\n"
	"                 put the lists of names (20e) of the used pids at its beginning\n"
	"\n"
	KP_HELP_OPTIONS
	"  --             all further words are arguments, even --help\n"
	"\n"
	"Without --state rows are kept whole, so spans across the cut extend beyond it.\n"
	"The pauses of the recording in the selected time are always kept.\n"
	"Exit status: 0 done, 1 bad data or I/O error, 2 usage.\n",
};

static void seconds_argument(const char *text, int64_t *value)
{
	const enum kp_number result = kp_number_argument(text, 8, value);

	if (result == KP_NUMBER_NONE && kp_is_format(text, KP_FORMAT_SPAN_JSON))
		kp_usage_error("the file must be the last argument: %s", text);
	if (result == KP_NUMBER_NONE)
		kp_usage_error("bad time: %s is not a number of seconds", text);
	if (result || *value > KP_JSON_TIME_MAX || *value < -KP_JSON_TIME_MAX)
		kp_usage_error("bad time: %s is out of range (-9999999999 to 9999999999 seconds)",
			       text);
}

/* Parses the selection. The last argument may be the input. Returns its path, or NULL. */
static const char *parse_range(struct kp_trim *t, int count, const char *const *args)
{
	const char *path = NULL;
	int64_t ignored;

	if (count && (kp_is_format(args[count - 1], KP_FORMAT_SPAN_JSON) ||
		      (count > 1 && kp_is_path(args[count - 1]))))
		path = args[--count];
	if (count < 1) {
		if (t->range == KP_TRIM_MARK || t->by_pid)
			return path;
		kp_usage_error("nothing is selected: give a time, a string, --pid or --mark");
	}
	if (t->range == KP_TRIM_MARK)
		kp_usage_error("--mark cannot be used with a time or string: %s", args[0]);
	if (count > 2)
		kp_usage_error("too many arguments: %s", args[2]);
	if (count == 2) {
		seconds_argument(args[0], &t->start);
		seconds_argument(args[1], &t->stop);
		if (t->start < 0)
			kp_usage_error("start time %s is negative; only a single -n counts from the end",
				       args[0]);
		if (t->stop < t->start)
			kp_usage_error("stop time %s is before start time %s", args[1], args[0]);
		t->range = KP_TRIM_RANGE;
		return path;
	}
	if (!*args[0])
		kp_usage_error("the string to look for is empty");
	if (kp_number_argument(args[0], 8, &ignored) == KP_NUMBER_NONE) {
		t->string = args[0];
		return path;
	}
	seconds_argument(args[0], &t->stop);
	t->range = t->stop == 0 ? KP_TRIM_ALL : t->stop > 0 ? KP_TRIM_FIRST : KP_TRIM_LAST;
	if (t->range == KP_TRIM_LAST)
		t->stop = -t->stop;
	return path;
}

#define PID_WANTS "the number or the name of a thread"
#define MARK_WANTS "two names of marks"

enum { PID = KP_LONG(1), MARK };

static struct kp_trim trim;

static const struct kp_option options[] = {
	{ "state", KP_LONG(0), NULL, &trim.state }, { "pid", PID, PID_WANTS, NULL },
	{ "mark", MARK, MARK_WANTS, NULL }, {0},
};

/* Returns the path of the input, or NULL. */
static const char *parse_arguments(struct kp_trim *t, int argc, char **argv)
{
	const char *args[4], *value;
	int option, count = 0;

	/* -5 is a time, and -sched- a string */
	while ((option = kp_next_dashed(argc, argv, options, &value)) > 0) {
		switch (option) {
		case PID:
			t->name = kp_number_argument(value, 0, &t->pid) ? value : NULL;
			if (t->name ? !*t->name : t->pid < 0)
				kp_usage_error("--pid needs " PID_WANTS);
			t->by_pid = true;
			break;
		case MARK:
			t->mark[0] = value;
			t->mark[1] = kp_next_value(argc, argv, "--mark", MARK_WANTS);
			t->range = KP_TRIM_MARK;
			break;
		case KP_UNKNOWN:
			kp_usage_error("unknown option %s; type: spantotrim START STOP FILE", value);
		default:
			args[count < 4 ? count++ : 3] = value;
		}
	}
	return parse_range(t, count, args);
}

static bool keep_foreign(void *self, const struct kp_foreign_row *row)
{
	struct kp_trim *t = self;

	if (t->string && !memmem(row->text, row->len, t->string, strlen(t->string)))
		return false;
	if (t->range == KP_TRIM_FIRST) {
		/* the selected range begins at the first row */
		t->start = row->first;
		t->stop += row->first;
		t->range = KP_TRIM_RANGE;
	}
	return t->range != KP_TRIM_RANGE || kp_foreign_overlaps(row, t->start, t->stop);
}

/* Selects rows of RPCs, disk blocks or a profile, which have times, but no CPUs and pids. */
static int trim_foreign(struct kp_trim *t, struct kp_foreign *foreign, FILE *in,
			const char *shown)
{
	bool everything = t->range == KP_TRIM_ALL && !t->string;
	int status;

	if (t->range == KP_TRIM_LAST || t->range == KP_TRIM_MARK || t->state || t->by_pid)
		kp_die(KP_BAD, "cannot select in %s: rows of %s have no CPUs and pids; try a time range or a string",
		       shown, kp_foreign_what(foreign->kind));
	foreign->keep = keep_foreign;
	foreign->self = t;
	status = kp_foreign_copy(foreign, in, shown, stdout);
	if (!status && !everything)
		kp_error("kept %" PRIu64 " of %" PRIu64 " rows", foreign->copied, foreign->rows);
	return status;
}

int main(int argc, char **argv)
{
	struct kp_foreign foreign = { .kind = KP_FOREIGN_NONE };
	const char *path, *shown;
	FILE *input, *in;
	int status;

	kp_begin(&tool, argc, argv);
	path = parse_arguments(&trim, argc, argv);
	input = kp_open_format(path, KP_FORMAT_SPAN_JSON, &shown);
	kp_open_output();
	in = kp_needed(kp_foreign_detect(input, &foreign.kind));
	status = foreign.kind ? trim_foreign(&trim, &foreign, in, shown) : kp_trim_run(&trim, in, shown, stdout);
	if (in != input)
		fclose(in);
	return kp_finish(status);
}
