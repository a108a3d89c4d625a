/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Layout of an entry and of a CPU's state, and the gap between two times in them. The fast path
 * (emit.h) and the slow path (emit.c) use it, so it must hold only constants and arithmetic.
 */
#ifndef KU_WORD_H
#define KU_WORD_H

#include "core/env.h"
#include "uapi/kutrace_abi.h"
#include "uapi/kutrace_events.h"

/*
 * The state of a CPU is one word. So one compare-and-exchange claims an entry, advances the time of
 * the last entry, and proves that nothing was recorded on this CPU since the word was read:
 *
 *   63                                    14 13             0
 *   +---------------------------------------+----------------+
 *   | time of the last claimed entry, counts| next index     |
 *   +---------------------------------------+----------------+
 *
 * Index KU_INDEX_CLOSED: there is no word to claim (block full, or not recording).
 */
#define KU_INDEX_BITS	14
#define KU_INDEX_MASK	((1ULL << KU_INDEX_BITS) - 1)
#define KU_INDEX_CLOSED	((u64)KUTRACE_BLOCK_WORDS)

/*
 * An NMI must not take a block. On x86, a debug exception, a breakpoint or a machine check in the
 * kernel counts as an NMI. So the last words of a block are reserved for NMIs: other contexts take
 * a new block at KU_BLOCK_END. 64 words hold the calls and returns of 32 exceptions in a row, for
 * example of kprobes in code that runs with interrupts off. They are 0.8 % of a block.
 */
#define KU_NMI_WORDS	64
#define KU_BLOCK_END	(KUTRACE_BLOCK_WORDS - KU_NMI_WORDS)

/*
 * Word 6 of a block stays a NOP. So the word before the next index is never part of the header, and
 * merging a return needs no check for that.
 */
#define KU_FIRST_INDEX	((u64)KUTRACE_FIRST_WORD + 1)

/*
 * The slow path announces a gap of more than KU_GAP_MAX counts with a TSDELTA. The format requires
 * a TSDELTA only above KUTRACE_GAP_MAX, which is larger.
 */
#define KU_GAP_BITS	19
#define KU_GAP_MAX	((1ULL << KU_GAP_BITS) - 1)

/*
 * Gaps of 2^17 counts or more take the slow path: with more bits, KU_SLOW_MASK would not fit a
 * sign-extended 32-bit constant.
 */
#define KU_FAST_BITS	17

/*
 * In (time now << KU_INDEX_BITS) + KU_BELOW_FULL - state, bit 13 is clear for an index below
 * KU_BLOCK_END, and set for an index from KU_BLOCK_END to KU_INDEX_CLOSED. So one mask tests for a
 * long gap and for a full or closed block.
 */
#define KU_BELOW_FULL	(KU_BLOCK_END - 1)
#define KU_SLOW_MASK \
	(KU_INDEX_CLOSED | ~((1ULL << (KU_INDEX_BITS + KU_FAST_BITS)) - 1))

/* The fields event, delta and retval. The last two are 0 in a call without a merged return. */
#define KU_UNMERGED_MASK \
	(((1ULL << KUTRACE_TS_SHIFT) - 1) & ~KUTRACE_ARG0_MASK)

/* Delta and retval alone: both are 0 only if the return is not merged. */
#define KU_MERGED_MASK	(KU_UNMERGED_MASK & ((1ULL << KUTRACE_EVENT_SHIFT) - 1))

/* The event number, shifted to its field. */
#define KU_EVENT(event)	((u64)(event) << KUTRACE_EVENT_SHIFT)

/* Returns the event number of an entry. */
static __always_inline u32 ku_event_of(u64 word)
{
	return word >> KUTRACE_EVENT_SHIFT & KUTRACE_EVENT_MASK;
}

/* Returns whether the call's entry can hold the return value. */
static __always_inline bool ku_retval_fits(s64 retval)
{
	return retval == (s8)retval;
}

/*
 * Returns whether a return can be merged that comes @delta counts after its call; the caller also
 * tests ku_retval_fits(). In an unmerged call, both fields are 0. With a coarse clock, a return may
 * have a delta of 0. Then its value field must not be 0: the field holds -128 for the value 0, and
 * a value of -128 is not merged.
 */
static __always_inline bool ku_delta_fits(u64 delta, s64 retval)
{
	if (KU_COARSE_CLOCK)
		return delta <= KUTRACE_DELTA_MAX && (delta || retval != -128);
	return delta - 1 < KUTRACE_DELTA_MAX;
}

/* Returns the content of a merged call's value field. */
static __always_inline u64 ku_retval_field(u64 delta, s64 retval)
{
	if (KU_COARSE_CLOCK && unlikely(!delta) && !(u8)retval)
		return 0x80;
	return (u8)retval;
}

/* Returns the entry of a return, without timestamp. No call has KUTRACE_RETURN_BIT. */
static __always_inline u64 ku_return_entry(u32 call, s64 retval)
{
	return KU_EVENT(call + KUTRACE_RETURN_BIT) | (u16)retval;
}

/*
 * Returns the counts from the time in @state to @now, which is shifted like a state. Times wrap at
 * 50 bits; a negative result is a huge number. With a coarse clock, KU_INDEX_MASK is added, so that
 * the index never borrows from the time. Otherwise no two entries have the same time: the index,
 * which is never 0, borrows one count, and a difference of 0 also becomes huge.
 */
static __always_inline u64 ku_counts_since(u64 state, u64 now)
{
	u64 since = now - state;

	return KU_COARSE_CLOCK ? (since + KU_INDEX_MASK) >> KU_INDEX_BITS :
				 (since >> KU_INDEX_BITS) + 1;
}

/* Stores delta and the low 8 bits of the value in a call's word, in one store. */
static __always_inline void ku_word_merge(u64 *word, u64 delta, s64 retval)
{
#ifdef KU_LITTLE_ENDIAN
	u32 both = (u32)delta << 8;

	ku_set_low_byte(both, retval);
	/* Stored once and not read back: WRITE_ONCE() would add a lea. */
	((u16 *)word)[KUTRACE_RETVAL_SHIFT / 16] = (u16)both;
	barrier();
#else
	WRITE_ONCE(*word, *word | (u64)(u8)retval << KUTRACE_RETVAL_SHIFT |
			  delta << KUTRACE_DELTA_SHIFT);
#endif
}

#endif
