// SPDX-License-Identifier: BSD-3-Clause
/*
 * Compares the output of our filters for a trace with the output of the original's filters.
 * tests/golden/test_reference.sh uses it. Use it by hand to study disagreements.
 *
 *  refcompare events THEIRS OURS   counts lines that agree in TS (within 10 ns), DUR,
 *                                    EVENT, CPU, PID, ARG0, RETVAL
 *  refcompare spans THEIRS OURS    counts CPU time in which both show the same
 *                                    event number and pid
 *
 * Prints "agree N of M" first (lines, or units of 10 ns), then the disagreements by class,
 * largest first.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/tool.h"
#include "common/entry.h"
#include "eventtext/eventtext.h"
#include "model/names.h"
#include "spanjson/json.h"

static const struct kp_tool tool = {
	.name = "refcompare",
	.usage = "events|spans THEIRS OURS",
	.help = "Compares event text, or span JSON, of two tools.\n",
};

/* ---- classes of disagreement ---- */

struct class {
	char text[120];
	uint64_t count, amount;
};

static struct class *classes;
static size_t class_count;

static void disagree(const char *text, uint64_t amount)
{
	size_t i;

	for (i = 0; i < class_count; i++)
		if (!strcmp(classes[i].text, text))
			break;
	if (i == class_count) {
		classes = realloc(classes, (class_count + 1) * sizeof(*classes));
		if (!classes)
			abort();
		memset(&classes[class_count], 0, sizeof(*classes));
		snprintf(classes[class_count++].text, sizeof(classes->text), "%s", text);
	}
	classes[i].count++;
	classes[i].amount += amount;
}

static int class_order(const void *a, const void *b)
{
	const struct class *x = a, *y = b;

	return x->amount < y->amount ? 1 : x->amount > y->amount ? -1 :
	       strcmp(x->text, y->text);
}

static void print_classes(const char *unit)
{
	size_t i;

	if (class_count)
		qsort(classes, class_count, sizeof(*classes), class_order);
	for (i = 0; i < class_count && i < 60; i++)
		printf("  %8" PRIu64 " times, %10" PRIu64 " %s: %s\n", classes[i].count,
		       classes[i].amount, unit, classes[i].text);
}

/* ---- events ---- */

struct line {
	int64_t ts, dur;
	uint32_t event, pid, arg0;
	int32_t cpu, retval;
};

struct lines {
	struct line *list;
	size_t count, room;
};

static void add_line(struct lines *lines, const struct line *line)
{
	if (lines->count == lines->room) {
		lines->room = lines->room ? lines->room * 2 : 4096;
		lines->list = realloc(lines->list, lines->room * sizeof(*lines->list));
		if (!lines->list)
			abort();
	}
	lines->list[lines->count++] = *line;
}

static int take_event(void *self, const struct kp_event *event)
{
	struct line line = {
		.ts = event->ts, .dur = event->dur, .event = event->event,
		.pid = event->pid, .arg0 = event->arg0, .cpu = event->cpu,
		.retval = event->retval,
	};

	add_line(self, &line);
	return 0;
}

static int take_namedef(void *self, const struct kp_namedef *def)
{
	struct line line = {
		.ts = def->ts, .event = def->event, .arg0 = def->number, .cpu = -1,
	};

	add_line(self, &line);
	return 0;
}

static int take_comment(void *self, const char *text, size_t len)
{
	(void)self;
	(void)text;
	(void)len;
	return 0;
}

#define COMPARE(a, b) \
	do { \
		if ((a) != (b)) \
			return (a) < (b) ? -1 : 1; \
	} while (0)

/* Compares everything except the time. */
static int line_key(const struct line *x, const struct line *y)
{
	COMPARE(x->event, y->event);
	COMPARE(x->cpu, y->cpu);
	COMPARE(x->pid, y->pid);
	COMPARE(x->arg0, y->arg0);
	COMPARE(x->retval, y->retval);
	COMPARE(x->dur, y->dur);
	return 0;
}

static int line_order(const void *a, const void *b)
{
	const struct line *x = a, *y = b;
	int diff = line_key(x, y);

	if (diff)
		return diff;
	COMPARE(x->ts, y->ts);
	return 0;
}

static void read_lines(const char *path, struct lines *lines)
{
	static struct kp_event_reader reader;
	struct kp_event_sink sink = { take_event, take_namedef, take_comment, lines };
	const char *shown;
	FILE *in = kp_open_input(path, &shown);

	if (kp_event_text_read(&reader, in, shown, &sink))
		kp_die(KP_BAD, "%s", reader.message);
	fclose(in);
	if (lines->count)
		qsort(lines->list, lines->count, sizeof(*lines->list), line_order);
}

static void lone_line(const char *whose, const struct line *line)
{
	char text[120];

	if (ku_event_is_name(line->event))
		snprintf(text, sizeof(text), "only in %s: name definition, event %03x", whose,
			 line->event);
	else
		snprintf(text, sizeof(text), "only in %s: event %03x", whose, line->event);
	disagree(text, 1);
}

static void compare_events(const char *theirs, const char *ours)
{
	static struct lines a, b;
	uint64_t agree = 0;
	size_t i = 0, j = 0;

	read_lines(theirs, &a);
	read_lines(ours, &b);
	while (i < a.count || j < b.count) {
		int diff = i == a.count ? 1 : j == b.count ? -1 :
			   line_key(&a.list[i], &b.list[j]);

		if (!diff && a.list[i].ts < b.list[j].ts - 1)
			diff = -1;
		else if (!diff && a.list[i].ts > b.list[j].ts + 1)
			diff = 1;
		if (diff < 0) {
			lone_line("theirs", &a.list[i++]);
		} else if (diff > 0) {
			lone_line("ours", &b.list[j++]);
		} else {
			agree++;
			i++;
			j++;
		}
	}
	printf("agree %" PRIu64 " of %zu\n", agree, a.count);
	print_classes("lines");
}

/* ---- spans ---- */

struct run {
	int64_t start, end, event, pid;
	int32_t cpu;
};

struct runs {
	struct run *list;
	size_t count, room;
};

static int take_span(void *self, const struct kp_span *span)
{
	struct runs *runs = self;

	if (!kp_span_is_execution(span) || span->dur <= 0)
		return 0;
	if (runs->count == runs->room) {
		runs->room = runs->room ? runs->room * 2 : 4096;
		runs->list = realloc(runs->list, runs->room * sizeof(*runs->list));
		if (!runs->list)
			abort();
	}
	runs->list[runs->count++] = (struct run){
		.start = span->start, .end = span->start + span->dur,
		.event = span->event, .pid = span->pid, .cpu = span->cpu,
	};
	return 0;
}

static int take_end(void *self)
{
	(void)self;
	return 0;
}

static int run_order(const void *a, const void *b)
{
	const struct run *x = a, *y = b;

	COMPARE(x->cpu, y->cpu);
	COMPARE(x->start, y->start);
	COMPARE(x->end, y->end);
	return 0;
}

static void read_runs(const char *path, struct runs *runs)
{
	static struct kp_json_reader reader;
	struct kp_span_sink sink = {
		.header = kp_span_ignore_header, .span = take_span, .end = take_end, .self = runs,
	};
	const char *shown;
	FILE *in = kp_open_input(path, &shown);
	enum kp_json_result result;

	memset(&reader, 0, sizeof(reader));
	result = kp_json_read(&reader, in, shown, &sink);
	if (result != KP_JSON_OK)
		kp_die(KP_BAD, "%s", reader.message);
	fclose(in);
	if (runs->count)
		qsort(runs->list, runs->count, sizeof(*runs->list), run_order);
}

static void kind(const struct run *run, char *out, size_t room)
{
	if (!run)
		snprintf(out, room, "nothing");
	else if (run->event == KP_EVENT_USER)
		snprintf(out, room, "idle");
	else if (run->event >= KP_EVENT_USER)
		snprintf(out, room, "user");
	else
		snprintf(out, room, "%03x", (unsigned)run->event);
}

/* Compares an interval in which a CPU ran @x by their output and @y by ours. NULL: nothing. */
static uint64_t compare_piece(const struct run *x, const struct run *y, int64_t from,
			      int64_t to)
{
	char a[32], b[32], text[120];
	uint64_t units = (uint64_t)(to - from);

	if (x && y && x->event == y->event && x->pid == y->pid)
		return units;
	kind(x, a, sizeof(a));
	kind(y, b, sizeof(b));
	snprintf(text, sizeof(text), "theirs %s, ours %s%s", a, b,
		 x && y && x->pid != y->pid ? ", another pid" : "");
	disagree(text, units);
	if (getenv("REFCOMPARE_ALL"))
		printf("%" PRId64 " %" PRIu64 " CPU %d: %s\n", from, units,
		       x ? x->cpu : y->cpu, text);
	return 0;
}

static int64_t least(int64_t a, int64_t b)
{
	return a < b ? a : b;
}

/* Compares one CPU: their runs @a with our runs @b, both in order of time. */
static uint64_t compare_cpu(const struct run *a, size_t a_count, const struct run *b,
			    size_t b_count, uint64_t *total)
{
	int64_t now = INT64_MIN;
	uint64_t agree = 0;
	size_t i = 0, j = 0;

	while (i < a_count || j < b_count) {
		const struct run *x = i < a_count ? &a[i] : NULL;
		const struct run *y = j < b_count ? &b[j] : NULL;
		int64_t next;

		if (x && x->end <= now) {
			i++;
			continue;
		}
		if (y && y->end <= now) {
			j++;
			continue;
		}
		if ((!x || x->start > now) && (!y || y->start > now)) {
			now = least(x ? x->start : INT64_MAX, y ? y->start : INT64_MAX);
			continue;
		}
		next = INT64_MAX;
		if (x)
			next = least(next, x->start > now ? x->start : x->end);
		if (y)
			next = least(next, y->start > now ? y->start : y->end);
		if (x && x->start > now)
			x = NULL;
		if (y && y->start > now)
			y = NULL;
		*total += (uint64_t)(next - now);
		agree += compare_piece(x, y, now, next);
		now = next;
	}
	return agree;
}

static size_t cpu_end(const struct runs *runs, size_t from, int32_t cpu)
{
	while (from < runs->count && runs->list[from].cpu <= cpu)
		from++;
	return from;
}

static void compare_spans(const char *theirs, const char *ours)
{
	static struct runs a, b;
	uint64_t agree = 0, total = 0;
	size_t i = 0, j = 0;
	int32_t cpu;

	read_runs(theirs, &a);
	read_runs(ours, &b);
	for (cpu = 0; cpu <= KP_JSON_CPU_MAX && (i < a.count || j < b.count); cpu++) {
		size_t i_end = cpu_end(&a, i, cpu), j_end = cpu_end(&b, j, cpu);

		agree += compare_cpu(a.list + i, i_end - i, b.list + j, j_end - j, &total);
		i = i_end;
		j = j_end;
	}
	printf("agree %" PRIu64 " of %" PRIu64 "\n", agree, total);
	print_classes("x 10 ns");
}

int main(int argc, char **argv)
{
	kp_begin(&tool, argc, argv);
	if (argc != 4)
		kp_usage_error("three arguments are wanted");
	if (!strcmp(argv[1], "events"))
		compare_events(argv[2], argv[3]);
	else if (!strcmp(argv[1], "spans"))
		compare_spans(argv[2], argv[3]);
	else
		kp_usage_error("events or spans, not %s", argv[1]);
	return kp_finish(KP_OK);
}
