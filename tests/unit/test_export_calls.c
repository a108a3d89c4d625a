// SPDX-License-Identifier: BSD-3-Clause
/*
 * A thread's calls put together of their spans: what goes on, what nests, what only comes behind.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <string.h>

#include "export/calls.h"

static char seen[4096];
static struct kp_calls calls;

static void say(const char *what, int64_t at, const struct kp_call *call)
{
	size_t used = strlen(seen);

	snprintf(seen + used, sizeof(seen) - used, "%s%d %.*s%s%s\n", what, (int)at,
		 (int)call->name_len, call->name, call->inferred ? "?" : "",
		 call->retval && *what == '-' ? " ret" : "");
}

static void begin(void *self, const struct kp_call *call)
{
	(void)self;
	say("+", call->start, call);
}

static void end(void *self, const struct kp_call *call)
{
	(void)self;
	say("-", call->end, call);
}

static const struct kp_calls_sink sink = { begin, end, NULL };

enum { USER = 65536 + 7, READ = 0x800, WRITE = 0x801, FAULT = 0x40E, TIMER = 0x5EC, SCHED = 0xDFF };

static void span(int64_t start, int64_t dur, int64_t event, int64_t retval, const char *name)
{
	const struct kp_span s = {
		.start = start, .dur = dur, .event = event, .arg0 = event & 15, .pid = 7,
		.retval = retval, .name = name, .name_len = strlen(name),
	};

	kp_calls_span(&calls, &s, &sink);
}

static void expect(const char *want)
{
	kp_calls_end(&calls, &sink);
	assert_string_equal(seen, want);
	*seen = 0;
	memset(&calls, 0, sizeof(calls));
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
	span(50, 5, FAULT, 0, "fault");		/* after a wait */
	span(55, 5, READ, 9, "read");
	span(60, 5, USER, 0, "x.7");
	expect("+5 read\n+10 fault\n+30 sched\n-35 sched\n-55 fault\n-60 read ret\n");
}

/* What follows immediately, and is not followed by more of it, was not inside. */
static void test_behind(void **state)
{
	(void)state;
	span(5, 5, READ, 0, "read");
	span(10, 10, FAULT, 0, "fault");
	span(20, 5, USER, 0, "x.7");
	expect("+5 read\n-10 read\n+10 fault\n-20 fault\n");

	/* two calls with nothing between them; the first has returned something */
	span(5, 5, READ, 3, "read");
	span(10, 5, READ, 4, "read");
	span(15, 5, WRITE, 0, "write");
	expect("+5 read\n-10 read ret\n+10 read\n-15 read ret\n+15 write\n-20 write\n");

	/* one that is inside and has been told stays inside */
	span(5, 5, READ, 0, "read");
	span(10, 5, FAULT, 0, "fault");
	span(15, 5, SCHED, 0, "sched");
	span(20, 5, USER, 0, "x.7");
	expect("+5 read\n+10 fault\n-15 fault\n-15 read\n+15 sched\n-20 sched\n");
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

/* Any spans: what comes out nests and does not go back. */
static int64_t stack[8], last;
static int depth;

static void check_begin(void *self, const struct kp_call *call)
{
	(void)self;
	assert_true(call->start >= last);
	last = call->start;
	assert_true(depth < 8);
	stack[depth++] = call->event;
}

static void check_end(void *self, const struct kp_call *call)
{
	(void)self;
	assert_true(call->end >= last);
	last = call->end;
	assert_true(depth > 0);
	assert_int_equal(stack[--depth], call->event);
}

static void test_random(void **state)
{
	static const int64_t events[] = { USER, READ, WRITE, FAULT, TIMER, SCHED, READ, FAULT };
	const struct kp_calls_sink checks = { check_begin, check_end, NULL };
	uint32_t random = 12345;
	int64_t now = 0;
	int i;

	(void)state;
	for (i = 0; i < 200000; i++) {
		struct kp_span s = { .name = "a", .name_len = 1 };

		random = random * 1664525 + 1013904223;
		s.event = events[random >> 29];
		s.start = now + (random >> 20 & 3 ? 0 : 5);
		s.dur = 1 + (random >> 16 & 7);
		s.retval = random >> 12 & 1;
		now = s.start + s.dur;
		kp_calls_span(&calls, &s, &checks);
	}
	kp_calls_end(&calls, &checks);
	assert_int_equal(depth, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_nested),
		cmocka_unit_test(test_behind),
		cmocka_unit_test(test_open),
		cmocka_unit_test(test_random),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
