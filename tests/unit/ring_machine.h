/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A simulated machine for the tests of the ring core: one CPU with a virtual clock, and a witness.
 * The witness logs each event that the test requests, and the times before and after its recording.
 * The decoder is separate from the core (ring_decode.h). Losses must be counted: requested = read +
 * lost. Includes the module's sources, so only one file of a program may include it.
 */
#ifndef RING_MACHINE_H
#define RING_MACHINE_H

#define KU_ENV_STEPS
#include "core/emit.h"
#include "core/block.c"
#include "core/kinds.c"
#include "core/move.c"
#include "core/emit.c"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <cmocka.h>

#include "ring_decode.h"
#include "ring_pool.h"

/* ---- the machine: one CPU, a clock and interrupts ---- */

__thread struct ku_cpu *ku_env_cpu;
__thread struct ku_cpu *ku_env_cpu2;
unsigned int ku_clock_shift;
u64 (*ku_env_clock)(void);
void (*ku_env_step)(char letter);
__thread bool ku_env_nmi;
__thread u32 ku_env_pid = 77;

static u64 clock_now;
static u64 clock_step = 1;
static bool irqs_off;

/* An is_other() for ku_merge_syscall(): the number belongs to no other ABI. */
static inline bool is_ours(void)
{
	return false;
}

static inline bool is_other(void)
{
	return true;
}

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

/* Value of the counters for a ring with counter bits, and number of its readings. */
static u32 nibble;
static u32 nibbles_asked;

static u32 count(struct ku_cpu *where, u32 flags)
{
	assert_non_null(where);
	assert_int_equal(flags, ku_ring.bytes_flags);
	nibbles_asked++;
	return ku_env_nmi ? 0 : nibble;
}

static void filled(struct ku_ring *ring)
{
	(void)ring;
	filled_blocks++;
}

/* Log of the witness: the requested events and their times. */
#define MAX_ASKED 200000

struct asked {
	u64 from, to;		/* clock values before and after the recording */
	u32 event, arg;
	bool seen;
};

static struct asked asked[MAX_ASKED];
static u32 nasked;

static void ring_up(u32 nblocks, bool wrap)
{
	pool_alloc(nblocks);
	ku_ring.filled = filled;
	ku_count = count;
	nibble = 0;
	memset(&cpu, 0, sizeof(cpu));
	ku_env_cpu = &cpu;
	ku_env_clock = virtual_clock;
	ku_env_step = NULL;
	ku_env_nmi = false;
	irqs_off = false;
	clock_now = 1000;
	clock_step = 1;
	filled_blocks = 0;
	nasked = 0;
	ku_ring_reset(&ku_ring, wrap);
	ku_ring_init_cpu(&cpu);
	ku_ring.active = 1;
}

/* Tears down a test. */
static inline int ring_down(void **state)
{
	(void)state;
	pool_free();
	return 0;
}

/* Returns word i of the first block's entries, without its time. */
static inline u64 word(u32 i)
{
	return ku_ring.words[0][KU_FIRST_INDEX + i] & ((1ULL << KUTRACE_TS_SHIFT) - 1);
}

static u64 total_lost(void)
{
	u64 sum = 0;
	int i;

	for (i = 0; i < KUTRACE_LOST_CAUSES; i++)
		sum += cpu.lost.causes[i];
	return sum;
}

/* Decodes all blocks of a ring in the order in which they were claimed. */
static struct decode decode_ring(const struct ku_ring *ring)
{
	struct decode d = {};
	u64 seq, last = 0;

	do {
		u64 next = ~0ULL;
		u32 i, which = 0;

		for (i = 0; i < ring->nblocks; i++) {
			seq = ring->table[i].seq;
			if (seq > last && seq < next) {
				next = seq;
				which = i;
			}
		}
		if (next == ~0ULL)
			return d;
		last = next;
		decode_block(&d, ring->words[which], which);
	} while (1);
}

static struct decode decode_all(void)
{
	return decode_ring(&ku_ring);
}

/* ---- requesting events ---- */

/*
 * Logs an event that is recorded next, and the earliest time that it can have. Returns its index in
 * the log.
 */
static inline u32 ask(u32 event, u32 arg)
{
	asked[nasked] = (struct asked){ .from = clock_now + clock_step, .event = event, .arg = arg };
	return nasked++;
}

/* Logs the latest time that the event can have. */
static inline void ask_end(u32 me)
{
	asked[me].to = clock_now;
}

/* Records a point event. Each has a different arg, so that no two are equal. */
static inline void ask_point(void)
{
	u32 me = ask(KUTRACE_MARKD, nasked);

	ku_emit(KU_EVENT(KUTRACE_MARKD) | me);
	ask_end(me);
}

static inline void ask_pc(void)
{
	u32 me = ask(KUTRACE_PC_U, nasked);

	ku_emit2(KU_EVENT(KUTRACE_PC_U) | me, 0x5500000000000000ULL + me);
	ask_end(me);
}

static inline void ask_call(u32 event)
{
	u32 me = ask(event, (u16)nasked);

	ku_emit(KU_EVENT(event) | (u16)me);
	ask_end(me);
}

static inline void ask_return(u32 event, int retval)
{
	u32 me = ask(event | 0x200, (u16)retval);

	ku_emit_return(event, retval);
	ask_end(me);
}

/* Requests a call by the function that direct hooks use. */
static inline void ask_bracket_call(u32 event)
{
	u32 me = ask(event, (u16)nasked);

	ku_emit_call(0x800, event - 0x800, &(u64){ (u16)me });
	ask_end(me);
}

static inline void ask_bracket_return(u32 event, int retval)
{
	u32 me = ask(event | 0x200, (u16)retval);

	if (!ku_emit_call_return(retval))
		ku_emit_return(event, retval);
	ask_end(me);
}

/*
 * Finds the logged event with these values, and marks it as seen. Returns NULL if there is none.
 * The intervals of equal events nest, and the shortest interval is the right one.
 */
static inline struct asked *account(u32 event, u32 arg, u64 ts)
{
	struct asked *best = NULL;
	u32 i = 0, end = nasked;

	/* the arg of a point event is its index */
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

/*
 * Checks that each event in the blocks was requested once, and has the right time. Checks that all
 * other requested events were counted as lost.
 */
static inline void check_all(const char *what)
{
	struct decode d = decode_all();
	u64 last = 0, unseen = 0;
	size_t i;
	u32 n;

	if (d.error)
		fail_msg("%s: %s", what, d.error);
	for (i = 0; i < d.count; i++) {
		const struct decoded *e = &d.list[i];
		struct asked *what_for, *back;
		u64 ts = e->ts;

		if (ts < last)
			fail_msg("%s: block %u word %u: time goes back by %llu", what,
				 e->block, e->index, (unsigned long long)(last - ts));
		last = ts;
		what_for = account(e->event, e->arg, ts);
		if (!what_for)
			fail_msg("%s: block %u word %u: event %x arg %x time %llu was "
				 "never asked for", what, e->block, e->index, e->event,
				 e->arg, (unsigned long long)ts);
		if (e->event == KUTRACE_PC_U && e->second != 0x5500000000000000ULL + e->arg)
			fail_msg("%s: PC sample's address is torn off", what);
		if (!e->delta)
			continue;
		back = account(e->event | 0x200, (u16)e->retval, ts + e->delta);
		if (!back)
			fail_msg("%s: block %u word %u: merged return was never asked for",
				 what, e->block, e->index);
		if (back < what_for)
			fail_msg("%s: block %u word %u: a return is merged into a call made after it",
				 what, e->block, e->index);
	}
	for (n = 0; n < nasked; n++)
		unseen += !asked[n].seen;
	if (unseen != total_lost())
		fail_msg("%s: %u asked, %llu missing, %llu counted as lost", what, nasked,
			 (unsigned long long)unseen, (unsigned long long)total_lost());
	free(d.list);
}

#endif
