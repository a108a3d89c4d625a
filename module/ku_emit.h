/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The one emit path: every hook of every back end ends here, and every
 * instruction here is paid for on every transition of the machine.
 *
 * Context: any, including NMI; the caller must not migrate (preemption off).
 * Entries of a CPU are in time order in its block, because an entry is claimed
 * with the time read just before, by a compare-and-exchange that fails when an
 * interrupt recorded anything in between.
 */
#ifndef KU_EMIT_H
#define KU_EMIT_H

#include "ku_ring.h"

/*
 * Gaps from here on go to the slow path, which announces them with a TSDELTA.
 * The format asks for it beyond KUTRACE_GAP_MAX.
 */
#define KU_GAP_MAX	((u64)KUTRACE_GAP_MAX)

/* Event, delta and retval: what a call still without its return has as given. */
#define KU_UNMERGED_MASK \
	(((1ULL << KUTRACE_TS_SHIFT) - 1) & ~KUTRACE_ARG0_MASK)

/* An event number in its place. */
#define KU_EVENT(event)	((u64)(event) << KUTRACE_EVENT_SHIFT)

/**
 * ku_emit() - record an entry of one word
 * @entry: everything but the timestamp, i.e. the low 44 bits
 *
 * The steps, and what an interrupt or NMI that records does there:
 *  a  before the state is read: its entries are simply earlier.
 *  b  state read, time not yet: the exchange fails, we start over.
 *  c  time read, not yet claimed: likewise; so no entry is ever behind a
 *     later one, and the gap in counts is the gap to the entry before ours.
 *  d  claimed, not stored: its entries follow ours; should the reader look
 *     now, it finds a zero word, a NOP. It may take a new block; our base still
 *     points to the old one, which is not given away while it is current, and
 *     afterwards only when all others have been used up.
 */
static __always_inline void ku_emit(u64 entry)
{
	u64 state, claimed, ts;
	u64 *base;

	ku_step('a');
	do {
		state = ku_cpu_read(state);
		base = ku_cpu_read(base);
		ku_step('b');
		ts = ku_clock();
		ku_step('c');
		if (unlikely((ts << KU_INDEX_BITS) - (state & ~KU_INDEX_MASK) >
				     KU_GAP_MAX << KU_INDEX_BITS ||
			     (state & KU_INDEX_CLOSED))) {
			ku_emit_slow(entry, 0, 1, 0);
			return;
		}
		claimed = (ts << KU_INDEX_BITS) + (state & KU_INDEX_MASK) + 1;
	} while (unlikely(ku_cpu_cmpxchg(state, state, claimed) != state));
	ku_step('d');
	WRITE_ONCE(base[state & KU_INDEX_MASK], ts << KUTRACE_TS_SHIFT | entry);
}

/**
 * ku_emit_return() - record a return, merged into its call where that is exact
 * @call: number of the call event
 * @retval: value returned
 *
 * Merged when the entry before is the call, at most 255 counts ago, and the
 * value fits 8 bits. Nothing is claimed then:
 *  e  state and the word before read; an interrupt that records from here on
 *     claims words behind the call, and the return goes into the call with the
 *     time read after it: right for f, and too late by the interrupt's
 *     duration at e, so the state is read again before the store.
 *  f  checked, not stored: the entries behind the call are later than the
 *     return's time, as merging says.
 */
static __always_inline void ku_emit_return(u32 call, s64 retval)
{
	u64 state = ku_cpu_read(state);
	u64 *before = ku_cpu_read(base) + (state & KU_INDEX_MASK) - 1;
	u64 word = READ_ONCE(*before);
	u64 delta;

	ku_step('e');
	/* Times in a state wrap at 50 bits, so subtract where they stand. */
	delta = (ku_clock() << KU_INDEX_BITS) - (state & ~KU_INDEX_MASK);
	if (likely(!((word ^ KU_EVENT(call)) & KU_UNMERGED_MASK) &&
		   delta <= (u64)KUTRACE_DELTA_MAX << KU_INDEX_BITS &&
		   (u64)(retval + 128) < 256 && ku_cpu_read(state) == state)) {
		ku_step('f');
		delta >>= KU_INDEX_BITS;
		WRITE_ONCE(*before, word | (delta + !delta) << KUTRACE_DELTA_SHIFT |
			   (u64)(u8)retval << KUTRACE_RETVAL_SHIFT);
		return;
	}
	ku_emit(KU_EVENT(call | KUTRACE_RETURN_BIT) | (u16)retval);
}

/* An entry of two words (PC sample), kept together in one block. */
static __always_inline void ku_emit2(u64 entry, u64 second)
{
	ku_emit_slow(entry, second, 2, 0);
}

/* An entry for what happened so many counts ago, after the entry before it. */
static __always_inline void ku_emit_past(u64 entry, u64 past)
{
	ku_emit_slow(entry, 0, 1, past);
}

#endif
