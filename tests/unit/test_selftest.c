// SPDX-License-Identifier: BSD-3-Clause
/*
 * Tests the check of times between CPUs in kutrace_control selftest with invented events. Each event that
 * is more than one count earlier than its cause must be found, and a switch or wakeup with another
 * cause must not. tests/guest/test_selftest.sh runs the whole command on a kernel.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "cli/selftest/order.c"

#define TAG	7000U

/* The sender has pid 100 on CPU 0, the receiver has pid 200 on CPU 1. */
static struct selftest test;
static struct order_reader reader;

static void event(uint64_t counts, uint32_t cpu, uint32_t pid, uint32_t number, uint32_t arg)
{
	const struct kutrace_seen seen = {.counts = counts, .cpu = cpu, .pid = pid,
					  .event = number, .arg = arg};

	assert_int_equal(add_event(&reader, &seen), 0);
}

static void mark(uint64_t counts, uint32_t number)
{
	event(counts, number % 2, number % 2 ? 200 : 100, KUTRACE_MARKD, TAG + number);
}

static void run(uint64_t counts, uint32_t cpu, uint32_t pid)
{
	event(counts, cpu, 0, KUTRACE_USERPID, pid);
}

static void wake(uint64_t counts, uint32_t cpu, uint32_t pid)
{
	event(counts, cpu, 0, KUTRACE_RUNNABLE, pid);
}

/* Makes both processes known, and lets the receiver sleep. A count is 2 ns. */
static int fresh(void **state)
{
	(void)state;
	memset(&test, 0, sizeof(test));
	memset(&reader, 0, sizeof(reader));
	test.info.clock_khz = 1000000;
	test.info.clock_shift = 1;
	reader.order = &test.order;
	reader.t = &test;
	reader.tag = TAG;
	run(10, 0, 100);
	run(10, 1, 200);
	mark(20, PASSES - 2);
	mark(30, PASSES - 1);
	run(40, 1, 0);
	return 0;
}

static void expect(uint64_t wakeups, uint64_t violations, uint64_t worst_ns)
{
	assert_int_equal(test.order.wakeups, wakeups);
	assert_int_equal(test.order.violations, violations);
	assert_int_equal(test.order.worst_ns, worst_ns);
}

static void in_order(void **state)
{
	(void)state;
	mark(100, PASSES);
	wake(110, 0, 200);
	run(120, 1, 200);
	mark(130, PASSES + 1);
	expect(1, 0, 0);
}

static void switch_before_wakeup(void **state)
{
	(void)state;
	mark(100, PASSES);
	run(110, 1, 200);
	wake(115, 0, 200);
	mark(130, PASSES + 1);
	expect(1, 1, 10);
}

/* One count is the precision of the clock. */
static void one_count(void **state)
{
	(void)state;
	mark(100, PASSES);
	run(110, 1, 200);
	wake(111, 0, 200);
	mark(130, PASSES + 1);
	expect(1, 0, 0);
}

static void mark_before_wakeup(void **state)
{
	(void)state;
	mark(100, PASSES);
	run(105, 1, 200);
	mark(110, PASSES + 1);
	wake(140, 0, 200);
	expect(0, 1, 70);
}

static void wakeup_before_mark(void **state)
{
	(void)state;
	wake(90, 0, 200);
	mark(100, PASSES);
	run(110, 1, 200);
	assert_int_equal(test.order.violations, 1);
	assert_int_equal(test.order.worst_ns, 20);
}

/* A process that waits for its CPU runs again without a wakeup. */
static void preempted(void **state)
{
	(void)state;
	run(50, 1, 300);
	mark(100, PASSES);
	run(110, 1, 200);
	mark(130, PASSES + 1);
	wake(140, 0, 200);
	expect(0, 0, 0);
}

/* A lock of the pipe wakes the receiver once more. */
static void second_wakeup(void **state)
{
	(void)state;
	mark(100, PASSES);
	wake(110, 0, 200);
	run(120, 1, 200);
	run(121, 1, 0);
	wake(125, 0, 200);
	run(126, 1, 200);
	mark(130, PASSES + 1);
	expect(1, 0, 0);
}

/* Marks, wakeups and switches of others. */
static void others(void **state)
{
	(void)state;
	mark(100, PASSES);
	event(105, 2, 900, KUTRACE_MARKD, TAG + MARKS);
	run(106, 2, 300);
	wake(107, 2, 300);
	wake(110, 0, 200);
	run(120, 1, 200);
	mark(130, PASSES + 1);
	expect(1, 0, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(in_order, fresh),
		cmocka_unit_test_setup(switch_before_wakeup, fresh),
		cmocka_unit_test_setup(one_count, fresh),
		cmocka_unit_test_setup(mark_before_wakeup, fresh),
		cmocka_unit_test_setup(wakeup_before_mark, fresh),
		cmocka_unit_test_setup(preempted, fresh),
		cmocka_unit_test_setup(second_wakeup, fresh),
		cmocka_unit_test_setup(others, fresh),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
