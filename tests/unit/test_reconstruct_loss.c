// SPDX-License-Identifier: BSD-3-Clause
/*
 * Tests the reconstruction when context switches and ends of interrupts are missing. There is
 * one test for each rule of "What is missing" in docs/design/reconstruction.md that concerns more than
 * one CPU or more than one loss. test_truth_loss.c tries them at random.
 */
#include "rec_run.h"

/*
 * Tests a task that continues on another CPU. The task that meanwhile runs on the first CPU is
 * unknown, and its events belong to no task.
 */
static void test_on_two_cpus(void **state)
{
	(void)state;
	EXECUTION(TRACEPOINTS
		  "100 0 2048 0 1 0 4 0 0 read (800)\n"
		  /* the switch away from init is missing */
		  "110 0 512 1 1 0 1 0 0 init.1 (200)\n"
		  "120 5 2087 0 1 0 9 1 0 getpid (827)\n"
		  "130 0 2560 1 1 0 0 8 0 /read (a00)\n"
		  "140 0 2049 1 1 0 4 0 0 write (801)\n"
		  "150 0 512 0 3 0 3 0 0 three.3 (200)\n"
		  "160 0 512 1 2 0 2 0 0 two.2 (200)\n"
		  "170 0 512 0 1 0 1 0 0 init.1 (200)\n"
		  "180 0 2561 0 1 0 0 8 0 /write (a01)\n",
		  "00100 20 c0 p1 r0 2048 4=0 read?\n"
		  "00110 20 c1 p1 r0 2048 4=8 read\n"
		  "00120 5 c0 p1 r0 2087 9=1 getpid?\n"
		  "00125 25 c0 p1 r0 65537 0=0 init.1?\n"
		  "00130 10 c1 p1 r0 65537 0=0 init.1\n"
		  "00140 20 c1 p1 r0 2049 4=0 write\n"
		  "00150 20 c0 p3 r0 65539 0=0 three.3\n"
		  "00170 10 c0 p1 r0 2049 4=8 write\n");
}

/* Tests that a merged call ends before another CPU runs its task or wakes it. */
static void test_merged_return(void **state)
{
	(void)state;
	EXECUTION(TRACEPOINTS
		  "100 10 2087 0 1 0 9 1 0 getpid (827)\n"
		  /* the switch away from init is missing */
		  "500 0 512 1 1 0 1 0 0 init.1 (200)\n"
		  "900 0 512 0 0 0 0 0 0 -idle-.0 (200)\n"
		  "990 1 525 1 1 0 1 0 0 mark_d (20d)\n",
		  "00100 10 c0 p1 r0 2087 9=1 getpid\n"
		  "00110 790 c0 p1 r0 65537 0=0 init.1?\n"
		  "00500 490 c1 p1 r0 65537 0=0 init.1\n");
	ROWS(NAMES "100 10 2087 0 1 0 9 1 0 getpid (827)\n"
	     "150 1 518 1 2 0 1 0 0 runnable (206)\n"
	     "160 0 512 0 0 0 0 0 0 -idle-.0 (200)\n"
	     "190 0 512 0 1 0 1 0 0 init.1 (200)\n",
	     "00100 10 c0 p1 r0 2087 9=1 getpid\n"
	     "00110 50 c0 p1 r0 65537 0=0 init.1\n"
	     "00150 1 c1 p2 r0 518 1=0 runnable\n"
	     "00150 40 c1 p2 r0 -3 0=1 -wakeup-\n"
	     "00160 30 c-1 p1 r0 770 0=0 wait_cpu\n"
	     "00160 30 c0 p0 r0 65536 0=0 -idle-\n");
}

/* Tests system calls of the idle task, which makes none. */
static void test_idle_calls(void **state)
{
	(void)state;
	EXECUTION(NAMES
		  "100 0 512 0 0 0 0 0 0 -idle-.0 (200)\n"
		  "110 5 2087 0 0 0 9 1 0 getpid (827)\n"
		  "120 0 3583 0 0 0 0 0 0 -sched- (dff)\n"
		  "125 0 512 0 2 0 2 0 0 two.2 (200)\n"
		  "130 0 4095 0 2 0 0 0 0 /-sched- (fff)\n"
		  "140 5 2087 0 2 0 9 1 0 getpid (827)\n",
		  "00100 10 c0 p0 r0 65536 0=0 -idle-?\n"
		  "00110 5 c0 p0 r0 2087 9=1 getpid?\n"
		  "00115 5 c0 p0 r0 65536 0=0 -idle-?\n"
		  "00120 5 c0 p0 r0 3583 0=0 -sched-?\n"
		  "00125 5 c0 p2 r0 3583 0=0 -sched-\n"
		  "00130 10 c0 p2 r0 65538 0=0 two.2\n"
		  "00140 5 c0 p2 r0 2087 9=1 getpid\n");
}

/* Tests a switch to the task that already runs. */
static void test_switch_again(void **state)
{
	(void)state;
	EXECUTION(NAMES
		  "100 0 512 0 0 0 0 0 0 -idle-.0 (200)\n"
		  "110 0 1038 0 0 0 4 0 0 page_fault (40e)\n"
		  "120 0 3583 0 0 0 0 0 0 -sched- (dff)\n"
		  "125 0 512 0 0 0 0 0 0 -idle-.0 (200)\n"
		  "130 0 4095 0 0 0 0 0 0 /-sched- (fff)\n"
		  "140 0 1516 0 0 0 0 0 0 local_timer (5ec)\n",
		  "00100 10 c0 p0 r0 65536 0=0 -idle-\n"
		  "00110 10 c0 p0 r0 1038 4=0 page_fault\n"
		  "00120 5 c0 p0 r0 3583 0=0 -sched-?\n"
		  "00125 5 c0 p0 r0 3583 0=0 -sched-\n"
		  "00130 10 c0 p0 r0 65536 0=0 -idle-\n");
	assert_int_equal(stats.gaps, 1);
}

/* Checks that the scheduler does not start inside an interrupt, and does not return into one. */
static void test_scheduler_ends_interrupts(void **state)
{
	(void)state;
	EXECUTION(NAMES
		  "100 0 1516 0 1 0 0 0 0 local_timer (5ec)\n"
		  "110 0 1535 0 1 0 1 0 0 BH:timer (5ff)\n"
		  "120 2 3583 0 1 0 0 0 0 -sched- (dff)\n"
		  "130 0 1516 0 1 0 0 0 0 local_timer (5ec)\n"
		  "140 0 4095 0 1 0 0 0 0 /-sched- (fff)\n"
		  "150 5 2087 0 1 0 9 1 0 getpid (827)\n",
		  "00100 10 c0 p1 r0 1516 0=0 local_timer\n"
		  "00110 10 c0 p1 r0 1535 1=0 BH:timer?\n"
		  "00120 2 c0 p1 r0 3583 0=0 -sched-\n"
		  "00122 8 c0 p1 r0 65537 0=0 init.1\n"
		  "00130 10 c0 p1 r0 3583 0=0 -sched-?\n"
		  "00140 10 c0 p1 r0 65537 0=0 init.1\n"
		  "00150 5 c0 p1 r0 2087 9=1 getpid\n");
}

/*
 * Tests missing returns of the scheduler. A task that has left a CPU returns through the scheduler,
 * a new task does not.
 */
static void test_scheduler_left_unseen(void **state)
{
	(void)state;
	EXECUTION(NAMES
		  "100 0 3583 0 1 0 0 0 0 -sched- (dff)\n"
		  "105 0 512 0 2 0 2 0 0 two.2 (200)\n"
		  "110 5 2087 0 2 0 9 1 0 getpid (827)\n"
		  "120 0 3583 0 2 0 0 0 0 -sched- (dff)\n"
		  "125 0 512 0 1 0 1 0 0 init.1 (200)\n"
		  "130 5 2087 0 1 0 9 1 0 getpid (827)\n",
		  "00100 5 c0 p1 r0 3583 0=0 -sched-\n"
		  "00105 5 c0 p2 r0 65538 0=0 two.2\n"
		  "00110 5 c0 p2 r0 2087 9=1 getpid\n"
		  "00115 5 c0 p2 r0 65538 0=0 two.2\n"
		  "00120 10 c0 p2 r0 3583 0=0 -sched-?\n"
		  "00130 5 c0 p1 r0 2087 9=1 getpid\n");
}

/* Tests a task that was switched out in a fault and returns from an unrecorded system call. */
static void test_call_unseen_after_fault(void **state)
{
	(void)state;
	EXECUTION(TRACEPOINTS
		  "100 5 2087 0 1 0 9 1 0 getpid (827)\n"
		  "110 0 1038 0 1 0 4 0 0 page_fault (40e)\n"
		  "120 0 512 0 0 0 0 0 0 -idle-.0 (200)\n"
		  "130 0 512 0 1 0 1 0 0 init.1 (200)\n"
		  "140 0 2561 0 1 0 0 8 0 /write (a01)\n"
		  "150 5 2087 0 1 0 9 1 0 getpid (827)\n",
		  "00100 5 c0 p1 r0 2087 9=1 getpid\n"
		  "00105 5 c0 p1 r0 65537 0=0 init.1\n"
		  "00110 10 c0 p1 r0 1038 4=0 page_fault\n"
		  "00120 10 c0 p0 r0 65536 0=0 -idle-\n"
		  "00130 10 c0 p1 r0 2049 0=8 write?\n"
		  "00140 10 c0 p1 r0 65537 0=0 init.1\n"
		  "00150 5 c0 p1 r0 2087 9=1 getpid\n");
	assert_int_equal(stats.missing_calls, 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_on_two_cpus),
		cmocka_unit_test(test_merged_return),
		cmocka_unit_test(test_idle_calls),
		cmocka_unit_test(test_switch_again),
		cmocka_unit_test(test_scheduler_ends_interrupts),
		cmocka_unit_test(test_scheduler_left_unseen),
		cmocka_unit_test(test_call_unseen_after_fault),
	};

	return cmocka_run_group_tests_name("reconstruct_loss", tests, NULL, NULL);
}
