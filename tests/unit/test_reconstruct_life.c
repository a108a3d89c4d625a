// SPDX-License-Identifier: BSD-3-Clause
/*
 * Tests threads that have the same number, one after the other: no state of a thread continues in
 * the next thread of its number. See docs/design/reconstruction.md, "A pid that is used again". Also
 * tests threads that never leave the kernel.
 */
#include "rec_run.h"

#define PARENT	"-1 1 34 10 parent\n"
#define PATCHED "-1 1 287 0 backend=patched\n" NAMES

/* Tests an owner of a pid whose name is recorded after the exit of the previous owner. */
static void test_named_later(void **state)
{
	(void)state;
	ROWS(TRACEPOINTS PARENT
	     "100 0 512 1 10 0 10 0 0 parent.10 (200)\n"
	     "110 1 34 30 first\n"
	     "110 1 518 1 10 0 30 0 0 runnable.30 (206)\n"
	     "120 0 512 0 30 0 30 0 0 first.30 (200)\n"
	     "130 5 2087 0 30 0 0 30 0 getpid (827)\n"
	     "140 0 2279 0 30 0 0 0 0 exit_group (8e7)\n"
	     "150 1 531 0 30 0 30 0 0 task_exit.30 (213)\n"
	     "160 0 512 0 0 0 0 0 0 -idle-.0 (200)\n"
	     "500 1 34 30 second\n"
	     "505 1 518 1 10 0 30 0 0 runnable.30 (206)\n"
	     "520 0 512 0 30 0 30 0 0 second.30 (200)\n"
	     "530 5 2087 0 30 0 0 30 0 getpid (827)\n"
	     "540 0 2279 0 30 0 0 0 0 exit_group (8e7)\n"
	     "550 1 531 0 30 0 30 0 0 task_exit.30 (213)\n"
	     "560 0 512 0 0 0 0 0 0 -idle-.0 (200)\n",
	     "00100 1 c0 p30 r0 526 0=0 first+second.30\n"
	     "00100 405 c1 p10 r0 65546 0=0 parent.10\n"
	     "00110 1 c1 p10 r0 518 30=0 runnable.30\n"
	     "00110 10 c-1 p30 r0 770 0=0 wait_cpu\n"
	     "00110 10 c1 p10 r0 -3 0=30 -wakeup-\n"
	     "00120 10 c0 p30 r0 65566 0=0 first.30\n"
	     "00130 5 c0 p30 r0 2087 0=30 getpid\n"
	     "00135 5 c0 p30 r0 65566 0=0 first.30\n"
	     "00140 20 c0 p30 r0 2279 0=0 exit_group\n"
	     "00150 1 c0 p30 r0 531 30=0 task_exit.30\n"
	     "00160 360 c0 p0 r0 65536 0=0 -idle-\n"
	     "00505 1 c1 p10 r0 518 30=0 runnable.30\n"
	     "00505 15 c-1 p30 r0 770 0=0 wait_cpu\n"
	     "00505 15 c1 p10 r0 -3 0=30 -wakeup-\n"
	     "00520 10 c0 p30 r0 65566 0=0 second.30\n"
	     "00530 5 c0 p30 r0 2087 0=30 getpid\n"
	     "00535 5 c0 p30 r0 65566 0=0 second.30\n"
	     "00540 20 c0 p30 r0 2279 0=0 exit_group\n"
	     "00550 1 c0 p30 r0 531 30=0 task_exit.30\n");
	assert_int_equal(stats.inferred, 0);
}

/* Tests a next owner with the same name. The call that wakes it shows that it is a new thread. */
static void test_made_by_clone(void **state)
{
	(void)state;
	ROWS(TRACEPOINTS PARENT "-1 1 34 30 work\n"
	     "100 0 512 1 10 0 10 0 0 parent.10 (200)\n"
	     "130 0 512 0 30 0 30 0 0 work.30 (200)\n"
	     "132 5 2087 0 30 0 0 30 0 getpid (827)\n"
	     "140 0 2279 0 30 0 0 0 0 exit_group (8e7)\n"
	     "150 1 531 0 30 0 30 0 0 task_exit.30 (213)\n"
	     "160 0 512 0 0 0 0 0 0 -idle-.0 (200)\n"
	     "490 0 2104 1 10 0 0 0 0 clone (838)\n"
	     "500 1 518 1 10 0 30 0 0 runnable.30 (206)\n"
	     "510 0 2616 1 10 0 0 30 0 /clone (a38)\n"
	     "520 0 512 0 30 0 30 0 0 work.30 (200)\n"
	     "525 0 2616 0 30 0 0 0 0 /clone (a38)\n"
	     "530 0 512 0 0 0 0 0 0 -idle-.0 (200)\n",
	     "00100 390 c1 p10 r0 65546 0=0 parent.10\n"
	     "00130 2 c0 p30 r0 65566 0=0 work.30\n"
	     "00132 5 c0 p30 r0 2087 0=30 getpid\n"
	     "00137 3 c0 p30 r0 65566 0=0 work.30\n"
	     "00140 20 c0 p30 r0 2279 0=0 exit_group\n"
	     "00150 1 c0 p30 r0 531 30=0 task_exit.30\n"
	     "00160 360 c0 p0 r0 65536 0=0 -idle-\n"
	     "00490 20 c1 p10 r0 2104 0=30 clone\n"
	     "00500 1 c1 p10 r0 518 30=0 runnable.30\n"
	     "00500 20 c-1 p30 r0 770 0=0 wait_cpu\n"
	     "00500 20 c1 p10 r0 -3 0=30 -wakeup-\n"
	     "00520 5 c0 p30 r0 2104 0=0 clone\n"
	     "00525 5 c0 p30 r0 65566 0=0 work.30\n");
	assert_int_equal(stats.inferred, 0);
}

#define EXITS_IN_SCHEDULER \
	     "100 0 512 1 10 0 10 0 0 parent.10 (200)\n" \
	     "130 0 512 0 30 0 30 0 0 work.30 (200)\n" \
	     "132 5 2087 0 30 0 0 30 0 getpid (827)\n" \
	     "140 0 2279 0 30 0 0 0 0 exit_group (8e7)\n" \
	     "150 1 531 0 30 0 30 0 0 task_exit.30 (213)\n" \
	     "160 0 3583 0 30 0 0 0 0 -sched- (dff)\n" \
	     "170 0 512 0 0 0 0 0 0 -idle-.0 (200)\n"
#define EXITED_IN_SCHEDULER \
	     "00130 2 c0 p30 r0 65566 0=0 work.30\n" \
	     "00132 5 c0 p30 r0 2087 0=30 getpid\n" \
	     "00137 3 c0 p30 r0 65566 0=0 work.30\n" \
	     "00140 20 c0 p30 r0 2279 0=0 exit_group\n" \
	     "00150 1 c0 p30 r0 531 30=0 task_exit.30\n" \
	     "00160 10 c0 p30 r0 3583 0=0 -sched-\n"

/*
 * Tests an exited thread whose scheduler does not return after the switch away from the thread. The
 * thread does not run when another thread has its pid.
 */
static void test_no_return_from_scheduler(void **state)
{
	(void)state;
	/* another name, then the wakeup; the switch to the thread is on another CPU */
	ROWS(PATCHED PARENT EXITS_IN_SCHEDULER
	     "500 1 34 30 second\n"
	     "505 1 518 1 10 0 30 0 0 runnable.30 (206)\n"
	     "510 0 512 1 30 0 30 0 0 second.30 (200)\n"
	     "515 5 2087 1 30 0 0 30 0 getpid (827)\n"
	     "520 0 1516 0 0 0 0 0 0 local_timer (5ec)\n"
	     "530 0 2028 0 0 0 0 0 0 /local_timer (7ec)\n",
	     "00100 1 c0 p30 r0 526 0=0 work+second.30\n"
	     "00100 410 c1 p10 r0 65546 0=0 parent.10\n"
	     EXITED_IN_SCHEDULER
	     "00170 350 c0 p0 r0 3583 0=0 -sched-\n"
	     "00505 1 c1 p10 r0 518 30=0 runnable.30\n"
	     "00505 5 c1 p10 r0 -3 1=30 -wakeup-\n"
	     "00510 5 c1 p30 r0 65566 0=0 second.30\n"
	     "00515 5 c1 p30 r0 2087 0=30 getpid\n"
	     "00520 10 c0 p0 r0 1516 0=0 local_timer\n");
	/* a wakeup in clone */
	ROWS(PATCHED PARENT "-1 1 34 30 work\n" EXITS_IN_SCHEDULER
	     "490 0 2104 1 10 0 0 0 0 clone (838)\n"
	     "500 1 518 1 10 0 30 0 0 runnable.30 (206)\n"
	     "510 0 2616 1 10 0 0 30 0 /clone (a38)\n"
	     "520 0 1516 0 0 0 0 0 0 local_timer (5ec)\n"
	     "530 0 2028 0 0 0 0 0 0 /local_timer (7ec)\n",
	     "00100 390 c1 p10 r0 65546 0=0 parent.10\n"
	     EXITED_IN_SCHEDULER
	     "00170 350 c0 p0 r0 3583 0=0 -sched-\n"
	     "00490 20 c1 p10 r0 2104 0=30 clone\n"
	     "00500 1 c1 p10 r0 518 30=0 runnable.30\n"
	     "00520 10 c0 p0 r0 1516 0=0 local_timer\n");
	/* an event that the scheduler cannot cause */
	ROWS(PATCHED PARENT EXITS_IN_SCHEDULER
	     "500 0 1038 0 0 0 0 0 0 page_fault (40e)\n"
	     "510 0 1550 0 0 0 0 0 0 /page_fault (60e)\n",
	     EXITED_IN_SCHEDULER
	     "00170 330 c0 p0 r0 3583 0=0 -sched-?\n"
	     "00500 10 c0 p0 r0 1038 0=0 page_fault\n");
}

/*
 * Tests a thread that sleeps and is woken after its exit. This is no sign of a new owner of its
 * pid.
 */
static void test_sleeps_in_exit(void **state)
{
	(void)state;
	ROWS(TRACEPOINTS "-1 1 34 30 work\n"
	     "130 0 512 0 30 0 30 0 0 work.30 (200)\n"
	     "132 5 2087 0 30 0 0 30 0 getpid (827)\n"
	     "140 0 2279 0 30 0 0 0 0 exit_group (8e7)\n"
	     "150 1 531 0 30 0 30 0 0 task_exit.30 (213)\n"
	     "160 0 512 0 0 0 0 0 0 -idle-.0 (200)\n"
	     "200 0 1516 0 0 0 0 0 0 local_timer (5ec)\n"
	     "201 1 518 0 0 0 30 0 0 runnable.30 (206)\n"
	     "202 0 2028 0 0 0 0 0 0 /local_timer (7ec)\n"
	     "220 0 512 0 30 0 30 0 0 work.30 (200)\n"
	     "230 0 512 0 0 0 0 0 0 -idle-.0 (200)\n",
	     "00130 2 c0 p30 r0 65566 0=0 work.30\n"
	     "00132 5 c0 p30 r0 2087 0=30 getpid\n"
	     "00137 3 c0 p30 r0 65566 0=0 work.30\n"
	     "00140 20 c0 p30 r0 2279 0=0 exit_group\n"
	     "00150 1 c0 p30 r0 531 30=0 task_exit.30\n"
	     "00160 40 c0 p0 r0 65536 0=0 -idle-\n"
	     "00160 41 c-1 p30 r0 787 0=0 wait_time\n"
	     "00200 2 c0 p0 r0 1516 0=0 local_timer\n"
	     "00201 1 c0 p0 r0 518 30=0 runnable.30\n"
	     "00201 19 c-1 p30 r0 770 0=0 wait_cpu\n"
	     "00201 19 c0 p0 r0 -3 0=30 -wakeup-\n"
	     "00202 18 c0 p0 r0 65536 0=0 -idle-\n"
	     "00220 10 c0 p30 r0 2279 0=0 exit_group\n");
}

/*
 * Tests a next owner of the pid that runs before the first owner has left its CPU. The pid is free
 * when the exit is complete, a moment before the last switch.
 */
static void test_two_at_once(void **state)
{
	(void)state;
	ROWS(TRACEPOINTS PARENT "-1 1 34 30 first\n"
	     "100 0 512 1 10 0 10 0 0 parent.10 (200)\n"
	     "130 0 512 0 30 0 30 0 0 first.30 (200)\n"
	     "140 0 2279 0 30 0 0 0 0 exit_group (8e7)\n"
	     "150 1 531 0 30 0 30 0 0 task_exit.30 (213)\n"
	     "160 0 2104 1 10 0 0 0 0 clone (838)\n"
	     "165 1 34 30 second\n"
	     "170 1 518 1 10 0 30 0 0 runnable.30 (206)\n"
	     "180 0 2616 1 10 0 0 30 0 /clone (a38)\n"
	     "200 0 512 1 30 0 30 0 0 second.30 (200)\n"
	     "210 0 2616 1 30 0 0 0 0 /clone (a38)\n"
	     "250 5 2087 1 30 0 0 30 0 getpid (827)\n"
	     "300 0 512 0 0 0 0 0 0 -idle-.0 (200)\n"
	     "350 5 2087 1 30 0 0 30 0 getpid (827)\n"
	     "400 0 512 1 0 0 0 0 0 -idle-.0 (200)\n",
	     "00100 1 c0 p30 r0 526 0=0 first+second.30\n"
	     "00100 60 c1 p10 r0 65546 0=0 parent.10\n"
	     "00130 10 c0 p30 r0 65566 0=0 first.30\n"
	     "00140 160 c0 p30 r0 2279 0=0 exit_group\n"
	     "00150 1 c0 p30 r0 531 30=0 task_exit.30\n"
	     "00160 20 c1 p10 r0 2104 0=30 clone\n"
	     "00170 1 c1 p10 r0 518 30=0 runnable.30\n"
	     "00170 30 c-1 p30 r0 770 0=0 wait_cpu\n"
	     "00170 30 c1 p10 r0 -3 1=30 -wakeup-\n"
	     "00180 20 c1 p10 r0 65546 0=0 parent.10\n"
	     "00200 10 c1 p30 r0 2104 0=0 clone\n"
	     "00210 40 c1 p30 r0 65566 0=0 second.30\n"
	     "00250 5 c1 p30 r0 2087 0=30 getpid\n"
	     "00255 95 c1 p30 r0 65566 0=0 second.30\n"
	     "00350 5 c1 p30 r0 2087 0=30 getpid\n"
	     "00355 45 c1 p30 r0 65566 0=0 second.30\n");
	assert_int_equal(stats.inferred, 0);
}

/* Tests two threads with equal names: only the switch shows that the second thread is another one. */
static void test_two_at_once_unnamed(void **state)
{
	(void)state;
	ROWS(TRACEPOINTS "-1 1 34 30 work\n"
	     "130 0 512 0 30 0 30 0 0 work.30 (200)\n"
	     "140 0 2279 0 30 0 0 0 0 exit_group (8e7)\n"
	     "150 1 531 0 30 0 30 0 0 task_exit.30 (213)\n"
	     "200 0 512 1 30 0 30 0 0 work.30 (200)\n"
	     "210 0 2616 1 30 0 0 0 0 /clone (a38)\n"
	     "250 5 2087 1 30 0 0 30 0 getpid (827)\n"
	     "300 0 512 0 0 0 0 0 0 -idle-.0 (200)\n"
	     "400 0 512 1 0 0 0 0 0 -idle-.0 (200)\n",
	     "00130 10 c0 p30 r0 65566 0=0 work.30\n"
	     "00140 160 c0 p30 r0 2279 0=0 exit_group\n"
	     "00150 1 c0 p30 r0 531 30=0 task_exit.30\n"
	     "00200 10 c1 p30 r0 2104 0=0 clone\n"
	     "00210 40 c1 p30 r0 65566 0=0 work.30\n"
	     "00250 5 c1 p30 r0 2087 0=30 getpid\n"
	     "00255 145 c1 p30 r0 65566 0=0 work.30\n");
	assert_int_equal(stats.inferred, 0);
}

/*
 * Tests a pause after the next owner of a pid has run beside the first owner. The pause ends the
 * wait, the call and the RPC of the next owner.
 */
static void test_two_at_once_pause(void **state)
{
	(void)state;
	ROWS(TRACEPOINTS "-1 1 287 0 pause=400:900\n-1 1 34 30 work\n"
	     "130 0 512 0 30 0 30 0 0 work.30 (200)\n"
	     "150 1 531 0 30 0 30 0 0 task_exit.30 (213)\n"
	     "200 0 512 1 30 0 30 0 0 work.30 (200)\n"
	     "210 0 512 0 0 0 0 0 0 -idle-.0 (200)\n"
	     "220 1 513 1 30 7 7 0 0 rpcreq.7 (201)\n"
	     "230 0 2087 1 30 7 0 0 0 getpid (827)\n"
	     "300 0 512 1 0 0 0 0 0 -idle-.0 (200)\n"
	     "950 1 518 1 0 0 30 0 0 runnable.30 (206)\n"
	     "960 0 512 1 30 0 30 0 0 work.30 (200)\n"
	     "980 0 512 1 0 0 0 0 0 -idle-.0 (200)\n",
	     "00130 80 c0 p30 r0 65566 0=0 work.30\n"
	     "00150 1 c0 p30 r0 531 30=0 task_exit.30\n"
	     "00200 20 c1 p30 r0 65566 0=0 work.30\n"
	     "00210 190 c0 p0 r0 65536 0=0 -idle-\n"
	     "00220 1 c1 p30 r7 513 7=0 rpcreq.7\n"
	     "00220 10 c1 p30 r7 65566 0=0 work.30\n"
	     "00220 180 c1 p30 r7 515 7=0 rpcreq.7\n"
	     "00230 70 c1 p30 r7 2087 0=0 getpid\n"
	     "00300 100 c1 p0 r0 65536 0=0 -idle-\n"
	     "00400 500 c0 p0 r0 644 1=0 -pause-\n"
	     "00400 500 c1 p0 r0 644 1=0 -pause-\n"
	     "00900 50 c1 p0 r0 644 0=0 -pause-\n"
	     "00950 1 c1 p0 r0 518 30=0 runnable.30\n"
	     "00950 10 c-1 p30 r0 770 0=0 wait_cpu\n"
	     "00950 10 c1 p0 r0 -3 1=30 -wakeup-\n"
	     "00950 10 c1 p0 r0 65536 0=0 -idle-\n"
	     "00960 20 c1 p30 r0 65566 0=0 work.30\n");
	assert_int_equal(stats.inferred, 0);
}

/*
 * Tests a thread that calls exec. The leader of its process exits, and the thread continues with
 * the leader's pid.
 */
static void test_exec_by_thread(void **state)
{
	(void)state;
	ROWS(TRACEPOINTS "-1 1 34 27 execd\n-1 1 34 29 execd\n"
	     "100 0 512 0 29 0 29 0 0 execd.29 (200)\n"
	     "110 0 2107 0 29 0 0 0 0 execve (83b)\n"
	     "120 0 512 0 27 0 27 0 0 execd.27 (200)\n"
	     "130 1 531 0 27 0 27 0 0 task_exit.27 (213)\n"
	     "140 1 518 0 27 0 29 0 0 runnable.29 (206)\n"
	     "150 0 512 0 29 0 29 0 0 execd.29 (200)\n"
	     "400 0 512 0 27 0 27 0 0 execd.27 (200)\n"
	     "420 0 2619 0 27 0 0 0 0 /execve (a3b)\n"
	     "430 0 512 0 0 0 0 0 0 -idle-.0 (200)\n",
	     "00100 10 c0 p29 r0 65565 0=0 execd.29\n"
	     "00110 10 c0 p29 r0 2107 0=0 execve\n"
	     "00120 20 c-1 p29 r0 793 0=0 wait_unk\n"
	     "00120 30 c0 p27 r0 65563 0=0 execd.27\n"
	     "00130 1 c0 p27 r0 531 27=0 task_exit.27\n"
	     "00140 1 c0 p27 r0 518 29=0 runnable.29\n"
	     "00140 10 c-1 p29 r0 770 0=0 wait_cpu\n"
	     "00140 10 c0 p27 r0 -3 0=29 -wakeup-\n"
	     "00150 250 c0 p29 r0 2107 0=0 execve\n"
	     "00400 20 c0 p27 r0 2107 0=0 execve\n"
	     "00420 10 c0 p27 r0 65563 0=0 execd.27\n");
	assert_int_equal(stats.inferred, 0);
}

/* Checks that the RPC of a thread, and its attempt to get a lock, end with the thread. */
static void test_rpc_and_lock(void **state)
{
	(void)state;
	ROWS(TRACEPOINTS PARENT "-1 1 34 30 work\n"
	     "100 0 512 0 30 0 30 0 0 work.30 (200)\n"
	     "105 5 2087 0 30 0 0 30 0 getpid (827)\n"
	     "110 1 513 0 30 7 7 0 0 rpc_request.7 (201)\n"
	     "115 1 528 0 30 7 99 0 0 lock_try (210)\n"
	     "120 1 531 0 30 0 30 0 0 task_exit.30 (213)\n"
	     "130 0 512 0 10 0 10 0 0 parent.10 (200)\n"
	     "131 1 34 30 newcomer\n"
	     "132 1 518 0 10 0 30 0 0 runnable.30 (206)\n"
	     "140 0 512 0 30 0 30 0 0 newcomer.30 (200)\n"
	     "145 5 2087 0 30 0 0 30 0 getpid (827)\n"
	     "155 1 529 0 30 0 99 0 0 lock_acquired (211)\n"
	     "160 0 512 0 10 0 10 0 0 parent.10 (200)\n",
	     "00100 1 c0 p30 r0 526 0=0 work+newcomer.30\n"
	     "00100 5 c0 p30 r0 65566 0=0 work.30\n"
	     "00105 5 c0 p30 r0 2087 0=30 getpid\n"
	     "00110 1 c0 p30 r7 513 7=0 rpc_request.7\n"
	     "00110 10 c0 p30 r7 515 7=0 rpc_request.7\n"
	     "00110 20 c0 p30 r7 65566 0=0 work.30\n"
	     "00115 1 c0 p30 r7 528 99=0 lock_try\n"
	     "00120 1 c0 p30 r0 531 30=0 task_exit.30\n"
	     "00130 10 c0 p10 r0 65546 0=0 parent.10\n"
	     "00132 1 c0 p10 r0 518 30=0 runnable.30\n"
	     "00132 8 c0 p10 r0 -3 0=30 -wakeup-\n"
	     "00140 20 c-1 p10 r0 770 0=0 wait_cpu\n"
	     "00140 5 c0 p30 r0 65566 0=0 newcomer.30\n"
	     "00145 5 c0 p30 r0 2087 0=30 getpid\n"
	     "00150 10 c0 p30 r0 65566 0=0 newcomer.30\n"
	     "00155 1 c0 p30 r0 529 99=0 lock_acquired\n");
}

/* Checks that a packet of the next owner does not belong to a message of the first owner. */
static void test_message(void **state)
{
	(void)state;
	ROWS(TRACEPOINTS PARENT "-1 1 34 30 work\n"
	     "100 0 512 0 30 0 30 0 0 work.30 (200)\n"
	     "105 5 2087 0 30 0 0 30 0 getpid (827)\n"
	     "110 1 517 0 30 7 7 0 0 rpc_tx_msg.7 (205)\n"
	     "120 1 531 0 30 0 30 0 0 task_exit.30 (213)\n"
	     "130 0 512 0 10 0 10 0 0 parent.10 (200)\n"
	     "131 1 34 30 newcomer\n"
	     "132 1 518 0 10 0 30 0 0 runnable.30 (206)\n"
	     "140 0 512 0 30 0 30 0 0 newcomer.30 (200)\n"
	     "145 1 535 0 30 0 99 0 0 tx_user (217)\n"
	     "150 1 533 0 30 0 99 0 0 tx_packet (215)\n"
	     "160 0 512 0 10 0 10 0 0 parent.10 (200)\n",
	     "00100 1 c0 p30 r0 526 0=0 work+newcomer.30\n"
	     "00100 5 c0 p30 r0 65566 0=0 work.30\n"
	     "00105 5 c0 p30 r0 2087 0=30 getpid\n"
	     "00110 1 c0 p30 r7 517 7=0 rpc_tx_msg.7\n"
	     "00110 20 c0 p30 r0 65566 0=0 work.30\n"
	     "00120 1 c0 p30 r0 531 30=0 task_exit.30\n"
	     "00130 10 c0 p10 r0 65546 0=0 parent.10\n"
	     "00132 1 c0 p10 r0 518 30=0 runnable.30\n"
	     "00132 8 c0 p10 r0 -3 0=30 -wakeup-\n"
	     "00140 20 c-1 p10 r0 770 0=0 wait_cpu\n"
	     "00140 20 c0 p30 r0 65566 0=0 newcomer.30\n"
	     "00145 1 c0 p30 r0 535 99=0 tx_user\n"
	     "00150 1 c0 p30 r0 533 99=0 tx_packet\n");
}

/*
 * Tests a context switch which shows that the thread has no name. The name at time -1 belongs to a
 * later owner of the pid, and is ignored.
 */
static void test_later_name(void **state)
{
	(void)state;
	EXECUTION(TRACEPOINTS "-1 1 34 30 newcomer\n"
		  "100 0 512 0 30 0 30 0 0 pid.30 (200)\n"
		  "110 5 2087 0 30 0 0 30 0 getpid (827)\n"
		  "120 1 531 0 30 0 30 0 0 task_exit.30 (213)\n"
		  "130 0 512 0 1 0 1 0 0 init.1 (200)\n"
		  "140 1 518 0 1 0 30 0 0 runnable.30 (206)\n"
		  "141 1 34 30 newcomer\n"
		  "150 0 512 0 30 0 30 0 0 newcomer.30 (200)\n"
		  "160 5 2087 0 30 0 0 30 0 getpid (827)\n",
		  "00100 10 c0 p30 r0 65566 0=0 pid.30\n"
		  "00110 5 c0 p30 r0 2087 0=30 getpid\n"
		  "00115 15 c0 p30 r0 65566 0=0 pid.30\n"
		  "00130 20 c0 p1 r0 65537 0=0 init.1\n"
		  "00150 10 c0 p30 r0 65566 0=0 newcomer.30\n"
		  "00160 5 c0 p30 r0 2087 0=30 getpid\n");
}

/*
 * Checks that a kernel thread's own code has argument 1, and the code of a program with the same
 * name has not.
 */
static void test_kernel_threads(void **state)
{
	(void)state;
	EXECUTION(TRACEPOINTS "-1 1 34 30 kworker/1:2\n-1 1 34 31 kworker/evil\n-1 1 34 32 mythread\n"
		  "-1 1 34 33 iou-wrk-31\n-1 1 34 34 iou-wrk-x\n-1 1 34 2 kthreadd\n"
		  "100 0 512 0 30 0 30 0 0 kworker/1:2.30 (200)\n"
		  "110 0 512 0 31 0 31 0 0 kworker/evil.31 (200)\n"
		  "120 5 2087 0 31 0 0 31 0 getpid (827)\n"
		  "130 0 512 0 2 0 2 0 0 kthreadd.2 (200)\n"
		  "135 1 518 0 2 0 32 0 0 runnable.32 (206)\n"
		  "140 0 512 0 32 0 32 0 0 mythread.32 (200)\n"
		  "150 0 512 0 33 0 33 0 0 iou-wrk-31.33 (200)\n"
		  "155 0 1516 0 33 0 0 0 0 local_timer (5ec)\n"
		  "158 0 2028 0 33 0 0 0 0 /local_timer (7ec)\n"
		  "160 0 512 0 34 0 34 0 0 iou-wrk-x.34 (200)\n"
		  "170 0 512 0 31 0 31 0 0 kworker/evil.31 (200)\n"
		  "180 0 512 0 0 0 0 0 0 -idle-.0 (200)\n",
		  "00100 10 c0 p30 r0 65566 1=0 kworker/1:2.30\n"
		  "00110 10 c0 p31 r0 65567 0=0 kworker/evil.31\n"
		  "00120 5 c0 p31 r0 2087 0=31 getpid\n"
		  "00125 5 c0 p31 r0 65567 0=0 kworker/evil.31\n"
		  "00130 10 c0 p2 r0 65538 1=0 kthreadd.2\n"
		  "00140 10 c0 p32 r0 65568 1=0 mythread.32\n"
		  "00150 5 c0 p33 r0 65569 1=0 iou-wrk-31.33\n"
		  "00155 3 c0 p33 r0 1516 0=0 local_timer\n"
		  "00158 2 c0 p33 r0 65569 1=0 iou-wrk-31.33\n"
		  "00160 10 c0 p34 r0 65570 0=0 iou-wrk-x.34\n"
		  "00170 10 c0 p31 r0 65567 0=0 kworker/evil.31\n");
}

/*
 * Checks that if the trace records the kind of a thread, its name and its parent do not matter.
 */
static void test_kinds_of_threads(void **state)
{
	(void)state;
	EXECUTION(TRACEPOINTS "-1 2 34 30 kworker/1:2\n-1 3 34 31 program\n-1 4 34 32 other\n"
		  "-1 1 34 33 kworker/3:3\n-1 3 34 33 kworker/3:3\n-1 1 34 34 kworker/4:4\n-1 9 34 34 kworker/4:4\n"
		  "100 0 512 0 30 0 30 0 0 kworker/1:2.30 (200)\n"
		  "110 0 512 0 31 0 31 0 0 program.31 (200)\n"
		  "120 0 512 0 32 0 32 0 0 other.32 (200)\n"
		  "130 0 512 0 33 0 33 0 0 kworker/3:3.33 (200)\n"
		  "140 0 512 0 34 0 34 0 0 kworker/4:4.34 (200)\n"
		  /* Thread 31 exits, and a program gets its number. */
		  "150 0 512 0 31 0 31 0 0 program.31 (200)\n"
		  "160 1 531 0 31 0 31 0 0 exit.31 (213)\n"
		  "170 0 512 0 2 0 2 0 0 kthreadd.2 (200)\n"
		  "175 2 34 31 ksoftirqd/1\n"
		  "180 0 512 0 31 0 31 0 0 ksoftirqd/1.31 (200)\n"
		  "190 0 512 0 0 0 0 0 0 -idle-.0 (200)\n",
		  "00100 10 c0 p30 r0 65566 0=0 kworker/1:2.30\n"
		  "00110 10 c0 p31 r0 65567 1=0 program.31\n"
		  "00120 10 c0 p32 r0 65568 1=0 other.32\n"
		  "00130 10 c0 p33 r0 65569 1=0 kworker/3:3.33\n"
		  "00140 10 c0 p34 r0 65570 1=0 kworker/4:4.34\n"
		  "00150 20 c0 p31 r0 65567 1=0 program.31\n"
		  "00170 10 c0 p2 r0 65538 1=0 kthreadd.2\n"
		  "00180 10 c0 p31 r0 65567 0=0 ksoftirqd/1.31\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_named_later),
		cmocka_unit_test(test_made_by_clone),
		cmocka_unit_test(test_no_return_from_scheduler),
		cmocka_unit_test(test_sleeps_in_exit),
		cmocka_unit_test(test_two_at_once),
		cmocka_unit_test(test_two_at_once_unnamed),
		cmocka_unit_test(test_two_at_once_pause),
		cmocka_unit_test(test_exec_by_thread),
		cmocka_unit_test(test_rpc_and_lock),
		cmocka_unit_test(test_message),
		cmocka_unit_test(test_later_name),
		cmocka_unit_test(test_kernel_threads),
		cmocka_unit_test(test_kinds_of_threads),
	};

	return cmocka_run_group_tests_name("reconstruct_life", tests, NULL, NULL);
}
