/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Recording in one fixed place at a time that is given, where all is as it mostly is: no gap too
 * long, room in the block, no interrupt in between. Else these return false, and nothing has
 * been recorded. For those that record otherwise than core/emit.h does by itself.
 *
 * Context: any, including NMI; the caller must not migrate.
 */
#ifndef KU_CLAIM_H
#define KU_CLAIM_H

#include "core/ring.h"
#include "core/word.h"

/* Where words have no bytes of counters. */
#define KU_NO_NIBBLE	(~0U)

/* What is to be stored, and its time in the forms that claiming it in a place asks for. */
struct ku_claim {
	u64 ts;		/* as in ku_emit_call_straight(): addressing scales it to a state's time */
	u64 since;	/* from which a state is taken away to see how long ago that was */
	u64 word;	/* the entry with its time */
	u32 nibble;	/* what counters say for it, or KU_NO_NIBBLE */
};

/* @now: in counts. @event: the number of a call, apart, as adding it to the time costs nothing. */
static __always_inline struct ku_claim ku_claim_of(u64 now, u32 event, u64 entry)
{
	struct ku_claim claim = {
		.ts = now << (KUTRACE_TS_SHIFT - KUTRACE_EVENT_SHIFT),
		.nibble = KU_NO_NIBBLE,
	};

	/* Kept as they are, so that addressing scales the one, and the other is no "or". */
	ku_opaque(claim.ts);
	claim.since = claim.ts * KU_TS_TO_STATE + KU_BELOW_FULL;
	ku_opaque(claim.since);
	claim.word = (u64)((u32)claim.ts + event) << KUTRACE_EVENT_SHIFT | entry;
	return claim;
}

/*
 * Claims a word and stores it, if all is as it mostly is. The time was read before the state: an
 * interrupt in between has left a later time, so the gap looks huge, or the same, and then the
 * entry truly follows. What one that records does at the steps:
 *  E  state read, base not: the exchange fails.
 *  F  both read, not claimed: likewise.
 *  G  claimed, not stored: as step d of ku_emit(). Of a call also step n of
 *     ku_emit_call_straight(), the state is not kept yet for the return; at o it is.
 */
static __always_inline bool ku_claim_at(struct ku_cpu __percpu *place, struct ku_claim claim,
					bool is_call)
{
	u64 state, claimed;
	u64 *base;
	u8 *bytes;

	state = ku_at_read(place, state);
	ku_step('E');
	base = ku_at_read(place, base);
	ku_step('F');
	if (unlikely((claim.since - state) & KU_SLOW_MASK))
		return false;
	claimed = claim.ts * KU_TS_TO_STATE + (state & KU_INDEX_MASK) + 1;
	if (unlikely(!ku_at_try_cmpxchg(place, state, state, claimed)))
		return false;
	ku_step('G');
	if (is_call) {
		ku_at_write(place, call, claimed);
		ku_step('o');
	}
	if (claim.nibble != KU_NO_NIBBLE) {
		bytes = ku_at_read(place, bytes);
		/* None for a moment, when the place has gone to another ring. */
		if (likely(bytes))
			WRITE_ONCE(bytes[state & KU_INDEX_MASK], (u8)claim.nibble);
		/* Behind its byte. */
		ku_store_last(&base[state & KU_INDEX_MASK], claim.word);
		return true;
	}
	base[state & KU_INDEX_MASK] = claim.word;
	barrier();
	return true;
}

/* Above what is there of the call, which is the word before the next index. */
static __always_inline void ku_byte_merge(u8 *bytes, u64 state, u32 nibble)
{
	/* None for a moment, when the place has gone to another ring. */
	if (likely(bytes))
		bytes[(state & KU_INDEX_MASK) - 1] |= (u8)(nibble << 4);
}

/*
 * As ku_merge_return(), with the time given; the steps are its, too. @nibble: what counters say
 * for the return, or KU_NO_NIBBLE, then with interrupts off. An interrupt at step K or before
 * it may go on in another block, or another part of one: then base and state do not belong
 * together, and the word may lie outside of the block. But it has recorded, so the state is not earlier
 * than the time given, which is asked first; else nothing has changed since the time was read.
 * Where it may have recorded in the same count, base is read once more: if that is the one from
 * before, the word is what was recorded last, and is our call or not.
 */
static __always_inline bool ku_merge_at(struct ku_cpu __percpu *place, u64 ts, u32 call, s64 retval,
					u32 nibble)
{
	u64 state, word, delta;
	u64 *before;

	before = ku_at_read(place, base);
	ku_step('K');
	state = ku_at_read(place, state);
	delta = ku_since(state, ts, KU_INDEX_MASK) >> KU_INDEX_BITS;
	if (unlikely(!ku_delta_fits(delta, retval)))
		return false;
	/* In the same count the time does not tell whether something was recorded in between. */
	if (KU_COARSE_CLOCK && unlikely(!delta) && before != ku_at_read(place, base))
		return false;
	ku_step('f');
	before += (state & KU_INDEX_MASK) - 1;
	word = READ_ONCE(*before);
	if (unlikely(((word ^ KU_EVENT(call)) & KU_UNMERGED_MASK) || !ku_retval_fits(retval)))
		return false;
	ku_step('g');
	if (nibble != KU_NO_NIBBLE)
		ku_byte_merge(ku_at_read(place, bytes), state, nibble);
	/* Both fields are zero, as has just been compared. */
	ku_word_merge(before, delta,
		      KU_COARSE_CLOCK ? (s64)ku_retval_field(delta, retval) : retval);
	return true;
}

#endif
