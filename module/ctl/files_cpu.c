// SPDX-License-Identifier: GPL-2.0-only
/*
 * Reads /dev/kutrace/cpuNNN: the blocks of one CPU in the order in which the CPU took them. Each
 * block is returned once and complete, when it is full or the recording has ended. So every event
 * is read once, and the reader need not join parts of a block. A read returns 0 while no further
 * block is finished; poll waits for one.
 *
 * In wrap mode a reader may be too slow. It gets -EOVERFLOW once, and continues with the oldest
 * remaining block. To detect this, the file stores the sequence number that follows the last
 * returned block, even if that block is not finished. The next block must have this number.
 */
#include <linux/mm.h>
#include <linux/poll.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include <linux/uaccess.h>
#include <linux/vmalloc.h>

#include "core/kinds.h"
#include "ctl/ctl.h"
#include "session/state.h"

/* Returns the time at which a block begins, in counts, from its first word. */
static u64 ku_block_began(u64 word)
{
	return word & ((1ULL << 56) - 1);
}

/* Returns the time of the latest entry in counts. */
static u64 ku_block_last(const u64 *words)
{
	struct ku_walk walk = { .words = words, .now = ku_block_began(words[0]),
				.at = KUTRACE_FIRST_WORD };
	u64 last = walk.now;

	while (ku_walk_next(&walk))
		last = max(last, walk.now);
	return last;
}

/* The CPU's blocks after the last returned block. A number is 0 if there is no such block. */
struct ku_next {
	u64 seq;		/* sequence number of the oldest finished block */
	u32 block;		/* its index in the block table */
	u64 newest;		/* sequence number of the newest finished block */
	u64 following;		/* next sequence number after @seq, in any state */
};

static void ku_cpu_note(struct ku_next *next, u64 seq, u32 block, bool done)
{
	if (done && seq > next->newest)
		next->newest = seq;
	if (done && (!next->seq || seq < next->seq)) {
		next->following = next->seq ?: next->following;
		next->seq = seq;
		next->block = block;
	} else if (!next->following || seq < next->following) {
		next->following = seq;
	}
}

static struct ku_next ku_cpu_scan(const struct ku_open *mine)
{
	const struct ku_ring *ring = ku_session_ring(mine->session);
	struct ku_next next = { };
	u32 i;

	for (i = 0; i < ring->nblocks; i++) {
		const struct kutrace_block *block = &ring->table[i];
		/* Pairs with the barrier before the store of seq in ku_block_take(). */
		u64 seq = smp_load_acquire(&block->seq);
		u32 state;

		if (seq <= mine->after || READ_ONCE(block->cpu) != mine->cpu)
			continue;
		/* Pairs with the release in ku_finish_block(). */
		state = smp_load_acquire(&block->state);
		ku_cpu_note(&next, seq, i, state == KUTRACE_BLOCK_DONE);
	}
	return next;
}

/*
 * Skips the blocks before the newest block that begins before @since: all of their entries are
 * earlier. One scan finds that block, instead of one scan and one copy for each skipped block.
 */
static void ku_cpu_skip(struct ku_open *mine)
{
	const struct ku_ring *ring = ku_session_ring(mine->session);
	u64 newest = 0;
	u32 i;

	for (i = 0; i < ring->nblocks; i++) {
		const struct kutrace_block *block = &ring->table[i];
		/* Pairs with the barrier before the store of seq in ku_block_take(). */
		u64 seq = smp_load_acquire(&block->seq), began;

		if (seq <= max(mine->after, newest) || READ_ONCE(block->cpu) != mine->cpu)
			continue;
		began = ku_block_began(READ_ONCE(ring->words[i][0]));
		/* Pairs with the barriers around stores of seq, as in ku_cpu_copy(). */
		smp_rmb();
		if (began < mine->since && READ_ONCE(block->seq) == seq)
			newest = seq;
	}
	if (!newest)
		return;
	mine->after = newest - 1;
	mine->expected = newest;
}

/*
 * Waits until all entries of the finished blocks are stored. An interrupt can finish a block
 * between the claim and the store of one of its entries. Writers disable preemption, so the store
 * is complete after a grace period.
 */
static void ku_cpu_wait_stores(struct ku_open *mine, const struct ku_next *next)
{
	if (next->seq <= mine->stored)
		return;
	synchronize_rcu();
	mine->stored = next->newest;
}

/* Copies the block. Returns 1; 0 if the block was reused meanwhile; -ENOMEM. */
static int ku_cpu_copy(struct ku_open *mine, const struct ku_next *next)
{
	const struct ku_ring *ring = ku_session_ring(mine->session);

	if (!mine->data)
		mine->data = __vmalloc(KUTRACE_BLOCK_BYTES, GFP_KERNEL_ACCOUNT);
	if (!mine->data)
		return -ENOMEM;
	memcpy(mine->data, ring->words[next->block], KUTRACE_BLOCK_BYTES);
	/* These files have no counter bits. */
	((u64 *)mine->data)[1] = 0;
	/* Pairs with the barriers around stores of seq in ku_block_take() and ku_ring_reset(). */
	smp_rmb();
	return READ_ONCE(ring->table[next->block].seq) == next->seq;
}

/* Starts again if a new recording has begun: its sequence numbers begin at 1. */
static void ku_cpu_recording(struct ku_open *mine)
{
	/*
	 * Pairs with the release in ku_session_begin(), so that ku_session_ended() refers to the
	 * recording that began at @start.
	 */
	u64 start = smp_load_acquire(&mine->session->start.counts);

	if (start == mine->recording)
		return;
	mine->recording = start;
	mine->after = 0;
	mine->expected = 0;
	mine->stored = 0;
	mine->since_passed = false;
	mine->lost = false;
}

/*
 * Copies the next block if the previous one was read completely. Returns 1 if bytes are available,
 * 0 if no block is finished yet, -ENOMEM, or -EINTR if the caller is being killed.
 */
static int ku_cpu_next(struct ku_open *mine)
{
	const struct ku_ring *ring = ku_session_ring(mine->session);
	struct ku_next next;
	u32 resets;
	int copied;

	if (mine->used < mine->len)
		return 1;
	mine->used = 0;
	mine->len = 0;
again:
	resets = READ_ONCE(ring->resets);
	/* Pairs with the barrier in ku_ring_reset(). */
	smp_rmb();
	ku_cpu_recording(mine);
	if (mine->since && !mine->since_passed)
		ku_cpu_skip(mine);
	while (next = ku_cpu_scan(mine), next.seq) {
		if (fatal_signal_pending(current))
			return -EINTR;
		cond_resched();
		/* The CPU began another block before. It is finished, but the scan missed that. */
		if (next.following && next.following < next.seq)
			continue;
		ku_cpu_wait_stores(mine, &next);
		copied = ku_cpu_copy(mine, &next);
		if (copied < 0)
			return copied;
		/*
		 * After a reset, a block of the new recording may have the same sequence number.
		 * This read comes after the barrier in ku_cpu_copy().
		 */
		if (READ_ONCE(ring->resets) != resets)
			goto again;
		if (mine->expected && mine->expected != next.seq)
			mine->lost = true;
		if (!copied) {
			/* Overwritten during the copy. The next scan notices the loss. */
			mine->expected = next.seq;
			continue;
		}
		mine->expected = next.following;
		mine->after = next.seq;
		if (!mine->since_passed && ku_block_last((u64 *)mine->data) < mine->since)
			continue;
		mine->since_passed = true;
		mine->len = KUTRACE_BLOCK_BYTES;
		return 1;
	}
	if (!mine->expected)
		mine->expected = next.following;
	return 0;
}

ssize_t ku_files_cpu_read(struct ku_open *mine, char __user *to, size_t count)
{
	int err = ku_cpu_next(mine);

	if (err < 0)
		return err;
	if (mine->lost) {
		mine->lost = false;
		return -EOVERFLOW;
	}
	count = min(count, mine->len - mine->used);
	if (copy_to_user(to, mine->data + mine->used, count))
		return -EFAULT;
	mine->used += count;
	return count;
}

__poll_t ku_files_cpu_poll(struct ku_open *mine)
{
	/* Read before the scan: if the recording has ended, the scan finds all blocks. */
	bool ended = ku_session_ended(mine->session);

	if (READ_ONCE(mine->session->dead))
		return EPOLLHUP | EPOLLERR;
	if (ku_cpu_next(mine))
		return EPOLLIN | EPOLLRDNORM;
	/* Test again: if a new recording has begun since the first test, its blocks follow. */
	if (ended && mine->recording && ku_session_ended(mine->session))
		return EPOLLHUP;
	return 0;
}
