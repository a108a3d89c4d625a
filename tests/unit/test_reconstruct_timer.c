// SPDX-License-Identifier: BSD-3-Clause
/*
 * Tests timers that wake threads. The texts are made: thread 2 sleeps, and a timer on CPU 0 wakes it. Checks
 * the row of the timer with the parts of its lateness, and the wait that it ends.
 */
#include "common/timer_text.h"
#include "rec_text.h"

#define CALL	(KUTRACE_CALL_SYSCALL64 + 35)	/* nanosleep */
#define TIMER	(KUTRACE_CALL_IRQ + KUTRACE_VECTOR_LOCAL_TIMER)
#define DEVICE	(KUTRACE_CALL_IRQ + 40)
#define WAIT(x)	(KUTRACE_MADE_WAITA + ((x) - 'a'))
#define BACK	KUTRACE_RETURN_BIT
#define LATE	KUTRACE_MADE_TIMER_LATE

static void timer(long long ts, unsigned int pid, const char *times)
{
	char name[200];

	snprintf(name, sizeof(name), "timer_wakeup=%s", times);
	point(ts, 0, KUTRACE_TIMER, 0, pid, name);
}

/* Thread 2 calls nanosleep() and sleeps from 500 on. */
static void sleeps(void)
{
	text_begin(NAMES);
	event(100, 0, KUTRACE_USERPID, 2, 2, "two.2");
	event(200, 0, CALL, 2, 0, "nanosleep");
	event(500, 0, KUTRACE_USERPID, 0, 0, "-idle-.0");
}

static void woken(long long ts)
{
	point(ts, 0, KUTRACE_RUNNABLE, 0, 2, "runnable");
}

static void interrupt(long long ts, unsigned int number, const char *name)
{
	event(ts, 0, number, 0, 0, name);
}

static void ends(long long ts, unsigned int number, const char *name)
{
	event(ts, 0, number | BACK, 0, 0, name);
}

static void goes_on(long long ts)
{
	event(ts, 0, KUTRACE_USERPID, 2, 2, "two.2");
	event(ts + 100, 0, CALL | BACK, 2, 0, "/nanosleep");
	event(ts + 200, 0, CALL, 2, 0, "nanosleep");
}

/* Returns the rows of timers, of their events and of waits for them, and frees the rows. */
static const char *found(void)
{
	return rows_with((const char *const[]){ "slack", "timer_wakeup=", "wait_time", "wait_net", NULL });
}

/* Due at 6000, with 50 us of slack until 11000. The interrupt comes at 11100, the callback begins at 11130. */
static void test_late(void **state)
{
	(void)state;
	sleeps();
	interrupt(11100, TIMER, "local_timer");
	timer(11150, 2, "hrtimer late 51500 slack 50000 callback 200");
	woken(11151);
	ends(11200, TIMER, "/local_timer");
	goes_on(11300);
	assert_string_equal(found(), rows_of(
		"00500 10651 c-1 p2 r0 %d 1=0 wait_time\n"
		"06000 5151 c0 p2 r0 %d 1=0 hrtimer slack 50000 interrupt 1000 before 300 wakeup 210\n", WAIT('t'), LATE));
	assert_int_equal(stats.timers, 1);
}

/* An interrupt for another timer comes within the slack, at 8000. */
static void test_within_slack(void **state)
{
	(void)state;
	sleeps();
	interrupt(8000, TIMER, "local_timer");
	timer(8050, 2, "hrtimer late 20500 slack 50000 callback 100");
	woken(8051);
	ends(8100, TIMER, "/local_timer");
	goes_on(8300);
	assert_string_equal(found(), rows_of(
		"00500 7551 c-1 p2 r0 %d 1=0 wait_time\n"
		"06000 2051 c0 p2 r0 %d 1=0 hrtimer slack 20000 interrupt 0 before 400 wakeup 110\n", WAIT('t'), LATE));
}

/* The timer becomes due while the interrupt of another one runs. */
static void test_due_inside(void **state)
{
	(void)state;
	sleeps();
	interrupt(5900, TIMER, "local_timer");
	timer(6050, 2, "hrtimer late 500 slack 0 callback 100");
	woken(6051);
	ends(6100, TIMER, "/local_timer");
	goes_on(6300);
	assert_string_equal(found(), rows_of(
		"00500 5551 c-1 p2 r0 %d 1=0 wait_time\n"
		"06000 51 c0 p2 r0 %d 1=0 hrtimer slack 0 interrupt 0 before 400 wakeup 110\n", WAIT('t'), LATE));
}

/* A softirq runs the callback. The first timer interrupt after the latest expiry counts, not a later one. */
static void test_softirq(void **state)
{
	(void)state;
	sleeps();
	for (long long ts = 6200; ts <= 6400; ts += 100) {
		interrupt(ts, TIMER, "local_timer");
		ends(ts + 10, TIMER, "/local_timer");
	}
	interrupt(6500, DEVICE, "eth0");
	ends(6510, DEVICE, "/eth0");
	event(6600, 0, KUTRACE_CALL_BH, 0, 8, "BH:hrtim");
	timer(6700, 2, "hrtimer late 7000 slack 1000 callback 500");
	woken(6701);
	ends(6800, KUTRACE_CALL_BH, "/BH:hrtim");
	goes_on(6900);
	assert_string_equal(found(), rows_of(
		"00500 6201 c-1 p2 r0 %d 1=0 wait_time\n"
		"06000 701 c0 p2 r0 %d 1=0 hrtimer slack 1000 interrupt 1000 before 4500 wakeup 510\n", WAIT('t'), LATE));
}

/* Without interrupts in the trace, their part is unknown. */
static void test_no_interrupt(void **state)
{
	(void)state;
	sleeps();
	event(6600, 0, KUTRACE_CALL_BH, 0, 1, "BH:timer");
	timer(6700, 2, "wheel late 7000 slack 1000 callback 500");
	woken(6701);
	ends(6800, KUTRACE_CALL_BH, "/BH:timer");
	goes_on(6900);
	assert_string_equal(found(), rows_of(
		"00500 6201 c-1 p2 r0 %d 1=0 wait_time\n"
		"06000 701 c0 p2 r0 %d 1=0 wheel slack 1000 before 5500 wakeup 510\n", WAIT('t'), LATE));
}

/* A filter leaves out the interrupts of other tasks, so the last recorded one did not expire the timer. */
static void test_other_interrupt(void **state)
{
	(void)state;
	sleeps();
	interrupt(600, TIMER, "local_timer");
	ends(610, TIMER, "/local_timer");
	timer(6700, 2, "hrtimer late 7000 slack 1000 callback 500");
	woken(6701);
	goes_on(6900);
	assert_string_equal(found(), rows_of(
		"00500 6201 c-1 p2 r0 %d 1=0 wait_time\n"
		"06000 701 c0 p2 r0 %d 1=0 hrtimer slack 1000 before 5500 wakeup 510\n", WAIT('t'), LATE));
}

/* A timer that was due before the first event: the row begins with the trace, and the parts stay exact. */
static void test_before(void **state)
{
	(void)state;
	sleeps();
	interrupt(1000, TIMER, "local_timer");
	timer(1050, 2, "hrtimer late 100000 slack 0 callback 100");
	woken(1051);
	ends(1100, TIMER, "/local_timer");
	goes_on(1300);
	assert_string_equal(found(), rows_of(
		"00100 951 c0 p2 r0 %d 1=0 hrtimer slack 0 interrupt 99500 before 400 wakeup 110\n"
		"00500 551 c-1 p2 r0 %d 1=0 wait_time\n", LATE, WAIT('t')));
}

/* A wakeup of another thread, or after the interrupt, does not belong to the timer. */
static void test_other(void **state)
{
	(void)state;
	sleeps();
	interrupt(1000, TIMER, "local_timer");
	timer(1010, 3, "hrtimer late 1000 slack 0 callback 100");
	woken(1020);
	ends(1100, TIMER, "/local_timer");
	goes_on(1300);
	event(1600, 0, KUTRACE_USERPID, 0, 0, "-idle-.0");
	interrupt(1700, TIMER, "local_timer");
	timer(1710, 2, "hrtimer late 1000 slack 0 callback 100");
	ends(1720, TIMER, "/local_timer");
	interrupt(1800, DEVICE, "eth0");
	woken(1810);
	ends(1820, DEVICE, "/eth0");
	goes_on(1900);
	assert_string_equal(found(), rows_of(
		"00500 520 c-1 p2 r0 %d 0=0 wait_time\n"
		"01600 210 c-1 p2 r0 %d 0=0 wait_net\n", WAIT('t'), WAIT('n')));
	assert_int_equal(stats.timers, 0);
}

/* Impossible times are limited: the parts are never negative, and their sum is the lateness. */
static void test_impossible(void **state)
{
	(void)state;
	sleeps();
	interrupt(1000, TIMER, "local_timer");
	timer(1010, 2, "hrtimer late 50 slack 999999999999999999 callback 4294967295");
	woken(1011);
	ends(1100, TIMER, "/local_timer");
	goes_on(1300);
	assert_string_equal(found(), rows_of(
		"00500 511 c-1 p2 r0 %d 1=0 wait_time\n"
		"01005 6 c0 p2 r0 %d 1=0 hrtimer slack 0 interrupt 0 before 0 wakeup 60\n", WAIT('t'), LATE));
}

/* Names that no module writes are rows of their own. */
static void test_damaged(void **state)
{
	static const char *const times[] = {
		"", "hrtimer", "sundial late 1 slack 2 callback 3", "hrtimer late 1 slack 2", "hrtimer late -1 slack 2 callback 3",
		"hrtimer late 1 slack 2 callback 3 more", "hrtimer late 99999999999999999999 slack 2 callback 3",
	};
	const unsigned int count = sizeof(times) / sizeof(times[0]);

	(void)state;
	sleeps();
	for (unsigned int i = 0; i < count; i++)
		timer(600 + 10 * i, 2, times[i]);
	woken(1000);
	goes_on(1300);
	run(text, used, false);
	free_rows(&rows);
	assert_int_equal(stats.timers, 0);
	assert_int_equal(stats.points, count + 1);
}

/* Each text is read as it was written. */
static void test_texts(void **state)
{
	const uint64_t words[3] = { 52100, 50000, 1ULL << KUTRACE_TIMER_KIND_SHIFT | 200 };
	const struct ku_timer decoded = ku_timer_decode(words);
	struct ku_timer_parts parts = { .kind = 0, .slack_ns = 1, .interrupt_ns = -1, .before_ns = 3, .wakeup_ns = 4 }, again;
	char buffer[KU_TIMER_TEXT_MAX];
	struct ku_timer read;
	size_t len;

	(void)state;
	len = ku_timer_put(&decoded, buffer);
	assert_string_equal(buffer, "wheel late 52100 slack 50000 callback 200");
	assert_true(ku_timer_parse(&read, buffer, len));
	assert_int_equal(read.kind, KUTRACE_TIMER_WHEEL);
	assert_int_equal(read.late_ns, 52100);
	assert_int_equal(read.slack_ns, 50000);
	assert_int_equal(read.callback_ns, 200);
	for (int64_t interrupt = -1; interrupt < 2; interrupt++) {
		parts.interrupt_ns = interrupt;
		len = ku_timer_put_parts(&parts, buffer);
		assert_true(ku_timer_parse_parts(&again, buffer, len));
		assert_int_equal(again.kind, 0);
		assert_int_equal(again.slack_ns, 1);
		assert_int_equal(again.interrupt_ns, interrupt);
		assert_int_equal(again.before_ns, 3);
		assert_int_equal(again.wakeup_ns, 4);
	}
	assert_string_equal(ku_timer_kind_label(77), "hrtimer");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_late), cmocka_unit_test(test_within_slack), cmocka_unit_test(test_due_inside),
		cmocka_unit_test(test_softirq), cmocka_unit_test(test_no_interrupt), cmocka_unit_test(test_other_interrupt),
		cmocka_unit_test(test_before),
		cmocka_unit_test(test_other), cmocka_unit_test(test_impossible), cmocka_unit_test(test_damaged),
		cmocka_unit_test(test_texts),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
