// SPDX-License-Identifier: BSD-3-Clause
/*
 * Tests how the spans of a thread are joined into calls. A span can continue a call, begin a nested
 * call, or begin the next call.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <string.h>

#include "export/source.h"

static char seen[4096];
static struct kp_calls calls;
static struct kp_strings strings;

static void say(const char *what, int64_t at, const struct kp_call *call)
{
	size_t used = strlen(seen);

	snprintf(seen + used, sizeof(seen) - used, "%s%d %s%s%s\n", what, (int)at,
		 call->name->text, call->inferred && *what == '-' ? "?" : "",
		 call->retval && *what == '-' ? " ret" : "");
}

static void begin(void *self, const struct kp_call *call)
{
	(void)self;
	say("+", call->at, call);
}

static void end(void *self, const struct kp_call *call)
{
	(void)self;
	say("-", call->at, call);
}

static const struct kp_calls_sink sink = { begin, end, NULL };

enum { USER = 65536 + 7, READ = 0x800, WRITE = 0x801, FAULT = 0x40E, TIMER = 0x5EC, SCHED = 0xDFF };

static void span(int64_t start, int64_t dur, int64_t event, int64_t retval, const char *name)
{
	const struct kp_span s = {
		.start = start, .dur = dur, .event = event, .arg0 = event & 15, .pid = 7,
		.retval = retval, .name = name, .name_len = strlen(name),
	};

	assert_int_equal(kp_calls_span(&calls, &s, 0, &strings, &sink), 0);
}

static void expect(const char *want)
{
	assert_int_equal(kp_calls_end(&calls, &sink), 0);
	assert_string_equal(seen, want);
	*seen = 0;
	kp_calls_free(&calls);
}

static void test_nested(void **state)
{
	(void)state;
	span(0, 5, USER, 0, "x.7");
	span(5, 5, READ, 0, "read");
	span(10, 10, FAULT, 0, "fault");
	span(20, 5, TIMER, 0, "timer");
	span(25, 5, FAULT, 0, "fault");
	span(30, 5, SCHED, 0, "sched");
	span(50, 5, FAULT, 0, "fault");		/* the call continues after a wait */
	span(55, 5, READ, 9, "read");
	span(60, 5, USER, 0, "x.7");
	expect("+5 read\n+10 fault\n+30 sched\n-35 sched\n-55 fault\n-60 read ret\n");
}

/* Checks that a call that directly follows another is nested only if the first call continues. */
static void test_call_after_a_call(void **state)
{
	(void)state;
	span(5, 5, READ, 0, "read");
	span(10, 10, FAULT, 0, "fault");
	span(20, 5, USER, 0, "x.7");
	expect("+5 read\n-10 read\n+10 fault\n-20 fault\n");

	/* two calls with nothing between them are separate, with any return values */
	span(5, 5, READ, 3, "read");
	span(10, 5, READ, 0, "read");
	span(15, 5, READ, 0, "read");
	span(20, 5, WRITE, 0, "write");
	expect("+5 read\n-10 read ret\n+10 read\n-15 read\n+15 read\n-20 read\n+20 write\n-25 write\n");

	/* an interrupt between two parts: one call */
	span(5, 5, READ, 0, "read");
	span(10, 5, TIMER, 0, "timer");
	span(15, 5, READ, 0, "read");
	expect("+5 read\n-20 read\n");

	/* a third call follows the second one */
	span(5, 5, READ, 0, "read");
	span(10, 5, FAULT, 0, "fault");
	span(15, 5, SCHED, 0, "sched");
	span(20, 5, USER, 0, "x.7");
	expect("+5 read\n-10 read\n+10 fault\n-15 fault\n+15 sched\n-20 sched\n");

	/* the first of three calls continues: the others are nested in it, one after the other */
	span(5, 5, READ, 0, "read");
	span(10, 5, FAULT, 0, "fault");
	span(15, 5, SCHED, 0, "sched");
	span(20, 5, READ, 0, "read");
	expect("+5 read\n+10 fault\n-15 fault\n+15 sched\n-20 sched\n-25 read\n");
}

static void test_open(void **state)
{
	(void)state;
	span(5, 5, READ, 0, "read?");
	span(30, 5, READ, 0, "read");
	expect("+5 read\n-35 read?\n");
	span(5, 5, FAULT, 0, "fault");
	span(10, 5, TIMER, 0, "timer");
	expect("+5 fault\n-10 fault\n");
	span(5, 5, USER, 0, "x.7");
	expect("");
}

/* The open calls, and the latest time. The checks require nested calls in order of time. */
static const struct kp_str *stack[32];
static int64_t last;
static int depth;

static void check_begin(void *self, const struct kp_call *call)
{
	(void)self;
	assert_true(call->at >= last);
	last = call->at;
	assert_true(depth < 32);
	stack[depth++] = call->name;
}

static void check_end(void *self, const struct kp_call *call)
{
	(void)self;
	assert_true(call->at >= last);
	last = call->at;
	assert_true(depth > 0);
	assert_ptr_equal(stack[--depth], call->name);
}

static void any_spans(int far_back)
{
	static const int64_t events[] = { USER, READ, WRITE, FAULT, TIMER, SCHED, READ, FAULT };
	const struct kp_calls_sink checks = { check_begin, check_end, NULL };
	static const char letters[] = "abcdefghijklmnop";
	uint32_t random = 12345;
	int64_t now = 0;
	int i;

	last = INT64_MIN;
	for (i = 0; i < 200000; i++) {
		struct kp_span s = { .name = "a", .name_len = 1 };

		random = random * 1664525 + 1013904223;
		s.event = events[random >> 29];
		s.name = letters + (s.event & 15);
		/* spans of a thread on two CPUs have no order */
		s.start = now + (random >> 20 & 3 ? 0 : 5) - (random >> 8 & 15 ? 0 : far_back);
		s.dur = 1 + (random >> 16 & 7);
		s.retval = random >> 12 & 1;
		now = s.start + s.dur;
		assert_int_equal(kp_calls_span(&calls, &s, 0, &strings, &checks), 0);
	}
	assert_int_equal(kp_calls_end(&calls, &checks), 0);
	assert_int_equal(depth, 0);
	kp_calls_free(&calls);
}

static void test_random(void **state)
{
	(void)state;
	any_spans(0);
	any_spans(7);
}

/*
 * Adds more spans than are stored while it is unknown whether the first call continues. From then
 * on, all spans count as nested in the first call, which ends with the last span.
 */
static void test_many(void **state)
{
	const struct kp_calls_sink checks = { check_begin, check_end, NULL };
	struct kp_span s = { .dur = 5, .event = READ, .name = "read", .name_len = 4 };
	int i;

	(void)state;
	last = INT64_MIN;
	assert_int_equal(kp_calls_span(&calls, &s, 0, &strings, &checks), 0);
	for (i = 1; i < 3 * KP_CALLS_WAIT; i++) {
		s = (struct kp_span){ .start = 5 * i, .dur = 5, .event = FAULT, .name = "fault", .name_len = 5 };
		assert_int_equal(kp_calls_span(&calls, &s, 0, &strings, &checks), 0);
		assert_true(calls.items.count < 3 * KP_CALLS_WAIT);
	}
	/* read and the last fault are open */
	assert_int_equal(depth, 2);
	s = (struct kp_span){ .start = 5 * i, .dur = 5, .event = USER, .name = "x.7", .name_len = 3 };
	assert_int_equal(kp_calls_span(&calls, &s, 0, &strings, &checks), 0);
	assert_int_equal(depth, 0);
	assert_int_equal(last, 5 * i);
	kp_calls_free(&calls);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_nested),
		cmocka_unit_test(test_call_after_a_call),
		cmocka_unit_test(test_open),
		cmocka_unit_test(test_random),
		cmocka_unit_test(test_many),
	};

	const int failed = cmocka_run_group_tests(tests, NULL, NULL);

	kp_strings_free(&strings);
	return failed;
}
