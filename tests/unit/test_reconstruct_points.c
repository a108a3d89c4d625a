// SPDX-License-Identifier: BSD-3-Clause
/*
 * Tests the reconstruction on short event texts: rows other than execution. These are waits and
 * their reasons, arcs, and points that become spans.
 */
#include "rec_run.h"

/* ---- waits and arcs ---- */

static void test_waits(void **state)
{
	(void)state;
	ROWS(TRACEPOINTS
	     "100 0 2250 0 1 0 4 0 0 futex (8ca)\n"
	     "200 0 512 0 0 0 0 0 0 -idle-.0 (200)\n"
	     "210 0 2250 1 2 0 4 0 0 futex (8ca)\n"
	     "300 1 518 1 2 0 1 0 0 runnable.1 (206)\n"
	     "350 0 512 0 1 0 1 0 0 init.1 (200)\n"
	     "360 0 512 0 3 0 3 0 0 three.3 (200)\n"
	     "400 0 512 0 1 0 1 0 0 init.1 (200)\n"
	     "405 0 512 0 3 0 3 0 0 three.3 (200)\n"
	     "410 0 2762 1 2 0 0 0 0 /futex (aca)\n",
	     "00100 100 c0 p1 r0 2250 4=0 futex\n"
	     "00200 100 c-1 p1 r0 779 0=0 wait_lock\n"
	     "00200 150 c0 p0 r0 65536 0=0 -idle-\n"
	     "00210 200 c1 p2 r0 2250 4=0 futex\n"
	     "00300 1 c1 p2 r0 518 1=0 runnable.1\n"
	     "00300 50 c-1 p1 r0 770 0=0 wait_cpu\n"
	     "00300 50 c1 p2 r0 -3 0=1 -wakeup-\n"
	     "00350 10 c0 p1 r0 2250 4=0 futex\n"
	     "00360 40 c-1 p1 r0 770 0=0 wait_cpu\n"	/* preempted */
	     "00360 40 c0 p3 r0 65539 0=0 three.3\n"
	     "00400 5 c0 p1 r0 2250 4=0 futex\n");	/* 50 ns: too short for a wait */
}

static void reason(const char *inside, const char *expected)
{
	char text[600];

	snprintf(text, sizeof(text), TRACEPOINTS
		 "50 0 512 1 2 0 2 0 0 two.2 (200)\n"
		 "100 0 512 0 1 0 1 0 0 init.1 (200)\n"
		 "200 0 512 0 0 0 0 0 0 -idle-.0 (200)\n"
		 "%s"
		 "300 1 518 1 2 0 1 0 0 runnable.1 (206)\n"
		 "350 0 512 0 1 0 1 0 0 init.1 (200)\n", inside);
	run(text, strlen(text), false);
	{
		size_t i, found = 0;

		for (i = 0; i < rows.count; i++)
			if (strstr(rows.line[i], "00200 100 c-1 p1 ") && ++found)
				assert_non_null(strstr(rows.line[i], expected));
		assert_int_equal(found, 1);
	}
	free_rows(&rows);
}

/* ---- pauses ---- */

/*
 * Tests everything that can be open when recording is turned off: a call, a wait, a wakeup, an IPI,
 * a lock, an RPC, a sample, a frequency, an item in a queue. The second event of each comes after
 * the pause.
 */
static void test_pause_ends_all(void **state)
{
	(void)state;
	ROWS(TRACEPOINTS "-1 1 287 0 pause=400:900\n"
	     "100 0 2250 0 1 0 4 0 0 futex (8ca)\n"
	     "110 1 513 0 1 7 7 0 0 rpc.7 (201)\n"
	     "120 1 521 0 1 7 1000 0 0 -freq- (209)\n"
	     "130 0 512 0 2 0 2 0 0 two.2 (200)\n"
	     "140 1 640 0 2 0 5 0 0 PC=000000000140 (280)\n"
	     "150 1 528 0 2 0 99 0 0 lock_try (210)\n"
	     "160 1 519 0 2 0 1 0 0 sendipi (207)\n"
	     "170 1 538 0 2 0 3 0 0 enqueue (21a)\n"
	     "200 0 2049 1 3 0 1 0 0 write (801)\n"
	     "300 1 518 1 3 0 1 0 0 runnable.1 (206)\n"
	     "450 1 522 1 3 0 5 0 0 mark_a=x (20a)\n"	/* inserted while recording was off */
	     "920 1 512 0 2 0 2 0 0 two.2 (200)\n"		/* header of a block */
	     "930 1 529 0 2 0 99 0 0 lock_acquired (211)\n"
	     "940 0 512 0 1 0 1 0 0 init.1 (200)\n"
	     "950 1 640 0 1 0 5 0 0 PC=000000000140 (280)\n"
	     "960 1 539 0 1 0 3 0 0 dequeue (21b)\n"
	     "970 0 2762 0 1 0 0 9 0 /futex (aca)\n"
	     "980 0 512 0 2 0 2 0 0 two.2 (200)\n"
	     "950 1 512 1 3 0 3 0 0 three.3 (200)\n"
	     "955 10 1275 1 3 0 0 0 0 call_function_single_ipi (5fb)\n"
	     "990 0 2561 1 3 0 0 1 0 /write (a01)\n",
	     "00100 10 c0 p1 r0 2250 4=0 futex\n"
	     "00100 40 c0 p2 r0 640 5=0 PC=000000000140\n"
	     "00110 1 c0 p1 r7 513 7=0 rpc.7\n"
	     "00110 20 c0 p1 r7 2250 4=0 futex\n"
	     "00110 290 c0 p1 r7 515 7=0 rpc.7\n"
	     "00120 280 c0 p0 r0 521 1000=0 -freq-\n"
	     "00130 270 c0 p2 r0 65538 0=0 two.2\n"
	     "00150 1 c0 p2 r0 528 99=0 lock_try\n"
	     "00160 1 c0 p2 r0 519 1=0 sendipi\n"
	     "00200 200 c1 p3 r0 2049 1=0 write\n"
	     "00300 1 c1 p3 r0 518 1=0 runnable.1\n"
	     "00400 500 c0 p0 r0 644 1=0 -pause-\n"
	     "00400 500 c1 p0 r0 644 1=0 -pause-\n"
	     "00450 1 c1 p3 r0 522 5=0 mark_a=x\n"
	     "00900 40 c0 p2 r0 65538 0=0 two.2\n"
	     "00900 50 c0 p1 r0 640 5=0 PC=000000000140\n"
	     "00900 55 c1 p3 r0 2049 0=0 write\n"
	     "00930 1 c0 p2 r0 529 99=0 lock_acquired\n"
	     "00940 30 c0 p1 r0 2250 0=9 futex\n"
	     "00940 40 c-1 p2 r0 770 0=0 wait_cpu\n"
	     "00955 10 c1 p3 r0 1275 0=0 call_function_single_ipi\n"
	     "00960 1 c0 p1 r0 539 3=0 dequeue\n"
	     "00965 25 c1 p3 r0 2049 0=1 write\n"
	     "00970 10 c0 p1 r0 65537 0=0 init.1\n");
	assert_int_equal(stats.pauses, 1);
	assert_int_equal(stats.paused_units, 500);
	assert_false(stats.bad_pause);
	assert_int_equal(stats.inferred, 0);
}

/*
 * Tests three pauses, which are recorded out of order, and some of them twice. Pause 10:20
 * precedes the first event, because older blocks were overwritten. CPU 1 has no event between the
 * other two pauses. Also tests a first event after a pause that is not a header.
 */
static void test_pauses(void **state)
{
	(void)state;
	ROWS(TRACEPOINTS "-1 1 287 0 pause=600:700\n-1 1 287 0 pause=10:20\n"
	     "-1 1 287 0 pause=200:300\n-1 1 287 0 pause=5\n-1 1 287 0 pause=9:1\n"
	     "100 0 512 0 1 0 1 0 0 init.1 (200)\n"
	     "110 0 512 1 2 0 2 0 0 two.2 (200)\n"
	     "300 1 287 0 pause=200:300\n"
	     "400 1 512 0 3 0 3 0 0 three.3 (200)\n"
	     "500 0 512 0 1 0 1 0 0 init.1 (200)\n"
	     "700 1 287 0 pause=600:700\n"
	     "710 1 512 1 0 0 0 0 0 -idle-.0 (200)\n"
	     "720 0 512 1 2 0 2 0 0 two.2 (200)\n"
	     "730 0 2049 1 2 0 1 0 0 write (801)\n"
	     "740 0 2049 0 3 0 1 0 0 write (801)\n"
	     "760 0 2561 0 3 0 0 1 0 /write (a01)\n",
	     "00100 100 c0 p1 r0 65537 0=0 init.1\n"
	     "00110 90 c1 p2 r0 65538 0=0 two.2\n"
	     "00200 100 c0 p0 r0 644 1=0 -pause-\n"
	     "00200 100 c1 p0 r0 644 1=0 -pause-\n"
	     "00300 200 c0 p3 r0 65539 0=0 three.3\n"
	     "00300 300 c1 p0 r0 644 0=0 -pause-\n"
	     "00500 100 c0 p1 r0 65537 0=0 init.1\n"
	     "00600 100 c0 p0 r0 644 2=0 -pause-\n"
	     "00600 100 c1 p0 r0 644 2=0 -pause-\n"
	     "00700 20 c1 p0 r0 65536 0=0 -idle-\n"
	     "00700 40 c0 p0 r0 644 0=0 -pause-\n"
	     "00720 10 c1 p2 r0 65538 0=0 two.2\n"
	     "00740 20 c0 p3 r0 2049 1=1 write\n");
	assert_int_equal(stats.pauses, 2);
	assert_int_equal(stats.paused_units, 200);
	assert_true(stats.bad_pause);
}

/* Checks that events whose numbers stand for rows made by filters give no rows, also in a pause. */
static void test_made_numbers(void **state)
{
	static const struct {
		unsigned int first, last;
	} made[] = { { 0x20E, 0x20F }, { 0x282, 0x28B }, { 0x300, 0x319 } };
	char text[8192];
	unsigned int events = 0, event;
	size_t len, i;

	(void)state;
	len = (size_t)snprintf(text, sizeof(text), TRACEPOINTS "-1 1 287 0 pause=300:400\n"
			       "100 0 512 0 1 0 1 0 0 init.1 (200)\n");
	for (i = 0; i < sizeof(made) / sizeof(made[0]); i++)
		for (event = made[i].first; event <= made[i].last; event++, events++)
			len += (size_t)snprintf(text + len, sizeof(text) - len,
						"%u 1 %u 0 1 0 7 0 0 event (%x)\n",
						101 + events, event, event);
	snprintf(text + len, sizeof(text) - len, "350 1 644 0 1 0 7 0 0 event (284)\n"
		 "400 0 512 0 1 0 1 0 0 init.1 (200)\n"
		 "500 1 652 0 1 0 7 0 0 other (28c)\n");
	ROWS(text,
	     "00100 200 c0 p1 r0 65537 0=0 init.1\n"
	     "00300 100 c0 p0 r0 644 1=0 -pause-\n"
	     "00400 100 c0 p1 r0 65537 0=0 init.1\n"
	     "00500 1 c0 p1 r0 652 7=0 other\n");
	assert_int_equal(stats.made_events, events + 1);
}

static void test_reasons(void **state)
{
	(void)state;
	reason("250 0 1516 1 2 0 0 0 0 local_timer (5ec)\n", " 787 0=0 wait_time\n");
	reason("250 0 1535 1 2 0 1 0 0 BH:timer (5ff)\n", " 787 0=0 wait_time\n");
	reason("250 0 1535 1 2 0 3 0 0 BH:rx (5ff)\n", " 781 0=0 wait_net\n");
	reason("250 0 1535 1 2 0 4 0 0 BH:block (5ff)\n", " 771 0=0 wait_disk\n");
	reason("250 0 1535 1 2 0 6 0 0 BH:taskl (5ff)\n", " 778 0=0 wait_task\n");
	reason("250 0 1535 1 2 0 7 0 0 BH:sched (5ff)\n", " 786 0=0 wait_sche\n");
	reason("250 0 1535 1 2 0 9 0 0 BH:rcu (5ff)\n", " 785 0=0 wait_rcu\n");
	reason("250 0 1313 1 2 0 33 0 0 virtio0 (521)\n", " 771 0=0 wait_disk\n");
	reason("250 0 1313 1 2 0 33 0 0 eth0 (521)\n", " 781 0=0 wait_net\n");
	reason("250 0 2250 1 2 0 4 0 0 futex (8ca)\n", " 779 0=0 wait_lock\n");
	reason("250 0 2057 1 2 0 4 0 0 mmap (809)\n", " 780 0=0 wait_mem\n");
	reason("250 0 1038 1 2 0 6 0 0 page_fault (40e)\n", " 780 0=0 wait_mem\n");
	reason("250 0 2049 1 2 0 4 0 0 write (801)\n", " 783 0=0 wait_pipe\n");
	reason("250 0 2110 1 2 0 4 0 0 kill (83e)\n", " 793 0=0 wait_unk\n");
	/* the innermost call that has a reason decides */
	reason("240 0 2049 1 2 0 4 0 0 write (801)\n"
	       "250 0 1535 1 2 0 3 0 0 BH:rx (5ff)\n", " 781 0=0 wait_net\n");
	/* a wakeup of ksoftirqd has no reason from the call that was interrupted */
	reason("220 1 50 1 ksoftirqd/0\n240 0 2049 1 2 0 4 0 0 write (801)\n", " 793 0=0 wait_unk\n");
	reason("220 1 50 1 ksoftirqd/0\n250 0 1038 1 2 0 6 0 0 page_fault (40e)\n", " 793 0=0 wait_unk\n");
	reason("220 1 50 1 ksoftirqd/0\n250 0 1535 1 2 0 3 0 0 BH:rx (5ff)\n", " 781 0=0 wait_net\n");
	/* a wakeup by a kworker */
	reason("220 1 50 2 kworker/0:1\n250 1 525 1 2 0 0 0 0 mark_d (20d)\n",
	       " 783 0=0 wait_pipe\n");
}

/* Checks that a task has no wait if it is woken while it still runs, and continues. */
static void test_woken_while_running(void **state)
{
	(void)state;
	ROWS(NAMES
	     "100 0 2048 0 1 0 4 0 0 read (800)\n"
	     "110 0 3583 0 1 0 0 0 0 -sched- (dff)\n"
	     "120 1 518 1 2 0 1 0 0 runnable.1 (206)\n"
	     "130 0 4095 0 1 0 0 0 0 /-sched- (fff)\n"
	     "140 0 3583 0 1 0 0 0 0 -sched- (dff)\n"
	     "150 0 512 0 0 0 0 0 0 -idle-.0 (200)\n"
	     "160 0 4095 0 0 0 0 0 0 /-sched- (fff)\n"
	     "260 1 518 1 2 0 1 0 0 runnable.1 (206)\n"
	     "270 0 3583 0 0 0 0 0 0 -sched- (dff)\n"
	     "280 0 512 0 1 0 1 0 0 init.1 (200)\n"
	     "290 0 4095 0 1 0 0 0 0 /-sched- (fff)\n"
	     "300 0 2560 0 1 0 0 4 0 /read (a00)\n",
	     "00100 10 c0 p1 r0 2048 4=0 read\n"
	     "00110 20 c0 p1 r0 3583 0=0 -sched-\n"
	     "00120 1 c1 p2 r0 518 1=0 runnable.1\n"
	     "00120 140 c1 p2 r0 65538 0=0 two.2\n"
	     "00130 10 c0 p1 r0 2048 4=0 read\n"
	     "00140 20 c0 p1 r0 3583 0=0 -sched-\n"
	     "00160 100 c-1 p1 r0 793 0=0 wait_unk\n"
	     "00160 110 c0 p0 r0 65536 0=0 -idle-\n"
	     "00260 1 c1 p2 r0 518 1=0 runnable.1\n"
	     "00260 30 c-1 p1 r0 770 0=0 wait_cpu\n"
	     "00260 30 c1 p2 r0 -3 0=1 -wakeup-\n"
	     "00270 20 c0 p0 r0 3583 0=0 -sched-\n"
	     "00290 10 c0 p1 r0 2048 4=4 read\n");
}

static void test_ipis(void **state)
{
	(void)state;
	ROWS(NAMES
	     "100 1 519 0 1 0 1 0 0 sendipi (207)\n"
	     "110 1 519 0 1 0 1 0 0 sendipi (207)\n"
	     "120 0 1516 1 2 0 0 0 0 local_timer (5ec)\n"
	     "130 0 2028 1 2 0 0 0 0 /local_timer (7ec)\n"
	     "140 5 1533 1 2 0 0 0 0 reschedule_ipi (5fd)\n"
	     "150 5 1533 1 2 0 0 0 0 reschedule_ipi (5fd)\n",
	     "00100 1 c0 p1 r0 519 1=0 sendipi\n"
	     "00100 10 c0 p1 r0 65537 0=0 init.1\n"
	     "00100 40 c0 p-1 r-1 -7 1=0 -ipi-\n"
	     "00110 1 c0 p1 r0 519 1=0 sendipi\n"
	     "00110 30 c0 p-1 r-1 -7 1=0 -ipi-\n"
	     "00120 10 c1 p2 r0 1516 0=0 local_timer\n"
	     "00130 10 c1 p2 r0 65538 0=0 two.2\n"
	     "00140 5 c1 p2 r0 1533 0=0 reschedule_ipi\n"
	     "00145 5 c1 p2 r0 65538 0=0 two.2\n"
	     "00150 5 c1 p2 r0 1533 0=0 reschedule_ipi\n");
}

/* ---- points that become spans ---- */

static void test_samples_and_frequency(void **state)
{
	(void)state;
	ROWS(NAMES
	     "90 10 2048 0 1 0 4 0 0 read (800)\n"
	     "100 0 640 0 1 0 92 0 0 PC=000000401710 (280)\n"
	     "100 1 521 0 1 0 2400 0 0 -freq- (209)\n"
	     "200 1 540 0 1 0 3000 0 0 -freq- (21c)\n"
	     "300 0 641 0 1 0 93 0 0 PC=ffffffff8102d053 (281)\n"
	     "400 1 525 0 1 0 1 0 0 mark_d (20d)\n",
	     "00090 10 c0 p1 r0 2048 4=0 read\n"
	     "00090 10 c0 p1 r0 640 92=0 PC=000000401710\n"
	     "00100 100 c0 p0 r0 521 2400=0 -freq-\n"
	     "00100 200 c0 p1 r0 641 93=0 PC=ffffffff8102d053\n"
	     "00100 300 c0 p1 r0 65537 0=0 init.1\n"
	     "00200 200 c0 p0 r0 521 3000=0 -freq-\n"
	     "00400 1 c0 p1 r0 525 1=0 mark_d\n");
}

static void test_locks_rpcs_queues(void **state)
{
	(void)state;
	ROWS(NAMES "-1 1 39 77 mylock\n-1 1 293 4 inbox\n"
	     "100 1 528 0 1 0 77 0 0 lock_try=mylock (210)\n"
	     "150 1 529 0 1 0 77 0 0 lock_acquired=mylock (211)\n"
	     "190 1 530 0 1 0 77 0 0 lock_freed=mylock (212)\n"
	     "200 1 513 0 1 9 9 0 0 rpc_request.9 (201)\n"
	     "210 1 538 0 1 9 4 0 0 enqueue=inbox (21a)\n"
	     "220 1 513 0 1 0 0 0 0 rpc_request.0 (201)\n"
	     "230 1 515 1 2 9 9 0 0 rpc_middle.9 (203)\n"
	     "240 1 539 1 2 9 4 0 0 dequeue=inbox (21b)\n"
	     "250 1 517 1 2 9 6553609 0 0 rpc_tx_msg.9 (205)\n"	/* 2^10 bytes */
	     "300 1 525 1 2 9 1 0 0 mark_d (20d)\n",
	     "00100 1 c0 p1 r0 528 77=0 lock_try=mylock\n"
	     "00100 100 c0 p1 r0 65537 0=0 init.1\n"
	     "00100 50 c0 p1 r0 643 77=0 mylock\n"
	     "00150 1 c0 p1 r0 529 77=0 lock_acquired=mylock\n"
	     "00150 40 c0 p1 r0 642 77=0 mylock\n"
	     "00190 1 c0 p1 r0 530 77=0 lock_freed=mylock\n"
	     "00200 1 c0 p1 r9 513 9=0 rpc_request.9\n"
	     "00200 20 c0 p1 r9 515 9=0 rpc_request.9\n"
	     "00200 20 c0 p1 r9 65537 0=0 init.1\n"
	     "00210 30 c0 p1 r9 538 4=0 inbox\n"
	     "00220 1 c0 p1 r0 513 0=0 rpc_request.0\n"
	     "00230 70 c1 p2 r9 515 9=0 rpc_middle.9\n"
	     "00230 70 c1 p2 r9 65538 0=0 two.2\n"
	     "00240 1 c1 p2 r9 539 4=0 dequeue=inbox\n"
	     "00250 819 c1 p2 r9 517 6553609=0 rpc_tx_msg.9\n"
	     "00300 1 c1 p2 r9 525 1=0 mark_d\n");
}

/*
 * Tests packets that a hash identifies. CPU 0 receives packets while pid 1 runs, for pid 2, which
 * has the message. Pid 2 sends packets, and the kernel transmits them a little later. 2^10 bytes
 * at 1000 Mbit/s take 8.19 us.
 */
static void test_packets(void **state)
{
	(void)state;
	ROWS(NAMES
	     "2000 1 532 0 1 0 777 0 0 rx_packet (214)\n"
	     /* this packet belongs to no message */
	     "2010 1 532 0 1 0 888 0 0 rx_packet (214)\n"
	     "3000 1 534 1 2 0 777 0 0 rx_user (216)\n"
	     "3010 1 516 1 2 9 6553609 0 0 rpc_rx_msg.9 (204)\n"
	     "3100 1 517 1 2 9 6553609 0 0 rpc_tx_msg.9 (205)\n"
	     "3110 1 535 1 2 9 555 0 0 tx_user (217)\n"
	     "3500 1 533 0 1 0 555 0 0 tx_packet (215)\n"
	     /* this packet belongs to no message */
	     "3600 1 533 0 1 0 444 0 0 tx_packet (215)\n"
	     /* this message is never sent */
	     "3700 1 517 1 2 9 6553609 0 0 rpc_tx_msg.9 (205)\n"
	     "3710 1 525 1 2 9 1 0 0 mark_d (20d)\n",
	     "01181 819 c1 p2 r9 516 6553609=0 rpc_rx_msg.9\n"
	     "02000 1 c0 p2 r9 532 777=0 rx_packet\n"
	     "02000 1600 c0 p1 r0 65537 0=0 init.1\n"
	     "02010 1 c0 p1 r0 532 888=0 rx_packet\n"
	     "03000 1 c1 p2 r0 534 777=0 rx_user\n"
	     "03000 710 c1 p2 r0 65538 0=0 two.2\n"
	     "03110 1 c1 p2 r9 535 555=0 tx_user\n"
	     "03500 1 c0 p2 r9 533 555=0 tx_packet\n"
	     "03500 819 c1 p2 r9 517 6553609=0 rpc_tx_msg.9\n"
	     "03600 1 c0 p1 r0 533 444=0 tx_packet\n"
	     "03700 819 c1 p2 r9 517 6553609=0 rpc_tx_msg.9\n"
	     "03710 1 c1 p2 r9 525 1=0 mark_d\n");
}

/* Tests a pid of more than 16 bits, the highest possible CPU, a resource and a tracepoint. */
static void test_large_numbers(void **state)
{
	(void)state;
	ROWS("-1 1 34 4194303 big\n"
	     "100 0 512 255 4194303 0 4194303 0 0 big.4194303 (200)\n"
	     "110 1 537 255 4194303 0 70000 0 0 resource=disk (219)\n"
	     "120 1 550 255 4194303 0 7 0 0 my_tracepoint (226)\n"
	     "200 1 525 255 4194303 0 1 0 0 mark_d (20d)\n",
	     "00100 100 c255 p4194303 r0 4259839 0=0 big.4194303\n"
	     "00110 1 c255 p4194303 r0 537 70000=0 resource=disk\n"
	     "00120 1 c255 p4194303 r0 550 7=0 my_tracepoint\n"
	     "00200 1 c255 p4194303 r0 525 1=0 mark_d\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_waits),
		cmocka_unit_test(test_reasons),
		cmocka_unit_test(test_pause_ends_all),
		cmocka_unit_test(test_pauses),
		cmocka_unit_test(test_made_numbers),
		cmocka_unit_test(test_woken_while_running),
		cmocka_unit_test(test_ipis),
		cmocka_unit_test(test_samples_and_frequency),
		cmocka_unit_test(test_locks_rpcs_queues),
		cmocka_unit_test(test_packets),
		cmocka_unit_test(test_large_numbers),
	};

	return cmocka_run_group_tests_name("reconstruct_points", tests, NULL, NULL);
}
