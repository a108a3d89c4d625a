// SPDX-License-Identifier: GPL-2.0-only
/*
 * Moves a ring's state of a CPU from the ring's memory into a slot, where the fast path finds it,
 * and back (record/slots.c).
 *
 * All functions are __kprobes: see emit.c.
 */
#include "core/block.h"
#include "core/word.h"

/*
 * Moves the state of a CPU from @from to @to, which is closed. Leaves @from closed.
 *
 * Effect of an NMI that records at each step:
 *  s  Nothing moved: it records in @from, or counts a loss there if the block is full.
 *  t  Both are closed: it counts a loss.
 *  u  Moved: it records in @to, or counts a loss in @from.
 *
 * Context: interrupts off, or the CPU is offline.
 */
static void __kprobes ku_ring_move_cpu(struct ku_cpu *to, struct ku_cpu *from)
{
	u64 state;

	WRITE_ONCE(to->switching, 1);
	WRITE_ONCE(from->switching, 1);
	barrier();
	ku_step('s');
	state = ku_local_xchg(&from->at.state, KU_INDEX_CLOSED);
	ku_step('t');
	to->at.block = from->at.block;
	to->at.ahead = from->at.ahead;
	to->at.call = 0;
	to->next = from->next;
	to->filter = from->filter;
	to->counters = from->counters;
	WRITE_ONCE(to->at.base, from->at.base);
	barrier();
	WRITE_ONCE(to->at.state, state);
	ku_step('u');
	from->at.block = KU_NO_BLOCK;
	from->at.ahead = 0;
	from->next.block = KU_NO_BLOCK;
	from->next.to_clear = 0;
	from->at.call = 0;
	from->counters.bytes = NULL;
	WRITE_ONCE(from->at.base, ku_closed_block);
	barrier();
	WRITE_ONCE(from->switching, 0);
	WRITE_ONCE(to->switching, 0);
}

/*
 * Adds @from's losses to @to, and clears them. Called after ku_ring_leave_fast(), in the same
 * context.
 */
void __kprobes ku_ring_move_losses(struct ku_cpu *to, struct ku_cpu *from)
{
	u32 i;

	for (i = 0; i < KUTRACE_LOST_CAUSES; i++) {
		to->lost.causes[i] += from->lost.causes[i];
		from->lost.causes[i] = 0;
	}
	for (i = 0; i < KUTRACE_KINDS; i++) {
		to->lost.kinds[i] += from->lost.kinds[i];
		from->lost.kinds[i] = 0;
	}
}

/* Returns whether @word is a call without a merged return. */
static bool __kprobes ku_is_open_call(u64 word)
{
	u32 event = word >> KUTRACE_EVENT_SHIFT & KUTRACE_EVENT_MASK;

	return event >= KUTRACE_CALL_TRAP && !(event & KUTRACE_RETURN_BIT) &&
	       !(word & KU_MERGED_MASK);
}

/*
 * Prevents returns from merging into an entry that this or an offline CPU has recorded so far.
 *
 * Called where another task may continue without a recorded context switch: the return of its call
 * could otherwise be merged into this task's call. If the last entry is a call without a merged
 * return, claims a word after it, which stays a NOP. The time of the last entry does not change, so
 * readers compute the right gap to the next entry.
 *
 * Context: interrupts off, not in an NMI. Effect of an NMI that records at each step:
 *  A  State read: its entries follow the call. The exchange fails, and the loop starts again.
 *  B  Claimed: its entries follow the NOP.
 */
void __kprobes ku_ring_break(struct ku_ring *ring, struct ku_cpu *cpu)
{
	u64 state;

	do {
		for (;;) {
			state = READ_ONCE(cpu->at.state);
			if ((state & KU_INDEX_MASK) < KU_BLOCK_END ||
			    !ku_block_next_part(ring, cpu, state))
				break;
		}
		if (!ku_is_open_call(READ_ONCE(cpu->at.base)[(state & KU_INDEX_MASK) - 1]))
			return;
		ku_step('A');
		/* The words from here on are reserved for NMIs. */
		if ((state & KU_INDEX_MASK) >= KU_BLOCK_END) {
			ku_ring_close_cpu(ring, cpu);
			return;
		}
	} while (!ku_local_try_cmpxchg(&cpu->at.state, state, state + 1));
	ku_step('B');
}

/**
 * ku_ring_enter_fast() - move a ring's state of a CPU into a slot
 * @ring: ring
 * @fast: slot of this CPU, or of an offline CPU; its state is closed, and it is not open while
 *	the ring is active
 * @own: the ring's state of that CPU in the ring's memory; closed afterwards
 *
 * Context: interrupts off, not in an NMI. An NMI in between finds the slot not open: ku_dispatch
 * records its event in @own, or counts a loss there.
 */
void __kprobes ku_ring_enter_fast(struct ku_ring *ring, struct ku_cpu *fast, struct ku_cpu *own)
{
	ku_ring_break(ring, own);
	ku_ring_move_cpu(fast, own);
	barrier();
	ku_step('C');
	WRITE_ONCE(fast->slot.verdict, KU_SELECTED);
}

/*
 * Moves a ring's state of a CPU back from the slot @fast, which is open, to @own, which is closed.
 * Leaves the slot unresolved: its events go to ku_dispatch. Counts of losses stay in @fast: see
 * ku_ring_move_losses(). Context: see ku_ring_enter_fast().
 */
void __kprobes ku_ring_leave_fast(struct ku_cpu *fast, struct ku_cpu *own)
{
	/* Do this first: then an NMI during the move counts its losses in @own. */
	WRITE_ONCE(fast->slot.verdict, KU_UNRESOLVED);
	barrier();
	ku_step('D');
	ku_ring_move_cpu(own, fast);
}
