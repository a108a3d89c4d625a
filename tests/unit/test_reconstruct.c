// SPDX-License-Identifier: BSD-3-Clause
/*
 * The reconstruction on small pieces of event text: who ran what when, waits and
 * arcs, what is inferred and marked, the header. Random events are
 * test_reconstruct_random.c's matter.
 */
#include "rec_run.h"

#define NAMES	"-1 1 34 1 init\n-1 1 34 2 two\n-1 1 34 3 three\n"
#define TRACEPOINTS "-1 1 287 0 backend=tracepoint\n" NAMES

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
	/* low nibble: what ran before; high: the merged call itself */
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
	/* nobody saw write return: it lasted at the longest until the next call */
	EXECUTION(NAMES
		  "100 0 2049 0 1 0 4 0 0 write (801)\n"
		  "200 5 2087 0 1 0 9 1 0 getpid (827)\n"
		  "300 1 525 0 1 0 1 0 0 mark_d (20d)\n",
		  "00100 100 c0 p1 r0 2049 4=0 write?\n"
		  "00200 5 c0 p1 r0 2087 9=1 getpid\n"
		  "00205 95 c0 p1 r0 65537 0=0 init.1\n");
	assert_int_equal(stats.missing_returns, 1);
	/* an enclosing return ends what is inside */
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

/* Merged calls cannot be longer than until the next event. */
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
	/* at the end there is no next one */
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

/* A call that blocks on one CPU ends on another. */
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

/* Who was in a call before the trace began: the return says in which. */
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

/* Back in user code although it left in a call: the return was not recorded. */
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

/* A new task does not return from the scheduler, but from clone. */
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

/* exit never returns; the pid is used again. */
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

/* Interrupts come between the switch and the scheduler's return. */
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
 * An interrupt behind the switch to a pid not seen before: what follows tells whether it
 * came inside the scheduler or not.
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
	/* nothing follows */
	EXECUTION(SWITCHED "120 1 525 0 2 0 1 0 0 mark_d (20d)\n",
		  "00100 5 c0 p1 r0 3583 0=0 -sched-\n"
		  "00105 5 c0 p2 r0 65538 0=0 two.2?\n"
		  "00110 5 c0 p2 r0 1516 0=0 local_timer\n"
		  "00115 5 c0 p2 r0 65538 0=0 two.2?\n");
}

/* Without the scheduler's own events, a switch is a switch. */
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

/* Page faults of a stock kernel: ARG0 4 = from user code; ends may be missing. */
/* On PREEMPT_RT another thread gets the CPU within a softirq, which goes on with its own. */
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

/* A block says that somebody else runs: a switch is missing, and it shows. */
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
	/* not when a switch has just been recorded, which the block did not know */
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
	/* ours: states are indexes, and nobody knows how long it takes to leave them */
	EXECUTION(TRACEPOINTS
		  "100 0 512 0 0 0 0 0 0 -idle-.0 (200)\n"
		  "150 1 520 0 0 0 1 0 0 mwait (208)\n"
		  "9950 0 1516 0 0 0 0 0 0 local_timer (5ec)\n",
		  "00100 50 c0 p0 r0 65536 0=0 -idle-\n"
		  "00150 9800 c0 p0 r0 65536 1=0 -idlelp-\n");
	/* where leaving it is recorded, low-power idle ends there; no state, no end */
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

/* The table for that model; and what the kernel says it takes. */
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

/* A block's header against the context switch in front of it, and the one at its time. */
static void test_header_and_switch(void **state)
{
	(void)state;
	/* it names who was just switched away from: older than the switch */
	EXECUTION(NAMES TRACEPOINTS
		  "100 0 512 0 1 0 1 0 0 init.1 (200)\n"
		  "200 0 512 0 2 0 2 0 0 two.2 (200)\n"
		  "210 1 512 0 1 0 0 0 0 init.1 (200)\n"
		  "300 1 525 0 2 0 1 0 0 mark_d (20d)\n",
		  "00100 100 c0 p1 r0 65537 0=0 init.1\n"
		  "00200 100 c0 p2 r0 65538 0=0 two.2\n");
	/* it names somebody else: a switch is missing */
	EXECUTION(NAMES TRACEPOINTS
		  "100 0 512 0 1 0 1 0 0 init.1 (200)\n"
		  "200 0 512 0 0 0 0 0 0 -idle-.0 (200)\n"
		  "210 1 512 0 2 0 0 0 0 two.2 (200)\n"
		  "300 1 525 0 2 0 1 0 0 mark_d (20d)\n",
		  "00100 100 c0 p1 r0 65537 0=0 init.1\n"
		  "00200 10 c0 p0 r0 65536 0=0 -idle-?\n"
		  "00210 90 c0 p2 r0 65538 0=0 two.2\n");
	/* at the same time: it says who ran before the switch */
	EXECUTION(NAMES TRACEPOINTS
		  "100 0 512 0 1 0 1 0 0 init.1 (200)\n"
		  "99000 0 512 0 0 0 0 0 0 -idle-.0 (200)\n"
		  "99000 1 512 0 2 0 0 0 0 two.2 (200)\n"
		  "99100 1 525 0 0 0 1 0 0 mark_d (20d)\n",
		  "00100 98900 c0 p1 r0 65537 0=0 init.1?\n"
		  "99000 100 c0 p0 r0 65536 0=0 -idle-\n");
}

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
	     "00400 5 c0 p1 r0 2250 4=0 futex\n");	/* 50 ns: too short a wait */
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
	/* the innermost thing that says something */
	reason("240 0 2049 1 2 0 4 0 0 write (801)\n"
	       "250 0 1535 1 2 0 3 0 0 BH:rx (5ff)\n", " 781 0=0 wait_net\n");
	/* a kworker does what others asked for */
	reason("220 1 50 2 kworker/0:1\n250 1 525 1 2 0 0 0 0 mark_d (20d)\n",
	       " 783 0=0 wait_pipe\n");
}

/* Woken while still running, and it goes on: no wait comes of that. */
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
 * Packets by hash: received on CPU 0 while pid 1 runs, for pid 2, whose message it is;
 * sent by pid 2, by the kernel a little later. 2^10 bytes at 1000 Mbit/s are 8.19 us.
 */
static void test_packets(void **state)
{
	(void)state;
	ROWS(NAMES
	     "2000 1 532 0 1 0 777 0 0 rx_packet (214)\n"
	     "2010 1 532 0 1 0 888 0 0 rx_packet (214)\n"	/* nobody's */
	     "3000 1 534 1 2 0 777 0 0 rx_user (216)\n"
	     "3010 1 516 1 2 9 6553609 0 0 rpc_rx_msg.9 (204)\n"
	     "3100 1 517 1 2 9 6553609 0 0 rpc_tx_msg.9 (205)\n"
	     "3110 1 535 1 2 9 555 0 0 tx_user (217)\n"
	     "3500 1 533 0 1 0 555 0 0 tx_packet (215)\n"
	     "3600 1 533 0 1 0 444 0 0 tx_packet (215)\n"	/* nobody's */
	     "3700 1 517 1 2 9 6553609 0 0 rpc_tx_msg.9 (205)\n"	/* never sent */
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

/* A pid beyond 16 bits and the greatest CPU there is; a resource, a tracepoint. */
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

/* ---- names ---- */

static void test_names_in_time(void **state)
{
	(void)state;
	ROWS("-1 1 34 51 init\n-1 1 34 51 work\n"
	     "90 1 34 51 init\n"
	     "100 0 512 0 51 0 51 0 0 init.51 (200)\n"
	     "110 0 2107 0 51 0 8 0 0 execve (83b)\n"
	     "120 1 34 51 work\n"
	     "130 0 2619 0 51 0 0 0 0 /execve (a3b)\n"
	     "140 1 525 0 51 0 1 0 0 mark_d (20d)\n",
	     "00100 1 c0 p51 r0 526 0=0 init+work.51\n"
	     "00100 10 c0 p51 r0 65587 0=0 init.51\n"
	     "00110 20 c0 p51 r0 2107 8=0 execve\n"
	     "00130 10 c0 p51 r0 65587 0=0 work.51\n"
	     "00140 1 c0 p51 r0 525 1=0 mark_d\n");
}

static void test_escapes_in_text(void **state)
{
	(void)state;
	EXECUTION("100 0 512 0 5 0 5 0 0 a \\x0ab\\x5c\\q (x).5 (200)\n"
		  "110 1 525 0 5 0 1 0 0 mark_d (20d)\n",
		  "00100 10 c0 p5 r0 65541 0=0 a \nb\\\\q (x).5\n");
}

/* ---- header ---- */

static void has(const char *item)
{
	if (!strstr(rows.header, item))
		fail_msg("\"%s\" is not in\n%s", item, rows.header);
}

static void test_header(void **state)
{
	static const char text[] =
		"# ## VERSION: 3\n# ## FLAGS: 67\n# ## TIMES: 11.00000100 11.00000400\n"
		"# ## DROPPED: 12 3\n# ## START: 1795164600\n"
		"# ## TRACE: 0123abcd-89ab-8def-8123-456789abcdef\n"
		"# [1] 2026-11-20_08:50:11.085246 cpu 01 flags 43 block 0\n"
		"# [1] 2027-11-20_08:51:11.085246 cpu 01 flags 00 block 10\n"
		"-1 1 287 0 backend=tracepoint\n-1 1 287 0 cats=0x2003\n"
		"-1 1 287 0 caveat=fault_end\n-1 1 287 0 caveat=sched_entry\n"
		"-1 1 287 0 caveat=fault_end\n"
		"-1 1 287 0 lost_full=3\n-1 1 287 0 lost_full=5\n-1 1 287 0 lost_nested=2\n"
		"-1 1 287 0 lost_nested=1\n-1 1 287 0 lost_x=12\"\n"
		"-1 1 287 0 clock_khz=2500000\n-1 1 287 0 clock=tsc\n"
		"-1 1 287 0 emit_ps=9600\n-1 1 287 0 tool=kutrace_control 0.1\n"
		"-1 1 287 0 arch=riscv64\n-1 1 287 0 utc_offset_s=-12600\n"
		"-1 1 287 0 boot_id=b\"\n"
		"-1 1 339 0 a \"CPU\"\n-1 1 292 0 host\n-1 1 338 0 #1 SMP\n"
		"100 1 525 0 5 0 1 0 0 mark_d (20d)\n";
	static const char old[] = "100 1 525 0 5 0 1 0 0 mark_d (20d)\n";
	static const char odd[] =
		"# ## START: 99999999999\n# ## TRACE: 0123abcd-89ab-8def-8123-456789abcdeg\n"
		"-1 1 287 0 utc_offset_s=1e3\n"
		"100 1 525 0 5 0 1 0 0 mark_d (20d)\n";

	(void)state;
	run(text, sizeof(text) - 1, false);
	has("title \"a \\\"title\\\"\"\n");
	has("tracebase \"2026-11-20_08:50:00\"\n");
	has("flags 67\n");
	has("version 3\n");
	has("cpuModelName \"a \\\"CPU\\\"\"\n");
	has("hostName \"host\"\n");
	has("kernelVersion \"#1 SMP\"\n");
	has("dropped {\"first_block\": 12, \"words\": 3}\n");
	has("lost {\"full\": 5, \"nested\": 2, \"total\": 7}\n");
	has("overhead {\"emit_ps\": 9600}\n");
	has("start {\"utc_ns\": \"1795164600000000000\", "
	    "\"trace_id\": \"0123abcd-89ab-8def-8123-456789abcdef\"}\n");
	has("machine {\"arch\": \"riscv64\", \"boot_id\": \"b\\\"\", \"utc_offset_s\": -12600}\n");
	has("coverage {\"backend\": \"tracepoint\", \"categories\": [\"syscall\", \"trap\", \"mark\"], "
	    "\"caveats\": [\"fault_end\", \"sched_entry\"], \"clock\": \"tsc\", "
	    "\"clock_khz\": 2500000, \"tool\": \"kutrace_control 0.1\"}\n");
	free_rows(&rows);

	/* an old trace says nothing about all that */
	run(old, sizeof(old) - 1, false);
	assert_null(strstr(rows.header, "coverage"));
	assert_null(strstr(rows.header, "lost"));
	assert_null(strstr(rows.header, "start"));
	assert_null(strstr(rows.header, "machine"));
	has("tracebase \"\"\n");
	free_rows(&rows);

	/* what is no time, no id and no number is left out */
	run(odd, sizeof(odd) - 1, false);
	assert_null(strstr(rows.header, "start {"));
	has("machine {}\n");
	free_rows(&rows);
}

/* What the original's filters read: they break lines of 256 bytes and more in two. */
static void test_header_lines_are_short(void **state)
{
	char *text = NULL, *line, *rest;
	bool later = false;
	size_t size = 0;
	FILE *f;
	int i;

	(void)state;
	f = open_memstream(&text, &size);
	fprintf(f, "-1 1 287 0 backend=tracepoint\n-1 1 287 0 cats=ffff\n");
	/* characters of several bytes, and such as take several in quotes; and many */
	for (i = 0; i < 60; i++)
		fprintf(f, "-1 1 287 0 caveat=%s_%d\n",
			i % 2 ? "kern\xC3\xA4\xE6\xBC\xA2" : "\"\"\"\"\"\"\"", i);
	for (i = 0; i < 60; i++)
		fprintf(f, "-1 1 287 0 lost_cause_number_%d=12345678901234567\n", i);
	fprintf(f, "-1 1 287 0 tool=%0300d\n", 7);
	fprintf(f, "-1 1 339 0 %0300d\n", 7);
	fprintf(f, "100 1 525 0 5 0 1 0 0 mark_d (20d)\n");
	fclose(f);
	run(text, size, false);
	line = rows.header;
	for (i = 0; (rest = strchr(line, '\n')); line = rest + 1, i++) {
		/* KEY VALUE here is  "KEY" : VALUE, in the file */
		assert_true(rest - line + 6 <= 250);
		later |= !strncmp(line, "coverage3 ", 10);
	}
	assert_true(later);
	assert_true(i > 15);
	has("lost10 ");
	has("cpuModelName \"000");
	/* the last caveat and the last cause are there, too */
	has("_59\"], \"tool\": \"000");
	has("\"cause_number_59\": 12345678901234567}\n");
	has("lost11 {\"total\": 740740734074074020}\n");
	free_rows(&rows);
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_header_lines_are_short),
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
		cmocka_unit_test(test_interrupt_and_new_task),
		cmocka_unit_test(test_stock_switch),
		cmocka_unit_test(test_preempted_softirq),
		cmocka_unit_test(test_stock_faults),
		cmocka_unit_test(test_gap),
		cmocka_unit_test(test_extremes),
		cmocka_unit_test(test_idle_states),
		cmocka_unit_test(test_waits),
		cmocka_unit_test(test_reasons),
		cmocka_unit_test(test_woken_while_running),
		cmocka_unit_test(test_ipis),
		cmocka_unit_test(test_samples_and_frequency),
		cmocka_unit_test(test_locks_rpcs_queues),
		cmocka_unit_test(test_packets),
		cmocka_unit_test(test_header_and_switch),
		cmocka_unit_test(test_large_numbers),
		cmocka_unit_test(test_idle_latency),
		cmocka_unit_test(test_names_in_time),
		cmocka_unit_test(test_escapes_in_text),
		cmocka_unit_test(test_header),
	};

	return cmocka_run_group_tests_name("reconstruct", tests, NULL, NULL);
}
