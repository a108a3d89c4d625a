/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The word of an entry and the state of a CPU: where their fields are, and the gap between
 * two times in them. It must hold constants and arithmetic only, for the fast path (emit.h) and
 * the slow one (ring.c).
 */
#ifndef KU_WORD_H
#define KU_WORD_H

#include "core/env.h"
#include "uapi/kutrace_abi.h"
#include "uapi/kutrace_events.h"

/*
 * The state of a CPU is one word, so that one compare-and-exchange claims an
 * entry, moves the time of the last entry forward, and proves that nothing was
 * recorded on this CPU since the word was read:
 *
 *   63                                    14 13             0
 *   +---------------------------------------+----------------+
 *   | time of the last entry claimed, counts| next index     |
 *   +---------------------------------------+----------------+
 *
 * Index KU_INDEX_CLOSED: nothing to write to (block full, or not recording).
 */
#define KU_INDEX_BITS	14
#define KU_INDEX_MASK	((1ULL << KU_INDEX_BITS) - 1)
#define KU_INDEX_CLOSED	((u64)KUTRACE_BLOCK_WORDS)

/*
 * An NMI must not take a block, and on x86 a debug exception, a breakpoint or a machine
 * check in the kernel counts as one. So the last words of a block are kept for them: what is
 * recorded elsewhere takes a new block at KU_BLOCK_END. 64 words hold the calls and returns
 * of 32 exceptions in a row, as of kprobes in a stretch of code with interrupts off, and are
 * 0.8 % of a block.
 */
#define KU_NMI_WORDS	64
#define KU_BLOCK_END	(KUTRACE_BLOCK_WORDS - KU_NMI_WORDS)

/*
 * Word 6 of a block stays a NOP: with it, the word before the next index is
 * never part of the header, and the merging of a return needs no check.
 */
#define KU_FIRST_INDEX	((u64)KUTRACE_FIRST_WORD + 1)

/*
 * Gaps of this many counts and more go to the slow path, which announces them
 * with a TSDELTA. The format asks for it beyond KUTRACE_GAP_MAX; a power of two
 * makes the check one shift.
 */
#define KU_GAP_BITS	19
#define KU_GAP_MAX	((1ULL << KU_GAP_BITS) - 1)

/* Of these the slow path sees those that do not fit a sign-extended constant. */
#define KU_FAST_BITS	17

/*
 * With this below, an index before KU_BLOCK_END leaves bit 13 clear and one from there to
 * KU_INDEX_CLOSED sets it: one test for a gap too long and for a full or closed block.
 */
#define KU_BELOW_FULL	(KU_BLOCK_END - 1)
#define KU_SLOW_MASK \
	(KU_INDEX_CLOSED | ~((1ULL << (KU_INDEX_BITS + KU_FAST_BITS)) - 1))

/* Event, delta and retval: what a call still without its return has as given. */
#define KU_UNMERGED_MASK \
	(((1ULL << KUTRACE_TS_SHIFT) - 1) & ~KUTRACE_ARG0_MASK)

/* Delta and retval alone: neither is anything but 0 where the return is not merged. */
#define KU_MERGED_MASK	(KU_UNMERGED_MASK & ((1ULL << KUTRACE_EVENT_SHIFT) - 1))

/* An event number in its place. */
#define KU_EVENT(event)	((u64)(event) << KUTRACE_EVENT_SHIFT)

/* And from there. */
static __always_inline u32 ku_event_of(u64 word)
{
	return word >> KUTRACE_EVENT_SHIFT & KUTRACE_EVENT_MASK;
}

/* Whether the value that a call returns fits into the call's own entry. */
static __always_inline bool ku_retval_fits(s64 retval)
{
	return retval == (s8)retval;
}

/*
 * Whether a return can be merged that comes so many counts behind its call, with a value that
 * fits. The field of counts is 0 in a call without its return. So where call and return may be in
 * the same count, the field of the value says that the return is there: it is never 0 then,
 * -128 stands for 0, and a -128 itself is not merged.
 */
static __always_inline bool ku_delta_fits(u64 delta, s64 retval)
{
	if (KU_COARSE_CLOCK)
		return delta <= KUTRACE_DELTA_MAX && (delta || retval != -128);
	return delta - 1 < KUTRACE_DELTA_MAX;
}

/* What goes into the field of the value of a merged return. */
static __always_inline u64 ku_retval_field(u64 delta, s64 retval)
{
	if (KU_COARSE_CLOCK && unlikely(!delta) && !(u8)retval)
		return 0x80;
	return (u8)retval;
}

/* The entry of a call's return, without timestamp. No call has the bit, so it may be added. */
static __always_inline u64 ku_return_entry(u32 call, s64 retval)
{
	return KU_EVENT(call + KUTRACE_RETURN_BIT) | (u16)retval;
}

/*
 * Counts from the entry that was claimed last to @ts; times wrap at 50 bits, negative is huge.
 * With a coarse clock, so much is put below the time of now that the index never borrows from
 * it. Else no two entries are in one count: the index, which is never 0, borrows one, and 0 counts
 * are huge, too.
 */
static __always_inline u64 ku_counts_since(u64 state, u64 ts)
{
	u64 since = (ts << KU_INDEX_BITS) - state;

	return KU_COARSE_CLOCK ? (since + KU_INDEX_MASK) >> KU_INDEX_BITS :
				 (since >> KU_INDEX_BITS) + 1;
}

/* Delta and low 8 bits of the value into a call's word, in one store. */
static __always_inline void ku_word_merge(u64 *word, u64 delta, s64 retval)
{
#ifdef KU_LITTLE_ENDIAN
	u32 both = (u32)delta << 8;

	ku_set_low_byte(both, retval);
	/* Stored once, not read back: no need of WRITE_ONCE's extra lea. */
	((u16 *)word)[KUTRACE_RETVAL_SHIFT / 16] = (u16)both;
	barrier();
#else
	WRITE_ONCE(*word, *word | (u64)(u8)retval << KUTRACE_RETVAL_SHIFT |
			  delta << KUTRACE_DELTA_SHIFT);
#endif
}

#endif
