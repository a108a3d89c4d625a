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

/*
 * Claims a word and stores the entry, if all of it is as it mostly is. The time was read before
 * the state: an interrupt in between has left a later time, so the gap looks huge, or the same,
 * and then the entry truly follows. What one that records does at the steps:
 *  E  state read, base not: the exchange fails.
 *  F  both read, not claimed: likewise.
 *  G  claimed, not stored: as step d of ku_emit(). Of a call also step n of ku_emit_call(), the state
 *     is not kept yet for the return; at o it is.
 */
static __always_inline bool ku_claim_as(struct ku_cpu __percpu *place, u64 ts, u64 entry,
					bool is_call)
{
	u64 state, claimed;
	u64 *base;

	state = ku_at_read(place, state);
	ku_step('E');
	base = ku_at_read(place, base);
	ku_step('F');
	if (unlikely(ku_since(state, ts, KU_BELOW_FULL) & KU_SLOW_MASK))
		return false;
	claimed = (ts << KU_INDEX_BITS) + (state & KU_INDEX_MASK) + 1;
	if (unlikely(!ku_at_try_cmpxchg(place, state, state, claimed)))
		return false;
	ku_step('G');
	if (is_call) {
		ku_at_write(place, call, claimed);
		ku_step('o');
	}
	base[state & KU_INDEX_MASK] = ts << KUTRACE_TS_SHIFT | entry;
	barrier();
	return true;
}

static __always_inline bool ku_claim_at(struct ku_cpu __percpu *place, u64 ts, u64 entry)
{
	return ku_claim_as(place, ts, entry, false);
}

/*
 * As ku_merge_return(), with the time given; the steps are its, too. An interrupt at step K or before
 * it may go on in another block, or another part of one: then base and state do not belong
 * together, and the word may lie outside of the block. But it has recorded, so the state is not earlier
 * than the time given, which is asked first; else nothing has changed since the time was read.
 * Where it may have recorded in the same count, base is read once more: if that is the one from
 * before, the word is what was recorded last, and is our call or not.
 */
static __always_inline bool ku_merge_at(struct ku_cpu __percpu *place, u64 ts, u32 call, s64 retval)
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
	/* Both fields are zero, as has just been compared. */
	ku_word_merge(before, delta,
		      KU_COARSE_CLOCK ? (s64)ku_retval_field(delta, retval) : retval);
	return true;
}

/* Claims and stores a call in one place; the time is shifted as in ku_emit_call(). */
static __always_inline bool ku_claim_call_at(struct ku_cpu __percpu *place, u64 since, u64 ts,
					     u64 word)
{
	u64 state, claimed;
	u64 *base;

	state = ku_at_read(place, state);
	ku_step('l');
	base = ku_at_read(place, base);
	ku_step('m');
	if (unlikely((since - state) & KU_SLOW_MASK))
		return false;
	claimed = ts * KU_TS_TO_STATE + (state & KU_INDEX_MASK) + 1;
	if (unlikely(!ku_at_try_cmpxchg(place, state, state, claimed)))
		return false;
	ku_step('n');
	ku_at_write(place, call, claimed);
	ku_step('o');
	base[state & KU_INDEX_MASK] = word;
	barrier();
	return true;
}

#endif
