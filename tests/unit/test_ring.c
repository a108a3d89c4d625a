// SPDX-License-Identifier: BSD-3-Clause
/*
 * The ring core under simulated interrupts and NMIs at every lettered step of
 * its lock-free code, with a virtual clock. The witness is a log kept by the
 * test of what it asked for and between which two times; the decoder is the
 * test's own (ring_decode.h). What is lost must be counted: asked = read + lost.
 */
#define KU_ENV_STEPS
#include "ku_kinds.c"
#include "ku_ring.c"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <cmocka.h>

#include "ring_decode.h"
#include "ring_pool.h"

/* ---- the machine: one CPU, a clock, interrupts ---- */

__thread struct ku_cpu *ku_env_cpu;
unsigned int ku_clock_shift;
u64 (*ku_env_clock)(void);
void (*ku_env_step)(char letter);
__thread bool ku_env_nmi;
__thread u32 ku_env_pid = 77;

static u64 clock_now;
static u64 clock_step = 1;
static bool irqs_off;
static u32 cpu_number = 5;

static u64 virtual_clock(void)
{
	clock_now += clock_step;
	return clock_now;
}

void ku_env_irq_save(unsigned long *flags)
{
	*flags = irqs_off;
	irqs_off = true;
}

void ku_env_irq_restore(unsigned long flags)
{
	irqs_off = flags;
}

u32 ku_this_cpu_number(void)
{
	return cpu_number;
}

static struct ku_cpu cpu;
static int filled_blocks;

static void filled(struct ku_ring *ring)
{
	(void)ring;
	filled_blocks++;
}

static void ring_up(u32 nblocks, bool wrap)
{
	pool_alloc(nblocks);
	ku_ring.filled = filled;
	memset(&cpu, 0, sizeof(cpu));
	ku_env_cpu = &cpu;
	ku_env_clock = virtual_clock;
	ku_env_step = NULL;
	ku_env_nmi = false;
	irqs_off = false;
	clock_now = 1000;
	clock_step = 1;
	filled_blocks = 0;
	ku_ring_reset(&ku_ring, wrap);
	ku_ring_init_cpu(&cpu);
	ku_ring.active = 1;
}

static u64 total_lost(void)
{
	u64 sum = 0;
	int i;

	for (i = 0; i < KUTRACE_LOST_CAUSES; i++)
		sum += cpu.lost[i];
	return sum;
}

/* All blocks in the order in which they were taken. */
static struct decode decode_all(void)
{
	struct decode d = {};
	u64 seq, last = 0;

	do {
		u64 next = ~0ULL;
		u32 i, which = 0;

		for (i = 0; i < ku_ring.nblocks; i++) {
			seq = ku_ring.table[i].seq;
			if (seq > last && seq < next) {
				next = seq;
				which = i;
			}
		}
		if (next == ~0ULL)
			return d;
		last = next;
		decode_block(&d, ku_ring.words[which], which);
	} while (1);
}

/* ---- the witness: what was asked for, and when ---- */

#define MAX_ASKED 200000

struct asked {
	u64 from, to;		/* between these clock readings */
	u32 event, arg;
	bool is_return;
	bool seen;
};

static struct asked asked[MAX_ASKED];
static u32 nasked;

/* Every event has an arg of its own, so that it can be told from all others. */
static void ask_point(void)
{
	u32 me = nasked++;

	asked[me] = (struct asked){ .from = clock_now + clock_step, .event = KUTRACE_MARKD, .arg = me };
	ku_emit(KU_EVENT(KUTRACE_MARKD) | me);
	asked[me].to = clock_now;
}

static void ask_pc(void)
{
	u32 me = nasked++;

	asked[me] = (struct asked){ .from = clock_now + clock_step, .event = KUTRACE_PC_U, .arg = me };
	ku_emit2(KU_EVENT(KUTRACE_PC_U) | me, 0x5500000000000000ULL + me);
	asked[me].to = clock_now;
}

static u32 ask_call(u32 event)
{
	u32 me = nasked++;

	asked[me] = (struct asked){ .from = clock_now + clock_step, .event = event, .arg = (u16)me };
	ku_emit(KU_EVENT(event) | (u16)me);
	asked[me].to = clock_now;
	return me;
}

static void ask_return(u32 event, int retval)
{
	u32 me = nasked++;

	asked[me] = (struct asked){ .from = clock_now + clock_step, .event = event | 0x200,
				    .arg = (u16)retval, .is_return = true };
	ku_emit_return(event, retval);
	asked[me].to = clock_now;
}

/* The same for a hook that brackets its call; the value's type differs only. */
static u32 ask_bracket_call(u32 event)
{
	u32 me = nasked++;

	asked[me] = (struct asked){ .from = clock_now + clock_step, .event = event, .arg = (u16)me };
	ku_emit_call(0x800, event - 0x800, (u16)me);
	asked[me].to = clock_now;
	return me;
}

static void ask_bracket_return(u32 event, int retval)
{
	u32 me = nasked++;

	asked[me] = (struct asked){ .from = clock_now + clock_step, .event = event | 0x200,
				    .arg = (u16)retval, .is_return = true };
	if (!ku_emit_call_return(retval))
		ku_emit_return(event, retval);
	asked[me].to = clock_now;
}

/*
 * Finds, among those not yet seen, one that fits. Equal ones nest, so the one
 * asked for in the shortest time is right.
 */
static bool account(u32 event, u32 arg, u64 ts)
{
	struct asked *best = NULL;
	u32 i = 0, end = nasked;

	/* points bear their own number */
	if (event == KUTRACE_MARKD || event == KUTRACE_PC_U) {
		i = arg;
		end = arg < nasked ? arg + 1 : 0;
	}

	for (; i < end; i++) {
		struct asked *a = &asked[i];

		if (a->seen || a->event != event || a->arg != arg)
			continue;
		if (ts < a->from || ts > a->to)
			continue;
		if (!best || a->to - a->from < best->to - best->from)
			best = a;
	}
	if (best)
		best->seen = true;
	return best;
}

/* Everything read was asked for, at that time, once; the rest was lost. */
static void check_all(const char *what)
{
	struct decode d = decode_all();
	u64 last = 0, unseen = 0;
	size_t i;
	u32 n;

	if (d.error)
		fail_msg("%s: %s", what, d.error);
	for (i = 0; i < d.count; i++) {
		const struct decoded *e = &d.list[i];
		u64 ts = e->ts;

		if (ts < last)
			fail_msg("%s: block %u word %u: time goes back by %llu", what,
				 e->block, e->index, (unsigned long long)(last - ts));
		last = ts;
		if (!account(e->event, e->arg, ts))
			fail_msg("%s: block %u word %u: event %x arg %x time %llu was "
				 "never asked for", what, e->block, e->index, e->event,
				 e->arg, (unsigned long long)ts);
		if (e->event == KUTRACE_PC_U && e->second != 0x5500000000000000ULL + e->arg)
			fail_msg("%s: PC sample's address is torn off", what);
		if (e->delta && !account(e->event | 0x200, (u16)e->retval, ts + e->delta))
			fail_msg("%s: block %u word %u: merged return was never asked for",
				 what, e->block, e->index);
	}
	for (n = 0; n < nasked; n++)
		unseen += !asked[n].seen;
	if (unseen != total_lost())
		fail_msg("%s: %u asked, %llu missing, %llu counted as lost", what, nasked,
			 (unsigned long long)unseen, (unsigned long long)total_lost());
	free(d.list);
}

/* ---- plain cases ---- */

static void test_header(void **state)
{
	const u64 *w;

	(void)state;
	ring_up(2, false);
	nasked = 0;
	cpu.mhz = 3100;
	ask_point();
	w = ku_ring.words[0];
	assert_int_equal(w[0] >> 56, cpu_number);
	assert_in_range(w[0] & ((1ULL << 56) - 1), 1000, clock_now);
	assert_int_equal(w[1], 0);
	assert_int_equal((u32)w[2], 77);
	assert_int_equal(w[2] >> 32, 3100);
	assert_int_equal(w[3], 0);
	assert_string_equal((const char *)&w[4], "test");
	assert_int_equal(w[6], 0);
	assert_int_equal((w[7] >> 32) & 0xFFF, KUTRACE_MARKD);
	assert_int_equal(ku_ring.table[0].state, KUTRACE_BLOCK_CURRENT);
	assert_int_equal(ku_ring.table[0].seq, 1);
	assert_int_equal(ku_ring.table[0].cpu, cpu_number);
	check_all("header");
	pool_free();
}

static void test_merge(void **state)
{
	const u64 *w;

	(void)state;
	ring_up(2, false);
	nasked = 0;
	w = ku_ring.words[0];
	ask_call(0x827);
	ask_return(0x827, -128);
	assert_int_equal(w[8], 0);
	assert_int_equal((w[7] >> 24) & 0xFF, 1);
	assert_int_equal((w[7] >> 16) & 0xFF, 0x80);
	ask_call(0x827);
	ask_return(0x827, 127);
	assert_int_equal(w[9], 0);
	/* a value of more than 8 bits */
	ask_call(0x827);
	ask_return(0x827, 128);
	assert_int_equal((w[10] >> 32) & 0xFFF, 0xA27);
	assert_int_equal(w[10] & 0xFFFF, 128);
	/* another call's return */
	ask_call(0x828);
	ask_return(0x829, 0);
	assert_int_equal((w[12] >> 32) & 0xFFF, 0xA29);
	/* something in between */
	ask_call(0x830);
	ask_point();
	ask_return(0x830, 0);
	assert_int_equal((w[15] >> 32) & 0xFFF, 0xA30);
	/* a second return of the same call */
	ask_call(0x831);
	ask_return(0x831, 1);
	ask_return(0x831, 1);
	assert_int_equal((w[17] >> 32) & 0xFFF, 0xA31);
	check_all("merge");
	pool_free();
}

static void test_merge_delta(void **state)
{
	const u64 *w;

	(void)state;
	ring_up(2, false);
	nasked = 0;
	w = ku_ring.words[0];
	ask_call(0x827);
	clock_now += 254;
	ask_return(0x827, 0);
	assert_int_equal((w[7] >> 24) & 0xFF, 255);
	ask_call(0x827);
	clock_now += 255;
	ask_return(0x827, 0);
	assert_int_equal((w[8] >> 24) & 0xFF, 0);
	assert_int_equal((w[9] >> 32) & 0xFFF, 0xA27);
	/* no time at all: a delta of 0 would mean no return */
	ask_call(0x827);
	clock_step = 0;
	ask_return(0x827, 0);
	assert_int_equal((w[11] >> 32) & 0xFFF, 0xA27);
	clock_step = 1;
	check_all("merge delta");
	pool_free();
}

/* What test_merge and test_merge_delta ask, of the brackets. */
static void test_bracket(void **state)
{
	const u64 *w;

	(void)state;
	ring_up(2, false);
	nasked = 0;
	w = ku_ring.words[0];
	ask_point();
	ask_bracket_call(0x827);
	ask_bracket_return(0x827, -128);
	assert_int_equal((w[8] >> 32) & 0xFFF, 0x827);
	assert_int_equal((w[8] >> 24) & 0xFF, 1);
	assert_int_equal((w[8] >> 16) & 0xFF, 0x80);
	ask_bracket_call(0x9FF);
	clock_now += 254;
	ask_bracket_return(0x9FF, 127);
	assert_int_equal((w[9] >> 32) & 0xFFF, 0x9FF);
	assert_int_equal((w[9] >> 24) & 0xFF, 255);
	assert_int_equal((w[9] >> 16) & 0xFF, 0x7F);
	assert_int_equal(w[10], 0);
	/* too long ago */
	ask_bracket_call(0x827);
	clock_now += 255;
	ask_bracket_return(0x827, 0);
	assert_int_equal((w[10] >> 24) & 0xFF, 0);
	assert_int_equal((w[11] >> 32) & 0xFFF, 0xA27);
	/* no time at all */
	ask_bracket_call(0x827);
	clock_step = 0;
	ask_bracket_return(0x827, 0);
	clock_step = 1;
	assert_int_equal((w[13] >> 32) & 0xFFF, 0xA27);
	/* values of more than 8 bits */
	ask_bracket_call(0x827);
	ask_bracket_return(0x827, 128);
	assert_int_equal(w[15] & 0xFFFF, 128);
	ask_bracket_call(0x827);
	ask_bracket_return(0x827, -129);
	assert_int_equal(w[17] & 0xFFFF, (u16)-129);
	/* something in between */
	ask_bracket_call(0x830);
	ask_point();
	ask_bracket_return(0x830, 0);
	assert_int_equal((w[20] >> 32) & 0xFFF, 0xA30);
	/* another task's call in between, its number the same */
	ask_bracket_call(0x831);
	ask_point();
	ask_bracket_call(0x831);
	ask_bracket_return(0x831, 3);
	ask_point();
	ask_bracket_return(0x831, 4);
	assert_int_equal((w[23] >> 16) & 0xFF, 3);
	assert_int_equal((w[25] >> 32) & 0xFFF, 0xA31);
	assert_int_equal(w[25] & 0xFFFF, 4);
	check_all("bracket");
	pool_free();
}

/* The call was recorded on one CPU, the return comes on another. */
static void test_bracket_elsewhere(void **state)
{
	struct ku_cpu other;
	u64 now;

	(void)state;
	ring_up(3, false);
	nasked = 0;
	memset(&other, 0, sizeof(other));
	ku_ring_init_cpu(&other);
	/* both have had as many entries, the last at the same time */
	ask_point();
	now = clock_now;
	ask_bracket_call(0x827);
	ku_env_cpu = &other;
	clock_now = now;
	cpu_number = 6;
	ku_emit(KU_EVENT(KUTRACE_MARKA) | 1);
	clock_now = now;
	ku_emit(KU_EVENT(0x828) | 1);
	other.state = cpu.state;
	clock_now += 2;
	assert_false(ku_emit_call_return(1));
	cpu_number = 5;
	ku_env_cpu = &cpu;
	pool_free();
}

/* The last word of a block, and the word after a new block was taken. */
static void test_bracket_block_end(void **state)
{
	u32 i;

	(void)state;
	ring_up(3, false);
	nasked = 0;
	for (i = KU_FIRST_INDEX; i < KUTRACE_BLOCK_WORDS - 1; i++)
		ask_point();
	ask_bracket_call(0x827);
	ask_bracket_return(0x827, 9);
	assert_int_equal((ku_ring.words[0][KUTRACE_BLOCK_WORDS - 1] >> 24) & 0xFF, 1);
	assert_int_equal((ku_ring.words[0][KUTRACE_BLOCK_WORDS - 1] >> 16) & 0xFF, 9);
	/* this call takes the slow path; its return is merged in the other way */
	ask_bracket_call(0x828);
	ask_bracket_return(0x828, 9);
	assert_int_equal((ku_ring.words[1][7] >> 32) & 0xFFF, 0x828);
	assert_true((ku_ring.words[1][7] >> 24) & 0xFF);
	/* a long gap: announced, then as before */
	clock_now += 0x90000;
	ask_bracket_call(0x829);
	ask_bracket_return(0x829, 1);
	assert_int_equal((ku_ring.words[1][8] >> 32) & 0xFFF, KUTRACE_TSDELTA);
	check_all("bracket at the end of a block");
	/* off: nothing is recorded, nothing is merged */
	ku_ring.active = 0;
	ku_ring_close_cpu(&ku_ring, ku_env_cpu);
	ku_emit_call(0x800, 39, 0);
	assert_false(ku_emit_call_return(0));
	assert_int_equal(ku_ring.words[1][10], 0);
	pool_free();
}

/* The call in a block's last word; its return may still merge into it. */
static void test_block_end(void **state)
{
	u32 i;

	(void)state;
	ring_up(3, false);
	nasked = 0;
	for (i = KU_FIRST_INDEX; i < KUTRACE_BLOCK_WORDS - 1; i++)
		ask_point();
	ask_call(0x827);
	assert_int_equal(cpu.state & KU_INDEX_MASK, KU_INDEX_CLOSED);
	assert_int_equal(filled_blocks, 0);
	ask_return(0x827, 3);
	assert_int_equal((ku_ring.words[0][8191] >> 24) & 0xFF, 1);
	assert_int_equal(ku_ring.table[1].seq, 0);
	ask_point();
	assert_int_equal(ku_ring.table[1].seq, 2);
	assert_int_equal(ku_ring.table[0].state, KUTRACE_BLOCK_DONE);
	assert_int_equal(filled_blocks, 1);
	/* a two-word entry that does not fit, with its NOP, leaves NOPs */
	for (i = KU_FIRST_INDEX + 1; i < KUTRACE_BLOCK_WORDS - 2; i++)
		ask_point();
	ask_pc();
	assert_int_equal(ku_ring.words[1][8190], 0);
	assert_int_equal(ku_ring.words[1][8191], 0);
	assert_int_equal(ku_ring.table[2].seq, 3);
	check_all("block end");
	pool_free();
}

/* An address that looks like a call must not swallow a return. */
static void test_address_like_a_call(void **state)
{
	const u64 *w;

	(void)state;
	ring_up(2, false);
	w = ku_ring.words[0];
	ku_emit2(KU_EVENT(KUTRACE_PC_U), KU_EVENT(0x5FF) | 7);
	ku_emit_return(0x5FF, 0);
	assert_int_equal(w[8], KU_EVENT(0x5FF) | 7);
	assert_int_equal(w[9], 0);
	assert_int_equal((w[10] >> 32) & 0xFFF, 0x7FF);
	pool_free();
}

static void test_gaps(void **state)
{
	static const u64 gaps[] = {
		1, 0x7FFFE, 0x7FFFF, 0x80000, 0xE0000, 0xE0001, 0xFFFFF, 0x100000,
		0x100001, 0x1E0000, 999999937, 1999999998, 1999999999, 2000000000,
		2000000001, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFF, 0x100000000,
		3999999998, 3999999999, 90000000000, 127999999936, 127999999999,
		128000000001, 1ULL << 40, (1ULL << 48) + 12345,
	};
	u32 i;

	(void)state;
	ring_up(40, false);
	nasked = 0;
	ask_point();
	for (i = 0; i < sizeof(gaps) / sizeof(gaps[0]); i++) {
		clock_now += gaps[i] - 1;
		ask_point();
		ask_call(0x800);
		ask_return(0x800, 0);
	}
	check_all("gaps");
	/* the widest gaps took a block each, the others a few words */
	assert_in_range(ku_ring.taken, 4, 6);
	pool_free();
}

/* Time going back beyond a late store is announced, too. */
static void test_back_in_time(void **state)
{
	struct decode d;

	(void)state;
	ring_up(4, false);
	clock_now = 1ULL << 33;
	ku_emit(KU_EVENT(KUTRACE_MARKD) | 1);
	clock_now -= 0x30000;
	ku_emit(KU_EVENT(KUTRACE_MARKD) | 2);
	clock_now -= 1999999999;
	ku_emit(KU_EVENT(KUTRACE_MARKD) | 3);
	d = decode_all();
	assert_null(d.error);
	assert_int_equal(d.count, 3);
	/* the slow path reads the clock once more */
	assert_int_equal(d.list[0].ts - d.list[1].ts, 0x30000 - 2);
	assert_int_equal(d.list[1].ts - d.list[2].ts, 1999999999 - 2);
	free(d.list);
	pool_free();
}

/* Uptime of more than 2^50 counts: the time in the state has wrapped. */
static void test_state_time_wraps(void **state)
{
	u32 i;

	(void)state;
	ring_up(2, false);
	nasked = 0;
	clock_now = (1ULL << 50) - 50;
	for (i = 0; i < 100; i++) {
		ask_call(0x827);
		ask_return(0x827, 1);
	}
	check_all("state time wraps");
	assert_int_equal(total_lost(), 0);
	assert_int_equal(ku_ring.words[0][7 + 100], 0);
	pool_free();
}

static void test_past(void **state)
{
	struct decode d;

	(void)state;
	ring_up(2, false);
	ku_emit(KU_EVENT(KUTRACE_MARKD) | 1);
	clock_now += 1000;
	ku_emit_past(KU_EVENT(0x502), 200);
	assert_true(ku_merge_return(0x502, 1));
	clock_now += 10;
	ku_emit_past(KU_EVENT(0x502), 5000);
	d = decode_all();
	assert_int_equal(d.count, 3);
	assert_in_range(d.list[1].ts - d.list[0].ts, 800, 803);
	assert_in_range(d.list[1].delta, 199, 203);
	/* not before the entry before it */
	assert_int_equal(d.list[2].ts, d.list[1].ts);
	free(d.list);
	pool_free();
}

static void test_full(void **state)
{
	u32 i, n = 2 * (KUTRACE_BLOCK_WORDS - KU_FIRST_INDEX) + 1009;

	(void)state;
	ring_up(2, false);
	nasked = 0;
	for (i = 0; i < n; i++)
		ask_point();
	assert_int_equal(cpu.lost[KUTRACE_LOST_FULL], 1009);
	check_all("full");
	assert_int_equal(ku_ring.taken, 2);
	pool_free();
}

static void test_wrap(void **state)
{
	struct decode d;
	u32 i, n = 7 * (KUTRACE_BLOCK_WORDS - KU_FIRST_INDEX) + 101;

	(void)state;
	ring_up(3, true);
	for (i = 0; i < n; i++)
		ku_emit(KU_EVENT(KUTRACE_MARKD) | i);
	assert_int_equal(total_lost(), 0);
	d = decode_all();
	assert_null(d.error);
	/* the last two full blocks and 101 entries, contiguous up to the last */
	assert_int_equal(d.count, 2 * (KUTRACE_BLOCK_WORDS - KU_FIRST_INDEX) + 101);
	for (i = 0; i < d.count; i++)
		assert_int_equal(d.list[i].arg, n - d.count + i);
	free(d.list);
	pool_free();
}

/* Another CPU's current block is never taken away. */
static void test_wrap_skips_current(void **state)
{
	struct ku_cpu other = {};
	u32 i;

	(void)state;
	ring_up(3, true);
	ku_ring_init_cpu(&other);
	ku_env_cpu = &other;
	cpu_number = 6;
	ku_emit(KU_EVENT(KUTRACE_MARKD) | 4242);
	ku_env_cpu = &cpu;
	cpu_number = 5;
	for (i = 0; i < 5 * KUTRACE_BLOCK_WORDS; i++)
		ku_emit(KU_EVENT(KUTRACE_MARKD) | i);
	assert_int_equal(ku_ring.words[0][7] & 0xFFFFFFFF, 4242);
	assert_int_equal(ku_ring.words[0][0] >> 56, 6);
	assert_int_equal(ku_ring.table[0].seq, 1);
	assert_int_equal(total_lost(), 0);
	pool_free();

	/* all blocks current elsewhere: counted */
	ring_up(1, true);
	ku_ring_init_cpu(&other);
	ku_env_cpu = &other;
	ku_emit(KU_EVENT(KUTRACE_MARKD) | 1);
	ku_env_cpu = &cpu;
	ku_emit(KU_EVENT(KUTRACE_MARKD) | 2);
	assert_int_equal(cpu.lost[KUTRACE_LOST_NOBLOCK], 1);
	pool_free();
}

static void test_off(void **state)
{
	(void)state;
	ring_up(2, false);
	nasked = 0;
	ask_call(0x827);
	ku_ring.active = 0;
	ku_ring_close_cpu(&ku_ring, ku_env_cpu);
	ku_emit(KU_EVENT(KUTRACE_MARKD) | 1);
	ku_emit_return(0x827, 0);
	ku_emit2(KU_EVENT(KUTRACE_PC_U), 1);
	assert_int_equal(total_lost(), 0);
	assert_int_equal(ku_ring.table[0].state, KUTRACE_BLOCK_DONE);
	check_all("off");
	/* on again: a new block */
	ku_ring.active = 1;
	ask_point();
	assert_int_equal(ku_ring.table[1].seq, 2);
	ku_ring_close_cpu(&ku_ring, ku_env_cpu);
	ku_ring.active = 0;
	ku_ring_reset(&ku_ring, false);
	assert_int_equal(ku_ring.words[0][7], 0);
	assert_int_equal(ku_ring.table[0].state, KUTRACE_BLOCK_FREE);
	pool_free();
}

/* ---- interrupts at every step ---- */

static char at_letter;		/* interrupt here ... */
static int at_visit;		/* ... the n-th time */
static bool at_nmi;
static void (*at_do)(void);
static int visits;
static char letters_seen[256];

static void run_nested(void)
{
	bool nmi = ku_env_nmi, off = irqs_off;

	ku_env_nmi = at_nmi || nmi;
	irqs_off = true;
	at_do();
	ku_env_nmi = nmi;
	irqs_off = off;
}

static void step_once(char letter)
{
	letters_seen[(u8)letter] = 1;
	if (letter != at_letter || visits++ != at_visit)
		return;
	if (irqs_off && !at_nmi)
		return;
	run_nested();
}

static void nested_few(void)
{
	u32 i;

	ask_call(0x5EC);
	ask_point();
	ask_return(0x5EC, 0);
	for (i = 0; i < 3; i++)
		ask_point();
	ask_call(0x8AA);
	ask_return(0x8AA, 5);
}

static void nested_long(void)
{
	ask_call(0x5EC);
	clock_now += 0x90000;
	ask_return(0x5EC, 0);
}

static void nested_block(void)
{
	u32 i;

	for (i = 0; i < KUTRACE_BLOCK_WORDS + 5; i++)
		ask_point();
}

/*
 * The number of the call that is interrupted, or for an NMI its own: what an
 * NMI can record is never nested in itself.
 */
static void nested_same_call(void)
{
	u32 event = ku_env_nmi ? 0x502 : 0x827;

	ask_call(event);
	ask_return(event, 7);
}

/*
 * A call, its return, a sample and a point with room entries left in the block,
 * interrupted at one step in one way.
 */
static bool bracket;		/* that call is one of ku_emit_call() */

static void interrupted_case(u32 room, char letter, int visit, bool nmi,
			     void (*what)(void), const char *name)
{
	char text[100];
	u32 i;

	ring_up(6, false);
	nasked = 0;
	for (i = KU_FIRST_INDEX; i < KUTRACE_BLOCK_WORDS - room; i++)
		ku_emit(KU_EVENT(KUTRACE_MARKA) | i);
	at_letter = letter;
	at_visit = visit;
	at_nmi = nmi;
	at_do = what;
	visits = 0;
	ku_env_step = step_once;
	if (bracket) {
		ask_bracket_call(0x827);
		ask_bracket_return(0x827, 1);
	} else {
		ask_call(0x827);
		ask_return(0x827, 1);
	}
	ask_pc();
	clock_now += 0x85000;
	ask_point();
	ku_env_step = NULL;
	/* the filling is not in the log: forget it (a gap that 20 bits can say) */
	for (i = KU_FIRST_INDEX; i < KUTRACE_BLOCK_WORDS - room; i++)
		ku_ring.words[0][i] = 0;
	snprintf(text, sizeof(text), "%s%s %s at %c.%d, room %u",
		 bracket ? "bracket, " : "", nmi ? "NMI" : "IRQ", name,
		 letter, visit, room);
	check_all(text);
	pool_free();
}

static void every_step(void)
{
	static const struct {
		void (*what)(void);
		const char *name;
	} whats[] = {
		{ nested_few, "few" }, { nested_long, "long" }, { nested_block, "block" },
		{ nested_same_call, "same call" }, { ask_point, "point" },
	};
	const char *letters = bracket ? "abcdhijklmnopqr" : "abcdefghij", *l;
	u32 room, w;
	int visit, nmi;

	memset(letters_seen, 0, sizeof(letters_seen));
	for (room = 0; room < 14; room++)
		for (l = letters; *l; l++)
			for (visit = 0; visit < 4; visit++)
				for (nmi = 0; nmi < 2; nmi++)
					for (w = 0; w < sizeof(whats) / sizeof(*whats); w++)
						interrupted_case(room, *l, visit, nmi,
								 whats[w].what,
								 whats[w].name);
	for (l = letters; *l; l++)
		if (!letters_seen[(u8)*l])
			fail_msg("step %c was never reached", *l);
}

static void test_every_step(void **state)
{
	(void)state;
	bracket = false;
	every_step();
}

static void test_every_bracket_step(void **state)
{
	(void)state;
	bracket = true;
	every_step();
	bracket = false;
}

/* ---- random nesting ---- */

static u64 seed;
static int depth;

static u32 rnd(u32 n)
{
	seed = seed * 6364136223846793005ULL + 1442695040888963407ULL;
	return (u32)(seed >> 33) % n;
}

static void random_action(void)
{
	if (ku_env_nmi) {
		ask_call(0x502);
		if (!rnd(3))
			clock_now += rnd(300);
		ask_return(0x502, 1);
		return;
	}
	switch (rnd(8)) {
	case 0:
	case 1:
		ask_point();
		break;
	case 2:
		ask_pc();
		break;
	case 3: {
		u32 event = 0x800 + rnd(4);

		/* only tasks make system calls, and not while one is recorded */
		if (!depth && rnd(2)) {
			ask_bracket_call(event);
			if (rnd(3))
				clock_now += rnd(300);
			if (!rnd(4))
				ask_point();
			ask_bracket_return(event, (int)rnd(300) - 150);
			break;
		}
		ask_call(event);
		if (rnd(3))
			clock_now += rnd(300);
		ask_return(event, (int)rnd(300) - 150);
		break;
	}
	case 4:
		ask_call(0x5EC);
		if (!rnd(3))
			ask_point();
		ask_return(0x5EC, 0);
		break;
	case 5:
		if (!rnd(4))
			clock_now += 0x40000 + rnd(0xC0000);
		ask_point();
		break;
	default:
		ask_call(0x40E);
		ask_return(0x40E, 0);
	}
	clock_now += rnd(20);
}

static void step_random(char letter)
{
	u32 n;

	(void)letter;
	if (depth >= 3 || nasked > MAX_ASKED - 1000 || rnd(12))
		return;
	at_nmi = !rnd(3);
	if ((irqs_off && !at_nmi) || ku_env_nmi)
		return;
	depth++;
	at_do = random_action;
	for (n = rnd(4) + 1; n; n--)
		run_nested();
	depth--;
}

static void test_random(void **state)
{
	u32 run, i, lost_runs = 0;

	(void)state;
	for (run = 1; run <= 500; run++) {
		char text[40];

		ring_up(run % 4 ? 4 : 1, false);
		nasked = 0;
		seed = run;
		/* start near the end of a block, so that most runs cross one */
		ask_point();
		cpu.state += KUTRACE_BLOCK_WORDS - 100 - rnd(200);
		ku_env_step = step_random;
		for (i = 0; i < 150; i++)
			random_action();
		ku_env_step = NULL;
		snprintf(text, sizeof(text), "random run %u", run);
		lost_runs += total_lost() != 0;
		check_all(text);
		pool_free();
	}
	/* the small pools did overflow, so loss was really accounted for */
	assert_in_range(lost_runs, 50, 450);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_header),
		cmocka_unit_test(test_merge),
		cmocka_unit_test(test_merge_delta),
		cmocka_unit_test(test_block_end),
		cmocka_unit_test(test_address_like_a_call),
		cmocka_unit_test(test_bracket),
		cmocka_unit_test(test_bracket_elsewhere),
		cmocka_unit_test(test_bracket_block_end),
		cmocka_unit_test(test_gaps),
		cmocka_unit_test(test_back_in_time),
		cmocka_unit_test(test_state_time_wraps),
		cmocka_unit_test(test_past),
		cmocka_unit_test(test_full),
		cmocka_unit_test(test_wrap),
		cmocka_unit_test(test_wrap_skips_current),
		cmocka_unit_test(test_off),
		cmocka_unit_test(test_every_step),
		cmocka_unit_test(test_every_bracket_step),
		cmocka_unit_test(test_random),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
