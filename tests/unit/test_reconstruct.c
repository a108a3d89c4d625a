// SPDX-License-Identifier: BSD-3-Clause
/*
 * Tests the reconstruction on short event texts: which task ran when, and which spans are
 * inferred. Other files test waits, arcs and points (test_reconstruct_points.c), names and the header
 * (test_reconstruct_header.c), and random events (test_reconstruct_random.c).
 */
#include "rec_run.h"

/* ---- calls and returns ---- */

static void test_nesting(void **state)
{
	(void)state;
	EXECUTION(NAMES
		  "100 0 2049 0 1 0 4 0 0 write (801)\n"
		  "150 0 1516 0 1 0 0 0 0 local_timer (5ec)\n"
		  "180 0 2028 0 1 0 0 0 0 /local_timer (7ec)\n"
		  "190 20 1535 0 1 0 3 0 0 BH:rx (5ff)\n"
		  "250 0 2561 0 1 0 0 77 0 /write (a01)\n"
		  "300 5 2087 0 1 0 9 1 0 getpid (827)\n"
		  "400 1 525 0 1 0 1 0 0 mark_d (20d)\n",
		  "00100 50 c0 p1 r0 2049 4=0 write\n"
		  "00150 30 c0 p1 r0 1516 0=0 local_timer\n"
		  "00180 10 c0 p1 r0 2049 4=0 write\n"
		  "00190 20 c0 p1 r0 1535 3=0 BH:rx\n"
		  "00210 40 c0 p1 r0 2049 4=77 write\n"
		  "00250 50 c0 p1 r0 65537 0=0 init.1\n"
		  "00300 5 c0 p1 r0 2087 9=1 getpid\n"
		  "00305 95 c0 p1 r0 65537 0=0 init.1\n");
	assert_int_equal(stats.missing_returns + stats.missing_calls, 0);
}

static void test_ipc(void **state)
{
	(void)state;
	/* 121: low four bits for the code before the call, high four bits for the merged call */
	EXECUTION(NAMES
		  "100 1 525 0 1 0 1 0 0 mark_d (20d)\n"
		  "200 5 2087 0 1 0 9 1 121 getpid (827)\n"
		  "300 1 525 0 1 0 1 0 0 mark_d (20d)\n",
		  "00100 100 c0 p1 r0 65537 0=0 i9 init.1\n"
		  "00200 5 c0 p1 r0 2087 9=1 i7 getpid\n"
		  "00205 95 c0 p1 r0 65537 0=0 init.1\n");
}

static void test_missing_return(void **state)
{
	(void)state;
	/* the return of write was not recorded: it lasted at most until the next call */
	EXECUTION(NAMES
		  "100 0 2049 0 1 0 4 0 0 write (801)\n"
		  "200 5 2087 0 1 0 9 1 0 getpid (827)\n"
		  "300 1 525 0 1 0 1 0 0 mark_d (20d)\n",
		  "00100 100 c0 p1 r0 2049 4=0 write?\n"
		  "00200 5 c0 p1 r0 2087 9=1 getpid\n"
		  "00205 95 c0 p1 r0 65537 0=0 init.1\n");
	assert_int_equal(stats.missing_returns, 1);
	/* the return of an outer call ends the calls inside it */
	EXECUTION(NAMES
		  "100 0 2049 0 1 0 4 0 0 write (801)\n"
		  "150 0 1516 0 1 0 0 0 0 local_timer (5ec)\n"
		  "200 0 2561 0 1 0 0 7 0 /write (a01)\n"
		  "300 1 525 0 1 0 1 0 0 mark_d (20d)\n",
		  "00100 50 c0 p1 r0 2049 4=0 write\n"
		  "00150 50 c0 p1 r0 1516 0=0 local_timer?\n"
		  "00200 100 c0 p1 r0 65537 0=0 init.1\n");
	assert_int_equal(stats.missing_returns, 1);
}

static void test_missing_call(void **state)
{
	(void)state;
	EXECUTION(NAMES
		  "100 5 2087 0 1 0 9 1 0 getpid (827)\n"
		  "200 0 2561 0 1 0 0 7 0 /write (a01)\n"
		  "300 0 2028 0 1 0 0 0 0 /local_timer (7ec)\n"
		  "400 1 525 0 1 0 1 0 0 mark_d (20d)\n",
		  "00100 5 c0 p1 r0 2087 9=1 getpid\n"
		  "00105 95 c0 p1 r0 2049 0=7 write?\n"
		  "00200 100 c0 p1 r0 1516 0=0 local_timer?\n"
		  "00300 100 c0 p1 r0 65537 0=0 init.1\n");
	assert_int_equal(stats.missing_calls, 2);
}

/* Checks that a merged call lasts at most until the next event. */
static void test_clipped(void **state)
{
	(void)state;
	EXECUTION(NAMES
		  "100 50 2087 0 1 0 9 1 0 getpid (827)\n"
		  "130 0 2049 0 1 0 4 0 0 write (801)\n"
		  "200 0 2561 0 1 0 0 7 0 /write (a01)\n",
		  "00100 30 c0 p1 r0 2087 9=1 getpid\n"
		  "00130 70 c0 p1 r0 2049 4=7 write\n");
	assert_int_equal(stats.clipped, 1);
	/* at the end there is no next event */
	EXECUTION(NAMES
		  "100 50 2087 0 1 0 9 1 0 getpid (827)\n",
		  "00100 50 c0 p1 r0 2087 9=1 getpid\n");
}

static void test_too_deep(void **state)
{
	char text[4096] = "";
	size_t used = 0;
	int i;

	(void)state;
	for (i = 0; i < 40; i++)
		used += (size_t)snprintf(text + used, sizeof(text) - used,
					 "%d 0 %d 0 1 0 0 0 0 irq (500)\n", 100 + i, 0x500 + i);
	run(text, used, true);
	assert_int_equal(rows.count, 39);
	assert_int_equal(rows.coverage.cpu[0].count, 1);
	assert_true(stats.too_deep > 0);
	free_rows(&rows);
}

/* ---- context switches ---- */

/* Tests a call that blocks on one CPU and ends on another. */
static void test_migration(void **state)
{
	(void)state;
	EXECUTION(NAMES
		  "100 0 2048 0 1 0 4 0 0 read (800)\n"
		  "110 0 3583 0 1 0 0 0 0 -sched- (dff)\n"
		  "115 0 512 0 0 0 0 0 0 -idle-.0 (200)\n"
		  "120 0 4095 0 0 0 0 0 0 /-sched- (fff)\n"
		  "130 0 3583 1 0 0 0 0 0 -sched- (dff)\n"
		  "135 0 512 1 1 0 1 0 0 init.1 (200)\n"
		  "140 0 4095 1 1 0 0 0 0 /-sched- (fff)\n"
		  "150 0 2560 1 1 0 0 8 0 /read (a00)\n"
		  "160 0 1516 0 0 0 0 0 0 local_timer (5ec)\n"
		  "170 1 525 1 1 0 1 0 0 mark_d (20d)\n",
		  "00100 10 c0 p1 r0 2048 4=0 read\n"
		  "00110 10 c0 p1 r0 3583 0=0 -sched-\n"
		  "00120 40 c0 p0 r0 65536 0=0 -idle-\n"
		  "00130 10 c1 p0 r0 3583 0=0 -sched-\n"
		  "00140 10 c1 p1 r0 2048 4=8 read\n"
		  "00150 20 c1 p1 r0 65537 0=0 init.1\n");
	assert_int_equal(stats.missing_returns + stats.missing_calls, 0);
}

/* Tests a task that was in a call before the trace began: the return shows the call. */
static void test_seen_first_by_return(void **state)
{
	(void)state;
	EXECUTION(NAMES
		  "100 0 3583 0 1 0 0 0 0 -sched- (dff)\n"
		  "105 0 512 0 2 0 2 0 0 two.2 (200)\n"
		  "110 0 4095 0 2 0 0 0 0 /-sched- (fff)\n"
		  "120 0 1516 0 2 0 0 0 0 local_timer (5ec)\n"
		  "125 0 2028 0 2 0 0 0 0 /local_timer (7ec)\n"
		  "130 0 2560 0 2 0 0 8 0 /read (a00)\n"
		  "140 0 3583 0 2 0 0 0 0 -sched- (dff)\n",
		  "00100 10 c0 p1 r0 3583 0=0 -sched-\n"
		  "00110 10 c0 p2 r0 2048 0=0 read\n"
		  "00120 5 c0 p2 r0 1516 0=0 local_timer\n"
		  "00125 5 c0 p2 r0 2048 0=8 read\n"
		  "00130 10 c0 p2 r0 65538 0=0 two.2\n");
	assert_int_equal(stats.missing_calls, 0);
}

static void test_seen_first_by_call(void **state)
{
	(void)state;
	EXECUTION(NAMES
		  "100 0 3583 0 1 0 0 0 0 -sched- (dff)\n"
		  "105 0 512 0 2 0 2 0 0 two.2 (200)\n"
		  "110 0 4095 0 2 0 0 0 0 /-sched- (fff)\n"
		  "120 0 2048 0 2 0 0 0 0 read (800)\n"
		  "130 0 2560 0 2 0 0 8 0 /read (a00)\n",
		  "00100 10 c0 p1 r0 3583 0=0 -sched-\n"
		  "00110 10 c0 p2 r0 65538 0=0 two.2\n"
		  "00120 10 c0 p2 r0 2048 0=8 read\n");
}

/*
 * Tests a task that was switched out in a call and continues in user code, because the return was
 * not recorded.
 */
static void test_back_in_user_code(void **state)
{
	(void)state;
	EXECUTION(NAMES
		  "100 0 2048 0 2 0 4 0 0 read (800)\n"
		  "110 0 3583 0 2 0 0 0 0 -sched- (dff)\n"
		  "112 0 512 0 1 0 1 0 0 init.1 (200)\n"
		  "115 0 4095 0 1 0 0 0 0 /-sched- (fff)\n"
		  "120 0 3583 0 1 0 0 0 0 -sched- (dff)\n"
		  "122 0 512 0 2 0 2 0 0 two.2 (200)\n"
		  "125 0 4095 0 2 0 0 0 0 /-sched- (fff)\n"
		  "140 0 2049 0 2 0 4 0 0 write (801)\n"
		  "150 0 2561 0 2 0 0 8 0 /write (a01)\n",
		  "00100 10 c0 p2 r0 2048 4=0 read\n"
		  "00110 5 c0 p2 r0 3583 0=0 -sched-\n"
		  "00115 5 c0 p1 r0 65537 0=0 init.1\n"
		  "00120 5 c0 p1 r0 3583 0=0 -sched-\n"
		  "00125 15 c0 p2 r0 65538 0=0 two.2?\n"
		  "00140 10 c0 p2 r0 2049 4=8 write\n");
	assert_int_equal(stats.missing_returns, 1);
}

/* Tests a new task, which does not return from the scheduler, but from clone. */
static void test_new_task(void **state)
{
	(void)state;
	EXECUTION(NAMES
		  "100 0 3583 0 1 0 0 0 0 -sched- (dff)\n"
		  "105 0 512 0 2 0 2 0 0 two.2 (200)\n"
		  "110 0 1516 0 2 0 0 0 0 local_timer (5ec)\n"
		  "115 0 2028 0 2 0 0 0 0 /local_timer (7ec)\n"
		  "120 0 2616 0 2 0 0 0 0 /clone (a38)\n"
		  "130 0 3583 0 2 0 0 0 0 -sched- (dff)\n",
		  "00100 5 c0 p1 r0 3583 0=0 -sched-\n"
		  "00105 5 c0 p2 r0 2104 0=0 clone\n"
		  "00110 5 c0 p2 r0 1516 0=0 local_timer\n"
		  "00115 5 c0 p2 r0 2104 0=0 clone\n"
		  "00120 10 c0 p2 r0 65538 0=0 two.2\n");
	assert_int_equal(stats.missing_calls, 0);
}

/* Tests exit, which never returns, and another thread that gets the pid. */
static void test_exit_and_reuse(void **state)
{
	(void)state;
	EXECUTION(TRACEPOINTS
		  "100 0 2108 0 2 0 0 0 0 exit (83c)\n"
		  "110 0 512 0 1 0 1 0 0 init.1 (200)\n"
		  "120 0 512 0 2 0 2 0 0 two.2 (200)\n"
		  "130 0 2616 0 2 0 0 0 0 /clone (a38)\n"
		  "140 0 2087 0 2 0 0 0 0 getpid (827)\n",
		  "00100 10 c0 p2 r0 2108 0=0 exit\n"
		  "00110 10 c0 p1 r0 65537 0=0 init.1\n"
		  "00120 10 c0 p2 r0 2104 0=0 clone\n"
		  "00130 10 c0 p2 r0 65538 0=0 two.2\n");
}

/* Tests interrupts between the switch and the return of the scheduler. */
static void test_interrupt_in_scheduler(void **state)
{
	(void)state;
	EXECUTION(NAMES
		  "100 0 3583 0 1 0 0 0 0 -sched- (dff)\n"
		  "105 0 512 0 0 0 0 0 0 -idle-.0 (200)\n"
		  "110 0 1516 0 0 0 0 0 0 local_timer (5ec)\n"
		  "115 0 2028 0 0 0 0 0 0 /local_timer (7ec)\n"
		  "120 0 4095 0 0 0 0 0 0 /-sched- (fff)\n"
		  "130 0 1516 0 0 0 0 0 0 local_timer (5ec)\n",
		  "00100 10 c0 p1 r0 3583 0=0 -sched-\n"
		  "00110 5 c0 p0 r0 1516 0=0 local_timer\n"
		  "00115 5 c0 p0 r0 3583 0=0 -sched-\n"
		  "00120 10 c0 p0 r0 65536 0=0 -idle-\n");
	assert_int_equal(stats.missing_calls, 0);
}

/*
 * Tests an interrupt after the switch to a pid that has not run before. The following events show
 * whether the interrupt came inside the scheduler.
 */
static void test_interrupt_and_new_task(void **state)
{
#define SWITCHED NAMES \
		"100 0 3583 0 1 0 0 0 0 -sched- (dff)\n" \
		"105 0 512 0 2 0 2 0 0 two.2 (200)\n" \
		"110 0 1516 0 2 0 0 0 0 local_timer (5ec)\n" \
		"115 0 2028 0 2 0 0 0 0 /local_timer (7ec)\n"
#define ENDS	"120 0 4095 0 2 0 0 0 0 /-sched- (fff)\n" \
		"130 0 2560 0 2 0 0 8 0 /read (a00)\n" \
		"140 5 2087 0 2 0 9 1 0 getpid (827)\n"

	(void)state;
	EXECUTION(SWITCHED ENDS,
		  "00100 10 c0 p1 r0 3583 0=0 -sched-\n"
		  "00110 5 c0 p2 r0 1516 0=0 local_timer\n"
		  "00115 5 c0 p2 r0 3583 0=0 -sched-\n"
		  "00120 10 c0 p2 r0 2048 0=8 read\n"
		  "00130 10 c0 p2 r0 65538 0=0 two.2\n"
		  "00140 5 c0 p2 r0 2087 9=1 getpid\n");
	assert_int_equal(stats.missing_calls + stats.missing_returns, 0);
	EXECUTION(SWITCHED "120 5 2087 0 2 0 9 1 0 getpid (827)\n",
		  "00100 5 c0 p1 r0 3583 0=0 -sched-\n"
		  "00105 5 c0 p2 r0 65538 0=0 two.2\n"
		  "00110 5 c0 p2 r0 1516 0=0 local_timer\n"
		  "00115 5 c0 p2 r0 65538 0=0 two.2\n"
		  "00120 5 c0 p2 r0 2087 9=1 getpid\n");
	assert_int_equal(stats.missing_calls + stats.missing_returns, 0);
	/* task 2's wait, and the arc of its wakeup, end where task 2's first span begins */
	ROWS(NAMES "80 1 518 0 1 0 2 0 0 runnable.2 (206)\n" SWITCHED ENDS,
	     "00080 1 c0 p1 r0 518 2=0 runnable.2\n"
	     "00080 20 c0 p1 r0 65537 0=0 init.1\n"
	     "00080 30 c-1 p2 r0 770 0=0 wait_cpu\n"
	     "00080 30 c0 p1 r0 -3 0=2 -wakeup-\n"
	     "00100 10 c0 p1 r0 3583 0=0 -sched-\n"
	     "00110 5 c0 p2 r0 1516 0=0 local_timer\n"
	     "00115 5 c0 p2 r0 3583 0=0 -sched-\n"
	     "00120 10 c0 p2 r0 2048 0=8 read\n"
	     "00130 10 c0 p2 r0 65538 0=0 two.2\n"
	     "00140 5 c0 p2 r0 2087 9=1 getpid\n");
	ROWS(NAMES "80 1 518 0 1 0 2 0 0 runnable.2 (206)\n" SWITCHED
	     "120 5 2087 0 2 0 9 1 0 getpid (827)\n",
	     "00080 1 c0 p1 r0 518 2=0 runnable.2\n"
	     "00080 20 c0 p1 r0 65537 0=0 init.1\n"
	     "00080 25 c-1 p2 r0 770 0=0 wait_cpu\n"
	     "00080 25 c0 p1 r0 -3 0=2 -wakeup-\n"
	     "00100 5 c0 p1 r0 3583 0=0 -sched-\n"
	     "00105 5 c0 p2 r0 65538 0=0 two.2\n"
	     "00110 5 c0 p2 r0 1516 0=0 local_timer\n"
	     "00115 5 c0 p2 r0 65538 0=0 two.2\n"
	     "00120 5 c0 p2 r0 2087 9=1 getpid\n");
	/* no event follows */
	EXECUTION(SWITCHED "120 1 525 0 2 0 1 0 0 mark_d (20d)\n",
		  "00100 5 c0 p1 r0 3583 0=0 -sched-\n"
		  "00105 5 c0 p2 r0 65538 0=0 two.2?\n"
		  "00110 5 c0 p2 r0 1516 0=0 local_timer\n"
		  "00115 5 c0 p2 r0 65538 0=0 two.2?\n");
}

/*
 * Tests a task that exits and is preempted. An interrupt comes before the scheduler returns to the
 * task. The task must not count as a new task.
 */
static void test_preempted_in_exit(void **state)
{
	(void)state;
	EXECUTION(NAMES
		  "100 0 2108 0 2 0 0 0 0 exit (83c)\n"
		  "105 0 3583 0 2 0 0 0 0 -sched- (dff)\n"
		  "110 0 512 0 1 0 1 0 0 init.1 (200)\n"
		  "115 0 4095 0 1 0 0 0 0 /-sched- (fff)\n"
		  "120 0 3583 0 1 0 0 0 0 -sched- (dff)\n"
		  "125 0 512 0 2 0 2 0 0 two.2 (200)\n"
		  "130 0 1516 0 2 0 0 0 0 local_timer (5ec)\n"
		  "135 0 2028 0 2 0 0 0 0 /local_timer (7ec)\n"
		  "140 0 4095 0 2 0 0 0 0 /-sched- (fff)\n"
		  "150 0 3583 0 2 0 0 0 0 -sched- (dff)\n",
		  "00100 5 c0 p2 r0 2108 0=0 exit\n"
		  "00105 10 c0 p2 r0 3583 0=0 -sched-\n"
		  "00115 5 c0 p1 r0 65537 0=0 init.1\n"
		  "00120 10 c0 p1 r0 3583 0=0 -sched-\n"
		  "00130 5 c0 p2 r0 1516 0=0 local_timer\n"
		  "00135 5 c0 p2 r0 3583 0=0 -sched-\n"
		  "00140 10 c0 p2 r0 2108 0=0 exit\n");
	assert_int_equal(stats.missing_calls + stats.missing_returns, 0);
}

/* Tests context switches of stock kernels, without events of the scheduler. */
static void test_stock_switch(void **state)
{
	(void)state;
	EXECUTION(TRACEPOINTS
		  "100 0 2048 0 1 0 4 0 0 read (800)\n"
		  "110 0 512 0 2 0 2 0 0 two.2 (200)\n"
		  "120 0 2561 0 2 0 0 8 0 /write (a01)\n"
		  "130 0 512 0 1 0 1 0 0 init.1 (200)\n"
		  "140 0 2560 0 1 0 0 8 0 /read (a00)\n"
		  "150 0 512 0 2 0 2 0 0 two.2 (200)\n",
		  "00100 10 c0 p1 r0 2048 4=0 read\n"
		  "00110 10 c0 p2 r0 2049 0=8 write\n"
		  "00120 10 c0 p2 r0 65538 0=0 two.2\n"
		  "00130 10 c0 p1 r0 2048 4=8 read\n"
		  "00140 10 c0 p1 r0 65537 0=0 init.1\n");
	assert_int_equal(stats.missing_returns + stats.missing_calls, 0);
}

/* On PREEMPT_RT, a thread may preempt a softirq, which continues when its own thread runs again. */
static void test_preempted_softirq(void **state)
{
	static const char *const rt[] = {"", "-1 1 287 0 preempt_rt=1\n"};
	char events[1024];

	(void)state;
	for (int i = 0; i < 2; i++) {
		snprintf(events, sizeof(events), "%s" TRACEPOINTS
			 "100 5 2087 0 2 0 9 1 0 getpid (827)\n"
			 "110 0 1535 0 2 0 3 0 0 BH:rx (5ff)\n"
			 "120 0 1516 0 2 0 0 0 0 local_timer (5ec)\n"
			 "125 0 2028 0 2 0 0 0 0 /local_timer (7ec)\n"
			 "130 0 512 0 3 0 3 0 0 three.3 (200)\n"
			 "140 0 512 0 2 0 2 0 0 two.2 (200)\n"
			 "150 0 2047 0 2 0 0 0 0 /BH (7ff)\n"
			 "160 5 2087 0 2 0 9 1 0 getpid (827)\n", rt[i]);
		EXECUTION(events, i ?
			  "00100 5 c0 p2 r0 2087 9=1 getpid\n"
			  "00105 5 c0 p2 r0 65538 0=0 two.2\n"
			  "00110 10 c0 p2 r0 1535 3=0 BH:rx\n"
			  "00120 5 c0 p2 r0 1516 0=0 local_timer\n"
			  "00125 5 c0 p2 r0 1535 3=0 BH:rx\n"
			  "00130 10 c0 p3 r0 65539 0=0 three.3\n"
			  "00140 10 c0 p2 r0 1535 3=0 BH:rx\n"
			  "00150 10 c0 p2 r0 65538 0=0 two.2\n"
			  "00160 5 c0 p2 r0 2087 9=1 getpid\n" :
			  "00100 5 c0 p2 r0 2087 9=1 getpid\n"
			  "00105 5 c0 p2 r0 65538 0=0 two.2\n"
			  "00110 10 c0 p2 r0 1535 3=0 BH:rx\n"
			  "00120 5 c0 p2 r0 1516 0=0 local_timer\n"
			  "00125 5 c0 p2 r0 1535 3=0 BH:rx?\n"
			  "00130 10 c0 p3 r0 65539 0=0 three.3\n"
			  "00140 10 c0 p2 r0 1535 0=0 BH?\n"
			  "00150 10 c0 p2 r0 65538 0=0 two.2\n"
			  "00160 5 c0 p2 r0 2087 9=1 getpid\n");
		assert_int_equal(stats.missing_returns + stats.missing_calls, i ? 0 : 2);
	}
}

/* Tests page faults of a stock kernel, whose ends may be missing. ARG0 4: from user code. */
static void test_stock_faults(void **state)
{
	(void)state;
	EXECUTION(TRACEPOINTS
		  "100 0 1038 0 1 0 6 0 0 page_fault (40e)\n"
		  "110 0 1550 0 1 0 0 0 0 /page_fault (60e)\n"
		  "120 0 1038 0 1 0 6 0 0 page_fault (40e)\n"
		  "130 0 1038 0 1 0 6 0 0 page_fault (40e)\n"
		  "140 0 2048 0 1 0 4 0 0 read (800)\n"
		  "150 0 1038 0 1 0 2 0 0 page_fault (40e)\n"
		  "160 0 2560 0 1 0 0 8 0 /read (a00)\n"
		  "170 0 1550 0 1 0 0 0 0 /page_fault (60e)\n"
		  "180 0 512 0 2 0 2 0 0 two.2 (200)\n",
		  "00100 10 c0 p1 r0 1038 6=0 page_fault\n"
		  "00110 10 c0 p1 r0 65537 0=0 init.1\n"
		  "00120 10 c0 p1 r0 1038 6=0 page_fault?\n"
		  "00130 10 c0 p1 r0 1038 6=0 page_fault?\n"
		  "00140 10 c0 p1 r0 2048 4=0 read\n"
		  "00150 10 c0 p1 r0 1038 2=0 page_fault?\n"
		  "00160 20 c0 p1 r0 65537 0=0 init.1\n");
	assert_int_equal(stats.missing_returns, 3);
	assert_int_equal(stats.stray_returns, 1);
}

/*
 * Tests a block header that names another task than the one that ran. A switch is missing, and the
 * rows show this.
 */
static void test_gap(void **state)
{
	(void)state;
	EXECUTION(NAMES
		  "100 5 2087 0 1 0 9 1 0 getpid (827)\n"
		  "200000 1 512 0 2 0 0 0 0 two.2 (200)\n"
		  "200100 0 2561 0 2 0 0 8 0 /write (a01)\n",
		  "00100 5 c0 p1 r0 2087 9=1 getpid\n"
		  "00105 199895 c0 p1 r0 65537 0=0 init.1?\n"
		  "200000 100 c0 p2 r0 2049 0=8 write\n");
	assert_int_equal(stats.gaps, 1);
	/* no switch is inferred if a recorded switch comes shortly before the header */
	EXECUTION(NAMES
		  "100 0 512 0 1 0 1 0 0 init.1 (200)\n"
		  "150 1 512 0 2 0 0 0 0 two.2 (200)\n"
		  "200 5 2087 0 1 0 9 1 0 getpid (827)\n",
		  "00100 100 c0 p1 r0 65537 0=0 init.1\n"
		  "00200 5 c0 p1 r0 2087 9=1 getpid\n");
	assert_int_equal(stats.gaps, 0);
}

static void test_extremes(void **state)
{
	(void)state;
	EXECUTION("100 0 512 255 4294967295 0 4294967295 0 0 max.4294967295 (200)\n"
		  "110 5 2087 255 4294967295 0 65535 65535 0 getpid (827)\n"
		  "120 0 512 255 65536 0 65536 0 0 odd.65536 (200)\n"
		  "130 1 525 255 65536 0 1 0 0 mark_d (20d)\n",
		  "00100 10 c255 p4294967295 r0 4295032831 0=0 max.4294967295\n"
		  "00110 5 c255 p4294967295 r0 2087 65535=65535 getpid\n"
		  "00115 5 c255 p4294967295 r0 4295032831 0=0 max.4294967295\n"
		  "00120 10 c255 p65536 r0 131072 0=0 odd.65536\n");
}

/* ---- idle ---- */

static void test_idle_states(void **state)
{
	(void)state;
	/* no META: an old trace, whose idle states are mwait hints of x86 */
	EXECUTION("100 0 512 0 0 0 0 0 0 -idle-.0 (200)\n"
		  "150 1 520 0 0 0 32 0 0 mwait (208)\n"
		  "9950 0 1516 0 0 0 0 0 0 local_timer (5ec)\n"
		  "9960 0 2028 0 0 0 0 0 0 /local_timer (7ec)\n"
		  "9970 1 520 0 0 0 0 0 0 mwait (208)\n"
		  "9980 0 1516 0 0 0 0 0 0 local_timer (5ec)\n",
		  "00100 50 c0 p0 r0 65536 0=0 -idle-\n"
		  "00150 1300 c0 p0 r0 65536 1=0 -idlelp-\n"
		  "01450 8500 c0 p0 r0 131072 0=0 -c-exit-\n"
		  "09950 10 c0 p0 r0 1516 0=0 local_timer\n"
		  "09960 10 c0 p0 r0 65536 0=0 -idle-\n"
		  "09970 10 c0 p0 r0 65536 0=0 -idle-\n");
	/* a trace of ours: states are indexes, and their exit latency is unknown */
	EXECUTION(TRACEPOINTS
		  "100 0 512 0 0 0 0 0 0 -idle-.0 (200)\n"
		  "150 1 520 0 0 0 1 0 0 mwait (208)\n"
		  "9950 0 1516 0 0 0 0 0 0 local_timer (5ec)\n",
		  "00100 50 c0 p0 r0 65536 0=0 -idle-\n"
		  "00150 9800 c0 p0 r0 65536 1=0 -idlelp-\n");
	/* monitor_exit ends low-power idle, and otherwise has no effect */
	EXECUTION(TRACEPOINTS
		  "100 0 512 0 0 0 0 0 0 -idle-.0 (200)\n"
		  "150 1 520 0 0 0 1 0 0 mwait (208)\n"
		  "400 1 543 0 0 0 1 0 0 monitor_exit (21f)\n"
		  "450 1 543 0 0 0 0 0 0 monitor_exit (21f)\n"
		  "500 0 1516 0 0 0 0 0 0 local_timer (5ec)\n",
		  "00100 50 c0 p0 r0 65536 0=0 -idle-\n"
		  "00150 250 c0 p0 r0 65536 1=0 -idlelp-\n"
		  "00400 100 c0 p0 r0 65536 0=0 -idle-\n");
}

/* Tests exit latencies from the table for the CPU model, and from the kernel. */
static void test_idle_latency(void **state)
{
	(void)state;
	EXECUTION("-1 1 307 0 AMD EPYC 7543\n"
		  "100 0 512 0 0 0 0 0 0 -idle-.0 (200)\n"
		  "150 1 520 0 0 0 32 0 0 mwait (208)\n"
		  "9950 0 1516 0 0 0 0 0 0 local_timer (5ec)\n",
		  "00100 50 c0 p0 r0 65536 0=0 -idle-\n"
		  "00150 9800 c0 p0 r0 65536 1=0 -idlelp-\n");
	EXECUTION(TRACEPOINTS "-1 1 319 0 idle_exit=1:2000\n-1 1 319 0 idle_exit=2:85000\n"
		  "-1 1 319 0 idle_exit=99:1\n-1 1 319 0 idle_exit=x\n"
		  "100 0 512 0 0 0 0 0 0 -idle-.0 (200)\n"
		  "150 1 520 0 0 0 2 0 0 mwait (208)\n"
		  "9950 0 1516 0 0 0 0 0 0 local_timer (5ec)\n"
		  "9960 0 2028 0 0 0 0 0 0 /local_timer (7ec)\n"
		  "9970 1 520 0 0 0 1 0 0 mwait (208)\n"
		  "99700 0 1516 0 0 0 0 0 0 local_timer (5ec)\n",
		  "00100 50 c0 p0 r0 65536 0=0 -idle-\n"
		  "00150 1300 c0 p0 r0 65536 1=0 -idlelp-\n"
		  "01450 8500 c0 p0 r0 131072 0=0 -c-exit-\n"
		  "09950 10 c0 p0 r0 1516 0=0 local_timer\n"
		  "09960 10 c0 p0 r0 65536 0=0 -idle-\n"
		  "09970 89530 c0 p0 r0 65536 1=0 -idlelp-\n"
		  "99500 200 c0 p0 r0 131072 0=0 -c-exit-\n");
}

/* Tests a block header after a context switch, and one at the same time. */
static void test_header_and_switch(void **state)
{
	(void)state;
	/* the header names the task that was just switched out: the header is older */
	EXECUTION(NAMES TRACEPOINTS
		  "100 0 512 0 1 0 1 0 0 init.1 (200)\n"
		  "200 0 512 0 2 0 2 0 0 two.2 (200)\n"
		  "210 1 512 0 1 0 0 0 0 init.1 (200)\n"
		  "300 1 525 0 2 0 1 0 0 mark_d (20d)\n",
		  "00100 100 c0 p1 r0 65537 0=0 init.1\n"
		  "00200 100 c0 p2 r0 65538 0=0 two.2\n");
	/* the header names another task: a switch is missing */
	EXECUTION(NAMES TRACEPOINTS
		  "100 0 512 0 1 0 1 0 0 init.1 (200)\n"
		  "200 0 512 0 0 0 0 0 0 -idle-.0 (200)\n"
		  "210 1 512 0 2 0 0 0 0 two.2 (200)\n"
		  "300 1 525 0 2 0 1 0 0 mark_d (20d)\n",
		  "00100 100 c0 p1 r0 65537 0=0 init.1\n"
		  "00200 10 c0 p0 r0 65536 0=0 -idle-?\n"
		  "00210 90 c0 p2 r0 65538 0=0 two.2\n");
	/* A header at the time of a switch has the task that ran before the switch. */
	EXECUTION(NAMES TRACEPOINTS
		  "100 0 512 0 1 0 1 0 0 init.1 (200)\n"
		  "99000 0 512 0 0 0 0 0 0 -idle-.0 (200)\n"
		  "99000 1 512 0 2 0 0 0 0 two.2 (200)\n"
		  "99100 1 525 0 0 0 1 0 0 mark_d (20d)\n",
		  "00100 98900 c0 p1 r0 65537 0=0 init.1?\n"
		  "99000 100 c0 p0 r0 65536 0=0 -idle-\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_nesting),
		cmocka_unit_test(test_ipc),
		cmocka_unit_test(test_missing_return),
		cmocka_unit_test(test_missing_call),
		cmocka_unit_test(test_clipped),
		cmocka_unit_test(test_too_deep),
		cmocka_unit_test(test_migration),
		cmocka_unit_test(test_seen_first_by_return),
		cmocka_unit_test(test_seen_first_by_call),
		cmocka_unit_test(test_back_in_user_code),
		cmocka_unit_test(test_new_task),
		cmocka_unit_test(test_exit_and_reuse),
		cmocka_unit_test(test_interrupt_in_scheduler),
		cmocka_unit_test(test_preempted_in_exit),
		cmocka_unit_test(test_interrupt_and_new_task),
		cmocka_unit_test(test_stock_switch),
		cmocka_unit_test(test_preempted_softirq),
		cmocka_unit_test(test_stock_faults),
		cmocka_unit_test(test_gap),
		cmocka_unit_test(test_extremes),
		cmocka_unit_test(test_idle_states),
		cmocka_unit_test(test_header_and_switch),
		cmocka_unit_test(test_idle_latency),
	};

	return cmocka_run_group_tests_name("reconstruct", tests, NULL, NULL);
}
