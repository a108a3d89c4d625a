/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Recording in one fixed place at a time that is given, where all is as it mostly is: no gap too
 * long, room in the block, no interrupt in between. Else these return false, nothing has been
 * recorded, and the slow path does it.
 *
 * Context: any, including NMI; the caller must not migrate.
 */
#ifndef KU_CLAIM_H
#define KU_CLAIM_H

#include "core/ring.h"
#include "core/word.h"

/* Where words have no bytes of counters. */
#define KU_NO_NIBBLE	(~0U)

/*
 * By how much a time is shifted that is to be claimed: to where a call's number is added to it; or,
 * where scaling that to a state's time would cost an instruction each time, to that.
 */
#define KU_CLAIM_SHIFT \
	(KU_ADDRESS_SCALES ? KUTRACE_TS_SHIFT - KUTRACE_EVENT_SHIFT : KU_INDEX_BITS)
#define KU_CLAIM_TO_STATE	(1ULL << (KU_INDEX_BITS - KU_CLAIM_SHIFT))

/* A time in the forms that claiming a word at that time asks for. */
struct ku_claim {
	u64 ts;		/* shifted */
	u64 since;	/* from which a state is taken away to see how long ago that was */
};

/* A word that has been claimed: base[index]. */
struct ku_claimed {
	u64 *base;
	u64 index;
};

/* @now: in counts. */
static __always_inline struct ku_claim ku_claim_of(u64 now)
{
	struct ku_claim claim = { .ts = now << KU_CLAIM_SHIFT };

	/* Kept as they are: addressing scales the one, each time, and the other is no "or". */
	ku_opaque(claim.ts);
	claim.since = claim.ts * KU_CLAIM_TO_STATE + KU_BELOW_FULL;
	ku_opaque(claim.since);
	ku_opaque(claim.ts);
	return claim;
}

/* The same for so many words: all of them are to be in front of the block's end. */
static __always_inline struct ku_claim ku_claim_words(u64 now, u32 words)
{
	struct ku_claim claim = ku_claim_of(now);

	claim.since -= words - 1;
	return claim;
}

/* The entry with its time. @event: of a call, as adding it to the time costs nothing; else 0. */
static __always_inline u64 ku_claim_word(struct ku_claim claim, u32 event, u64 entry)
{
	if (KU_ADDRESS_SCALES)
		return (u64)((u32)claim.ts + event) << KUTRACE_EVENT_SHIFT | entry;
	return claim.ts << (KUTRACE_TS_SHIFT - KU_CLAIM_SHIFT) | KU_EVENT(event) | entry;
}

/*
 * Claims so many words, if all is as it mostly is; for more than one, @claim is from
 * ku_claim_words(). @keep: the state that the claim leaves is kept, for ku_emit_call_return().
 * The time was read before the state: an interrupt in between has left a later time, so the gap
 * looks huge, or the same, and then the entry truly follows. What one that records does at the
 * steps:
 *  E  state read, base not: the exchange fails.
 *  F  both read, not claimed: likewise. So no entry is ever behind a later one, and the gap
 *     in counts is the gap to the entry before.
 *  G  claimed, state not kept: the one that will be kept is not the CPU's any more; the return
 *     is not merged. Its own calls have returned.
 */
static __always_inline bool ku_claim_at(struct ku_cpu __percpu *place, struct ku_claim claim,
					u32 words, bool keep, struct ku_claimed *claimed)
{
	u64 state, next;

	state = ku_at_read(place, state);
	ku_step('E');
	claimed->base = ku_at_read(place, base);
	ku_step('F');
	if (unlikely((claim.since - state) & KU_SLOW_MASK))
		return false;
	claimed->index = state & KU_INDEX_MASK;
	next = claim.ts * KU_CLAIM_TO_STATE + claimed->index + words;
	if (unlikely(!ku_at_try_cmpxchg(place, state, state, next)))
		return false;
	if (keep) {
		ku_step('G');
		ku_at_write(place, call, next);
	}
	return true;
}

/*
 * Stores the claimed word. Step o: claimed, not stored. What an interrupt or NMI records there
 * follows ours; should the reader look then, it finds a zero word, a NOP. It may take a new block;
 * our base still points to the old one, which is not given away while it is current, and
 * afterwards only when all others have been used up.
 */
static __always_inline void ku_claimed_store(struct ku_claimed claimed, u64 word)
{
	ku_step('o');
	/* Aligned, stored once, not read back: no need of WRITE_ONCE's extra lea. */
	claimed.base[claimed.index] = word;
	barrier();
}

/* Claims a word for an entry and stores it there. */
static __always_inline bool ku_put_at(struct ku_cpu __percpu *place, struct ku_claim claim,
				      u64 entry, bool keep)
{
	struct ku_claimed claimed;

	if (unlikely(!ku_claim_at(place, claim, 1, keep, &claimed)))
		return false;
	ku_claimed_store(claimed, ku_claim_word(claim, 0, entry));
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
 * Like ku_merge_return(), with the time @ts, and with the same steps. @nibble: four bits of
 * counters for the return, or KU_NO_NIBBLE; with counters, interrupts are off.
 *
 * An interrupt between the reads of base and state may take a new block. Then they do not belong
 * together, and the word that they give may lie outside of the block. Such an interrupt has
 * recorded something, so the time in state is not before @ts: this is checked before the word is
 * read. With a coarse clock both times may be equal. Then base is read again: if it is unchanged,
 * the word is the one that was recorded last, and it is compared with our call.
 */
static __always_inline bool ku_merge_at(struct ku_cpu __percpu *place, u64 ts, u32 call, s64 retval,
					u32 nibble)
{
	u64 state, word, delta;
	u64 *before;

	before = ku_at_read(place, base);
	ku_step('K');
	state = ku_at_read(place, state);
	delta = ku_counts_since(state, ts);
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
