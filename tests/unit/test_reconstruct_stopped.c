// SPDX-License-Identifier: BSD-3-Clause
/*
 * Tests times in which the machine or a CPU did not run. The texts are made: CPU 1 runs a busy thread
 * with a tick, CPU 0 is idle or also has a tick. Checks the rows, and that other silent times give
 * none: idle CPUs, a CPU without a tick, interrupts off, pauses and losses.
 */
#include "rec_text.h"

#define MS	100000ll	/* units of 10 ns */
#define BUSY	3		/* pid of the busy thread */

static void begin(const char *facts)
{
	used = 0;
	add("%s%s", facts, NAMES);
}

static void tick(long long ts, int cpu, int pid)
{
	const unsigned int call = KUTRACE_CALL_IRQ + KUTRACE_VECTOR_LOCAL_TIMER;

	event(ts, cpu, call, pid, 0, "local_timer");
	event(ts + 100, cpu, call | KUTRACE_RETURN_BIT, pid, 0, "/local_timer");
}

/* Ticks of a CPU from @from to @to, both included. */
static void ticks(long long from, long long to, long long period, int cpu, int pid)
{
	for (long long ts = from; ts <= to; ts += period)
		tick(ts, cpu, pid);
}

/* CPU 1 runs the busy thread, which returns from a call; CPU 0 is idle. */
static void start(void)
{
	event(100, 0, KUTRACE_USERPID, 0, 0, "-idle-.0");
	event(200, 1, KUTRACE_USERPID, BUSY, BUSY, "three.3");
	event(300, 1, KUTRACE_CALL_SYSCALL64 + 39, BUSY, 0, "getpid");
	event(400, 1, (KUTRACE_CALL_SYSCALL64 + 39) | KUTRACE_RETURN_BIT, BUSY, 0, "/getpid");
}

/* Runs the text, and checks that the rows cover each CPU. */
static void reconstruct(void)
{
	run(text, used, false);
	for (int cpu = 0; cpu < 2; cpu++) {
		const struct kp_cpu_coverage *c = &rows.coverage.cpu[cpu];

		assert_int_equal(c->overlaps, 0);
		assert_true(c->count <= 1);
	}
}

/* Returns all rows whose names contain @name, and frees the rows. */
static const char *found(const char *name)
{
	static char list[1 << 14];
	size_t len = 0;

	reconstruct();
	list[0] = 0;
	for (size_t i = 0; i < rows.count; i++)
		if (strstr(rows.line[i], name))
			len += (size_t)snprintf(list + len, sizeof(list) - len, "%s", rows.line[i]);
	assert_true(len < sizeof(list));
	free_rows(&rows);
	return list;
}

#define FACTS	"-1 1 287 0 backend=tracepoint\n"
#define NONE	""

/* ---- the machine ---- */

/* The whole machine stops for 500 ms. The kernel ticks 100, 250 and 1000 times a second. */
static void test_machine(void **state)
{
	static const long long periods[] = { 10 * MS, 4 * MS, MS };

	(void)state;
	for (size_t i = 0; i < sizeof(periods) / sizeof(periods[0]); i++) {
		const long long p = periods[i], last = 1000 + 10 * p, on = last + 500 * MS;
		char expected[400];

		begin(FACTS);
		start();
		ticks(1000, last, p, 1, BUSY);
		ticks(on, on, p, 0, 0);
		ticks(on + 200, on + 200 + 5 * p, p, 1, BUSY);
		snprintf(expected, sizeof(expected),
			 "%05lld %lld c0 p0 r0 %d 1=0 -stopped-\n%05lld %lld c1 p3 r0 %d 1=0 -stopped-\n",
			 last + p, 500 * MS - p - 1, KUTRACE_MADE_STOPPED, last + p, 500 * MS - p - 1, KUTRACE_MADE_STOPPED);
		assert_string_equal(found("-stopped-"), expected);
		assert_int_equal(stats.stops, 1);
		assert_int_equal(stats.stopped_units, 500 * MS - p - 1);
		assert_int_equal(stats.inferred, 0);
		assert_string_equal(found("-stolen-"), NONE);
	}
}

/* The spans around the time continue: user code, idle, and a call with its return value. */
static void test_continues(void **state)
{
	const long long last = 1000 + 40 * MS, on = last + 104 * MS;
	char expected[600];

	(void)state;
	begin(FACTS);
	start();
	event(500, 0, KUTRACE_USERPID, 2, 2, "two.2");
	event(600, 0, KUTRACE_CALL_SYSCALL64 + 1, 2, 7, "write");
	ticks(1000, last, 4 * MS, 1, BUSY);
	tick(on, 1, BUSY);
	add("%lld 0 %d 0 2 0 0 5 0 /write (a01)\n", on + 400, (KUTRACE_CALL_SYSCALL64 + 1) | KUTRACE_RETURN_BIT);
	event(on + 500, 0, KUTRACE_USERPID, 0, 0, "-idle-.0");
	snprintf(expected, sizeof(expected),
		 "00600 %lld c0 p2 r0 2049 7=0 write\n%05lld 401 c0 p2 r0 2049 7=5 write\n",
		 last + 4 * MS - 600, on - 1);
	assert_string_equal(found("write"), expected);
	assert_int_equal(stats.missing_returns + stats.missing_calls, 0);
	assert_int_equal(stats.stops, 1);
}

/* The event that ends the time returns from a call: the last part of the call has the result. */
static void test_returns(void **state)
{
	const long long last = 1000 + 40 * MS, on = last + 204 * MS;
	char expected[400];

	(void)state;
	begin(FACTS);
	start();
	event(500, 0, KUTRACE_USERPID, 2, 2, "two.2");
	event(600, 0, KUTRACE_CALL_SYSCALL64 + 1, 2, 7, "write");
	ticks(1000, last, 4 * MS, 1, BUSY);
	add("%lld 0 %d 0 2 0 0 5 0 /write (a01)\n", on, (KUTRACE_CALL_SYSCALL64 + 1) | KUTRACE_RETURN_BIT);
	ticks(on + 10, on + 10, 4 * MS, 1, BUSY);
	snprintf(expected, sizeof(expected),
		 "00600 %lld c0 p2 r0 2049 7=0 write\n%05lld 1 c0 p2 r0 2049 7=5 write\n", last + 4 * MS - 600, on - 1);
	assert_string_equal(found("write"), expected);
}

/* A return shows only after the time that the code before it was a call: both parts are this call. */
static void test_shown_later(void **state)
{
	const long long last = 1000 + 40 * MS, on = last + 204 * MS;
	char expected[400];

	(void)state;
	begin(FACTS);
	start();
	event(500, 0, KUTRACE_USERPID, 2, 2, "two.2");
	ticks(1000, last, 4 * MS, 1, BUSY);
	ticks(on, on, 4 * MS, 1, BUSY);
	add("%lld 0 %d 0 2 0 0 5 2 /write (a01)\n", on + 300, (KUTRACE_CALL_SYSCALL64 + 1) | KUTRACE_RETURN_BIT);
	snprintf(expected, sizeof(expected),
		 "00500 %lld c0 p2 r0 2049 0=0 i2 write\n%05lld 301 c0 p2 r0 2049 0=5 i2 write\n",
		 last + 4 * MS - 500, on - 1);
	assert_string_equal(found("write"), expected);
}

/* An idle CPU is silent in two such times without an event between them. */
static void test_two(void **state)
{
	const long long last = 1000 + 40 * MS, on = last + 204 * MS, again = on + 300 * MS;
	char expected[400];

	(void)state;
	begin(FACTS);
	start();
	ticks(1000, last, 4 * MS, 1, BUSY);
	ticks(on, on + 40 * MS, 4 * MS, 1, BUSY);
	ticks(again, again, 4 * MS, 1, BUSY);
	event(again + 500, 0, KUTRACE_USERPID, 0, 2, "two.2");
	snprintf(expected, sizeof(expected),
		 "00100 %lld c0 p0 r0 65536 0=0 -idle-\n%05lld %lld c0 p0 r0 65536 0=0 -idle-\n%05lld 501 c0 p0 r0 65536 0=0 -idle-\n",
		 last + 4 * MS - 100, on - 1, 44 * MS + 1, again - 1);
	assert_string_equal(found("-idle-"), expected);
	assert_int_equal(stats.stops, 2);
}

/* A time shorter than 50 ms makes no row. */
static void test_short(void **state)
{
	(void)state;
	begin(FACTS);
	start();
	ticks(1000, 1000 + 40 * MS, 4 * MS, 1, BUSY);
	ticks(1000 + 90 * MS, 1000 + 110 * MS, 4 * MS, 1, BUSY);
	assert_string_equal(found("-sto"), NONE);
}

/* Only idle CPUs are silent, or the period of the tick is unknown. */
static void test_idle(void **state)
{
	(void)state;
	begin(FACTS);
	start();
	ticks(1000, 1000 + 40 * MS, 4 * MS, 1, BUSY);
	event(1000 + 41 * MS, 1, KUTRACE_USERPID, BUSY, 0, "-idle-.0");
	tick(1000 + 700 * MS, 0, 0);
	tick(1000 + 800 * MS, 1, 0);
	assert_string_equal(found("-sto"), NONE);
	begin(FACTS);
	start();
	ticks(1000, 1000 + 12 * MS, 4 * MS, 1, BUSY);
	ticks(1000 + 500 * MS, 1000 + 540 * MS, 4 * MS, 1, BUSY);
	assert_string_equal(found("-sto"), NONE);
}

/* The CPU leaves its idle state after the machine has stopped, not before. */
static void test_idle_state(void **state)
{
	const long long last = 1000 + 40 * MS, on = last + 204 * MS, latency = 10000;
	char expected[200];

	(void)state;
	begin(FACTS "-1 1 287 0 idle_exit=2:100000\n");
	start();
	event(500, 0, KUTRACE_MWAIT, 0, 2, "mwait");
	ticks(1000, last, 4 * MS, 1, BUSY);
	tick(on, 1, BUSY);
	tick(on + MS, 0, 0);
	snprintf(expected, sizeof(expected), "%05lld %lld c0 p0 r0 %d 0=0 -c-exit-\n", on + MS - latency, latency,
		 KP_EVENT_CEXIT);
	assert_string_equal(found("-c-exit-"), expected);
	assert_int_equal(stats.stops, 1);
}

/*
 * All busy CPUs are in kernel code, which may have interrupts off: only 100 ms count, and only if the
 * next event is the overdue tick. The rows are inferred.
 */
static void test_kernel(void **state)
{
	static const struct { long long ms; bool tick_first; int rows; } cases[] = {
		{ 60, true, 0 }, { 150, true, 1 }, { 150, false, 0 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const long long last = 1000 + 40 * MS, on = last + cases[i].ms * MS;

		begin(FACTS);
		start();
		ticks(1000, last, 4 * MS, 1, BUSY);
		event(last + 500, 1, KUTRACE_CALL_SYSCALL64 + 1, BUSY, 7, "write");
		if (!cases[i].tick_first)
			event(on - 10, 1, (KUTRACE_CALL_SYSCALL64 + 1) | KUTRACE_RETURN_BIT, BUSY, 0, "/write");
		ticks(on, on + 12 * MS, 4 * MS, 1, BUSY);
		found("");
		assert_int_equal(stats.stops, cases[i].rows);
		assert_int_equal(strstr(found("-stopped-"), "-stopped-?") != NULL, cases[i].rows);
	}
}

/* Without system calls in the trace, code that looks like user code may be kernel code. */
static void test_no_calls(void **state)
{
	const long long last = 1000 + 40 * MS, on = last + 150 * MS;

	(void)state;
	begin(FACTS);
	event(100, 0, KUTRACE_USERPID, 0, 0, "-idle-.0");
	event(200, 1, KUTRACE_USERPID, BUSY, BUSY, "three.3");
	ticks(1000, last, 4 * MS, 1, BUSY);
	ticks(on, on + 12 * MS, 4 * MS, 1, BUSY);
	assert_non_null(strstr(found("-stopped-"), "-stopped-?"));
}

/* A trace without facts may have pauses and losses that it does not show. */
static void test_no_facts(void **state)
{
	const long long last = 1000 + 40 * MS, on = last + 150 * MS;

	(void)state;
	begin("");
	start();
	ticks(1000, last, 4 * MS, 1, BUSY);
	ticks(on, on + 12 * MS, 4 * MS, 1, BUSY);
	assert_non_null(strstr(found("-stopped-"), "-stopped-?"));
	begin("");
	start();
	ticks(1000, last, 4 * MS, 1, BUSY);
	event(on - 10, 0, KUTRACE_USERPID, 0, 2, "two.2");
	ticks(on, on + 12 * MS, 4 * MS, 1, BUSY);
	assert_string_equal(found("-stopped-"), NONE);
}

/* Events are missing, or the clock is wrong: nothing is reported. */
static void test_unreliable(void **state)
{
	static const char *const facts[] = {
		"lost_full=3", "lost_noblock=1", "lost_stream_blocks=2", "lost_overrun=9", "filtered=1",
		"caveat=clock", "caveat=packets_lost", "lost_full=0", "lost_rate=5", "caveat=pc",
	};
	const long long last = 1000 + 40 * MS, on = last + 500 * MS;

	(void)state;
	for (size_t i = 0; i < sizeof(facts) / sizeof(facts[0]); i++) {
		begin(FACTS);
		add("-1 1 287 0 %s\n", facts[i]);
		start();
		ticks(1000, last, 4 * MS, 1, BUSY);
		ticks(on, on + 12 * MS, 4 * MS, 1, BUSY);
		found("");
		assert_int_equal(stats.stops, i < 7 ? 0 : 1);
	}
}

/* Recording was off in the silent time, and stays silent before the next event for too short a time. */
static void test_pause(void **state)
{
	const long long last = 1000 + 40 * MS, on = last + 500 * MS;

	(void)state;
	begin(FACTS);
	add("-1 1 287 0 pause=%lld:%lld\n", last + MS, on - MS);
	start();
	ticks(1000, last, 4 * MS, 1, BUSY);
	ticks(on, on + 12 * MS, 4 * MS, 1, BUSY);
	found("");
	assert_int_equal(stats.pauses, 1);
	assert_int_equal(stats.stops + stats.stolen, 0);
}

/* A block header with another pid shows that a switch is missing, so that other events may be missing. */
static void test_header(void **state)
{
	const long long last = 1000 + 40 * MS, on = last + 500 * MS;

	(void)state;
	begin(FACTS);
	start();
	ticks(1000, last, 4 * MS, 1, BUSY);
	add("%lld 1 %d 1 2 0 0 0 0 two.2 (200)\n", on, KUTRACE_USERPID);
	ticks(on, on + 12 * MS, 4 * MS, 1, 2);
	found("");
	assert_int_equal(stats.stops + stats.stolen, 0);
}

/* ---- one CPU ---- */

/* CPU 1 is silent for 300 ms, but CPU 0 has a tick. Then the tick of CPU 1 comes late. */
static void one_cpu(bool tick_first)
{
	const long long last = 1000 + 40 * MS, on = last + 300 * MS;

	begin(FACTS);
	start();
	event(500, 0, KUTRACE_USERPID, 2, 2, "two.2");
	ticks(1000, last, 4 * MS, 1, BUSY);
	ticks(1200, on, 4 * MS, 0, 2);
	if (!tick_first)
		event(on - 10, 1, KUTRACE_CALL_SYSCALL64 + 1, BUSY, 7, "write");
	ticks(on, on + 12 * MS, 4 * MS, 1, BUSY);
}

static void test_one(void **state)
{
	const long long due = 1000 + 44 * MS;
	char expected[200];

	(void)state;
	one_cpu(true);
	snprintf(expected, sizeof(expected), "%05lld %lld c1 p3 r0 %d 1=0 -stolen-?\n", due, 296 * MS - 1, KUTRACE_MADE_STOLEN);
	assert_string_equal(found("-sto"), expected);
	assert_int_equal(stats.stolen, 1);
	assert_int_equal(stats.stolen_units, 296 * MS - 1);
	assert_int_equal(stats.inferred, 0);
	/* the tick is not overdue: the kernel had stopped it */
	one_cpu(false);
	assert_string_equal(found("-sto"), NONE);
}

/* The kernel stops the tick soon after a switch to the only task of the CPU (nohz_full). */
static void test_no_tick(void **state)
{
	const long long last = 1000 + 40 * MS, on = last + 300 * MS;

	(void)state;
	begin(FACTS);
	start();
	event(500, 0, KUTRACE_USERPID, 2, 2, "two.2");
	ticks(1000, last, 4 * MS, 1, BUSY);
	event(last + MS, 1, KUTRACE_USERPID, BUSY, 1, "init.1");
	event(last + MS + 10, 1, KUTRACE_CALL_SYSCALL64 + 39, 1, 0, "getpid");
	event(last + MS + 20, 1, (KUTRACE_CALL_SYSCALL64 + 39) | KUTRACE_RETURN_BIT, 1, 0, "/getpid");
	tick(last + 4 * MS, 1, 1);
	ticks(1200, on, 4 * MS, 0, 2);
	ticks(on, on + 12 * MS, 4 * MS, 1, 1);
	assert_string_equal(found("-sto"), NONE);
}

/* A CPU is in kernel code with interrupts off: a softirq, a call, an idle task. */
static void test_one_kernel(void **state)
{
	const long long last = 1000 + 40 * MS, on = last + 300 * MS;

	(void)state;
	for (int i = 0; i < 3; i++) {
		begin(FACTS);
		start();
		event(500, 0, KUTRACE_USERPID, 2, 2, "two.2");
		ticks(1000, last, 4 * MS, 1, BUSY);
		if (i == 0)
			event(last + 200, 1, KUTRACE_CALL_BH, BUSY, 3, "BH:rx");
		else if (i == 1)
			event(last + 200, 1, KUTRACE_CALL_SYSCALL64 + 1, BUSY, 7, "write");
		else
			event(last + 200, 1, KUTRACE_USERPID, BUSY, 0, "-idle-.0");
		ticks(1200, on, 4 * MS, 0, 2);
		ticks(on, on + 12 * MS, 4 * MS, 1, i == 2 ? 0 : BUSY);
		assert_string_equal(found("-sto"), NONE);
	}
}

/* The machine stops between a switch and the scheduler's return. */
static void test_in_scheduler(void **state)
{
	const unsigned int sched = KUTRACE_CALL_SCHED;
	const long long last = 1000 + 40 * MS, on = last + 504 * MS;

	(void)state;
	for (int returns = 0; returns < 2; returns++) {
		begin(FACTS);
		start();
		event(500, 0, KUTRACE_USERPID, 2, 2, "two.2");
		event(510, 0, KUTRACE_CALL_SYSCALL64 + 39, 2, 0, "getpid");
		event(520, 0, (KUTRACE_CALL_SYSCALL64 + 39) | KUTRACE_RETURN_BIT, 2, 0, "/getpid");
		ticks(1000, last, 4 * MS, 1, BUSY);
		event(last + 200, 0, sched, 2, 0, "-sched-");
		event(last + 300, 0, KUTRACE_USERPID, 2, 1, "init.1");
		ticks(on, on, 4 * MS, 1, BUSY);
		if (returns)
			event(on + 200, 0, sched | KUTRACE_RETURN_BIT, 1, 0, "/-sched-");
		else
			event(on + 200, 0, KUTRACE_CALL_SYSCALL64 + 39, 1, 0, "getpid");
		event(on + 900, 0, KUTRACE_USERPID, 1, 0, "-idle-.0");
		found("");
		assert_int_equal(stats.stops, 1);
	}
}

/* ---- random events ---- */

static uint64_t seed;

static unsigned int below(unsigned int n)
{
	seed = seed * 6364136223846793005u + 1442695040888963407u;
	return (unsigned int)(seed >> 33) % n;
}

/* Adds a random event of CPU 0 or 1. *running is the pid on the CPU. */
static long long random_event(long long ts, int cpu, int *running)
{
	static const unsigned int calls[] = {
		KUTRACE_CALL_SYSCALL64 + 1, KUTRACE_CALL_SYSCALL64 + 2, KUTRACE_CALL_TRAP + KUTRACE_PAGEFAULT,
		KUTRACE_CALL_BH, KUTRACE_CALL_SCHED,
	};
	const unsigned int kind = below(100), call = calls[below(5)];

	if (kind < 50) {
		tick(ts, cpu, *running);
		return ts + 100;
	}
	if (kind < 65) {
		const int next = (int)below(4);

		event(ts, cpu, KUTRACE_CALL_SCHED, *running, 0, "-sched-");
		event(ts + 5, cpu, KUTRACE_USERPID, *running, (unsigned int)next, "task.9");
		*running = next;
		if (below(2))
			event(ts + 10, cpu, KUTRACE_CALL_SCHED | KUTRACE_RETURN_BIT, next, 0, "/-sched-");
		return ts + 10;
	}
	if (kind < 75)
		event(ts, cpu, call, *running, 3, "call");
	else if (kind < 85)
		event(ts, cpu, call | KUTRACE_RETURN_BIT, *running, 0, "/call");
	else if (kind < 90)
		add("%lld %u %d %d %d 0 3 4 0 getpid (827)\n", ts, 1 + below(2) * (unsigned int)(200 * MS),
		    KUTRACE_CALL_SYSCALL64 + 39, cpu, *running);
	else if (kind < 94)
		event(ts, cpu, KUTRACE_MWAIT, *running, 1, "mwait");
	else if (kind < 97)
		add("%lld 1 %d %d %d 0 %d 0 0 exit (213)\n", ts, KUTRACE_TASKEXIT, cpu, *running, *running);
	else
		add("%lld 1 %d %d %u 0 0 0 0 task.9 (200)\n", ts, KUTRACE_USERPID, cpu, below(4));
	return ts;
}

/* The rows of each CPU cover its time once, whatever happens before and after the times. */
static void test_random(void **state)
{
	unsigned int with = 0;

	(void)state;
	for (unsigned int i = 0; i < 2000; i++) {
		int running[2] = { 0, 0 };
		long long ts = 1000;

		seed = i;
		begin(below(4) ? FACTS : "");
		for (unsigned int events = 50 + below(200); events; events--) {
			const int cpu = below(8) ? 1 : 0;

			ts += below(8) ? 1 + below(2) * 4 * MS : 40 * MS + below(600) * MS;
			ts = random_event(ts, cpu, &running[cpu]);
		}
		reconstruct();
		free_rows(&rows);
		with += stats.stops + stats.stolen > 0;
	}
	assert_true(with > 500);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_machine),
		cmocka_unit_test(test_continues),
		cmocka_unit_test(test_returns),
		cmocka_unit_test(test_shown_later),
		cmocka_unit_test(test_two),
		cmocka_unit_test(test_short),
		cmocka_unit_test(test_idle),
		cmocka_unit_test(test_idle_state),
		cmocka_unit_test(test_kernel),
		cmocka_unit_test(test_no_calls),
		cmocka_unit_test(test_no_facts),
		cmocka_unit_test(test_unreliable),
		cmocka_unit_test(test_pause),
		cmocka_unit_test(test_header),
		cmocka_unit_test(test_one),
		cmocka_unit_test(test_no_tick),
		cmocka_unit_test(test_one_kernel),
		cmocka_unit_test(test_in_scheduler),
		cmocka_unit_test(test_random),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
