/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Claims words in one slot and stores entries there, in the common case: the gap fits its bits, the
 * block has room, and no interrupt has recorded in between. In any other case these functions
 * return false without recording anything, and the caller takes the slow path.
 *
 * Context: any, including NMI; the caller must not migrate.
 */
#ifndef KU_CLAIM_H
#define KU_CLAIM_H

#include "core/ring.h"
#include "core/word.h"

/* @nibble of a ring without counter bits. */
#define KU_NO_NIBBLE	(~0U)

/*
 * Shift of a time in struct ku_claim. If addressing modes can scale (KU_ADDRESS_SCALES), it leaves
 * room for an event number below the time, and the multiplication by KU_CLAIM_TO_STATE is free.
 * Otherwise that multiplication would cost an instruction for each claim: the time has the format
 * of a state (core/word.h), and the factor is 1.
 */
#define KU_CLAIM_SHIFT \
	(KU_ADDRESS_SCALES ? KUTRACE_TS_SHIFT - KUTRACE_EVENT_SHIFT : KU_INDEX_BITS)
#define KU_CLAIM_TO_STATE	(1ULL << (KU_INDEX_BITS - KU_CLAIM_SHIFT))

/* One reading of the clock, in the two formats that a claim needs. */
struct ku_claim {
	u64 ts;		/* shifted by KU_CLAIM_SHIFT */
	u64 since;	/* state of that time plus KU_BELOW_FULL, to subtract a state from */
};

/* A claimed word: base[index]. */
struct ku_claimed {
	u64 *base;
	u64 index;
};

/* Returns the claim for the time @now, in counts. */
static __always_inline struct ku_claim ku_claim_of(u64 now)
{
	struct ku_claim claim = { .ts = now << KU_CLAIM_SHIFT };

	/* Keep both values: addressing scales ts each time, and the sum must not become an "or". */
	ku_opaque(claim.ts);
	claim.since = claim.ts * KU_CLAIM_TO_STATE + KU_BELOW_FULL;
	ku_opaque(claim.since);
	ku_opaque(claim.ts);
	return claim;
}

/* Returns the claim for @words words: all of them must lie before the block's end. */
static __always_inline struct ku_claim ku_claim_words(u64 now, u32 words)
{
	struct ku_claim claim = ku_claim_of(now);

	claim.since -= words - 1;
	return claim;
}

/*
 * Returns the entry with its timestamp. @event: number of a call, which costs nothing to add to the
 * time; 0 if @entry contains its event number.
 */
static __always_inline u64 ku_claim_word(struct ku_claim claim, u32 event, u64 entry)
{
	if (KU_ADDRESS_SCALES)
		return (u64)((u32)claim.ts + event) << KUTRACE_EVENT_SHIFT | entry;
	return claim.ts << (KUTRACE_TS_SHIFT - KU_CLAIM_SHIFT) | KU_EVENT(event) | entry;
}

/*
 * Claims @words words in the slot @place, in the common case. For more than one word, @claim must
 * be from ku_claim_words(). @keep: also save the new state, for ku_emit_call_return(). Returns
 * false if nothing was claimed.
 *
 * The clock was read before the state. An interrupt that records in between leaves a later time,
 * and the gap looks huge; or it leaves the same time, and this entry correctly follows.
 *
 * Effect of an interrupt or NMI that records at each step:
 *  E  State read, base not yet: the exchange fails.
 *  F  State and base read, nothing claimed: the exchange fails. So entries are in time order, and
 *     the gap in counts is the gap to the previous entry.
 *  G  Claimed, state not saved: the state that is saved next is no longer the CPU's, and the return
 *     is not merged. The interrupt's own calls have returned.
 */
static __always_inline bool ku_claim_at(struct ku_cpu __percpu *place, struct ku_claim claim,
					u32 words, bool keep, struct ku_claimed *claimed)
{
	u64 state, next;

	state = ku_at_read(place, at.state);
	ku_step('E');
	claimed->base = ku_at_read(place, at.base);
	ku_step('F');
	if (unlikely((claim.since - state) & KU_SLOW_MASK))
		return false;
	claimed->index = state & KU_INDEX_MASK;
	next = claim.ts * KU_CLAIM_TO_STATE + claimed->index + words;
	if (unlikely(!ku_at_try_cmpxchg(place, at.state, state, next)))
		return false;
	if (keep) {
		ku_step('G');
		ku_at_write(place, at.call, next);
	}
	return true;
}

/*
 * Stores the claimed word.
 *
 * Effect of an interrupt or NMI that records at the step:
 *  o  Claimed, not stored: its entries follow this one. A reader finds a zero, which is a NOP. The
 *     interrupt may take a new block; claimed.base still points to the old one. The pool does not
 *     reuse that block while it is current, and afterwards only after all others.
 */
static __always_inline void ku_claimed_store(struct ku_claimed claimed, u64 word)
{
	ku_step('o');
	/* An aligned word, stored once and not read back: WRITE_ONCE() would add a lea. */
	claimed.base[claimed.index] = word;
	barrier();
}

/* Claims one word and stores the entry there. Returns false if nothing was recorded. */
static __always_inline bool ku_put_at(struct ku_cpu __percpu *place, struct ku_claim claim,
				      u64 entry, bool keep)
{
	struct ku_claimed claimed;

	if (unlikely(!ku_claim_at(place, claim, 1, keep, &claimed)))
		return false;
	ku_claimed_store(claimed, ku_claim_word(claim, 0, entry));
	return true;
}

/* Stores a return's counter bits above those of its call, whose word is before the next index. */
static __always_inline void ku_byte_merge(u8 *bytes, u64 state, u32 nibble)
{
	/* NULL for a moment after another ring has taken the slot. */
	if (likely(bytes))
		bytes[(state & KU_INDEX_MASK) - 1] |= (u8)(nibble << 4);
}

/*
 * Merges the return of @call into its entry, if that is the last entry in the slot @place. @ts:
 * time of the return, in counts. @nibble: counter bits of the return, or KU_NO_NIBBLE; with counter
 * bits, interrupts must be off. Returns false if nothing was merged. Steps: see ku_merge_return().
 *
 * An interrupt between the reads of base and state may take a new block. Base and state then do not
 * match, and the word may lie outside of the block. Such an interrupt has recorded something, so
 * the time in the state is not before @ts. Therefore the time is tested before the word is read.
 *
 * With a coarse clock, both times may be equal. Then base is read again: if it is unchanged, the
 * word is the last recorded one, and the comparison shows whether it is the call.
 */
static __always_inline bool ku_merge_at(struct ku_cpu __percpu *place, u64 ts, u32 call, s64 retval,
					u32 nibble)
{
	u64 state, word, delta;
	u64 *before;

	before = ku_at_read(place, at.base);
	ku_step('K');
	state = ku_at_read(place, at.state);
	delta = ku_counts_since(state, ts);
	if (unlikely(!ku_delta_fits(delta, retval)))
		return false;
	/* Within one count, the time does not show whether an interrupt has recorded in between. */
	if (KU_COARSE_CLOCK && unlikely(!delta) && before != ku_at_read(place, at.base))
		return false;
	ku_step('f');
	before += (state & KU_INDEX_MASK) - 1;
	word = READ_ONCE(*before);
	if (unlikely(((word ^ KU_EVENT(call)) & KU_UNMERGED_MASK) || !ku_retval_fits(retval)))
		return false;
	ku_step('g');
	if (nibble != KU_NO_NIBBLE)
		ku_byte_merge(ku_at_read(place, counters.bytes), state, nibble);
	/* The comparison has shown that both fields are zero. */
	ku_word_merge(before, delta,
		      KU_COARSE_CLOCK ? (s64)ku_retval_field(delta, retval) : retval);
	return true;
}

#endif
