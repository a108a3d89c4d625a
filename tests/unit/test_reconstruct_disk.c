// SPDX-License-Identifier: BSD-3-Clause
/*
 * Tests requests of disks. The texts are made: thread 2 reads from vda on CPU 0, and an interrupt there
 * completes its request. Checks the rows of the request, the wait that it ends, and
 * events without a partner.
 */
#include "rec_text.h"

#define VDA	(254u << 20)
#define SYSCALL	(KUTRACE_CALL_SYSCALL64 + 0)	/* read */
#define DISK	(KUTRACE_CALL_IRQ + 40)
#define WAIT_D	(KUTRACE_MADE_WAITA + ('d' - 'a'))
#define BACK	KUTRACE_RETURN_BIT

static void disk(long long ts, unsigned int number, int pid, const char *request)
{
	char name[200];

	snprintf(name, sizeof(name), "disk=%s", request);
	point(ts, 0, number, pid, VDA, name);
}

static void begin(void)
{
	text_begin(NAMES);
}

/* Thread 2 runs, and calls read(). */
static void calls(void)
{
	begin();
	event(100, 0, KUTRACE_USERPID, 2, 2, "two.2");
	event(200, 0, SYSCALL, 2, 0, "read");
}

static void sleeps(long long ts)
{
	event(ts, 0, KUTRACE_USERPID, 0, 0, "-idle-.0");
}

/* An interrupt with the end of @request, which wakes thread @pid. */
static void completes(long long ts, const char *request, unsigned int pid)
{
	event(ts, 0, DISK, 0, 0, "ide0");
	disk(ts + 10, KUTRACE_DISK_DONE, 0, request);
	if (pid)
		point(ts + 20, 0, KUTRACE_RUNNABLE, 0, pid, "runnable");
	event(ts + 30, 0, DISK | BACK, 0, 0, "/ide0");
}

static void goes_on(long long ts, int pid, const char *name)
{
	event(ts, 0, KUTRACE_USERPID, pid, (unsigned int)pid, name);
	event(ts + 100, 0, SYSCALL | BACK, pid, 0, "/read");
	event(ts + 200, 0, SYSCALL, pid, 0, "read");
}

/* Returns all rows of these waits, of requests and of reclaim, and frees the rows. */
static const char *found(void)
{
	return rows_with((const char *const[]){ "disk", "vda", "reclaim", "wait_writeback", "wait_net", NULL });
}

#define Q KUTRACE_MADE_DISK_QUEUE
#define S KUTRACE_MADE_DISK_SERVED

/* The thread waits for its own request: queued 100, served 700. */
static void test_own(void **state)
{
	(void)state;
	calls();
	disk(300, KUTRACE_DISK_QUEUED, 2, "vda read 16384 @2048 #0");
	disk(400, KUTRACE_DISK_ISSUED, 2, "vda read 16384 @2048 #7");
	sleeps(500);
	completes(1090, "vda read 16384 @2048 #7", 2);
	goes_on(1200, 2, "two.2");
	assert_string_equal(found(), rows_of(
		"00300 100 c0 p2 r0 %d 1=1 vda read 16384 @2048\n"
		"00400 700 c0 p2 r0 %d 1=1 vda read 16384 @2048\n"
		"00500 610 c-1 p2 r0 %d 1=0 wait_disk\n", Q, S, WAIT_D));
	assert_int_equal(stats.disk_requests, 1);
	assert_int_equal(stats.disk_unmatched, 0);
	assert_int_equal(stats.disk_open, 0);
}

/* The end of the request of thread 3 wakes thread 2: the wait is inferred. */
static void test_other(void **state)
{
	(void)state;
	calls();
	disk(300, KUTRACE_DISK_QUEUED, 3, "vda read 16384 @2048 #0");
	disk(400, KUTRACE_DISK_ISSUED, 2, "vda read 16384 @2048 #7");
	sleeps(500);
	completes(1090, "vda read 16384 @2048 #7", 2);
	goes_on(1200, 2, "two.2");
	assert_string_equal(found(), rows_of(
		"00300 100 c0 p3 r0 %d 1=1 vda read 16384 @2048\n"
		"00400 700 c0 p3 r0 %d 1=1 vda read 16384 @2048\n"
		"00500 610 c-1 p2 r0 %d 1=0 wait_disk?\n", Q, S, WAIT_D));
}

/* A wakeup after the interrupt is not caused by the request. */
static void test_later(void **state)
{
	(void)state;
	calls();
	disk(300, KUTRACE_DISK_QUEUED, 2, "vda read 16384 @2048 #0");
	disk(400, KUTRACE_DISK_ISSUED, 2, "vda read 16384 @2048 #7");
	sleeps(500);
	completes(1090, "vda read 16384 @2048 #7", 0);
	event(1150, 0, DISK, 0, 0, "ide0");
	point(1160, 0, KUTRACE_RUNNABLE, 0, 2, "runnable");
	event(1170, 0, DISK | BACK, 0, 0, "/ide0");
	goes_on(1200, 2, "two.2");
	assert_string_equal(found(), rows_of(
		"00300 100 c0 p2 r0 %d 1=1 vda read 16384 @2048\n"
		"00400 700 c0 p2 r0 %d 1=1 vda read 16384 @2048\n", Q, S));
}

/* Without the event that the request was queued, the owner is inferred, and there is no queue. */
static void test_unqueued(void **state)
{
	(void)state;
	calls();
	disk(400, KUTRACE_DISK_ISSUED, 2, "vda read 16384 @2048 #7");
	sleeps(500);
	completes(1090, "vda read 16384 @2048 #7", 2);
	goes_on(1200, 2, "two.2");
	assert_string_equal(found(), rows_of(
		"00400 700 c0 p2 r0 %d 1=1 vda read 16384 @2048?\n"
		"00500 610 c-1 p2 r0 %d 1=0 wait_disk?\n", S, WAIT_D));
}

/* An end without a beginning, and a beginning without an end, are counted and not guessed. */
static void test_unmatched(void **state)
{
	(void)state;
	calls();
	disk(300, KUTRACE_DISK_QUEUED, 2, "vda read 16384 @2048 #0");
	disk(400, KUTRACE_DISK_ISSUED, 2, "vda read 16384 @2048 #7");
	sleeps(500);
	completes(1090, "vda read 16384 @2048 #8", 2);
	goes_on(1200, 2, "two.2");
	assert_string_equal(found(), rows_of("01100 1 c0 p0 r0 %d %u=0 disk=vda read 16384 @2048 #8\n", KUTRACE_DISK_DONE, VDA));
	assert_int_equal(stats.disk_requests, 0);
	assert_int_equal(stats.disk_unmatched, 1);
	assert_int_equal(stats.disk_open, 1);
}

/* The same number again without an end: the first request has none. */
static void test_again(void **state)
{
	(void)state;
	calls();
	disk(400, KUTRACE_DISK_ISSUED, 2, "vda read 4096 @8 #7");
	disk(500, KUTRACE_DISK_ISSUED, 2, "vda read 4096 @16 #7");
	completes(1090, "vda read 4096 @16 #7", 0);
	assert_string_equal(found(), rows_of("00500 600 c0 p2 r0 %d 2=1 vda read 4096 @16?\n", S));
	assert_int_equal(stats.disk_open, 1);
}

/* A request in two parts is done with the second one. Errors are in the name. */
static void test_parts(void **state)
{
	(void)state;
	calls();
	disk(300, KUTRACE_DISK_QUEUED, 2, "vda write 8192 @8 #0");
	disk(400, KUTRACE_DISK_ISSUED, 2, "vda write 8192 @8 #7");
	completes(590, "vda write 4096 @8 error 5 #7", 0);
	completes(690, "vda write 4096 @16 #7", 0);
	assert_string_equal(found(), rows_of(
		"00300 100 c0 p2 r0 %d 1=1 vda write 8192 @8 error 5\n"
		"00400 300 c0 p2 r0 %d 1=1 vda write 8192 @8 error 5\n", Q, S));
	assert_int_equal(stats.disk_requests, 1);
}

/* The driver returns a request: it is queued until it is issued again. */
static void test_requeued(void **state)
{
	(void)state;
	calls();
	disk(300, KUTRACE_DISK_QUEUED, 2, "vda read 4096 @8 #0");
	disk(400, KUTRACE_DISK_ISSUED, 2, "vda read 4096 @8 #7");
	disk(450, KUTRACE_DISK_REQUEUED, 2, "vda read 4096 @8 #7");
	disk(900, KUTRACE_DISK_ISSUED, 0, "vda read 4096 @8 #7");
	completes(1090, "vda read 4096 @8 #7", 0);
	assert_string_equal(found(), rows_of(
		"00300 600 c0 p2 r0 %d 2=1 vda read 4096 @8\n"
		"00450 1 c0 p2 r0 %d %u=0 disk=vda read 4096 @8 #7\n"
		"00900 200 c0 p2 r0 %d 2=1 vda read 4096 @8\n", Q, KUTRACE_DISK_REQUEUED, VDA, S));
	assert_int_equal(stats.disk_open, 0);
}

/* A returned request that is never issued again is a beginning without an end. */
static void test_requeued_open(void **state)
{
	(void)state;
	calls();
	disk(400, KUTRACE_DISK_ISSUED, 2, "vda read 4096 @8 #7");
	disk(450, KUTRACE_DISK_REQUEUED, 2, "vda read 4096 @8 #7");
	disk(500, KUTRACE_DISK_ISSUED, 2, "vda read 4096 @16 #7");
	disk(550, KUTRACE_DISK_REQUEUED, 2, "vda read 4096 @16 #7");
	disk(600, KUTRACE_DISK_ISSUED, 2, "vda read 4096 @24 #8");
	disk(650, KUTRACE_DISK_REQUEUED, 2, "vda read 4096 @24 #8");
	completes(700, "vda read 4096 @24 error 5 #8", 0);
	run(text, used, false);
	free_rows(&rows);
	assert_int_equal(stats.disk_requests, 0);
	assert_int_equal(stats.disk_unmatched, 1);
	assert_int_equal(stats.disk_open, 2);
}

/*
 * A write of thread 2 gets sectors of thread 3 before it, and a request of thread 3 becomes a part of
 * it. The later request at that sector is a new one.
 */
static void test_merged(void **state)
{
	(void)state;
	calls();
	disk(300, KUTRACE_DISK_QUEUED, 2, "vda write 4096 @16 #0");
	disk(310, KUTRACE_DISK_MERGED, 3, "vda write 4096 @8 #0");
	disk(320, KUTRACE_DISK_QUEUED, 3, "vda write 4096 @24 #0");
	disk(330, KUTRACE_DISK_MERGED, 3, "vda write 4096 @24 #1");
	disk(400, KUTRACE_DISK_ISSUED, 0, "vda write 12288 @8 #7");
	disk(500, KUTRACE_DISK_QUEUED, 1, "vda write 4096 @24 #0");
	disk(600, KUTRACE_DISK_ISSUED, 0, "vda write 4096 @24 #8");
	completes(690, "vda write 12288 @8 #7", 0);
	completes(790, "vda write 4096 @24 #8", 0);
	assert_string_equal(found(), rows_of(
		"00300 100 c0 p2 r0 %d 1=1 vda write 12288 @8\n"
		"00400 300 c0 p2 r0 %d 1=1 vda write 12288 @8\n"
		"00500 100 c0 p1 r0 %d 2=2 vda write 4096 @24\n"
		"00600 200 c0 p1 r0 %d 2=2 vda write 4096 @24\n", Q, S, Q, S));
}

/* Two threads read the same block: the running thread's request is issued, or the owner is inferred. */
static void test_same(void **state)
{
	(void)state;
	calls();
	disk(300, KUTRACE_DISK_QUEUED, 1, "vda read 4096 @8 #0");
	disk(310, KUTRACE_DISK_QUEUED, 2, "vda read 4096 @8 #0");
	disk(320, KUTRACE_DISK_QUEUED, 3, "vda read 4096 @8 #0");
	disk(400, KUTRACE_DISK_ISSUED, 2, "vda read 4096 @8 #7");
	disk(500, KUTRACE_DISK_ISSUED, 0, "vda read 4096 @8 #8");
	disk(600, KUTRACE_DISK_ISSUED, 0, "vda read 4096 @8 #9");
	completes(690, "vda read 4096 @8 #7", 0);
	completes(790, "vda read 4096 @8 #8", 0);
	completes(890, "vda read 4096 @8 #9", 0);
	assert_string_equal(found(), rows_of(
		"00300 200 c0 p1 r0 %d 2=2 vda read 4096 @8?\n"
		"00310 90 c0 p2 r0 %d 1=1 vda read 4096 @8\n"
		"00320 280 c0 p3 r0 %d 3=3 vda read 4096 @8\n"
		"00400 300 c0 p2 r0 %d 1=1 vda read 4096 @8\n"
		"00500 300 c0 p1 r0 %d 2=2 vda read 4096 @8?\n"
		"00600 300 c0 p3 r0 %d 3=3 vda read 4096 @8\n", Q, Q, Q, S, S, S));
}

/*
 * Two requests with the same first sector wait, and one gets sectors before it: the running thread's, or it
 * is unknown which one.
 */
static void test_merged_same(void **state)
{
	(void)state;
	calls();
	disk(300, KUTRACE_DISK_QUEUED, 1, "vda write 4096 @16 #0");
	disk(310, KUTRACE_DISK_QUEUED, 2, "vda write 4096 @16 #0");
	disk(320, KUTRACE_DISK_MERGED, 2, "vda write 4096 @8 #0");
	disk(400, KUTRACE_DISK_ISSUED, 0, "vda write 8192 @8 #7");
	disk(500, KUTRACE_DISK_QUEUED, 3, "vda write 4096 @16 #0");
	disk(510, KUTRACE_DISK_MERGED, 4, "vda write 4096 @8 #0");
	disk(520, KUTRACE_DISK_ISSUED, 5, "vda write 8192 @8 #8");
	completes(690, "vda write 8192 @8 #7", 0);
	completes(790, "vda write 8192 @8 #8", 0);
	assert_string_equal(found(), rows_of(
		"00310 90 c0 p2 r0 %d 1=1 vda write 8192 @8\n"
		"00400 300 c0 p2 r0 %d 1=1 vda write 8192 @8\n"
		"00520 280 c0 p5 r0 %d 2=2 vda write 8192 @8?\n", Q, S, S));
}

/* Negative numbers in damaged text are no request. */
static void test_negative(void **state)
{
	(void)state;
	calls();
	disk(300, KUTRACE_DISK_QUEUED, 2, "vda read 4096 @-8 #0");
	disk(400, KUTRACE_DISK_ISSUED, 2, "vda read 4096 @-8 #7");
	completes(690, "vda read 4096 @-8 #7", 0);
	run(text, used, false);
	free_rows(&rows);
	assert_int_equal(stats.disk_requests + stats.disk_open + stats.disk_unmatched, 0);
}

/* A write that must not sleep ends after the event. A timer in a later call is no writeback. */
static void test_not_slept(void **state)
{
	(void)state;
	calls();
	point(300, 0, KUTRACE_DIRTY_WAIT, 2, 0, "dirty_wait");
	event(350, 0, SYSCALL | BACK, 2, 0, "/read");
	event(400, 0, SYSCALL, 2, 0, "read");
	sleeps(500);
	event(1090, 0, KUTRACE_CALL_IRQ + KUTRACE_VECTOR_LOCAL_TIMER, 0, 0, "local_timer");
	point(1110, 0, KUTRACE_RUNNABLE, 0, 2, "runnable");
	event(1120, 0, (KUTRACE_CALL_IRQ + KUTRACE_VECTOR_LOCAL_TIMER) | BACK, 0, 0, "/local_timer");
	goes_on(1200, 2, "two.2");
	assert_null(strstr(found(), "wait_writeback"));
}

/* A task that is about to sleep after too many writes: only a timer ends this wait. */
static void test_writeback(void **state)
{
	static const struct {
		unsigned int irq;
		const char *name, *reason;
	} wakers[] = {
		{ KUTRACE_CALL_IRQ + KUTRACE_VECTOR_LOCAL_TIMER, "local_timer", "writeback" }, { DISK, "eth0", "net" },
	};

	(void)state;
	for (unsigned int i = 0; i < 2; i++) {
		char irq[20], expected[200];

		snprintf(irq, sizeof(irq), "/%s", wakers[i].name);
		calls();
		point(300, 0, KUTRACE_DIRTY_WAIT, 2, 0, "dirty_wait");
		sleeps(500);
		event(1090, 0, wakers[i].irq, 0, 0, irq + 1);
		point(1110, 0, KUTRACE_RUNNABLE, 0, 2, "runnable");
		event(1120, 0, wakers[i].irq | BACK, 0, 0, irq);
		goes_on(1200, 2, "two.2");
		snprintf(expected, sizeof(expected), "00500 610 c-1 p2 r0 %d 0=0 wait_%s\n",
			 KUTRACE_MADE_WAITA + (i ? 'n' - 'a' : 'w' - 'a'), wakers[i].reason);
		assert_string_equal(strstr(found(), "00500 610"), expected);
	}
}

/* Waits in direct reclaim, except for a request. An end without a beginning is a row of its own. */
static void test_reclaim(void **state)
{
	(void)state;
	calls();
	point(250, 0, KUTRACE_RECLAIM, 2, 0, "reclaim");
	point(300, 0, KUTRACE_RECLAIM, 2, 1, "reclaim");
	sleeps(500);
	event(1090, 0, DISK, 0, 0, "eth0");
	point(1110, 0, KUTRACE_RUNNABLE, 0, 2, "runnable");
	event(1120, 0, DISK | BACK, 0, 0, "/eth0");
	event(1200, 0, KUTRACE_USERPID, 2, 2, "two.2");
	disk(1250, KUTRACE_DISK_QUEUED, 2, "vda read 4096 @8 #0");
	disk(1260, KUTRACE_DISK_ISSUED, 2, "vda read 4096 @8 #1");
	sleeps(1300);
	completes(1390, "vda read 4096 @8 #1", 2);
	event(1500, 0, KUTRACE_USERPID, 2, 2, "two.2");
	point(1600, 0, KUTRACE_RECLAIM, 2, 0, "reclaim");
	event(1700, 0, SYSCALL | BACK, 2, 0, "/read");
	assert_string_equal(found(), rows_of(
		"00250 1 c0 p2 r0 %d 0=0 reclaim\n"
		"00300 1300 c0 p2 r0 %d 0=0 direct_reclaim\n"
		"00500 610 c-1 p2 r0 %d 0=0 wait_reclaim\n"
		"01250 10 c0 p2 r0 %d 1=1 vda read 4096 @8\n"
		"01260 140 c0 p2 r0 %d 1=1 vda read 4096 @8\n"
		"01300 110 c-1 p2 r0 %d 1=0 wait_disk\n", KUTRACE_RECLAIM, KUTRACE_MADE_RECLAIMED,
		KUTRACE_MADE_WAITA + ('v' - 'a'), Q, S, WAIT_D));
}

/* Names that no module writes are rows of their own. */
static void test_damaged(void **state)
{
	static const char *const requests[] = {
		"", "vda", "vda eat 4096 @8 #1", "vda read 4096", "vda read x @8", "vda read 99999999999999999999 @",
	};

	(void)state;
	calls();
	for (unsigned int i = 0; i < sizeof(requests) / sizeof(requests[0]); i++)
		disk(300 + 10 * i, KUTRACE_DISK_ISSUED, 2, requests[i]);
	point(400, 0, KUTRACE_DISK_DONE, 2, VDA, "disk_done");
	run(text, used, false);
	free_rows(&rows);
	assert_int_equal(stats.disk_requests + stats.disk_open + stats.disk_unmatched, 0);
	assert_int_equal(stats.points, sizeof(requests) / sizeof(requests[0]) + 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_own), cmocka_unit_test(test_other), cmocka_unit_test(test_later),
		cmocka_unit_test(test_unqueued), cmocka_unit_test(test_unmatched), cmocka_unit_test(test_again),
		cmocka_unit_test(test_parts), cmocka_unit_test(test_requeued), cmocka_unit_test(test_requeued_open), cmocka_unit_test(test_merged),
		cmocka_unit_test(test_same), cmocka_unit_test(test_merged_same),
		cmocka_unit_test(test_negative), cmocka_unit_test(test_not_slept), cmocka_unit_test(test_damaged),
		cmocka_unit_test(test_writeback), cmocka_unit_test(test_reclaim),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
