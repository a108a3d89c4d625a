// SPDX-License-Identifier: GPL-2.0-only
/*
 * The slow path of recording: taking blocks, announcing gaps, counting what is
 * lost. Called from ku_emit.h in any context; must not sleep, print, or wait
 * for another CPU, and in an NMI must not take a block either.
 */
#include "ku_emit.h"

/* What a TSDELTA can say, and how many of them are still cheaper than a block. */
#define KU_TSDELTA_MAX	1999999999LL
#define KU_TSDELTA_MIN	(-0x7FFFFFFFLL)
#define KU_TSDELTA_RUN	64

struct ku_ring ku_ring;

/* TSDELTA entries needed to announce this gap; more than a run: a new block. */
static u32 ku_gap_words(s64 gap)
{
	if (gap >= -(s64)KUTRACE_LATE_MAX && gap <= (s64)KU_GAP_MAX)
		return 0;
	if (gap < 0)
		return gap >= KU_TSDELTA_MIN ? 1 : KU_TSDELTA_RUN + 1;
	if (gap > KU_TSDELTA_MAX * KU_TSDELTA_RUN)
		return KU_TSDELTA_RUN + 1;
	return (u32)(((u64)gap + KU_TSDELTA_MAX - 1) / KU_TSDELTA_MAX);
}

/* Writes count TSDELTAs at p that lead from time last to last + gap. */
static void ku_store_gap(u64 *p, u32 count, u64 last, s64 gap)
{
	while (count--) {
		s64 step = count ? KU_TSDELTA_MAX : gap;

		last += (u64)step;
		gap -= step;
		WRITE_ONCE(*p++, last << KUTRACE_TS_SHIFT |
			   KU_EVENT(KUTRACE_TSDELTA) | (u32)step);
	}
}

/*
 * Picks a block from the pool, ~0 if there is none. Blocks are handed out round
 * robin; in wrap mode one that is still some CPU's current block is passed
 * over, so an interrupted writer's store cannot land in a stranger's block.
 */
static u32 ku_pick_block(u64 *seq)
{
	u32 tries;

	if (!ku_ring.wrap) {
		u64 n;

		/* Not to count up for ever once full. */
		if ((u64)ku_atomic64_read(&ku_ring.taken) >= ku_ring.nblocks)
			return KU_NO_BLOCK;
		n = ku_atomic64_fetch_inc(&ku_ring.taken);
		if (n >= ku_ring.nblocks)
			return KU_NO_BLOCK;
		*seq = n + 1;
		return (u32)n;
	}
	for (tries = 0; tries < ku_ring.nblocks; tries++) {
		u64 n = ku_atomic64_fetch_inc(&ku_ring.taken);
		u32 block = (u32)(n % ku_ring.nblocks);
		u32 was = READ_ONCE(ku_ring.table[block].state);

		if (was == KUTRACE_BLOCK_CURRENT ||
		    cmpxchg(&ku_ring.table[block].state, was,
			    KUTRACE_BLOCK_CURRENT) != was)
			continue;
		*seq = n + 1;
		return block;
	}
	return KU_NO_BLOCK;
}

static void ku_finish_block(u32 block)
{
	if (block == KU_NO_BLOCK)
		return;
	/* Whoever sees it done sees its words, but for stores interrupted. */
	smp_store_release(&ku_ring.table[block].state, KUTRACE_BLOCK_DONE);
	if (ku_ring.filled)
		ku_ring.filled();
}

/*
 * Gives this CPU a fresh block. Interrupts are off; an NMI finds the CPU
 * closed, comes to ku_emit_slow(), sees switching and counts a loss.
 *
 * Returns true when there is one; else the loss has been counted.
 */
static bool ku_take_block(void)
{
	struct kutrace_block *entry;
	u64 seq = 0;
	u64 *words;
	u64 ts;
	u32 block;

	ku_cpu_write(switching, 1);
	barrier();
	ku_cpu_xchg(state, KU_INDEX_CLOSED);
	ku_step('h');
	ku_finish_block(ku_cpu_read(block));
	ku_cpu_write(block, KU_NO_BLOCK);
	ku_cpu_write(base, ku_ring.closed);

	block = ku_pick_block(&seq);
	if (block == KU_NO_BLOCK) {
		ku_cpu_inc(lost[ku_ring.wrap ? KUTRACE_LOST_NOBLOCK :
					       KUTRACE_LOST_FULL]);
		barrier();
		ku_cpu_write(switching, 0);
		return false;
	}

	entry = &ku_ring.table[block];
	words = ku_ring.words[block];
	WRITE_ONCE(entry->state, KUTRACE_BLOCK_CURRENT);
	if (entry->seq) {
		WRITE_ONCE(entry->seq, 0);
		/* A reader that copies it now finds another seq afterwards. */
		smp_wmb();
		memset(words, 0, KUTRACE_BLOCK_BYTES);
	}
	ts = ku_clock();
	words[0] = (u64)ku_this_cpu_number() << 56 | (ts & ((1ULL << 56) - 1));
	words[2] = (u64)ku_cpu_read(mhz) << 32 | ku_task_pid();
	ku_task_comm((char *)&words[4]);
	WRITE_ONCE(entry->cpu, ku_this_cpu_number());
	/* Header and zeroes before the number that vouches for them. */
	smp_wmb();
	WRITE_ONCE(entry->seq, seq);

	ku_cpu_write(block, block);
	ku_cpu_write(base, words);
	barrier();
	ku_step('i');
	ku_cpu_write(state, ts << KU_INDEX_BITS | KU_FIRST_INDEX);
	barrier();
	ku_cpu_write(switching, 0);
	return true;
}

/**
 * ku_emit_slow() - record an entry when ku_emit() cannot
 * @entry: everything but the timestamp
 * @second: the word behind it, when @nwords is more than 1
 * @nwords: 1 to 3; the third stays a NOP
 * @past: counts ago that it happened; not before the CPU's last entry
 *
 * Comes here because the block is full, the CPU is closed, nothing is being
 * recorded, the gap to the entry before is too long for 20 bits, or there are
 * several words. Context: any. What cannot be recorded is counted.
 */
void ku_emit_slow(u64 entry, u64 second, u32 nwords, u64 past)
{
	u64 state, claimed, ts, last;
	unsigned long flags;
	u32 gap_words;
	u64 *p;
	s64 gap;

	ku_irq_save(flags);
	if (!READ_ONCE(ku_ring.active))
		goto out;
	do {
		for (;;) {
			state = ku_cpu_read(state);
			p = ku_cpu_read(base) + (state & KU_INDEX_MASK);
			ts = ku_clock();
			gap = (s64)((ts << KU_INDEX_BITS) - (state & ~KU_INDEX_MASK)) >>
			      KU_INDEX_BITS;
			if (past && gap > 0) {
				u64 back = past < (u64)gap ? past : (u64)gap;

				ts -= back;
				gap -= (s64)back;
			}
			gap_words = ku_gap_words(gap);
			if (gap_words <= KU_TSDELTA_RUN &&
			    (state & KU_INDEX_MASK) + gap_words + nwords <=
				    KUTRACE_BLOCK_WORDS)
				break;
			if (ku_cpu_read(switching) || ku_in_nmi()) {
				ku_cpu_inc(lost[KUTRACE_LOST_NESTED]);
				goto out;
			}
			if (!ku_take_block())
				goto out;
		}
		claimed = (ts << KU_INDEX_BITS) +
			  (state & KU_INDEX_MASK) + gap_words + nwords;
	} while (!ku_cpu_try_cmpxchg(state, state, claimed));
	ku_step('j');
	last = ts - (u64)gap;
	ku_store_gap(p, gap_words, last, gap);
	p += gap_words;
	if (nwords > 1)
		WRITE_ONCE(p[1], second);
	WRITE_ONCE(p[0], ts << KUTRACE_TS_SHIFT | entry);
out:
	ku_irq_restore(flags);
}

/**
 * ku_ring_init_cpu() - a CPU's state before its first entry, its losses zero
 * @cpu: state of a CPU that does not record
 */
void ku_ring_init_cpu(struct ku_cpu *cpu)
{
	u32 cause;

	WRITE_ONCE(cpu->state, KU_INDEX_CLOSED);
	WRITE_ONCE(cpu->base, ku_ring.closed);
	cpu->call = 0;
	cpu->block = KU_NO_BLOCK;
	cpu->switching = 0;
	for (cause = 0; cause < KUTRACE_LOST_CAUSES; cause++)
		cpu->lost[cause] = 0;
}

/**
 * ku_ring_close_this_cpu() - end this CPU's block; the next entry takes another
 *
 * Context: interrupts off. A writer interrupted between claim and store still
 * completes its store: wait for it (synchronize_rcu) before reading the block.
 */
void ku_ring_close_this_cpu(void)
{
	ku_cpu_write(switching, 1);
	barrier();
	ku_cpu_xchg(state, KU_INDEX_CLOSED);
	ku_finish_block(ku_cpu_read(block));
	ku_cpu_write(block, KU_NO_BLOCK);
	ku_cpu_write(base, ku_ring.closed);
	barrier();
	ku_cpu_write(switching, 0);
}

/* The same for a CPU that is offline. */
void ku_ring_close_other_cpu(struct ku_cpu *cpu)
{
	WRITE_ONCE(cpu->state, KU_INDEX_CLOSED);
	ku_finish_block(cpu->block);
	cpu->block = KU_NO_BLOCK;
	WRITE_ONCE(cpu->base, ku_ring.closed);
}

/**
 * ku_ring_reset() - empty the pool
 * @wrap: overwrite the oldest block when all are used
 *
 * Not while recording; every CPU must be closed. Zeroes what was used, so may
 * take milliseconds: process context.
 */
void ku_ring_reset(bool wrap)
{
	u32 i;

	for (i = 0; i < ku_ring.nblocks; i++) {
		struct kutrace_block *entry = &ku_ring.table[i];

		if (entry->seq)
			memset(ku_ring.words[i], 0, KUTRACE_BLOCK_BYTES);
		entry->seq = 0;
		entry->cpu = 0;
		entry->state = KUTRACE_BLOCK_FREE;
	}
	ku_atomic64_set(&ku_ring.taken, 0);
	ku_ring.wrap = wrap;
}
