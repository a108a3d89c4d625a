// SPDX-License-Identifier: GPL-2.0-only
/*
 * The pool of blocks: a CPU takes a block, fills it, and leaves it to readers.
 *
 * A used block is cleared before a CPU takes it again, because a word that is claimed and not yet
 * stored must read as a NOP. Clearing 64 KiB in one step would delay the event that happens to fill
 * a block. So a CPU picks its next block when it takes one, and clears a part of the next block
 * whenever it has filled a part of its current block. For this, base points @ahead words before the
 * block, and the index is larger by @ahead. So the index reaches KU_BLOCK_END at the end of a part,
 * and the fast path needs no test for parts.
 *
 * Functions that record are __kprobes: see emit.c.
 */
#include "core/block.h"
#include "core/word.h"

/* Parts in which a block is filled and the next one is cleared. */
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
 * Clears @count words of a block, from index @from on, and their counter bits. @count is a multiple
 * of eight, as parts are. memset64() clears eight bytes per step: memset() would take eight times
 * as many steps in an emulator.
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
 * Picks a block from the CPU's share, round robin. Returns KU_NO_BLOCK if there is none. Skips the
 * current and the next block of every CPU, so that no CPU takes the block of an interrupted writer
 * while that block is current.
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

/* Picks an unused block, in the order of block numbers. Returns KU_NO_BLOCK if there is none. */
static u32 __kprobes ku_pick_unused(struct ku_ring *ring)
{
	u64 n;

	/* Do not increment @taken forever after all blocks are used. */
	if ((u64)ku_atomic64_read(&ring->taken) >= ring->nblocks)
		return KU_NO_BLOCK;
	n = ku_atomic64_fetch_inc(&ring->taken);
	return n < ring->nblocks ? (u32)n : KU_NO_BLOCK;
}

/* Invalidates a block's content. Returns whether it had content. */
static bool __kprobes ku_forget_block(struct ku_ring *ring, u32 block)
{
	if (!ring->table[block].seq)
		return false;
	WRITE_ONCE(ring->table[block].seq, 0);
	/*
	 * Pairs with the reader's barrier: a reader that has copied newer words then reads another
	 * seq, and drops the copy.
	 */
	smp_wmb();
	return true;
}

/* Invalidates a block that is overwritten, and counts it. Returns whether it had content. */
static bool __kprobes ku_overwrite_block(struct ku_ring *ring, u32 block)
{
	if (!ku_forget_block(ring, block))
		return false;
	ku_atomic64_fetch_inc(&ring->overwritten);
	return true;
}

/* Picks the CPU's next block. Its seq is 0, so readers skip it until it is taken. */
static void __kprobes ku_pick_next(struct ku_ring *ring, struct ku_cpu *cpu)
{
	if (!ring->ahead)
		return;
	cpu->next.block = ku_pick_block(ring);
	if (cpu->next.block != KU_NO_BLOCK && ku_overwrite_block(ring, cpu->next.block))
		cpu->next.to_clear = KUTRACE_BLOCK_WORDS;
}

/* Clears up to @words more words of the next block. */
static void __kprobes ku_clear_next(struct ku_ring *ring, struct ku_cpu *cpu, u32 words)
{
	u32 count = words < cpu->next.to_clear ? words : cpu->next.to_clear;

	if (!count)
		return;
	ku_clear_words(ring, cpu->next.block, KUTRACE_BLOCK_WORDS - cpu->next.to_clear, count);
	cpu->next.to_clear -= count;
}

/*
 * Returns an empty block and sets *@seq, or returns KU_NO_BLOCK. In wrap mode this is the CPU's
 * next block. If the CPU has no next block, picks a block and clears it.
 */
static u32 __kprobes ku_fresh_block(struct ku_ring *ring, struct ku_cpu *cpu, u64 *seq)
{
	u32 block = cpu->next.block;

	if (!ring->wrap) {
		block = ku_pick_unused(ring);
		*seq = (u64)block + 1;
		return block;
	}
	if (block != KU_NO_BLOCK) {
		/* Clear the rest, if the previous block was closed early. */
		ku_clear_next(ring, cpu, KUTRACE_BLOCK_WORDS);
		cpu->next.block = KU_NO_BLOCK;
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

/* Marks a block as complete, for readers. */
static void __kprobes ku_finish_block(struct ku_ring *ring, u32 block)
{
	if (block == KU_NO_BLOCK)
		return;
	/*
	 * Pairs with the acquire of readers: a reader that sees DONE sees the block's words, except
	 * those of a writer that was interrupted between claim and store.
	 */
	smp_store_release(&ring->table[block].state, KUTRACE_BLOCK_DONE);
}

/*
 * Wakes readers. Must not be called while switching is set: waking may send an IPI to this CPU, and
 * the event of sending it could not be recorded.
 */
static void __kprobes ku_notify_filled(struct ku_ring *ring, u32 block)
{
	if (block != KU_NO_BLOCK && ring->filled)
		ring->filled(ring);
}

/* Finishes the CPU's block. The CPU's state must be closed. */
static void __kprobes ku_leave_block(struct ku_ring *ring, struct ku_cpu *cpu)
{
	ku_finish_block(ring, cpu->at.block);
	WRITE_ONCE(cpu->at.block, KU_NO_BLOCK);
	WRITE_ONCE(cpu->at.ahead, 0);
	WRITE_ONCE(cpu->at.base, ku_closed_block);
	WRITE_ONCE(cpu->counters.bytes, NULL);
}

/* Writes a block's header. Returns the time at which the block begins. */
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
	u32 full = cpu->at.block, block, ahead;
	u64 seq = 0, ts;

	WRITE_ONCE(cpu->switching, 1);
	barrier();
	ku_local_xchg(&cpu->at.state, KU_INDEX_CLOSED);
	ku_step('h');
	ku_leave_block(ring, cpu);
	block = ku_fresh_block(ring, cpu, &seq);
	if (block == KU_NO_BLOCK) {
		ku_count_up(&cpu->lost.causes[ring->wrap ? KUTRACE_LOST_NOBLOCK :
						    KUTRACE_LOST_FULL]);
		barrier();
		WRITE_ONCE(cpu->switching, 0);
		ku_notify_filled(ring, full);
		return false;
	}

	ku_pick_next(ring, cpu);
	/*
	 * The first part of the next block is cleared below. Another part is cleared whenever this
	 * CPU begins a later part of its block.
	 */
	ahead = cpu->next.to_clear ? KUTRACE_BLOCK_WORDS - KU_PART_WORDS : 0;
	entry = &ring->table[block];
	WRITE_ONCE(entry->state, KUTRACE_BLOCK_CURRENT);
	ts = ku_begin_block(ring, ring->words[block]);
	WRITE_ONCE(entry->cpu, ku_this_cpu_number());
	/* Store header and zeros before the seq that makes them valid. */
	smp_wmb();
	WRITE_ONCE(entry->seq, seq);

	WRITE_ONCE(cpu->at.block, block);
	WRITE_ONCE(cpu->at.ahead, ahead);
	WRITE_ONCE(cpu->at.base, ring->words[block] - ahead);
	WRITE_ONCE(cpu->counters.bytes, ring->bytes ? ku_ring_bytes(ring, block) - ahead : NULL);
	barrier();
	ku_step('i');
	WRITE_ONCE(cpu->at.state, ts << KU_INDEX_BITS | (KU_FIRST_INDEX + ahead));
	barrier();
	WRITE_ONCE(cpu->switching, 0);
	ku_clear_next(ring, cpu, KU_PART_WORDS);
	ku_notify_filled(ring, full);
	return true;
}

/*
 * Moves base forward by a part, then the index back by as much: before and after, base and index
 * lead to the same word. If the machine crashes in between, @ahead leads to a word one part further
 * on, where all words are zero.
 *
 * Effect of an NMI that records at each step:
 *  I  Nothing changed: its entries take words that are reserved for NMIs, here the first of the
 *     next part. Base then moves and the exchange fails, as at J.
 *  J  Base moved, index not yet: its entries are one part further on. The words that it skips are
 *     zero, so they stay NOPs. The exchange fails, and index and base stay: they match, one part
 *     further on.
 *
 * Because the index moves back, a state could recur if a whole part were recorded within one count
 * of the clock. This does not happen: a part holds at least 32 entries, and each takes about a
 * count.
 */
noinline bool __kprobes ku_block_next_part(struct ku_ring *ring, struct ku_cpu *cpu, u64 state)
{
	if (!cpu->at.ahead)
		return false;
	ku_clear_next(ring, cpu, KU_PART_WORDS);
	ku_step('I');
	WRITE_ONCE(cpu->at.ahead, cpu->at.ahead - KU_PART_WORDS);
	WRITE_ONCE(cpu->at.base, cpu->at.base + KU_PART_WORDS);
	if (cpu->counters.bytes)
		WRITE_ONCE(cpu->counters.bytes, cpu->counters.bytes + KU_PART_WORDS);
	barrier();
	ku_step('J');
	(void)ku_local_try_cmpxchg(&cpu->at.state, state, state - KU_PART_WORDS);
	return true;
}

/* Resets the state and the losses of a CPU that does not record. */
void ku_ring_init_cpu(struct ku_cpu *cpu)
{
	u32 i;

	WRITE_ONCE(cpu->at.state, KU_INDEX_CLOSED);
	WRITE_ONCE(cpu->at.base, ku_closed_block);
	cpu->at.call = 0;
	cpu->at.block = KU_NO_BLOCK;
	cpu->at.ahead = 0;
	cpu->next.block = KU_NO_BLOCK;
	cpu->next.to_clear = 0;
	cpu->switching = 0;
	cpu->filter = (struct ku_decision){ };
	cpu->hook.began = 0;
	cpu->lost = (struct ku_losses){ };
	cpu->counters.bytes = NULL;
	for (i = 0; i < KU_COUNTERS; i++)
		cpu->counters.last[i] = KU_NOT_COUNTED;
}

/*
 * Finishes the block of this CPU, or of an offline CPU. The next entry takes a new block.
 *
 * A writer that was interrupted between claim and store still completes its store: wait for it with
 * synchronize_rcu() before reading the block. Context: interrupts off.
 */
void __kprobes ku_ring_close_cpu(struct ku_ring *ring, struct ku_cpu *cpu)
{
	u32 last = cpu->at.block;

	WRITE_ONCE(cpu->switching, 1);
	barrier();
	ku_local_xchg(&cpu->at.state, KU_INDEX_CLOSED);
	ku_leave_block(ring, cpu);
	barrier();
	WRITE_ONCE(cpu->switching, 0);
	ku_notify_filled(ring, last);
}

/* Invalidates the content of this CPU's block; the caller closes it next. Interrupts off. */
void __kprobes ku_ring_forget_cpu(struct ku_ring *ring, struct ku_cpu *cpu)
{
	if (cpu->at.block != KU_NO_BLOCK)
		ku_forget_block(ring, cpu->at.block);
}

/*
 * Empties the pool of a ring that does not record, with all its CPUs closed. @wrap: overwrite the
 * oldest block when all are used. Clears used blocks, which may take milliseconds. Process context.
 */
void ku_ring_reset(struct ku_ring *ring, bool wrap)
{
	u32 i;

	WRITE_ONCE(ring->resets, ring->resets + 1);
	/* Pairs with ku_cpu_next(): a reader that sees changed blocks then reads the new number. */
	smp_wmb();
	for (i = 0; i < ring->nblocks; i++) {
		struct kutrace_block *entry = &ring->table[i];
		/* The next block of a CPU may be cleared in part, and has no seq. */
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

/*
 * Divides the pool into shares; each CPU then overwrites only its own share. The caller has just
 * reset the ring, in wrap mode, and has set ring->shares->of to the index of each CPU's share. Each
 * share must get at least KU_SHARE_BLOCKS blocks. Several CPUs may have the same share. Process
 * context.
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
