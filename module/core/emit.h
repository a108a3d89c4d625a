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

#include "core/aside.h"
#include "core/claim.h"
#include "core/ring.h"
#include "core/word.h"

/**
 * ku_emit() - record an entry of one word
 * @entry: everything but the timestamp, i.e. the low 44 bits
 *
 * An event that goes aside is recorded elsewhere.
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

	if (ku_key_on(ku_aside)) {
		enum ku_way way = ku_way_of(ku_event_of(entry));

		if (way != KU_STRAIGHT) {
			ku_emit_aside(way, entry, entry & KU_EVENT(KUTRACE_RETURN_BIT));
			return;
		}
	}
	ku_step('a');
	do {
		state = ku_cpu_read(state);
		base = ku_cpu_read(base);
		ku_step('b');
		ts = ku_clock();
		ku_step('c');
		if (unlikely(ku_since(state, ts, KU_BELOW_FULL) & KU_SLOW_MASK)) {
			ku_emit_slow(entry);
			return;
		}
		claimed = (ts << KU_INDEX_BITS) + (state & KU_INDEX_MASK) + 1;
	} while (unlikely(!ku_cpu_try_cmpxchg(state, state, claimed)));
	ku_step('d');
	/* Aligned, stored once, not read back: no need of WRITE_ONCE's extra lea. */
	base[state & KU_INDEX_MASK] = ts << KUTRACE_TS_SHIFT | entry;
	barrier();
}

/**
 * ku_emit_return() - record a return, merged into its call where that is exact
 * @call: number of the call event
 * @retval: value returned
 *
 * Merged when the entry before is the call, 1 to 255 counts ago, and the value
 * fits 8 bits. Nothing is claimed then.
 *
 * Returns false when it cannot be merged: ku_emit() it.
 *
 * The steps, and what an interrupt or NMI that records does there:
 *  e  time read, state not yet: the state's time is later than ours, or the
 *     word before is not our call any more; not merged.
 *  f  state read, word before not yet: that word cannot change but by us.
 *  g  checked, not stored: its entries are later than our time, which is what
 *     a merged return with our time says.
 */
static __always_inline bool ku_merge_return(u32 call, s64 retval)
{
	u64 ts = ku_clock();

	barrier();
	ku_step('e');
	return ku_merge_at(KU_FIRST_PLACE, ts, call, retval, KU_NO_NIBBLE);
}

/**
 * ku_merge_syscall() - merge the return of a system call, which is known by its number
 * @nr: number as the task's registers say it: anything, as the program chooses it
 * @retval: value returned
 * @is_other: says whether the number may be of another ABI, where it is another call's: what is merged is
 *	compared with its call, and need not know, but what is recorded must. A function, as only
 *	two rings and counters ask, and one plain ring shall not pay for the answer
 *
 * A number beyond those with an event of their own would be that of any other event: a
 * context switch, say, which would be taken for the call.
 *
 * Returns false when it cannot be merged, as ku_merge_return() does; in two rings, or with
 * counters, it is recorded in any case, but of another ABI.
 */
static __always_inline bool ku_merge_syscall(u64 nr, s64 retval, bool (*is_other)(void))
{
	if (unlikely((u32)nr >= KUTRACE_COUNT_SYSCALL64))
		return false;
	if (ku_key_on(ku_aside)) {
		u32 number = (u32)nr;
		enum ku_way way;

		/* As in ku_emit_call(). */
		ku_opaque(number);
		number += KUTRACE_CALL_SYSCALL64;
		way = ku_way_of(number);
		if (way >= KU_TWICE)
			return !unlikely(is_other()) && ku_return_aside(way, number, retval);
	}
	return ku_merge_return(KUTRACE_CALL_SYSCALL64 + (u32)nr, retval);
}

/* A return, merged or not. */
static __always_inline void ku_emit_return(u32 call, s64 retval)
{
	if (ku_key_on(ku_aside) && ku_return_aside(ku_way_of(call), call, retval))
		return;
	if (!ku_merge_return(call, retval))
		ku_emit(ku_return_entry(call, retval));
}

/*
 * Calls and returns at half the price, for hooks that bracket a call in one
 * function (probes/static.c). They are not for hooks that may see a call
 * without its return, or a return without its call, as tracepoints do.
 */

/*
 * The entry of a call without its timestamp, for the slow path. The argument is loaded first:
 * otherwise the compiler builds the entry in the register that holds @arg0, and moves @arg0 to
 * another one on the frequent path.
 */
static __always_inline u64 ku_call_entry(u32 event, const u64 *arg0)
{
	u64 entry = (u16)*arg0;

	ku_opaque(entry);
	return entry | KU_EVENT(event);
}

/**
 * ku_emit_call_straight() - record a call whose return ku_emit_call_return() may merge
 * @event: number of the call event, without the part in @nr
 * @nr: added to it
 * @arg0: where the first argument is, in the registers that a system call has saved, say; its
 *	low 16 bits are recorded, read there by the instruction that puts them into the entry
 *
 * For hooks that know by themselves that no such call goes aside; others ask: ku_emit_call().
 *
 * Keeps the state that the claim left: by it the return can tell that nothing
 * has been recorded on this CPU since.
 *
 * Like ku_emit(), but for the order of reading, which spares registers. The time
 * is kept shifted so that adding scales it to its place in a state. What an
 * interrupt or NMI that records does at the steps:
 *  k  time read, state not yet: the state's time is later than ours, which looks
 *     like a gap of years, and the slow path starts over; or it is the same, in
 *     which case our entry truly follows.
 *  l  state read, base not: the exchange fails, we start over.
 *  m  both read, not yet claimed: likewise.
 *  n  claimed, state not kept: the state kept is not the CPU's any more; the
 *     return is not merged. Its own calls have returned.
 *  o  kept, not stored: as step d of ku_emit(); and the return comes after us.
 */
static __always_inline void ku_emit_call_straight(u32 event, u32 nr, const u64 *arg0)
{
	u64 state, claimed, since, ts, word;
	u64 *base;

	do {
		ts = ku_clock() << (KUTRACE_TS_SHIFT - KUTRACE_EVENT_SHIFT);
		/* Kept as it is, here and below, so that addressing scales it. */
		ku_opaque(ts);
		ku_step('k');
		state = ku_cpu_read(state);
		ku_step('l');
		base = ku_cpu_read(base);
		ku_step('m');
		since = ts * KU_TS_TO_STATE + KU_BELOW_FULL;
		ku_opaque(since);
		if (unlikely((since - state) & KU_SLOW_MASK)) {
			ku_emit_call_slow(ku_call_entry(event + nr, arg0));
			return;
		}
		ku_opaque(ts);
		claimed = ts * KU_TS_TO_STATE + (state & KU_INDEX_MASK) + 1;
	} while (unlikely(!ku_cpu_try_cmpxchg(state, state, claimed)));
	ku_step('n');
	ku_cpu_write(call, claimed);
	ku_step('o');
	word = (u64)((u32)ts + event + nr) << KUTRACE_EVENT_SHIFT;
	ku_set_low_16(word, arg0);
	base[state & KU_INDEX_MASK] = word;
	barrier();
}

/* The same, or aside. */
static __always_inline void ku_emit_call(u32 event, u32 nr, const u64 *arg0)
{
	if (ku_key_on(ku_aside)) {
		u32 number = nr;
		enum ku_way way;
		u64 entry;

		/* Added up here, too, and not once above, for all who go straight. */
		ku_opaque(number);
		number += event;
		way = ku_way_of(number);
		if (way != KU_STRAIGHT) {
			/* Not ku_call_entry(), an instruction more: calls often go aside. */
			entry = KU_EVENT(number);
			ku_set_low_16(entry, arg0);
			ku_emit_aside(way, entry, false);
			return;
		}
	}
	ku_emit_call_straight(event, nr, arg0);
}

/**
 * ku_emit_call_return() - the return of what ku_emit_call(), or _straight(), recorded
 * @retval: value returned
 *
 * Where the CPU's state still is the one that the last ku_emit_call() here
 * left, the word before the next index is that call and, as long as context
 * switches are recorded, it is the running task's. So the word need be neither
 * loaded nor compared. A state of a CPU never comes back: time or index goes on
 * with every claim.
 *
 * Merged when the call was 1 to 255 counts ago, or, with a coarse clock, 0 to 255, and the
 * value fits 8 bits (ku_delta_fits()).
 * Returns false when it cannot be merged: ku_emit_return() it.
 *
 * The steps, and what an interrupt or NMI that records does there:
 *  p  time read, nothing else: the state differs; not merged.
 *  q  base read, state not: likewise. Base and state belong together when the
 *     state is unchanged after base was read: base changes only after state.
 *  r  compared, not stored: its entries are later than our time, which is what
 *     a merged return with our time says. It may take a new block; the call's
 *     stays what it is until all others have been used up, as in step d.
 */
static __always_inline bool ku_emit_call_return(s64 retval)
{
	u64 ts = ku_clock();
	u64 *base;
	u64 call, delta;

	barrier();
	ku_step('p');
	base = ku_cpu_read(base);
	ku_step('q');
	call = ku_cpu_read(call);
	if (unlikely(!ku_cpu_is(state, call)))
		return false;
	ku_step('r');
	if (KU_COARSE_CLOCK) {
		/* That nothing was recorded since the state says, in the same count, too. */
		delta = ku_since(call, ts, KU_INDEX_MASK) >> KU_INDEX_BITS;
		if (unlikely(!ku_delta_fits(delta, retval) || !ku_retval_fits(retval)))
			return false;
		retval = ku_retval_field(delta, retval);
	} else {
		/* The index, never 0, borrows one count; less than one count is huge. */
		delta = (((ts << KU_INDEX_BITS) - call) >> KU_INDEX_BITS) + 1;
		if (unlikely((delta | (u64)(retval + 128)) > KUTRACE_DELTA_MAX))
			return false;
	}
	ku_word_merge(&base[(call & KU_INDEX_MASK) - 1], delta, retval);
	return true;
}

/*
 * Whether the last call on this CPU was recorded by the slow path, so that
 * ku_emit_call_return() cannot tell whether something was recorded since. Context: of its caller.
 */
static __always_inline bool ku_emit_call_was_slow(void)
{
	return !ku_cpu_read(call);
}

/*
 * The same for a call that goes twice: into both rings, each of which keeps its state. The steps
 * are the same, too; at H of core/twice.c the call is in the first ring, not yet in the second.
 */
static __always_inline void ku_emit_call_twice(u32 event, u32 nr, const u64 *arg0)
{
	struct ku_claim claim = ku_claim_of(ku_clock(), event + nr, 0);

	ku_set_low_16(claim.word, arg0);
	ku_step('k');
	/* Added up once more where it is rare, so that the sum above is one instruction. */
	ku_opaque(nr);
	if (unlikely(!ku_claim_at(KU_FIRST_PLACE, claim, true))) {
		ku_emit_twice(ku_call_entry(event + nr, arg0));
		return;
	}
	ku_step('H');
	if (unlikely(!ku_claim_at(KU_SECOND_PLACE, claim, true)))
		ku_emit_second(ku_call_entry(event + nr, arg0));
}

/* Merged in both, or in neither: returns false, and ku_emit_return() does what can be done. */
static __always_inline bool ku_emit_call_return_twice(s64 retval)
{
	u64 ts = ku_clock() << KU_INDEX_BITS;
	u64 call, call2, delta;
	u64 *base, *base2;

	/* The counter's halves are joined here: later, that would take a register to be saved. */
	ku_opaque(ts);
	barrier();
	ku_step('p');
	base = ku_at_read(KU_FIRST_PLACE, base);
	base2 = ku_at_read(KU_SECOND_PLACE, base);
	ku_step('q');
	call = ku_at_read(KU_FIRST_PLACE, call);
	call2 = ku_at_read(KU_SECOND_PLACE, call);
	if (unlikely(!ku_at_is(KU_FIRST_PLACE, state, call) ||
		     !ku_at_is(KU_SECOND_PLACE, state, call2)))
		return false;
	ku_step('r');
	/* Claimed at one time, but where the second was by the slow path. */
	if (unlikely((call ^ call2) >> KU_INDEX_BITS))
		return false;
	if (KU_COARSE_CLOCK) {
		delta = (ts + KU_INDEX_MASK - call) >> KU_INDEX_BITS;
		if (unlikely(!ku_delta_fits(delta, retval) || !ku_retval_fits(retval)))
			return false;
		retval = ku_retval_field(delta, retval);
	} else {
		delta = ((ts - call) >> KU_INDEX_BITS) + 1;
		if (unlikely((delta | (u64)(retval + 128)) > KUTRACE_DELTA_MAX))
			return false;
	}
	ku_word_merge(&base[(call & KU_INDEX_MASK) - 1], delta, retval);
	ku_step('H');
	ku_word_merge(&base2[(call2 & KU_INDEX_MASK) - 1], delta, retval);
	return true;
}

static __always_inline void ku_emit_of_task(u64 entry)
{
	if (ku_key_on(ku_aside) && ku_way_of(ku_event_of(entry)) == KU_FOLLOWED)
		ku_late_call(ku_follow, entry);
	else
		ku_emit(entry);
}

/*
 * A context switch to @next, a wakeup of @task, both struct task_struct: filters and
 * triggers want to know them better. At a switch interrupts are off; at a wakeup they may
 * be on, as when a task wakes itself, and an interrupt would wake another in between.
 */
static __always_inline void ku_emit_switch(void *next, u32 pid)
{
	ku_cpu_write(task, next);
	ku_emit_of_task(KU_EVENT(KUTRACE_USERPID) | pid);
}

static __always_inline void ku_emit_wakeup(void *task, u32 pid)
{
	unsigned long flags;

	ku_irq_save(flags);
	ku_cpu_write(task, task);
	ku_emit_of_task(KU_EVENT(KUTRACE_RUNNABLE) | pid);
	ku_irq_restore(flags);
}

/**
 * ku_emit_words() - record an entry of several words, or of the past
 * @words: as of ku_ring_put()
 * @nwords: likewise
 * @room: likewise
 * @past: likewise
 *
 * Context: any. What cannot be recorded is counted.
 */
static inline void ku_emit_words(const u64 *words, u32 nwords, u32 room, u64 past)
{
	if (ku_key_on(ku_aside) && ku_way_of(ku_event_of(words[0])) != KU_STRAIGHT)
		ku_emit_words_aside(words, nwords, room, past);
	else
		ku_emit_straight(words, nwords, room, past);
}

/**
 * ku_emit2() - record an entry of two words (PC sample)
 * @entry: everything of the first but the timestamp
 * @second: anything
 *
 * Kept together in one block, and a NOP behind: the second word must not be taken for a call by
 * the next return. As ku_emit(), and the steps are the same.
 */
static __always_inline void ku_emit2(u64 entry, u64 second)
{
	u64 state, claimed, ts;
	u64 *base;

	if (ku_key_on(ku_aside) && ku_way_of(ku_event_of(entry)) != KU_STRAIGHT) {
		ku_emit_words_aside((u64[]){ entry, second }, 2, 3, 0);
		return;
	}
	ku_step('a');
	do {
		state = ku_cpu_read(state);
		base = ku_cpu_read(base);
		ku_step('b');
		ts = ku_clock();
		ku_step('c');
		/* All three words are in front of the block's end. */
		if (unlikely(ku_since(state, ts, KU_BELOW_FULL - 2) & KU_SLOW_MASK)) {
			ku_emit_straight2(entry, second);
			return;
		}
		claimed = (ts << KU_INDEX_BITS) + (state & KU_INDEX_MASK) + 3;
	} while (unlikely(!ku_cpu_try_cmpxchg(state, state, claimed)));
	ku_step('d');
	WRITE_ONCE(base[(state & KU_INDEX_MASK) + 1], second);
	ku_store_last(&base[state & KU_INDEX_MASK], ts << KUTRACE_TS_SHIFT | entry);
}

/* An entry for what happened so many units of the counter ago, after the entry before. */
static __always_inline void ku_emit_past(u64 entry, u64 past)
{
	ku_emit_words(&entry, 1, 1, past);
}

#endif
