// SPDX-License-Identifier: GPL-2.0-only
/*
 * The pool of blocks: a CPU takes one, fills it, and leaves it to readers.
 *
 * A block that was used before is cleared before it is taken, since a word that is claimed and not
 * yet stored must read as a NOP. 64 KiB at a time would be a long step for the event that happens
 * to fill a block. So a CPU picks its next block when it takes one, and clears a part of that each
 * time when it has filled a part of its own. For this the state's index and the base do not count
 * from the block's beginning, but such that the index comes to KU_BLOCK_END where the part ends:
 * base is in front of the block by so many words as the index is ahead. The fast path knows nothing
 * of it.
 *
 * All of it is __kprobes: see ring.c.
 */
#include "core/block.h"
#include "core/word.h"

/* A block is filled, and the next one cleared, in so many parts. */
#define KU_PARTS	32
#define KU_PART_WORDS	(KUTRACE_BLOCK_WORDS / KU_PARTS)

u64 *ku_closed_block;
#ifdef __KERNEL__
DEFINE_PER_CPU_ALIGNED(struct ku_cpu, ku_cpu);
DEFINE_PER_CPU_ALIGNED(struct ku_cpu, ku_cpu2);
#endif

static __kprobes u8 *ku_ring_bytes(struct ku_ring *ring, u32 block)
{
	return ring->bytes + (size_t)block * KUTRACE_IPC_BYTES;
}

/*
 * Clears so many words from that one on, and their bytes: parts, so multiples of eight. By words of
 * eight bytes: in an emulator, where each step counts, an eighth of memset()'s.
 */
static void __kprobes ku_clear_words(struct ku_ring *ring, u32 block, u32 from, u32 count)
{
	memset64(&ring->words[block][from], 0, count);
	if (ring->bytes)
		memset64((u64 *)(ku_ring_bytes(ring, block) + from), 0, count / sizeof(u64));
	ku_step('v');
}

/* Returns the share from which this CPU takes its next block in wrap mode. */
static struct ku_share *__kprobes ku_share_here(struct ku_ring *ring)
{
	return ku_ring_share(ring, ring->nshares ? ring->shares->of[ku_this_cpu_number()] : 0);
}

/*
 * Picks a block from the CPU's share, ~0 if there is none. Blocks are handed out round
 * robin; in wrap mode one that is still some CPU's current block, or its next, is passed
 * over, so an interrupted writer's store cannot land in a stranger's block.
 */
static u32 __kprobes ku_pick_block(struct ku_ring *ring)
{
	struct ku_share *share = ku_share_here(ring);
	u32 tries;

	for (tries = 0; tries < share->count; tries++) {
		u32 block = share->first +
			    (u32)(ku_atomic64_fetch_inc(&share->picked) % share->count);
		u32 was = READ_ONCE(ring->table[block].state);

		if (was != KUTRACE_BLOCK_CURRENT &&
		    cmpxchg(&ring->table[block].state, was, KUTRACE_BLOCK_CURRENT) == was)
			return block;
	}
	return KU_NO_BLOCK;
}

/* In the order of their numbers, each once. */
static u32 __kprobes ku_pick_unused(struct ku_ring *ring)
{
	u64 n;

	/* Not to count up for ever once full. */
	if ((u64)ku_atomic64_read(&ring->taken) >= ring->nblocks)
		return KU_NO_BLOCK;
	n = ku_atomic64_fetch_inc(&ring->taken);
	return n < ring->nblocks ? (u32)n : KU_NO_BLOCK;
}

/* What is in a block is nothing from now on. Returns whether there was something. */
static bool __kprobes ku_forget_block(struct ku_ring *ring, u32 block)
{
	if (!ring->table[block].seq)
		return false;
	WRITE_ONCE(ring->table[block].seq, 0);
	/* Pairs with the reader's: what it copies now has another seq afterwards. */
	smp_wmb();
	return true;
}

/* Drops the content of a block for newer events. Returns whether there was content. */
static bool __kprobes ku_overwrite_block(struct ku_ring *ring, u32 block)
{
	if (!ku_forget_block(ring, block))
		return false;
	ku_atomic64_fetch_inc(&ring->overwritten);
	return true;
}

/* ---- the next block ---- */

/* Readers do not see it until it is taken: it has no seq. */
static void __kprobes ku_pick_next(struct ku_ring *ring, struct ku_cpu *cpu)
{
	if (!ring->ahead)
		return;
	cpu->next = ku_pick_block(ring);
	if (cpu->next != KU_NO_BLOCK && ku_overwrite_block(ring, cpu->next))
		cpu->to_clear = KUTRACE_BLOCK_WORDS;
}

/* Clears so many words more of it. */
static void __kprobes ku_clear_next(struct ku_ring *ring, struct ku_cpu *cpu, u32 words)
{
	u32 count = words < cpu->to_clear ? words : cpu->to_clear;

	if (!count)
		return;
	ku_clear_words(ring, cpu->next, KUTRACE_BLOCK_WORDS - cpu->to_clear, count);
	cpu->to_clear -= count;
}

/* A block without content and its seq: the next, or where there is none one that is cleared now. */
static u32 __kprobes ku_fresh_block(struct ku_ring *ring, struct ku_cpu *cpu, u64 *seq)
{
	u32 block = cpu->next;

	if (!ring->wrap) {
		block = ku_pick_unused(ring);
		*seq = (u64)block + 1;
		return block;
	}
	if (block != KU_NO_BLOCK) {
		/* What is left, if the block before was given up early. */
		ku_clear_next(ring, cpu, KUTRACE_BLOCK_WORDS);
		cpu->next = KU_NO_BLOCK;
	} else {
		block = ku_pick_block(ring);
		if (block == KU_NO_BLOCK)
			return block;
		if (ku_overwrite_block(ring, block))
			ku_clear_words(ring, block, 0, KUTRACE_BLOCK_WORDS);
	}
	*seq = ku_atomic64_fetch_inc(&ring->taken) + 1;
	return block;
}

/* ---- taking and leaving ---- */

static void __kprobes ku_finish_block(struct ku_ring *ring, u32 block)
{
	if (block == KU_NO_BLOCK)
		return;
	/*
	 * Pairs with the acquire of readers: who sees the block done sees its words, but for
	 * those of a writer that was interrupted between claim and store.
	 */
	smp_store_release(&ring->table[block].state, KUTRACE_BLOCK_DONE);
}

/*
 * Not while switching: it may send this CPU an interrupt, which is an event where
 * sending is hooked.
 */
static void __kprobes ku_notify_filled(struct ku_ring *ring, u32 block)
{
	if (block != KU_NO_BLOCK && ring->filled)
		ring->filled(ring);
}

static void __kprobes ku_leave_block(struct ku_ring *ring, struct ku_cpu *cpu)
{
	ku_finish_block(ring, cpu->block);
	WRITE_ONCE(cpu->block, KU_NO_BLOCK);
	WRITE_ONCE(cpu->ahead, 0);
	WRITE_ONCE(cpu->base, ku_closed_block);
	WRITE_ONCE(cpu->bytes, NULL);
}

/* The block's header, from the time on that is returned. */
static u64 __kprobes ku_begin_block(struct ku_ring *ring, u64 *words)
{
	u64 ts = ku_clock_by(ring->shift);

	words[0] = (u64)ku_this_cpu_number() << 56 | (ts & ((1ULL << 56) - 1));
	words[1] = (u64)ring->bytes_flags << 56;
	words[2] = (u64)ku_cpu_read(mhz) << 32 | ku_task_pid();
	ku_task_comm((char *)&words[4]);
	if (unlikely(ring->filtered))
		ring->header(ring, words);
	return ts;
}

noinline bool __kprobes ku_block_take(struct ku_ring *ring, struct ku_cpu *cpu)
{
	struct kutrace_block *entry;
	u32 full = cpu->block, block, ahead;
	u64 seq = 0, ts;

	WRITE_ONCE(cpu->switching, 1);
	barrier();
	ku_local_xchg(&cpu->state, KU_INDEX_CLOSED);
	ku_step('h');
	ku_leave_block(ring, cpu);
	block = ku_fresh_block(ring, cpu, &seq);
	if (block == KU_NO_BLOCK) {
		ku_count_up(&cpu->lost[ring->wrap ? KUTRACE_LOST_NOBLOCK : KUTRACE_LOST_FULL]);
		barrier();
		WRITE_ONCE(cpu->switching, 0);
		ku_notify_filled(ring, full);
		return false;
	}

	ku_pick_next(ring, cpu);
	/* The parts to come, each of which clears one of the next block; this one does, too. */
	ahead = cpu->to_clear ? KUTRACE_BLOCK_WORDS - KU_PART_WORDS : 0;
	entry = &ring->table[block];
	WRITE_ONCE(entry->state, KUTRACE_BLOCK_CURRENT);
	ts = ku_begin_block(ring, ring->words[block]);
	WRITE_ONCE(entry->cpu, ku_this_cpu_number());
	/* Header and zeroes before the number that vouches for them. */
	smp_wmb();
	WRITE_ONCE(entry->seq, seq);

	WRITE_ONCE(cpu->block, block);
	WRITE_ONCE(cpu->ahead, ahead);
	WRITE_ONCE(cpu->base, ring->words[block] - ahead);
	WRITE_ONCE(cpu->bytes, ring->bytes ? ku_ring_bytes(ring, block) - ahead : NULL);
	barrier();
	ku_step('i');
	WRITE_ONCE(cpu->state, ts << KU_INDEX_BITS | (KU_FIRST_INDEX + ahead));
	barrier();
	WRITE_ONCE(cpu->switching, 0);
	ku_clear_next(ring, cpu, KU_PART_WORDS);
	ku_notify_filled(ring, full);
	return true;
}

/*
 * Base goes on, and then the index back by as much, so that both say the same word as before.
 * Should the machine crash in between, @ahead leads to a word a part too far, where all is clear.
 * What an NMI that records does at the steps:
 *  I  nothing is changed: its entries are in the words that are kept for NMIs, here the first of
 *     the next part. Then base goes on, and the exchange fails: as at J.
 *  J  base has gone on, the index not yet: its entries are a part further on, in words that are
 *     as clear as those between, which stay NOPs. The exchange fails, and index and base stay as
 *     they are: they belong together, in the part behind.
 * A state could come back by this, if a whole part was recorded within one count of the
 * clock; it is at least 32 entries, and each takes about as long as a count.
 */
noinline bool __kprobes ku_block_next_part(struct ku_ring *ring, struct ku_cpu *cpu, u64 state)
{
	if (!cpu->ahead)
		return false;
	ku_clear_next(ring, cpu, KU_PART_WORDS);
	ku_step('I');
	WRITE_ONCE(cpu->ahead, cpu->ahead - KU_PART_WORDS);
	WRITE_ONCE(cpu->base, cpu->base + KU_PART_WORDS);
	if (cpu->bytes)
		WRITE_ONCE(cpu->bytes, cpu->bytes + KU_PART_WORDS);
	barrier();
	ku_step('J');
	(void)ku_local_try_cmpxchg(&cpu->state, state, state - KU_PART_WORDS);
	return true;
}

/**
 * ku_ring_init_cpu() - a CPU's state before its first entry, its losses zero
 * @cpu: state of a CPU that does not record
 */
void ku_ring_init_cpu(struct ku_cpu *cpu)
{
	u32 i;

	WRITE_ONCE(cpu->state, KU_INDEX_CLOSED);
	WRITE_ONCE(cpu->base, ku_closed_block);
	cpu->call = 0;
	cpu->block = KU_NO_BLOCK;
	cpu->ahead = 0;
	cpu->next = KU_NO_BLOCK;
	cpu->to_clear = 0;
	cpu->switching = 0;
	cpu->wanted = 0;
	cpu->filter = 0;
	cpu->began = 0;
	for (i = 0; i < KUTRACE_LOST_CAUSES; i++)
		cpu->lost[i] = 0;
	for (i = 0; i < KUTRACE_KINDS; i++)
		cpu->lost_kinds[i] = 0;
	cpu->bytes = NULL;
	for (i = 0; i < KU_COUNTERS; i++)
		cpu->counted[i] = KU_NOT_COUNTED;
}

/**
 * ku_ring_close_cpu() - end a CPU's block; the next entry takes another
 * @ring: whose
 * @cpu: its state of this CPU, or of one that is offline
 *
 * Context: interrupts off. A writer interrupted between claim and store still
 * completes its store: wait for it (synchronize_rcu) before reading the block.
 */
void __kprobes ku_ring_close_cpu(struct ku_ring *ring, struct ku_cpu *cpu)
{
	u32 last = cpu->block;

	WRITE_ONCE(cpu->switching, 1);
	barrier();
	ku_local_xchg(&cpu->state, KU_INDEX_CLOSED);
	ku_leave_block(ring, cpu);
	barrier();
	WRITE_ONCE(cpu->switching, 0);
	ku_notify_filled(ring, last);
}

/**
 * ku_ring_forget_cpu() - what is in a CPU's block is nothing
 * @ring: whose
 * @cpu: its state of this CPU; to be closed then
 *
 * Context: interrupts off.
 */
void __kprobes ku_ring_forget_cpu(struct ku_ring *ring, struct ku_cpu *cpu)
{
	if (cpu->block != KU_NO_BLOCK)
		ku_forget_block(ring, cpu->block);
}

/**
 * ku_ring_reset() - empty the pool
 * @ring: whose CPUs are all closed, and which does not record
 * @wrap: overwrite the oldest block when all are used
 *
 * Zeroes what was used, so may take milliseconds: process context.
 */
void ku_ring_reset(struct ku_ring *ring, bool wrap)
{
	u32 i;

	WRITE_ONCE(ring->resets, ring->resets + 1);
	/* Pairs with smp_rmb() in ku_cpu_next(): who reads a new number reads the new count. */
	smp_wmb();
	for (i = 0; i < ring->nblocks; i++) {
		struct kutrace_block *entry = &ring->table[i];
		/* Some CPU's next one may be cleared in part, and has no seq. */
		bool used = entry->seq || entry->state != KUTRACE_BLOCK_FREE;

		ku_forget_block(ring, i);
		if (used)
			ku_clear_words(ring, i, 0, KUTRACE_BLOCK_WORDS);
		WRITE_ONCE(entry->cpu, 0);
		WRITE_ONCE(entry->state, KUTRACE_BLOCK_FREE);
		ku_relax();
	}
	ku_atomic64_set(&ring->taken, 0);
	ku_atomic64_set(&ring->overwritten, 0);
	ring->nshares = 0;
	ring->whole.first = 0;
	ring->whole.count = ring->nblocks;
	ku_atomic64_set(&ring->whole.picked, 0);
	ring->wrap = wrap;
	ring->ahead = wrap && ring->nblocks >= KU_AHEAD_BLOCKS * ku_cpus_online();
}

/**
 * ku_ring_split() - give each share its blocks, and each CPU the share that it wraps within
 * @ring: just reset, in wrap mode; @ring->shares->of holds the index of each CPU's share
 * @nshares: 1 to KUTRACE_CPUS, and so few that each has KU_SHARE_BLOCKS
 *
 * Several CPUs may have one share. Context: process.
 */
void ku_ring_split(struct ku_ring *ring, u32 nshares)
{
	u32 end = 0, i;

	for (i = 0; i < nshares; i++) {
		struct ku_share *share = &ring->shares->share[i];

		share->first = end;
		end = (u32)((u64)(i + 1) * ring->nblocks / nshares);
		share->count = end - share->first;
		ku_atomic64_set(&share->picked, 0);
	}
	ring->nshares = nshares;
	ring->ahead = ring->nblocks / nshares >= KU_AHEAD_BLOCKS;
}
