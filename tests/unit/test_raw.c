// SPDX-License-Identifier: BSD-3-Clause
/*
 * Tests the raw trace reader on traces built word by word: times, late stores, gaps, merged
 * returns, names, samples, block headers and wrapped traces. The clock has 100 counts per
 * microsecond, so one count is 10 ns. test_raw_broken.c tests broken traces.
 */
#include "raw_seen.h"

#include <sys/wait.h>
#include <time.h>

#include "rawtrace/name.h"

static void expect(struct trace *t, const char *lines)
{
	struct kp_raw raw;

	look(t, &raw);
	assert_string_equal(seen.text, lines);
	kp_raw_close(&raw);
	done(t);
}

/* ---- times ---- */

static void test_entries(void **state)
{
	struct trace t;

	(void)state;
	begin(&t, 3);
	name(&t, 5, 0x008, 39, "getpid");
	merged(&t, 10, 0x827, 20, 51, 44495);
	merged(&t, 40, 0x827, 1, 0xF5, 0);	/* -11 */
	entry(&t, 50, 0x827, 7);
	entry(&t, 400, 0xA27, 0xFFF5);
	entry(&t, 410, 0x20D, 0xFFFFFFFF);
	entry(&t, 420, 0xC05, 1);		/* this return has no name */
	expect(&t, INIT
	       "+5 028 39 getpid\n"
	       "+10 20 827 c0 p1 r0 44495=51 i0 getpid\n"
	       "+40 1 827 c0 p1 r0 0=65525 i0 getpid\n"
	       "+50 0 827 c0 p1 r0 7=0 i0 getpid\n"
	       "+400 0 a27 c0 p1 r0 0=65525 i0 /getpid\n"
	       "+410 1 20d c0 p1 r0 4294967295=0 i0 mark_d\n"
	       "+420 0 c05 c0 p1 r0 1=0 i0 syscall32#5\n");
}

static void test_wraps(void **state)
{
	struct trace t;
	uint64_t count = 0;
	struct kp_raw raw;
	char last[80];
	int i;

	(void)state;
	begin(&t, 3);
	for (i = 0; i < 100; i++)	/* the longest gap without a TSDELTA */
		entry(&t, count += 0xE0000, 0x20D, (uint32_t)i);
	look(&t, &raw);
	snprintf(last, sizeof(last), "\n+%" PRIu64 " 1 20d c0 p1 r0 99=0 i0 mark_d\n", count);
	assert_non_null(strstr(seen.text, last));
	kp_raw_close(&raw);
	done(&t);
}

static void test_late_store(void **state)
{
	struct trace t;
	struct kp_raw raw;

	(void)state;
	begin(&t, 3);
	entry(&t, 1000, 0x20D, 1);
	entry(&t, 5000, 0x20D, 2);
	entry(&t, 4000, 0x20D, 3);	/* this entry is stored late */
	entry(&t, 5001, 0x20D, 4);
	entry(&t, 0x80000, 0x20D, 8);
	entry(&t, 0x100000 + 5, 0x20D, 5);
	/* this entry is stored as late as possible */
	entry(&t, 0x100000 + 5 - 0x1FFFF, 0x20D, 6);
	entry(&t, 0x100000 + 10, 0x20D, 7);
	look(&t, &raw);
	assert_int_equal(raw.late_entries, 2);
	assert_int_equal(raw.cpu_late[0], 2);
	assert_string_equal(seen.text, INIT
		"+1000 1 20d c0 p1 r0 1=0 i0 mark_d\n"
		"+4000 1 20d c0 p1 r0 3=0 i0 mark_d\n"
		"+5000 1 20d c0 p1 r0 2=0 i0 mark_d\n"
		"+5001 1 20d c0 p1 r0 4=0 i0 mark_d\n"
		"+524288 1 20d c0 p1 r0 8=0 i0 mark_d\n"
		"+917510 1 20d c0 p1 r0 6=0 i0 mark_d\n"
		"+1048581 1 20d c0 p1 r0 5=0 i0 mark_d\n"
		"+1048586 1 20d c0 p1 r0 7=0 i0 mark_d\n");
	kp_raw_close(&raw);
	done(&t);
}

static void test_late_across_blocks(void **state)
{
	struct trace t;

	(void)state;
	begin(&t, 3);
	entry(&t, 1000, 0x20D, 1);
	entry(&t, 3000, 0x20D, 2);
	block(&t, 0, 3100, 1, "init");
	/* this entry is earlier than its block and the preceding entry */
	entry(&t, 2000, 0x20D, 3);
	entry(&t, 3200, 0x20D, 4);
	expect(&t, INIT
	       "+1000 1 20d c0 p1 r0 1=0 i0 mark_d\n"
	       "+2000 1 20d c0 p1 r0 3=0 i0 mark_d\n"
	       "+3000 1 20d c0 p1 r0 2=0 i0 mark_d\n"
	       "+3100 022 1 init\n"
	       "+3200 1 20d c0 p1 r0 4=0 i0 mark_d\n");
}

/*
 * Tests returns of a call. A merged return comes some counts after its call, or in the same count,
 * where the value 0 is stored as -128. The last return is not merged.
 */
static void test_merged_in_count(void **state)
{
	struct trace t;

	(void)state;
	begin(&t, 3);
	entry(&t, 100, 0x827, 0x05010009);
	entry(&t, 200, 0x827, 0x00010009);
	entry(&t, 300, 0x827, 0x00800009);
	entry(&t, 400, 0x827, 0x00000009);
	entry(&t, 400, 0xA27, 7);
	expect(&t, INIT
	       "+100 5 827 c0 p1 r0 9=1 i0 syscall#39\n"
	       "+200 1 827 c0 p1 r0 9=1 i0 syscall#39\n"
	       "+300 1 827 c0 p1 r0 9=0 i0 syscall#39\n"
	       "+400 0 827 c0 p1 r0 9=0 i0 syscall#39\n"
	       "+401 0 a27 c0 p1 r0 0=7 i0 /syscall#39\n");
}

static void test_tsdelta(void **state)
{
	struct trace t;

	(void)state;
	begin(&t, 3);
	entry(&t, 100, 0x20D, 1);
	entry(&t, 100 + 123456789, 0x21D, 123456789);
	entry(&t, 100 + 123456789, 0x20D, 2);
	/* several gap entries in a row add up */
	entry(&t, 100 + 123456789 + 1999999999, 0x21D, 1999999999);
	entry(&t, 100 + 123456789 + 3999999998, 0x21D, 1999999999);
	entry(&t, 123456889 + 3999999998, 0x20D, 3);
	/* a gap can also go back in time */
	entry(&t, 123456889 + 3999999998 - 2000000, 0x21D, (uint32_t)-2000000);
	entry(&t, 123456889 + 3999999998 - 2000000, 0x20D, 4);
	expect(&t, INIT
	       "+100 1 20d c0 p1 r0 1=0 i0 mark_d\n"
	       "+123456889 1 20d c0 p1 r0 2=0 i0 mark_d\n"
	       "+4121456887 1 20d c0 p1 r0 4=0 i0 mark_d\n"
	       "+4123456887 1 20d c0 p1 r0 3=0 i0 mark_d\n");
}

/* Tests the clock of the original: 24.65 ns per count. All times are rounded down. */
static void test_clock(void **state)
{
	struct trace t;
	struct kp_raw raw;
	uint64_t *w;

	(void)state;
	begin(&t, 3);
	w = last_block(&t);
	w[0] = 0x6054b75;
	w[2] = 0x60531a2;
	w[3] = 0x660b154f5031c;
	w[4] = 0xa3e9825;
	w[5] = 0x660b1550fabc1;
	if (kp_raw_open(&raw, as_file(&t), "test"))
		fail_msg("%s", raw.message);
	/* values of the reference trace: word 0 of block 0, its first event, word 0 of block 1 */
	assert_int_equal(kp_raw_time(&raw, 0x6054b75), 1108524697);
	assert_int_equal(kp_raw_time(&raw, 0x605d686), 1108612461);
	assert_int_equal(kp_raw_time(&raw, 0x606f902), 1108795783);
	/* times before the start minute are negative and rounded down */
	assert_int_equal(kp_raw_time(&raw, raw.base_count), 0);
	assert_int_equal(kp_raw_time(&raw, raw.base_count - 1), -3);
	assert_int_equal(kp_raw_time(&raw, raw.base_count + 1), 2);
	kp_raw_close(&raw);
	done(&t);
}

/* Checks that entries of one CPU in the same count get different times. */
static void test_same_count(void **state)
{
	struct trace t;

	(void)state;
	begin(&t, 3);
	entry(&t, 100, 0x820, 0);
	entry(&t, 100, 0xA20, 0);
	entry(&t, 100, 0x821, 0);
	entry(&t, 102, 0xA21, 0);
	expect(&t, INIT
	       "+100 0 820 c0 p1 r0 0=0 i0 syscall#32\n"
	       "+101 0 a20 c0 p1 r0 0=0 i0 /syscall#32\n"
	       "+102 0 821 c0 p1 r0 0=0 i0 syscall#33\n"
	       "+103 0 a21 c0 p1 r0 0=0 i0 /syscall#33\n");
}

/*
 * Tests a trace with definitions: event 0x10E defines the name and fields of event 0x226, and event
 * 0x106 defines the name of resource 70000.
 */
static void test_named_tracepoints(void **state)
{
	struct trace t;

	(void)state;
	begin(&t, 3);
	name(&t, 1, 0x10E, 0x26E, "my_point u32 size");
	name(&t, 2, 0x106, 70000, "disk");
	entry(&t, 10, 0x26E, 7);
	entry(&t, 20, 0x26F, 7);
	entry(&t, 30, 0x219, 70000);
	expect(&t,
	       "+0 022 1 init\n+0 1 200 c0 p1 r0 0=0 i0 init.1\n"
	       "+1 14e 622 my_point u32 size\n"
	       "+2 126 70000 disk\n"
	       "+10 1 26e c0 p1 r0 7=0 i0 my_point\n"
	       "+20 1 26f c0 p1 r0 7=0 i0 event_26f\n"
	       "+30 1 219 c0 p1 r0 70000=0 i0 resource=disk\n");
}

/* ---- blocks ---- */

static void test_merge_cpus(void **state)
{
	struct trace t;

	(void)state;
	begin(&t, 3);
	entry(&t, 100, 0x20D, 1);
	entry(&t, 300, 0x20D, 2);
	block(&t, 1, 50, 7, "seven");
	entry(&t, 60, 0x20D, 3);
	entry(&t, 200, 0x20D, 4);
	block(&t, 0, 400, 1, "init");
	entry(&t, 410, 0x20D, 5);
	block(&t, 1, 350, 7, "seven");
	entry(&t, 405, 0x20D, 6);
	expect(&t, INIT
	       "+50 022 7 seven\n"
	       "+50 1 200 c1 p7 r0 0=0 i0 seven.7\n"
	       "+60 1 20d c1 p7 r0 3=0 i0 mark_d\n"
	       "+100 1 20d c0 p1 r0 1=0 i0 mark_d\n"
	       "+200 1 20d c1 p7 r0 4=0 i0 mark_d\n"
	       "+300 1 20d c0 p1 r0 2=0 i0 mark_d\n"
	       "+350 022 7 seven\n"
	       "+400 022 1 init\n"
	       "+405 1 20d c1 p7 r0 6=0 i0 mark_d\n"
	       "+410 1 20d c0 p1 r0 5=0 i0 mark_d\n");
}

static void test_header_news(void **state)
{
	struct trace t;

	(void)state;
	begin(&t, 3);
	entry(&t, 100, 0x200, 5);
	block(&t, 0, 200000, 9, "nine");	/* a switch to 9 is missing */
	last_block(&t)[2] |= 2400ull << 32;	/* frequency in MHz */
	entry(&t, 200010, 0x20D, 1);
	entry(&t, 200020, 0x200, 3);
	/* this block was claimed during the switch, so its header has the previous task */
	block(&t, 0, 200100, 9, "nine");
	entry(&t, 200110, 0x20D, 2);
	expect(&t, INIT
	       "+100 0 200 c0 p5 r0 5=0 i0 pid.5\n"
	       "+200000 022 9 nine\n"
	       "+200000 1 200 c0 p9 r0 0=0 i0 nine.9\n"
	       "+200000 1 209 c0 p9 r0 2400=0 i0 -freq-\n"
	       "+200010 1 20d c0 p9 r0 1=0 i0 mark_d\n"
	       "+200020 0 200 c0 p3 r0 3=0 i0 pid.3\n"
	       "+200100 022 9 nine\n"
	       "+200110 1 20d c0 p3 r0 2=0 i0 mark_d\n");
}

static void test_wrapped(void **state)
{
	struct trace t;
	struct kp_raw raw;

	(void)state;
	begin(&t, 0x43);
	name(&t, 10, 0x002, 5, "five");
	entry(&t, 20, 0x200, 5);
	merged(&t, 30, 0x827, 3, 0, 0);
	name(&t, 40, 0x104, 0, "host");
	block(&t, 0, 100000000, 5, "five");
	entry(&t, 100000010, 0x20D, 1);
	look(&t, &raw);
	assert_true(raw.wrapped);
	assert_int_equal(raw.dropped_first_block, 2);
	assert_int_equal(raw.first_time, AT(100000010));
	assert_string_equal(seen.text,
		"+10 022 5 five\n"
		"+40 124 0 host\n"
		"+100000000 022 5 five\n"
		"+100000000 1 200 c0 p5 r0 0=0 i0 five.5\n"
		"+100000010 1 20d c0 p5 r0 1=0 i0 mark_d\n");
	kp_raw_close(&raw);
	done(&t);
}

/*
 * Tests the name blocks that libkutrace writes: the first block, and later blocks
 * without events. The times of their names are exact.
 */
static void test_name_blocks(void **state)
{
	struct trace t;

	(void)state;
	begin(&t, 3);
	name(&t, 1, 0x10F, 0, "backend=tracepoint");
	name(&t, 2, 0x10F, 0, "lost_full=7");
	block(&t, 1, 300, 77, "nobody");	/* names of CPU 1: this header is no switch */
	name(&t, 300, 0x002, 9, "before");
	entry(&t, 50000300, 0x21D, 50000000);
	name(&t, 50000300, 0x002, 9, "after");
	block(&t, 1, 200, 9, "before");
	entry(&t, 250, 0x20D, 1);
	entry(&t, 350, 0x200, 9);
	entry(&t, 50000350, 0x21D, 50000000);
	entry(&t, 50000350, 0x200, 9);
	expect(&t,
	       "+0 022 1 init\n+0 1 200 c0 p1 r0 0=0 i0 init.1\n"
	       "+1 14f 0 backend=tracepoint\n"
	       "+2 13f 0 lost_full=7\n"
	       "+200 022 9 before\n"
	       "+200 1 200 c1 p9 r0 0=0 i0 before.9\n"
	       "+250 1 20d c1 p9 r0 1=0 i0 mark_d\n"
	       "+300 022 9 before\n"
	       "+350 0 200 c1 p9 r0 9=0 i0 before.9\n"
	       "+50000300 022 9 after\n"
	       "+50000350 0 200 c1 p9 r0 9=0 i0 after.9\n");
}

static void test_ipc(void **state)
{
	struct trace t;

	(void)state;
	begin(&t, 0x83);
	t.ipc[12] = 0x5A;
	merged(&t, 10, 0x827, 3, 0, 0);
	block(&t, 0, 100, 1, "");
	last_block(&t)[1] |= 0x80ull << 56;
	t.ipc[WORDS + 6] = 0x0C;
	entry(&t, 200, 0x827, 0);
	expect(&t, INIT
	       "+10 3 827 c0 p1 r0 0=0 i90 syscall#39\n"
	       "+200 0 827 c0 p1 r0 0=0 i12 syscall#39\n");

	/*
	 * the reader moves a sample to the time of its interrupt, and drops the sample's counter
	 * bits, which are for a later time
	 */
	begin(&t, 0x83);
	entry(&t, 100, 0x5EC, 0);
	t.ipc[13] = 0xCD;
	entry(&t, 110, 0x280, 300);
	t.ipc[14] = 0x0B;
	word(&t, 0x401710);
	t.ipc[15] = 0x07;
	entry(&t, 120, 0x7EC, 0);
	expect(&t, INIT
	       "+99 0 280 c0 p1 r0 92=0 i0 PC=000000401710\n"
	       "+99 1 209 c0 p1 r0 300=0 i0 -freq-\n"
	       "+100 0 5ec c0 p1 r0 0=0 i0 local_timer\n"
	       "+120 0 7ec c0 p1 r0 0=0 i7 /local_timer\n");
}

/* ---- names ---- */

static void test_names(void **state)
{
	struct trace t;
	struct kp_raw raw;
	struct kp_event_sink sink = { see_event, see_namedef, see_comment, &seen };

	(void)state;
	begin(&t, 3);
	entry(&t, 10, 0x200, 51);	/* the name of this task is defined later */
	name(&t, 20, 0x002, 51, "init");
	entry(&t, 30, 0x200, 51);
	name(&t, 40, 0x002, 51, "work");
	entry(&t, 50, 0x200, 51);
	name(&t, 60, 0x002, 0, "swapper/3");
	entry(&t, 70, 0x200, 0);
	name(&t, 80, 0x005, 33, "eth0");
	merged(&t, 90, 0x521, 1, 0, 33);
	merged(&t, 100, 0x5FF, 1, 0, 3);
	merged(&t, 110, 0x40E, 1, 0, 0);
	merged(&t, 120, 0xDFF, 1, 0, 0);
	entry(&t, 130, 0x20A, 433696207);
	entry(&t, 140, 0x201, 0x12345);
	name(&t, 150, 0x003, 0x2345, "lookup");
	entry(&t, 160, 0x201, 0x12345);
	entry(&t, 170, 0x24B, 0);
	memset(&seen, 0, sizeof(seen));
	assert_int_equal(kp_raw_open(&raw, as_file(&t), "test"), 0);
	assert_int_equal(kp_raw_events(&raw, &sink, false, NULL), 0);
	assert_string_equal(seen.text,
		"# ## VERSION: 3\n# ## FLAGS: 3\n# ## TIMES: 11.00000010 11.00000170\n"
		"# ## DROPPED: 0 0\n# ## START: 1795164600\n"
		"# ## TRACE: 840ddfec-bd9e-82e0-988b-1334f52d8161\n"
		"-1 022 51 init\n-1 022 51 work\n-1 022 0 -idle-\n-1 025 33 eth0\n"
		"-1 023 9029 lookup\n-1 022 1 init\n"
		INIT
		"+10 0 200 c0 p51 r0 51=0 i0 init.51\n"
		"+20 022 51 init\n"
		"+30 0 200 c0 p51 r0 51=0 i0 init.51\n"
		"+40 022 51 work\n"
		"+50 0 200 c0 p51 r0 51=0 i0 work.51\n"
		"+60 022 0 -idle-\n"
		"+70 0 200 c0 p0 r0 0=0 i0 -idle-.0\n"
		"+80 025 33 eth0\n"
		"+90 1 521 c0 p0 r0 33=0 i0 eth0\n"
		"+100 1 5ff c0 p0 r0 3=0 i0 BH:rx\n"
		"+110 1 40e c0 p0 r0 0=0 i0 page_fault\n"
		"+120 1 dff c0 p0 r0 0=0 i0 -sched-\n"
		"+130 1 20a c0 p0 r0 433696207=0 i0 mark_a=getpid\n"
		"+140 1 201 c0 p0 r74565 74565=0 i0 lookup.9029\n"
		"+150 023 9029 lookup\n"
		"+160 1 201 c0 p0 r74565 74565=0 i0 lookup.9029\n"
		"+170 1 24b c0 p0 r74565 0=0 i0 event_24b\n");
	kp_raw_close(&raw);
	done(&t);
}

static void test_base40(void **state)
{
	char text[8];

	(void)state;
	assert_int_equal(kp_base40(433696207, text), 6);
	assert_string_equal(text, "getpid");
	kp_base40(2080065879, text);
	assert_string_equal(text, "/fault");
	assert_int_equal(kp_base40(0, text), 0);
	kp_base40(0xFFFFFFFF, text);
	assert_true(strlen(text) < sizeof(text));
}

static void test_rpc(void **state)
{
	struct trace t;

	(void)state;
	begin(&t, 3);
	entry(&t, 10, 0x201, 77);
	entry(&t, 20, 0x200, 5);
	entry(&t, 30, 0x200, 1);
	entry(&t, 40, 0x202, 0);
	entry(&t, 50, 0x20D, 0);
	expect(&t, INIT
	       "+10 1 201 c0 p1 r77 77=0 i0 rpc_request.77\n"
	       "+20 0 200 c0 p5 r0 5=0 i0 pid.5\n"
	       "+30 0 200 c0 p1 r77 1=0 i0 init.1\n"
	       "+40 1 202 c0 p1 r0 0=0 i0 rpc_response.0\n"
	       "+50 1 20d c0 p1 r0 0=0 i0 mark_d\n");
}

/* ---- samples ---- */

/*
 * Checks that the RPC of a thread ends with the thread. The next thread with the same pid works on
 * no RPC.
 */
static void test_rpc_dies(void **state)
{
	struct trace t;

	(void)state;
	begin(&t, 3);
	entry(&t, 10, KUTRACE_USERPID, 100);
	entry(&t, 20, KUTRACE_RPCIDREQ, 7);
	entry(&t, 30, KUTRACE_CALL_SYSCALL64 + 231, 0);
	entry(&t, 40, KUTRACE_TASKEXIT, 100);
	entry(&t, 45, KUTRACE_MARKD, 1);
	entry(&t, 50, KUTRACE_USERPID, 1);
	entry(&t, 60, KUTRACE_RUNNABLE, 100);
	entry(&t, 70, KUTRACE_USERPID, 100);
	expect(&t, INIT
	       "+10 0 200 c0 p100 r0 100=0 i0 pid.100\n"
	       "+20 1 201 c0 p100 r7 7=0 i0 rpc_request.7\n"
	       "+30 0 8e7 c0 p100 r7 0=0 i0 syscall#231\n"
	       "+40 1 213 c0 p100 r0 100=0 i0 task_exit.100\n"
	       "+45 1 20d c0 p100 r0 1=0 i0 mark_d\n"
	       "+50 0 200 c0 p1 r0 1=0 i0 init.1\n"
	       "+60 1 206 c0 p1 r0 100=0 i0 runnable.100\n"
	       "+70 0 200 c0 p100 r0 100=0 i0 pid.100\n");
	done(&t);
}

/* Checks that a name defined after the exit of a thread belongs to a later thread. */
static void test_later_owner(void **state)
{
	struct trace t;

	(void)state;
	begin(&t, 3);
	entry(&t, 10, KUTRACE_USERPID, 100);
	entry(&t, 20, KUTRACE_TASKEXIT, 100);
	entry(&t, 30, KUTRACE_USERPID, 1);
	name(&t, 40, KUTRACE_NAME_PID, 100, "newcomer");
	entry(&t, 50, KUTRACE_USERPID, 100);
	entry(&t, 60, KUTRACE_USERPID, 200);
	name(&t, 70, KUTRACE_NAME_PID, 200, "late");
	entry(&t, 80, KUTRACE_TASKEXIT, 200);
	expect(&t, INIT
	       "+10 0 200 c0 p100 r0 100=0 i0 pid.100\n"
	       "+20 1 213 c0 p100 r0 100=0 i0 task_exit.100\n"
	       "+30 0 200 c0 p1 r0 1=0 i0 init.1\n"
	       "+40 022 100 newcomer\n"
	       "+50 0 200 c0 p100 r0 100=0 i0 newcomer.100\n"
	       "+60 0 200 c0 p200 r0 200=0 i0 late.200\n"
	       "+70 022 200 late\n"
	       "+80 1 213 c0 p200 r0 200=0 i0 task_exit.200\n");
	done(&t);
}

static int pass_event(void *self, const struct kp_event *event)
{
	*(uint64_t *)self += event->rpc;
	return 0;
}

static int pass_namedef(void *self, const struct kp_namedef *def)
{
	(void)self;
	(void)def;
	return 0;
}

static int pass_comment(void *self, const char *text, size_t len)
{
	(void)self;
	(void)text;
	(void)len;
	return 0;
}

/* Returns the processor time of reading a trace of @threads threads, each in an RPC. */
static double rpc_seconds(uint32_t threads)
{
	uint64_t rpcs = 0, count = 0;
	const struct kp_event_sink sink = { pass_event, pass_namedef, pass_comment, &rpcs };
	struct trace t;
	struct kp_raw raw;
	clock_t start;
	uint32_t i;

	begin(&t, 3);
	for (i = 0; i < threads; i++) {
		if (t.used + 2 > WORDS)
			block(&t, 0, count, i + 1, "");
		entry(&t, count += 10, KUTRACE_USERPID, i + 2);
		entry(&t, count += 10, KUTRACE_RPCIDREQ, 1);
	}
	assert_int_equal(kp_raw_open(&raw, as_file(&t), "test"), 0);
	start = clock();
	assert_int_equal(kp_raw_events(&raw, &sink, false, NULL), 0);
	start = clock() - start;
	assert_true(rpcs >= threads);
	kp_raw_close(&raw);
	done(&t);
	return (double)start / CLOCKS_PER_SEC;
}

/*
 * Checks that eight times as many threads take about eight times as long. A linear search took 64
 * times as long.
 */
static void test_rpc_many(void **state)
{
	double few, many;

	(void)state;
	few = rpc_seconds(10000);
	many = rpc_seconds(80000);
	if (many > 24 * few + 0.1)
		fail_msg("10,000 threads: %.3f s, 80,000: %.3f s", few, many);
}

static void test_samples(void **state)
{
	struct trace t;

	(void)state;
	begin(&t, 3);
	/* the original records the sample after the timer interrupt, in which a task is woken */
	entry(&t, 100, 0x5EC, 0);
	entry(&t, 110, 0x206, 9);
	entry(&t, 120, 0x7EC, 0);
	entry(&t, 125, 0x280, 300);
	word(&t, 0xffffffff8102d053);
	/* our module records the sample before the interrupt */
	entry(&t, 150, 0x820, 0);
	entry(&t, 200, 0x280, 0);
	word(&t, 0x401710);
	entry(&t, 205, 0x5EC, 0);
	entry(&t, 210, 0x7EC, 0);
	/* this sample belongs to the code before it */
	entry(&t, 300000, 0x280, 0);
	word(&t, 0x401720);
	merged(&t, 300003, 0x5EC, 4, 0, 0);
	/* no timer interrupt follows, so the sample keeps its time */
	entry(&t, 300100, 0x820, 0);
	entry(&t, 300200, 0x101, 0);
	word(&t, 0x401730);
	expect(&t, INIT
	       "+99 0 281 c0 p1 r0 2881=0 i0 PC=ffffffff8102d053\n"
	       "+99 1 209 c0 p1 r0 300=0 i0 -freq-\n"
	       "+100 0 5ec c0 p1 r0 0=0 i0 local_timer\n"
	       "+110 1 206 c0 p1 r0 9=0 i0 runnable.9\n"
	       "+120 0 7ec c0 p1 r0 0=0 i0 /local_timer\n"
	       "+150 0 820 c0 p1 r0 0=0 i0 syscall#32\n"
	       "+204 0 280 c0 p1 r0 92=0 i0 PC=000000401710\n"
	       "+204 0 280 c0 p1 r0 92=0 i0 PC=000000401720\n"
	       "+205 0 5ec c0 p1 r0 0=0 i0 local_timer\n"
	       "+210 0 7ec c0 p1 r0 0=0 i0 /local_timer\n"
	       "+300003 4 5ec c0 p1 r0 0=0 i0 local_timer\n"
	       "+300100 0 820 c0 p1 r0 0=0 i0 syscall#32\n"
	       "+300200 0 280 c0 p1 r0 92=0 i0 PC=000000401730\n");
}

static void test_sample_in_next_block(void **state)
{
	struct trace t;

	(void)state;
	begin(&t, 3);
	entry(&t, 100, 0x5EC, 0);
	entry(&t, 120, 0x7EC, 0);
	block(&t, 0, 124, 1, "");
	entry(&t, 125, 0x280, 0);
	word(&t, 0x401710);
	expect(&t, INIT
	       "+99 0 280 c0 p1 r0 92=0 i0 PC=000000401710\n"
	       "+100 0 5ec c0 p1 r0 0=0 i0 local_timer\n"
	       "+120 0 7ec c0 p1 r0 0=0 i0 /local_timer\n");
}

/* Checks that reading a pipe gives the same result as reading a file. */
static void test_pipe(void **state)
{
	struct trace t;
	struct kp_raw raw;
	struct kp_event_sink sink = { see_event, see_namedef, see_comment, &seen };
	static struct seen from_file;
	int fds[2];
	pid_t child;
	FILE *in;
	size_t i;

	(void)state;
	begin(&t, 3);
	for (i = 0; i < 100; i++)
		merged(&t, 10 * i + 10, 0x827, 3, 0, 0);
	memset(&seen, 0, sizeof(seen));
	assert_int_equal(kp_raw_open(&raw, as_file(&t), "test"), 0);
	assert_int_equal(kp_raw_events(&raw, &sink, false, NULL), 0);
	assert_false(raw.spooled);
	kp_raw_close(&raw);
	from_file = seen;

	assert_int_equal(pipe(fds), 0);
	child = fork();
	assert_true(child >= 0);
	if (!child) {
		const char *p = (const char *)t.words, *end = p + WORDS * 8;

		while (p < end) {
			ssize_t n = write(fds[1], p, (size_t)(end - p));

			if (n < 0)
				_exit(1);
			p += n;
		}
		_exit(0);
	}
	close(fds[1]);
	in = fdopen(fds[0], "r");
	assert_non_null(in);
	memset(&seen, 0, sizeof(seen));
	assert_int_equal(kp_raw_open(&raw, in, "test"), 0);
	assert_true(raw.spooled);
	assert_int_equal(kp_raw_events(&raw, &sink, false, NULL), 0);
	kp_raw_close(&raw);
	assert_int_equal(waitpid(child, NULL, 0), child);
	assert_string_equal(seen.text, from_file.text);
	done(&t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_entries),
		cmocka_unit_test(test_wraps),
		cmocka_unit_test(test_late_store),
		cmocka_unit_test(test_late_across_blocks),
		cmocka_unit_test(test_merged_in_count),
		cmocka_unit_test(test_tsdelta),
		cmocka_unit_test(test_clock),
		cmocka_unit_test(test_same_count),
		cmocka_unit_test(test_merge_cpus),
		cmocka_unit_test(test_header_news),
		cmocka_unit_test(test_wrapped),
		cmocka_unit_test(test_name_blocks),
		cmocka_unit_test(test_named_tracepoints),
		cmocka_unit_test(test_ipc),
		cmocka_unit_test(test_names),
		cmocka_unit_test(test_base40),
		cmocka_unit_test(test_rpc),
		cmocka_unit_test(test_rpc_dies),
		cmocka_unit_test(test_rpc_many),
		cmocka_unit_test(test_later_owner),
		cmocka_unit_test(test_samples),
		cmocka_unit_test(test_sample_in_next_block),
		cmocka_unit_test(test_pipe),
	};

	return cmocka_run_group_tests_name("raw", tests, NULL, NULL);
}
