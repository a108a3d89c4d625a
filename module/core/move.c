// SPDX-License-Identifier: GPL-2.0-only
/*
 * What a ring has of a CPU goes from one place to another: from its own memory to a fixed place,
 * where the fast path finds it, and back (record/resident.c).
 *
 * All of it is __kprobes: see ring.c.
 */
#include "core/block.h"
#include "core/move.h"
#include "core/word.h"

/*
 * The state of a CPU goes from one place to another: @to is closed, @from is then. An NMI in
 * between records where it looks, or counts a loss there:
 *  s  nothing is moved: in @from, or, as its block is full, a loss.
 *  t  both are closed: a loss.
 *  u  moved: in @to, or a loss in @from.
 * Context: interrupts off, or the CPU is offline.
 */
static void __kprobes ku_ring_move_cpu(struct ku_cpu *to, struct ku_cpu *from)
{
	u64 state;
	u32 i;

	WRITE_ONCE(to->switching, 1);
	WRITE_ONCE(from->switching, 1);
	barrier();
	ku_step('s');
	state = ku_local_xchg(&from->state, KU_INDEX_CLOSED);
	ku_step('t');
	to->block = from->block;
	to->ahead = from->ahead;
	to->next = from->next;
	to->to_clear = from->to_clear;
	to->call = 0;
	to->wanted = from->wanted;
	to->filter = from->filter;
	to->bytes = from->bytes;
	for (i = 0; i < KU_COUNTERS; i++)
		to->counted[i] = from->counted[i];
	WRITE_ONCE(to->base, from->base);
	barrier();
	WRITE_ONCE(to->state, state);
	ku_step('u');
	from->block = KU_NO_BLOCK;
	from->ahead = 0;
	from->next = KU_NO_BLOCK;
	from->to_clear = 0;
	from->call = 0;
	from->bytes = NULL;
	WRITE_ONCE(from->base, ku_closed_block);
	barrier();
	WRITE_ONCE(from->switching, 0);
	WRITE_ONCE(to->switching, 0);
}

/**
 * ku_ring_move_losses() - count a CPU's losses elsewhere
 * @to: here
 * @from: and no longer here
 *
 * Context: as of ku_ring_leave_fast(), behind it.
 */
void __kprobes ku_ring_move_losses(struct ku_cpu *to, struct ku_cpu *from)
{
	u32 i;

	for (i = 0; i < KUTRACE_LOST_CAUSES; i++) {
		to->lost[i] += from->lost[i];
		from->lost[i] = 0;
	}
	for (i = 0; i < KUTRACE_KINDS; i++) {
		to->lost_kinds[i] += from->lost_kinds[i];
		from->lost_kinds[i] = 0;
	}
}

/* A call that a return may still be merged into. */
static bool __kprobes ku_is_open_call(u64 word)
{
	u32 event = word >> KUTRACE_EVENT_SHIFT & KUTRACE_EVENT_MASK;

	return event >= KUTRACE_CALL_TRAP && !(event & KUTRACE_RETURN_BIT) &&
	       !(word & KU_MERGED_MASK);
}

/**
 * ku_ring_break() - no return is merged into what has been recorded
 * @ring: whose
 * @cpu: its state of this CPU, or of one that is offline
 *
 * To be called where another task may go on and its context switch is not recorded: else the
 * return of that task's call could be merged into this one's. Where the last entry is a call, a
 * word is claimed behind it, which stays a NOP. The time of the last entry does not change, so
 * that the gap before the next one is what a reader sees.
 *
 * Context: interrupts off, not in an NMI. An NMI that records between the steps:
 *  A  state read: its entries come behind the call. The exchange fails, and we look again.
 *  B  claimed: its entries come behind the NOP.
 */
void __kprobes ku_ring_break(struct ku_ring *ring, struct ku_cpu *cpu)
{
	u64 state;

	do {
		for (;;) {
			state = READ_ONCE(cpu->state);
			if ((state & KU_INDEX_MASK) < KU_BLOCK_END ||
			    !ku_block_next_part(ring, cpu, state))
				break;
		}
		if (!ku_is_open_call(READ_ONCE(cpu->base)[(state & KU_INDEX_MASK) - 1]))
			return;
		ku_step('A');
		/* What is behind the end is for NMIs. */
		if ((state & KU_INDEX_MASK) >= KU_BLOCK_END) {
			ku_ring_close_cpu(ring, cpu);
			return;
		}
	} while (!ku_local_try_cmpxchg(&cpu->state, state, state + 1));
	ku_step('B');
}

/**
 * ku_ring_enter_fast() - the ring has the fast path of a CPU from here on
 * @ring: whose
 * @fast: ku_cpu of this CPU (or of one that is offline), closed, and not KU_OPEN while the
 *	ring is active
 * @own: the ring's state of that CPU, which goes on in @fast, and is closed then
 *
 * Context: interrupts off, not in an NMI; one in between is routed, and recorded in @own or
 * counted as lost there.
 */
void __kprobes ku_ring_enter_fast(struct ku_ring *ring, struct ku_cpu *fast, struct ku_cpu *own)
{
	ku_ring_break(ring, own);
	ku_ring_move_cpu(fast, own);
	barrier();
	ku_step('C');
	WRITE_ONCE(fast->routed, KU_OPEN);
}

/**
 * ku_ring_leave_fast() - it has it no longer
 * @fast: ku_cpu of this CPU (or of one that is offline), which is KU_OPEN
 * @own: the ring's state of that CPU, closed, which goes on here
 *
 * On return events are routed (KU_UNSETTLED); losses stay where they were counted. Context:
 * as of ku_ring_enter_fast().
 */
void __kprobes ku_ring_leave_fast(struct ku_cpu *fast, struct ku_cpu *own)
{
	/* First, so that what an NMI loses meanwhile is counted where it is added up. */
	WRITE_ONCE(fast->routed, KU_UNSETTLED);
	barrier();
	ku_step('D');
	ku_ring_move_cpu(own, fast);
}
