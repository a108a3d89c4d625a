// SPDX-License-Identifier: BSD-3-Clause
/*
 * Tests the reconstruction on event text of older versions of the original. In them the scheduler
 * has the number of a system call, and idle states have other numbers. An idle CPU can sleep until
 * another CPU writes to memory (monitor); the reconstruction finds the cause of such a wakeup.
 */
#include "rec_run.h"

#define TWO	"-1 1 34 1 init\n-1 1 34 2 two\n"
#define OLD	TWO "-1 1 40 511 -sched-\n"

/* init blocks in read on CPU 0 while two runs there. CALL is the number of the scheduler. */
#define BLOCKS(call, ret, hex, back) \
	"100 0 2048 0 1 0 4 0 0 read (800)\n" \
	"110 0 " call " 0 1 0 0 0 0 -sched- (" hex ")\n" \
	"115 0 512 0 2 0 2 0 0 two.2 (200)\n" \
	"120 0 " ret " 0 2 0 0 0 0 /-sched- (" back ")\n" \
	"130 0 " call " 0 2 0 0 0 0 -sched- (" hex ")\n" \
	"135 0 512 0 1 0 1 0 0 init.1 (200)\n" \
	"140 0 " ret " 0 1 0 0 0 0 /-sched- (" back ")\n" \
	"150 0 2560 0 1 0 0 8 0 /read (a00)\n" \
	"160 1 525 0 1 0 1 0 0 mark_d (20d)\n"

#define BLOCKED_SPANS \
	"00100 10 c0 p1 r0 2048 4=0 read\n" \
	"00110 10 c0 p1 r0 3583 0=0 -sched-\n" \
	"00120 10 c0 p2 r0 65538 0=0 two.2\n" \
	"00130 10 c0 p2 r0 3583 0=0 -sched-\n" \
	"00140 10 c0 p1 r0 2048 4=8 read\n" \
	"00150 10 c0 p1 r0 65537 0=0 init.1\n"

static void test_old_scheduler(void **state)
{
	(void)state;
	EXECUTION(OLD BLOCKS("2559", "3071", "9ff", "bff"), BLOCKED_SPANS);
	assert_int_equal(stats.missing_returns + stats.missing_calls + stats.inferred, 0);
	assert_int_equal(stats.scheds, 2);
	assert_int_equal(stats.syscalls, 2);
	/* the name in the text is enough, if the definition is missing */
	EXECUTION(TWO BLOCKS("2559", "3071", "9ff", "bff"), BLOCKED_SPANS);
	EXECUTION(TWO BLOCKS("3583", "4095", "dff", "fff"), BLOCKED_SPANS);
}

/*
 * Checks that 511 is an ordinary system call if the scheduler has its own number, or our module
 * recorded the trace.
 */
static void test_call_511(void **state)
{
	static const char expected[] =
		"00100 10 c0 p1 r0 2559 7=9 -sched-\n"
		"00110 10 c0 p1 r0 65537 0=0 init.1\n"
		"00120 10 c0 p1 r0 3583 0=0 -sched-\n"
		"00130 10 c0 p1 r0 65537 0=0 init.1\n"
		"00140 10 c0 p1 r0 2559 7=9 -sched-\n"
		"00150 10 c0 p1 r0 65537 0=0 init.1\n";

	(void)state;
	EXECUTION(TWO
		  "100 10 2559 0 1 0 7 9 0 forged (9ff)\n"
		  "120 1 525 0 1 0 1 0 0 mark_d (20d)\n",
		  "00100 10 c0 p1 r0 2559 7=9 forged\n"
		  "00110 10 c0 p1 r0 65537 0=0 init.1\n");
	assert_int_equal(stats.syscalls, 1);
	EXECUTION("-1 1 287 0 backend=static\n" OLD
		  "100 10 2559 0 1 0 7 9 0 -sched- (9ff)\n"
		  "120 10 3583 0 1 0 0 0 0 -sched- (dff)\n"
		  "140 10 2559 0 1 0 7 9 0 -sched- (9ff)\n"
		  "160 1 525 0 1 0 1 0 0 mark_d (20d)\n", expected);
	assert_int_equal(stats.syscalls, 2);
	/* a newer recording with the old table of names */
	EXECUTION(OLD
		  "080 10 3583 0 1 0 0 0 0 -sched- (dff)\n"
		  "100 10 2559 0 1 0 7 9 0 -sched- (9ff)\n"
		  "120 1 525 0 1 0 1 0 0 mark_d (20d)\n",
		  "00080 10 c0 p1 r0 3583 0=0 -sched-\n"
		  "00090 10 c0 p1 r0 65537 0=0 init.1\n"
		  "00100 10 c0 p1 r0 2559 7=9 -sched-\n"
		  "00110 10 c0 p1 r0 65537 0=0 init.1\n");
}

/* Tests an AMD processor of 2019, which idles in state 255: waking from it takes some 13 us. */
static void test_idle_255(void **state)
{
	(void)state;
	EXECUTION(OLD
		  "100 0 512 0 0 0 0 0 0 -idle-.0 (200)\n"
		  "110 1 520 0 0 0 255 0 0 mwait (208)\n"
		  "5110 0 512 0 1 0 1 0 0 init.1 (200)\n"
		  "5120 1 525 0 1 0 1 0 0 mark_d (20d)\n",
		  "00100 10 c0 p0 r0 65536 0=0 -idle-\n"
		  "00110 3670 c0 p0 r0 65536 1=0 -idlelp-\n"
		  "03780 1330 c0 p0 r0 131072 0=0 -c-exit-\n"
		  "05110 10 c0 p1 r0 65537 0=0 init.1\n");
}

/*
 * Tests CPU 1, which sleeps until memory is written. The activity of CPU 0 at the write is the
 * reason for the waits of the tasks that CPU 1 wakes immediately after the write. It is no reason
 * for tasks that CPU 1 wakes later.
 */
static void test_monitor_store(void **state)
{
	(void)state;
	ROWS(TWO "-1 1 34 3 three\n"
	     "100 0 512 1 2 0 2 0 0 two.2 (200)\n"
	     "110 0 3583 1 2 0 0 0 0 -sched- (dff)\n"
	     "115 0 512 1 3 0 3 0 0 three.3 (200)\n"
	     "120 0 4095 1 3 0 0 0 0 /-sched- (fff)\n"
	     "130 0 3583 1 3 0 0 0 0 -sched- (dff)\n"
	     "135 0 512 1 0 0 0 0 0 -idle-.0 (200)\n"
	     "140 0 4095 1 0 0 0 0 0 /-sched- (fff)\n"
	     "200 0 2050 0 1 0 0 0 0 futex (802)\n"
	     "210 1 542 0 1 0 1 0 0 monitor_store (21e)\n"
	     "215 0 2562 0 1 0 0 0 0 /futex (a02)\n"
	     "220 1 518 1 0 0 2 0 0 runnable.2 (206)\n"
	     "225 1 518 1 0 0 3 0 0 runnable.3 (206)\n"
	     "230 0 3583 1 0 0 0 0 0 -sched- (dff)\n"
	     "235 0 512 1 2 0 2 0 0 two.2 (200)\n"
	     "240 0 4095 1 2 0 0 0 0 /-sched- (fff)\n"
	     "250 0 3583 1 2 0 0 0 0 -sched- (dff)\n"
	     "255 0 512 1 3 0 3 0 0 three.3 (200)\n"
	     "260 0 4095 1 3 0 0 0 0 /-sched- (fff)\n"
	     "265 0 512 1 0 0 0 0 0 -idle-.0 (200)\n"
	     "300 1 518 1 0 0 2 0 0 runnable.2 (206)\n"
	     "310 0 512 1 2 0 2 0 0 two.2 (200)\n"
	     "320 1 525 1 2 0 1 0 0 mark_d (20d)\n"
	     "320 1 525 0 1 0 1 0 0 mark_d (20d)\n",
	     "00100 10 c1 p2 r0 65538 0=0 two.2\n"
	     "00110 10 c1 p2 r0 3583 0=0 -sched-\n"
	     "00120 10 c1 p3 r0 65539 0=0 three.3\n"
	     "00120 100 c-1 p2 r0 779 0=0 wait_lock\n"
	     "00130 10 c1 p3 r0 3583 0=0 -sched-\n"
	     "00140 85 c-1 p3 r0 779 0=0 wait_lock\n"
	     "00140 90 c1 p0 r0 65536 0=0 -idle-\n"
	     "00200 15 c0 p1 r0 2050 0=0 futex\n"
	     "00210 1 c0 p1 r0 542 1=0 monitor_store\n"
	     "00210 10 c0 p-1 r-1 -7 1=0 -ipi-\n"
	     "00215 105 c0 p1 r0 65537 0=0 init.1\n"
	     "00220 1 c1 p0 r0 518 2=0 runnable.2\n"
	     "00220 20 c-1 p2 r0 770 0=0 wait_cpu\n"
	     "00220 20 c1 p0 r0 -3 1=2 -wakeup-\n"
	     "00225 1 c1 p0 r0 518 3=0 runnable.3\n"
	     "00225 35 c-1 p3 r0 770 0=0 wait_cpu\n"
	     "00225 35 c1 p0 r0 -3 1=3 -wakeup-\n"
	     "00230 10 c1 p0 r0 3583 0=0 -sched-\n"
	     "00240 10 c1 p2 r0 65538 0=0 two.2\n"
	     "00250 10 c1 p2 r0 3583 0=0 -sched-\n"
	     "00260 40 c-1 p2 r0 793 0=0 wait_unk\n"
	     "00260 5 c1 p3 r0 65539 0=0 three.3\n"
	     "00265 45 c1 p0 r0 65536 0=0 -idle-\n"
	     "00300 1 c1 p0 r0 518 2=0 runnable.2\n"
	     "00300 10 c-1 p2 r0 770 0=0 wait_cpu\n"
	     "00300 10 c1 p0 r0 -3 1=2 -wakeup-\n"
	     "00310 10 c1 p2 r0 65538 0=0 two.2\n"
	     "00320 1 c0 p1 r0 525 1=0 mark_d\n"
	     "00320 1 c1 p2 r0 525 1=0 mark_d\n");
}

/*
 * Checks that an interrupt answers a sent interrupt, and that any next event answers a memory
 * write.
 */
static void test_monitor_store_arcs(void **state)
{
	(void)state;
	ROWS(TWO
	     "100 1 525 1 2 0 1 0 0 mark_d (20d)\n"
	     "100 1 525 0 1 0 1 0 0 mark_d (20d)\n"
	     "110 1 519 0 1 0 1 0 0 sendipi (207)\n"
	     "120 1 542 0 1 0 1 0 0 monitor_store (21e)\n"
	     "130 1 542 0 1 0 1 0 0 monitor_store (21e)\n"
	     "140 0 1516 1 2 0 0 0 0 local_timer (5ec)\n"
	     "150 0 2028 1 2 0 0 0 0 /local_timer (7ec)\n"
	     "160 0 1533 1 2 0 0 0 0 reschedule_ipi (5fd)\n"
	     "170 0 2045 1 2 0 0 0 0 /reschedule_ipi (7fd)\n"
	     "180 1 525 1 2 0 1 0 0 mark_d (20d)\n"
	     "180 1 525 0 1 0 1 0 0 mark_d (20d)\n",
	     "00100 1 c0 p1 r0 525 1=0 mark_d\n"
	     "00100 1 c1 p2 r0 525 1=0 mark_d\n"
	     "00100 40 c1 p2 r0 65538 0=0 two.2\n"
	     "00100 80 c0 p1 r0 65537 0=0 init.1\n"
	     "00110 1 c0 p1 r0 519 1=0 sendipi\n"
	     "00110 50 c0 p-1 r-1 -7 1=0 -ipi-\n"
	     "00120 1 c0 p1 r0 542 1=0 monitor_store\n"
	     "00120 20 c0 p-1 r-1 -7 1=0 -ipi-\n"
	     "00130 1 c0 p1 r0 542 1=0 monitor_store\n"
	     "00130 10 c0 p-1 r-1 -7 1=0 -ipi-\n"
	     "00140 10 c1 p2 r0 1516 0=0 local_timer\n"
	     "00150 10 c1 p2 r0 65538 0=0 two.2\n"
	     "00160 10 c1 p2 r0 1533 0=0 reschedule_ipi\n"
	     "00170 10 c1 p2 r0 65538 0=0 two.2\n"
	     "00180 1 c0 p1 r0 525 1=0 mark_d\n"
	     "00180 1 c1 p2 r0 525 1=0 mark_d\n");
}

/* Checks that the inferred spans are counted, by number and by time. */
static void test_inferred(void **state)
{
	(void)state;
	EXECUTION(TWO
		  "100 0 2049 0 1 0 4 0 0 write (801)\n"
		  "200 5 2087 0 1 0 9 1 0 getpid (827)\n"
		  "300 1 525 0 1 0 1 0 0 mark_d (20d)\n",
		  "00100 100 c0 p1 r0 2049 4=0 write?\n"
		  "00200 5 c0 p1 r0 2087 9=1 getpid\n"
		  "00205 95 c0 p1 r0 65537 0=0 init.1\n");
	assert_int_equal(stats.inferred, 1);
	assert_int_equal(stats.inferred_units, 100);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_old_scheduler),
		cmocka_unit_test(test_call_511),
		cmocka_unit_test(test_idle_255),
		cmocka_unit_test(test_monitor_store),
		cmocka_unit_test(test_monitor_store_arcs),
		cmocka_unit_test(test_inferred),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
