/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The fast path: records an event in the primary slot. Every hook of every back end ends here, so
 * each instruction here adds to the cost of every event.
 *
 * Context: any, including NMI; the caller must not migrate (preemption off). The entries of a CPU
 * are in time order in its blocks: an entry is claimed with a time that was read just before, by a
 * compare-and-exchange that fails if an interrupt has recorded in between.
 */
#ifndef KU_EMIT_H
#define KU_EMIT_H

#include "core/ring.h"
#include "core/word.h"

/* ---- the slow path: core/emit.c ---- */

bool ku_ring_put(struct ku_ring *ring, struct ku_cpu *cpu, const u64 *words,
		 u32 nwords, u32 room, u64 past);
void ku_ring_record(struct ku_ring *ring, struct ku_cpu *cpu, const u64 *words,
		    u32 nwords, u32 room, u64 past);
bool ku_ring_merge(struct ku_ring *ring, struct ku_cpu *cpu, u64 entry);
void ku_emit_slow(u64 entry);
void ku_emit_counted_slow(u64 entry, u32 bits);
void ku_emit_call_slow(u64 entry);
bool ku_emit_words_fast(const u64 *words, u32 nwords, u32 room, u64 past);
void ku_emit2_slow(u64 entry, u64 second);
void ku_emit_inspected_one(u64 entry);
void ku_emit_inspected(const u64 *words, u32 nwords, u32 room, u64 past);

/* ---- claiming ---- */

/*
 * The functions of this section work in one slot, in the common case: the gap fits its bits, the
 * block has room, and no interrupt has recorded in between. In any other case they return false
 * without recording anything, and the caller takes the slow path.
 */

/* The argument @bits of a ring without counter bits. */
#define KU_NO_BITS	(~0U)

/*
 * Shift of a time in struct ku_claim. If addressing modes can scale (KU_ADDRESS_SCALES), the shift
 * leaves room for an event number below the time, and the multiplication by KU_CLAIM_TO_STATE is
 * free. Otherwise the multiplication would cost an instruction for each claim. So the time then has
 * the format of a state (core/word.h), and the factor is 1.
 */
#define KU_CLAIM_SHIFT \
	(KU_ADDRESS_SCALES ? KUTRACE_TS_SHIFT - KUTRACE_EVENT_SHIFT : KU_INDEX_BITS)
#define KU_CLAIM_TO_STATE	(1ULL << (KU_INDEX_BITS - KU_CLAIM_SHIFT))

/* One reading of the clock, in the two formats that a claim needs. */
struct ku_claim {
	u64 ts;		/* shifted by KU_CLAIM_SHIFT */
	/* the time as a state, plus KU_BELOW_FULL: its difference to a CPU's state is the gap */
	u64 since;
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

	/*
	 * Hides ts from the compiler: it must not fold the scaling into ts, or turn the sum into
	 * an or.
	 */
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
 * Claims @words words in the slot @slot, in the common case. For more than one word, @claim must
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
static __always_inline bool ku_claim_at(struct ku_cpu __percpu *slot, struct ku_claim claim,
					u32 words, bool keep, struct ku_claimed *claimed)
{
	u64 state, next;

	state = ku_at_read(slot, at.state);
	ku_step('E');
	claimed->base = ku_at_read(slot, at.base);
	ku_step('F');
	if (unlikely((claim.since - state) & KU_SLOW_MASK))
		return false;
	claimed->index = state & KU_INDEX_MASK;
	next = claim.ts * KU_CLAIM_TO_STATE + claimed->index + words;
	if (unlikely(!ku_at_try_cmpxchg(slot, at.state, state, next)))
		return false;
	if (keep) {
		ku_step('G');
		ku_at_write(slot, at.call, next);
	}
	return true;
}

/*
 * Stores the claimed word.
 *
 * Effect of an interrupt or NMI that records at the step:
 *  o  Claimed, not stored: its entries follow this one. A reader finds a zero, which is a NOP. The
 *     interrupt may take a new block; claimed.base still points to the old one. The pool does not
 *     reuse the old block while it is current, and afterwards when its turn comes (see
 *     docs/design/ring-buffer.md, "Wrap mode").
 */
static __always_inline void ku_claimed_store(struct ku_claimed claimed, u64 word)
{
	ku_step('o');
	/* An aligned word, stored once and not read back: WRITE_ONCE() would add a lea. */
	claimed.base[claimed.index] = word;
	barrier();
}

/* Claims one word and stores the entry there. Returns false if nothing was recorded. */
static __always_inline bool ku_put_at(struct ku_cpu __percpu *slot, struct ku_claim claim,
				      u64 entry, bool keep)
{
	struct ku_claimed claimed;

	if (unlikely(!ku_claim_at(slot, claim, 1, keep, &claimed)))
		return false;
	ku_claimed_store(claimed, ku_claim_word(claim, 0, entry));
	return true;
}

/* Stores a return's counter bits above those of its call, whose word is before the next index. */
static __always_inline void ku_byte_merge(u8 *bytes, u64 state, u32 bits)
{
	/* NULL for a moment after another ring has taken the slot. */
	if (likely(bytes))
		bytes[(state & KU_INDEX_MASK) - 1] |= (u8)(bits << 4);
}

/*
 * Merges the return of @call into its entry, if that is the last entry in the slot @slot. @ts:
 * time of the return, in counts. @bits: counter bits of the return, or KU_NO_BITS; with counter
 * bits, interrupts must be off. Returns false if nothing was merged. Steps: see ku_merge_return().
 *
 * An interrupt between the reads of base and state may take a new block. Base and state then do not
 * match, and the word may lie outside of the block. Such an interrupt has recorded something, so
 * the time in the state is not before @ts. Therefore the time is tested before the word is read.
 *
 * With a coarse clock, both times may be equal. Then base is read again: if it is unchanged, the
 * word is the last recorded one, and the comparison shows whether it is the call.
 */
static __always_inline bool ku_merge_at(struct ku_cpu __percpu *slot, u64 ts, u32 call, s64 retval,
					u32 bits)
{
	u64 state, word, delta;
	u64 *before;

	before = ku_at_read(slot, at.base);
	ku_step('K');
	state = ku_at_read(slot, at.state);
	delta = ku_counts_since(state, ts << KU_INDEX_BITS);
	if (unlikely(!ku_delta_fits(delta, retval)))
		return false;
	/* Within one count, the time does not show whether an interrupt has recorded in between. */
	if (KU_COARSE_CLOCK && unlikely(!delta) && before != ku_at_read(slot, at.base))
		return false;
	ku_step('f');
	before += (state & KU_INDEX_MASK) - 1;
	word = READ_ONCE(*before);
	if (unlikely(((word ^ KU_EVENT(call)) & KU_UNMERGED_MASK) || !ku_retval_fits(retval)))
		return false;
	ku_step('g');
	if (bits != KU_NO_BITS)
		ku_byte_merge(ku_at_read(slot, counters.bytes), state, bits);
	/* The comparison has shown that both fields are zero. */
	ku_word_merge(before, delta,
		      KU_COARSE_CLOCK ? (s64)ku_retval_field(delta, retval) : retval);
	return true;
}

/* ---- the other dispatch paths ---- */

/* Returns the path of @event (12 bits). An array index would make UBSAN need a stack frame. */
static __always_inline enum ku_path ku_path_of(u64 event)
{
	const u8 *path = ku_paths + event;

	return (enum ku_path)READ_ONCE(*path);
}

/*
 * Functions of core/emit.c for events in both slots, with counter bits, timed, or inspected. Used
 * only while the key ku_other_paths is on.
 */

/* Records an entry of one word, without timestamp, in both slots. */
void ku_emit_dual(u64 entry);
/* Records in the second ring an entry that was just recorded in the first ring. */
void ku_emit_secondary(u64 entry);
/* Record a timed call and its return. */
void ku_timed_call(u64 entry);
void ku_timed_return(u64 entry);
/* Records several words, or a past event, not on the fast path. See ku_ring_put(). */
void ku_emit_words_other(const u64 *words, u32 nwords, u32 room, u64 past);
/* Records the return of a call in both slots; merges it if possible. */
void ku_return_dual(u32 call, s64 retval);
/*
 * The first function records an entry of one word, the second one the return of a call, both with
 * counter bits.
 */
void ku_emit_counted(u64 entry);
void ku_return_counted(u32 call, s64 retval);

/* Records a return on the dual path or with counter bits. Returns false for any other path. */
static __always_inline bool ku_return_other(enum ku_path path, u32 call, s64 retval)
{
	if (path == KU_PATH_DUAL)
		ku_return_dual(call, retval);
	else if (path == KU_PATH_COUNTED)
		ku_return_counted(call, retval);
	else
		return false;
	return true;
}

/* Records an entry of one word on @path. @is_return: whether a timed event is a return. */
static __always_inline void ku_emit_other(enum ku_path path, u64 entry, bool is_return)
{
	if (path == KU_PATH_TIMED && is_return)
		ku_timed_return(entry);
	else if (path == KU_PATH_TIMED)
		ku_timed_call(entry);
	else if (path == KU_PATH_DUAL)
		ku_emit_dual(entry);
	else if (path == KU_PATH_COUNTED)
		ku_emit_counted(entry);
	else
		ku_emit_inspected_one(entry);
}

/* ---- the fast path ---- */

/*
 * Records an entry of one word on the fast path.
 *
 * Effect of an interrupt or NMI that records at each step:
 *  a  Clock not read yet: its entries are earlier.
 *  b  Clock read, state not yet: see ku_claim_at(), which has the next steps.
 */
static __always_inline void ku_emit_one(u64 entry)
{
	struct ku_claim claim;

	ku_step('a');
	claim = ku_claim_of(ku_clock());
	ku_step('b');
	if (unlikely(!ku_put_at(KU_PRIMARY_SLOT, claim, entry, false)))
		ku_emit_slow(entry);
}

/**
 * ku_emit() - record an entry of one word, on the dispatch path of its event
 * @entry: the low 44 bits: all except the timestamp
 */
static __always_inline void ku_emit(u64 entry)
{
	if (ku_key_on(ku_other_paths)) {
		enum ku_path path = ku_path_of(ku_event_of(entry));

		if (path != KU_PATH_FAST) {
			ku_emit_other(path, entry, entry & KU_EVENT(KUTRACE_RETURN_BIT));
			return;
		}
	}
	ku_emit_one(entry);
}

/**
 * ku_emit_ordered() - record an event that may be the effect of another CPU
 * @entry: see ku_emit()
 *
 * The clock is read after all earlier loads of this CPU. So an effect gets a later time than its
 * cause: for example, a switch gets a later time than the wakeup. On x86 this costs a fence; arm64
 * and riscv64 order every reading. System calls, faults and device interrupts use ku_emit(),
 * because their own CPU causes them.
 */
static __always_inline void ku_emit_ordered(u64 entry)
{
	ku_clock_order();
	ku_emit(entry);
}

/*
 * Returns the entry of a call without timestamp, for the slow path. Loads the argument and adds the
 * number only here, so that the fast path does not compute parts of the entry.
 */
static __always_inline u64 ku_call_entry(u32 event, u32 nr, const u64 *arg0)
{
	u64 entry = (u16)*arg0;

	ku_opaque(entry);
	ku_opaque(nr);
	return entry | KU_EVENT(event + nr);
}

/*
 * Records the call @event + @nr in the primary slot, in the common case. Builds one word of time,
 * number and argument, in fewer instructions than ku_emit(). @keep: see ku_claim_at(). Returns
 * false if nothing was recorded. Step k: clock read, state not yet.
 */
static __always_inline bool ku_put_call(u32 event, u32 nr, const u64 *arg0, bool keep)
{
	struct ku_claim claim = ku_claim_of(ku_clock());
	struct ku_claimed claimed;
	u64 word;

	ku_step('k');
	if (unlikely(!ku_claim_at(KU_PRIMARY_SLOT, claim, 1, keep, &claimed)))
		return false;
	word = ku_claim_word(claim, event + nr, 0);
	ku_set_low_16(word, arg0);
	ku_claimed_store(claimed, word);
	return true;
}

/* Records a call that is not on the fast path. Returns false if the call is on the fast path. */
static __always_inline bool ku_call_other(u32 event, u64 nr, const u64 *arg0)
{
	enum ku_path path;
	u64 entry;

	if (!ku_key_on(ku_other_paths))
		return false;
	/* Do not share this sum with the fast path, where the addition is free. */
	ku_opaque(nr);
	path = ku_path_of(event + nr);
	if (path == KU_PATH_FAST)
		return false;
	/* ku_call_entry() would take one more instruction, and many calls take this branch. */
	entry = KU_EVENT(event + nr);
	ku_set_low_16(entry, arg0);
	ku_emit_other(path, entry, false);
	return true;
}

/**
 * ku_emit_lone_call() - record a call whose return, if it has one, ku_merge_return() may merge
 * @event: number of the call event, without @nr
 * @nr: added to @event
 * @arg0: address of the first argument, for example in the saved registers of a system call; its
 *	low 16 bits are recorded, and one instruction loads them into the entry
 *
 * Records the same as ku_emit() of these three parts, in fewer instructions.
 */
static __always_inline void ku_emit_lone_call(u32 event, u64 nr, const u64 *arg0)
{
	if (!ku_call_other(event, nr, arg0) && unlikely(!ku_put_call(event, (u32)nr, arg0, false)))
		ku_emit_slow(ku_call_entry(event, (u32)nr, arg0));
}

/**
 * ku_merge_return() - merge a return into its call
 * @call: number of the call event
 * @retval: returned value
 *
 * Merges if the last entry is the call, 1 to 255 counts ago (0 to 255 with a coarse clock), and the
 * value fits 8 bits (ku_delta_fits()). Claims nothing.
 *
 * Returns false if the return was not merged: the caller must record it as an entry.
 *
 * Effect of an interrupt or NMI that records at each step:
 *  e  Clock read, state not yet: the time in the state is not before ours, or the last entry is not
 *     the call: no merge.
 *  f  State read, last word not yet: nothing else changes that word.
 *  g  Checked, not stored: its entries are later than the return, whose time was read before.
 */
static __always_inline bool ku_merge_return(u32 call, s64 retval)
{
	u64 ts = ku_clock();

	barrier();
	ku_step('e');
	return ku_merge_at(KU_PRIMARY_SLOT, ts, call, retval, KU_NO_BITS);
}

/**
 * ku_merge_syscall() - merge the return of a system call that is known by its number
 * @nr: number in the task's registers: any value, because the program chooses it
 * @retval: returned value
 * @is_other: returns whether the number may belong to another ABI, in which it means another call
 *
 * Merging compares the number with the recorded call, so it does not need @is_other; recording a
 * return does. @is_other is a function because only the dual path and counter bits call it: a
 * single ring without counter bits does not pay for it.
 *
 * A number without an event of its own would give the number of some other event, such as a context
 * switch, which would be taken for the call. Such a number is not merged.
 *
 * Returns false if the return was not recorded: see ku_merge_return(). On the dual path and with
 * counter bits, it is always recorded, unless it may belong to another ABI.
 */
static __always_inline bool ku_merge_syscall(u64 nr, s64 retval, bool (*is_other)(void))
{
	if (unlikely((u32)nr >= KUTRACE_COUNT_SYSCALL64))
		return false;
	if (ku_key_on(ku_other_paths)) {
		u32 number = (u32)nr;
		enum ku_path path;

		/* See ku_call_other(). */
		ku_opaque(number);
		number += KUTRACE_CALL_SYSCALL64;
		path = ku_path_of(number);
		if (path >= KU_PATH_DUAL)
			return !unlikely(is_other()) && ku_return_other(path, number, retval);
	}
	return ku_merge_return(KUTRACE_CALL_SYSCALL64 + (u32)nr, retval);
}

/*
 * Records a return that was not merged, like ku_emit(), but need not extract the number from an
 * entry.
 */
static __always_inline void ku_emit_unmerged(u32 call, s64 retval)
{
	if (ku_key_on(ku_other_paths)) {
		enum ku_path path = ku_path_of(call + KUTRACE_RETURN_BIT);

		if (path != KU_PATH_FAST) {
			ku_emit_other(path, ku_return_entry(call, retval), true);
			return;
		}
	}
	ku_emit_one(ku_return_entry(call, retval));
}

/* Records a return; merges it into its call if possible. */
static __always_inline void ku_emit_return(u32 call, s64 retval)
{
	if (ku_key_on(ku_other_paths) && ku_return_other(ku_path_of(call), call, retval))
		return;
	if (!ku_merge_return(call, retval))
		ku_emit_unmerged(call, retval);
}

/*
 * Cheaper calls and returns, for hooks that see both the beginning and the end of each call. Hooks
 * that may see only one of them, such as tracepoints, must not use these functions.
 */

/*
 * Records a call, like ku_emit_lone_call(), whose return ku_emit_call_return() may merge. For hooks
 * that have checked that such calls are on the fast path. Other hooks use ku_emit_call().
 *
 * Saves the state after the claim. If the CPU still has this state at the return, nothing was
 * recorded on it since.
 */
static __always_inline void ku_emit_call_fast(u32 event, u32 nr, const u64 *arg0)
{
	if (unlikely(!ku_put_call(event, nr, arg0, true)))
		ku_emit_call_slow(ku_call_entry(event, nr, arg0));
}

/* Records a call like ku_emit_call_fast(), on the dispatch path of its event. */
static __always_inline void ku_emit_call(u32 event, u32 nr, const u64 *arg0)
{
	if (!ku_call_other(event, nr, arg0))
		ku_emit_call_fast(event, nr, arg0);
}

/*
 * Returns whether a return can be merged into its call. @call: the state after the call's claim.
 * @now: time of the return, shifted like a state. Sets *@delta, and *@retval to its field.
 */
static __always_inline bool ku_call_merges(u64 call, u64 now, u64 *delta, s64 *retval)
{
	*delta = ku_counts_since(call, now);
	if (!KU_COARSE_CLOCK)
		return likely((*delta | (u64)(*retval + 128)) <= KUTRACE_DELTA_MAX);
	/* The state shows that nothing was recorded since, also within the same count. */
	if (unlikely(!ku_delta_fits(*delta, *retval) || !ku_retval_fits(*retval)))
		return false;
	*retval = (s64)ku_retval_field(*delta, *retval);
	return true;
}

/**
 * ku_emit_call_return() - merge the return of a call of ku_emit_call() or ku_emit_call_fast()
 * @retval: returned value
 *
 * If the CPU still has the state that the last such call left, the word before the next index is
 * that call. As long as context switches are recorded, this call belongs to the running task. So
 * the word need not be loaded and compared. A state does not come back, because each claim advances
 * its time or its index; ku_block_next_part() describes an exception.
 *
 * Merges if the call was 1 to 255 counts ago (0 to 255 with a coarse clock), and the value fits 8
 * bits (ku_delta_fits()). Returns false if the return was not merged: the caller uses
 * ku_emit_return().
 *
 * Effect of an interrupt or NMI that records at each step:
 *  p  Clock read, nothing else: the state differs, no merge.
 *  q  Base read, state not: the state differs, no merge. If the state is the one that the call
 *     left, base belongs to it.
 *  r  Compared, not stored: its entries are later than the return, whose time was read before. It
 *     may take a new block; see step o of ku_claimed_store().
 */
static __always_inline bool ku_emit_call_return(s64 retval)
{
	u64 ts = ku_clock();
	u64 *base;
	u64 call, delta;

	barrier();
	ku_step('p');
	base = ku_cpu_read(at.base);
	ku_step('q');
	call = ku_cpu_read(at.call);
	if (unlikely(!ku_cpu_is(at.state, call)))
		return false;
	ku_step('r');
	if (!ku_call_merges(call, ts << KU_INDEX_BITS, &delta, &retval))
		return false;
	ku_word_merge(&base[(call & KU_INDEX_MASK) - 1], delta, retval);
	return true;
}

/* Returns whether the slow path recorded the last call, so its return cannot be merged. */
static __always_inline bool ku_emit_call_was_slow(void)
{
	return !ku_cpu_read(at.call);
}

/*
 * Records a call like ku_emit_call() on the dual path: each slot saves its own state. Steps: as in
 * ku_emit_call(), and H: recorded in the first ring, not yet in the second.
 */
static __always_inline void ku_emit_call_dual(u32 event, u32 nr, const u64 *arg0)
{
	struct ku_claim claim = ku_claim_of(ku_clock());
	struct ku_claimed first, second;
	u64 word = ku_claim_word(claim, event + nr, 0);

	ku_set_low_16(word, arg0);
	ku_step('k');
	if (unlikely(!ku_claim_at(KU_PRIMARY_SLOT, claim, 1, true, &first))) {
		ku_emit_dual(ku_call_entry(event, nr, arg0));
		return;
	}
	ku_claimed_store(first, word);
	ku_step('H');
	/* Scale ts again: to keep the product, the function would have to save a register. */
	ku_opaque(claim.ts);
	if (unlikely(!ku_claim_at(KU_SECONDARY_SLOT, claim, 1, true, &second))) {
		ku_emit_secondary(ku_call_entry(event, nr, arg0));
		return;
	}
	ku_claimed_store(second, word);
}

/* Merges a return in both rings. If false, neither has merged: use ku_emit_return(). */
static __always_inline bool ku_emit_call_return_dual(s64 retval)
{
	u64 ts = ku_clock() << KU_INDEX_BITS;
	u64 call, call2, delta;
	u64 *base, *base2;

	/* Join the counter's halves now: later, the function would have to save a register. */
	ku_opaque(ts);
	barrier();
	ku_step('p');
	base = ku_at_read(KU_PRIMARY_SLOT, at.base);
	base2 = ku_at_read(KU_SECONDARY_SLOT, at.base);
	ku_step('q');
	call = ku_at_read(KU_PRIMARY_SLOT, at.call);
	call2 = ku_at_read(KU_SECONDARY_SLOT, at.call);
	if (unlikely(!ku_at_is(KU_PRIMARY_SLOT, at.state, call) ||
		     !ku_at_is(KU_SECONDARY_SLOT, at.state, call2)))
		return false;
	ku_step('r');
	/* Both claims have the same time, unless the slow path made the second. */
	if (unlikely((call ^ call2) >> KU_INDEX_BITS))
		return false;
	if (!ku_call_merges(call, ts, &delta, &retval))
		return false;
	ku_word_merge(&base[(call & KU_INDEX_MASK) - 1], delta, retval);
	ku_step('H');
	ku_word_merge(&base2[(call2 & KU_INDEX_MASK) - 1], delta, retval);
	return true;
}

/* Records a context switch or a wakeup, on the dispatch path of its event. */
static __always_inline void ku_emit_of_task(u64 entry)
{
	if (ku_key_on(ku_other_paths) && ku_path_of(ku_event_of(entry)) == KU_PATH_SWITCH)
		ku_late_call(ku_on_switch, entry);
	else
		ku_emit(entry);
}

/*
 * Record a context switch to @next and a wakeup of @task. Both are a struct task_struct, which
 * filters and triggers read from ku_cpu.hook.task. At a switch, interrupts are off. At a wakeup
 * they may be on, and are disabled, because an interrupt could wake another task in between. Times
 * are ordered as in ku_emit_ordered().
 */
static __always_inline void ku_emit_switch(void *next, u32 pid)
{
	ku_clock_order();
	ku_cpu_write(hook.task, next);
	ku_emit_of_task(KU_EVENT(KUTRACE_USERPID) | pid);
}

static __always_inline void ku_emit_wakeup(void *task, u32 pid)
{
	unsigned long flags;

	ku_irq_save(flags);
	ku_clock_order();
	ku_cpu_write(hook.task, task);
	ku_emit_of_task(KU_EVENT(KUTRACE_RUNNABLE) | pid);
	ku_irq_restore(flags);
}

/*
 * Records an entry of several words, or of a past time. Arguments: see ku_ring_put(). Counts an
 * entry that cannot be recorded. Context: any.
 */
static inline void ku_emit_words(const u64 *words, u32 nwords, u32 room, u64 past)
{
	if (ku_key_on(ku_other_paths) && ku_path_of(ku_event_of(words[0])) != KU_PATH_FAST)
		ku_emit_words_other(words, nwords, room, past);
	else
		ku_emit_words_fast(words, nwords, room, past);
}

/*
 * Records an entry of several words about a wakeup of @task, before ku_emit_wakeup(), and with the
 * same filter.
 */
static inline void ku_emit_wakeup_words(void *task, const u64 *words, u32 nwords)
{
	unsigned long flags;

	ku_irq_save(flags);
	ku_clock_order();
	ku_cpu_write(hook.task, task);
	/* A NOP follows: otherwise the next return could take the last word for its call. */
	ku_emit_words(words, nwords, nwords + 1, 0);
	ku_irq_restore(flags);
}

/*
 * Records an entry of two words (PC sample). Both are in one block, and a NOP follows: otherwise
 * the next return could take the second word for its call. Steps: as in ku_emit_one().
 */
static __always_inline void ku_emit2(u64 entry, u64 second)
{
	struct ku_claimed claimed;
	struct ku_claim claim;

	if (ku_key_on(ku_other_paths) && ku_path_of(ku_event_of(entry)) != KU_PATH_FAST) {
		ku_emit_words_other((u64[]){ entry, second }, 2, 3, 0);
		return;
	}
	ku_step('a');
	claim = ku_claim_words(ku_clock(), 3);
	ku_step('b');
	if (unlikely(!ku_claim_at(KU_PRIMARY_SLOT, claim, 3, false, &claimed))) {
		ku_emit2_slow(entry, second);
		return;
	}
	ku_step('o');
	WRITE_ONCE(claimed.base[claimed.index + 1], second);
	ku_store_last(&claimed.base[claimed.index], ku_claim_word(claim, 0, entry));
}

/* Records an event that happened @past counter units ago, but not before the last entry. */
static __always_inline void ku_emit_past(u64 entry, u64 past)
{
	ku_emit_words(&entry, 1, 1, past);
}

#endif
