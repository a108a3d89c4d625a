// SPDX-License-Identifier: BSD-3-Clause
/*
 * Tests that budgets add up exactly, for each complete call of the golden traces and for 10,000
 * random intervals of their threads. The expected sums come from the rows of the span JSON alone:
 * execution by kind of event, waits by their letter.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <glob.h>
#include <stdio.h>
#include <string.h>

#include "report/budget.h"
#include "report/prof.h"
#include "sample.h"
#include "spanjson/json.h"

#define INTERVALS 10000

struct row {
	int64_t start, end, event;
};

struct interval {
	int64_t pid, start, end;
};

typedef KP_VECTOR(struct row) rows;

/* Rows of one pid. */
struct thread {
	int64_t pid;
	rows execs, waits;
};

struct trace {
	struct kp_why why;
	struct kp_prof prof;
	struct kp_idle idle;
	KP_VECTOR(struct thread) threads;
	KP_VECTOR(struct interval) calls;
	bool lock;		/* the trace has rows of locks */
};

static struct thread *thread_of(struct trace *trace, int64_t pid)
{
	for (size_t i = 0; i < trace->threads.count; i++)
		if (trace->threads.items[i].pid == pid)
			return &trace->threads.items[i];
	assert_int_equal(KP_APPEND(&trace->threads, (struct thread){ .pid = pid }), 0);
	return &trace->threads.items[trace->threads.count - 1];
}

static int on_header(void *self, const struct kp_header_item *items, size_t count)
{
	struct trace *trace = self;

	kp_prof_sink(&trace->prof).header(&trace->prof, items, count);
	return kp_why_sink(&trace->why).header(&trace->why, items, count);
}

static int on_span(void *self, const struct kp_span *s)
{
	struct trace *trace = self;
	const struct row row = { s->start, s->start + s->dur, s->event };

	trace->lock |= s->event == KUTRACE_MADE_LOCKTRY;
	if (s->dur && s->pid && (kp_span_is_execution(s) || kp_span_is_stopped(s)))
		assert_int_equal(KP_APPEND(&thread_of(trace, s->pid)->execs, row), 0);
	else if (s->cpu < 0 && s->event >= KUTRACE_MADE_WAITA && s->event <= KUTRACE_MADE_WAITZ)
		assert_int_equal(KP_APPEND(&thread_of(trace, s->pid)->waits, row), 0);
	kp_prof_sink(&trace->prof).span(&trace->prof, s);
	return kp_why_sink(&trace->why).span(&trace->why, s);
}

static int on_end(void *self)
{
	struct trace *trace = self;

	kp_prof_sink(&trace->prof).end(&trace->prof);
	return kp_why_sink(&trace->why).end(&trace->why);
}

static int on_call(void *self, const struct kp_prof_process *process, int32_t cpu, const struct kp_joined_call *call)
{
	struct trace *trace = self;

	(void)cpu;
	if (process->pid && call->begins && call->ends)
		assert_int_equal(KP_APPEND(&trace->calls, (struct interval){ process->pid, call->start, call->end }), 0);
	return 0;
}

static void load(struct trace *trace, const char *path)
{
	static struct kp_json_reader reader;
	const struct kp_span_sink sink = { .header = on_header, .span = on_span, .end = on_end, .self = trace };
	char command[500];
	FILE *in;

	memset(trace, 0, sizeof(*trace));
	memset(&reader, 0, sizeof(reader));
	kp_why_init(&trace->why, 0, 0);
	trace->prof.on_call = on_call;
	trace->prof.on_call_self = trace;
	snprintf(command, sizeof(command), "xz -dc '%s'", path);
	in = popen(command, "r");
	assert_non_null(in);
	assert_int_equal(kp_json_read(&reader, in, path, &sink), KP_JSON_OK);
	pclose(in);
	assert_int_equal(kp_idle_find(&trace->idle, &trace->why), 0);
}

static void unload(struct trace *trace)
{
	for (size_t i = 0; i < trace->threads.count; i++) {
		free(trace->threads.items[i].execs.items);
		free(trace->threads.items[i].waits.items);
	}
	free(trace->threads.items);
	free(trace->calls.items);
	kp_idle_free(&trace->idle);
	kp_prof_free(&trace->prof);
	kp_why_free(&trace->why);
}

enum kind { USER, SYSCALL, FAULT, IRQ, SOFTIRQ, SCHED, STOPPED, WAITS, THROTTLED, KINDS };

/* Returns the kind of a row of kutrace-trace(5), or -1. */
static int kind_of(const struct row *row)
{
	if (row->event >= KP_EVENT_USER)
		return USER;
	if (row->event == KUTRACE_MADE_STOPPED || row->event == KUTRACE_MADE_STOLEN)
		return STOPPED;
	if (row->event == KUTRACE_MADE_WAITA + 'q' - 'a')
		return THROTTLED;
	if (row->event >= KUTRACE_MADE_WAITA && row->event <= KUTRACE_MADE_WAITZ)
		return row->event == KUTRACE_MADE_WAITA + 'c' - 'a' || row->event == KUTRACE_MADE_WAITZ ? -1 : WAITS;
	if (row->event == KUTRACE_CALL_SCHED)
		return SCHED;
	if (row->event == KUTRACE_CALL_BH)
		return SOFTIRQ;
	return row->event >= KUTRACE_CALL_SYSCALL64 ? SYSCALL : row->event >= KUTRACE_CALL_IRQ ? IRQ : FAULT;
}

/* Adds up the parts of rows in an interval. */
static void expected(const rows *list, const struct interval *interval, int64_t sums[KINDS])
{
	for (size_t i = 0; i < list->count; i++) {
		const struct row *row = &list->items[i];
		const int64_t start = row->start > interval->start ? row->start : interval->start;
		const int64_t end = row->end < interval->end ? row->end : interval->end;

		if (row->start >= interval->end)
			break;
		if (start < end && kind_of(row) >= 0)
			sums[kind_of(row)] += end - start;
	}
}

static void check_interval(struct trace *trace, const struct interval *interval, bool exact_waits)
{
	static const int kinds[KP_CATEGORY_COUNT] = {
		[KP_CATEGORY_USER] = USER + 1, [KP_CATEGORY_KERNEL] = USER + 1, [KP_CATEGORY_SYSCALL] = SYSCALL + 1,
		[KP_CATEGORY_FAULT] = FAULT + 1, [KP_CATEGORY_IRQ] = IRQ + 1, [KP_CATEGORY_SOFTIRQ] = SOFTIRQ + 1,
		[KP_CATEGORY_SCHED] = SCHED + 1, [KP_CATEGORY_WAIT] = WAITS + 1, [KP_CATEGORY_THROTTLED] = THROTTLED + 1,
	};
	const struct thread *thread = thread_of(trace, interval->pid);
	const int64_t index = kp_why_find(&trace->why, interval->pid);
	int64_t want[KINDS] = {0}, got[KINDS] = {0}, sum = 0;
	struct kp_budget budget;

	if (index < 0 || kp_lives_of(&trace->why.lives, interval->pid))
		return;	/* several threads had the pid */
	kp_budget_init(&budget, &trace->why, &trace->idle);
	assert_int_equal(kp_budget_thread(&budget, (size_t)index, interval->start, interval->end), 0);
	for (size_t i = 0; i < budget.lines.count; i++) {
		const struct kp_budget_line *line = &budget.lines.items[i];

		assert_true(line->time > 0);
		sum += line->time;
		if (kinds[line->category])
			got[kinds[line->category] - 1] += line->time;
	}
	assert_int_equal(sum, interval->end - interval->start);
	assert_int_equal(budget.total, sum);
	expected(&thread->execs, interval, want);
	for (int kind = USER; kind <= SCHED; kind++)
		assert_int_equal(got[kind], want[kind]);
	expected(&thread->waits, interval, want);
	assert_int_equal(got[THROTTLED], want[THROTTLED]);
	if (exact_waits)
		assert_int_equal(got[WAITS], want[WAITS]);
	kp_budget_free(&budget);
}

static uint64_t seed = 88172645463325252u;

static uint64_t next_random(void)
{
	seed ^= seed << 13;
	seed ^= seed >> 7;
	seed ^= seed << 17;
	return seed;
}

static void test_golden(void **state)
{
	size_t calls = 0, intervals = 0;
	struct trace trace;
	glob_t files;

	(void)state;
	assert_int_equal(glob("tests/golden/*.json.xz", 0, NULL, &files), 0);
	assert_true(files.gl_pathc >= 8);
	for (size_t f = 0; f < files.gl_pathc; f++) {
		load(&trace, files.gl_pathv[f]);
		for (size_t i = 0; i < trace.calls.count; i += sample_step()) {
			check_interval(&trace, &trace.calls.items[i], !trace.lock);
			calls++;
		}
		for (size_t i = 0; i < INTERVALS / files.gl_pathc + 1; i++) {
			const struct thread *thread = &trace.threads.items[next_random() % trace.threads.count];
			const uint64_t length = (uint64_t)(trace.why.to - trace.why.from);
			const int64_t a = trace.why.from + (int64_t)(next_random() % length);
			const int64_t b = trace.why.from + (int64_t)(next_random() % length);

			check_interval(&trace, &(struct interval){ thread->pid, a < b ? a : b, a < b ? b : a }, !trace.lock);
			intervals++;
		}
		unload(&trace);
	}
	print_message("# %zu calls, %zu random intervals\n", calls, intervals);
	assert_true(intervals >= INTERVALS);
	globfree(&files);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_golden),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
