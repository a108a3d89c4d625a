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

/*
 * Records an entry of one word that does not go aside. The steps, and what an interrupt or NMI that
 * records does there:
 *  a  before the time is read: its entries are simply earlier.
 *  b  time read, state not yet: as ku_claim_at() says, which has the steps behind.
 */
static __always_inline void ku_emit_one(u64 entry)
{
	struct ku_claim claim;

	ku_step('a');
	claim = ku_claim_of(ku_clock());
	ku_step('b');
	if (unlikely(!ku_put_at(KU_FIRST_PLACE, claim, entry, false)))
		ku_emit_slow(entry);
}

/**
 * ku_emit() - record an entry of one word
 * @entry: everything but the timestamp, i.e. the low 44 bits
 *
 * An event that goes aside is recorded elsewhere.
 */
static __always_inline void ku_emit(u64 entry)
{
	if (ku_key_on(ku_aside)) {
		enum ku_way way = ku_way_of(ku_event_of(entry));

		if (way != KU_STRAIGHT) {
			ku_emit_aside(way, entry, entry & KU_EVENT(KUTRACE_RETURN_BIT));
			return;
		}
	}
	ku_emit_one(entry);
}

/**
 * ku_emit_ordered() - record an event that may be another CPU's effect
 * @entry: as of ku_emit()
 *
 * The time is read after all earlier loads of this CPU: a switch comes after its wakeup, a lock's
 * new holder after the old one, a packet's arrival after its sending. On x86 this costs a fence;
 * arm64 and riscv64 order every reading. System calls, faults and interrupts of devices use
 * ku_emit(): their own CPU begins them.
 */
static __always_inline void ku_emit_ordered(u64 entry)
{
	ku_clock_order();
	ku_emit(entry);
}

/*
 * The entry of a call without its timestamp, for the slow path. The argument is loaded, and the
 * number added up, for that alone: else the compiler builds parts of it on the frequent path.
 */
static __always_inline u64 ku_call_entry(u32 event, u32 nr, const u64 *arg0)
{
	u64 entry = (u16)*arg0;

	ku_opaque(entry);
	ku_opaque(nr);
	return entry | KU_EVENT(event + nr);
}

/*
 * Records a call whose number is @event + @nr, if all is as it mostly is. Time, number and argument
 * are put together in one word, in fewer instructions than in ku_emit(). Step k: time read, state
 * not yet.
 */
static __always_inline bool ku_put_call(u32 event, u32 nr, const u64 *arg0, bool keep)
{
	struct ku_claim claim = ku_claim_of(ku_clock());
	struct ku_claimed claimed;
	u64 word;

	ku_step('k');
	if (unlikely(!ku_claim_at(KU_FIRST_PLACE, claim, 1, keep, &claimed)))
		return false;
	word = ku_claim_word(claim, event + nr, 0);
	ku_set_low_16(word, arg0);
	ku_claimed_store(claimed, word);
	return true;
}

/* Whether a call goes aside, and has gone there. */
static __always_inline bool ku_call_aside(u32 event, u64 nr, const u64 *arg0)
{
	enum ku_way way;
	u64 entry;

	if (!ku_key_on(ku_aside))
		return false;
	/* Added up here, too, and not once for all who go straight. */
	ku_opaque(nr);
	way = ku_way_of(event + nr);
	if (way == KU_STRAIGHT)
		return false;
	/* Not ku_call_entry(), an instruction more: calls often go aside. */
	entry = KU_EVENT(event + nr);
	ku_set_low_16(entry, arg0);
	ku_emit_aside(way, entry, false);
	return true;
}

/**
 * ku_emit_lone_call() - record a call whose return ku_merge_return() may merge, if there is one
 * @event: number of the call event, without the part in @nr
 * @nr: added to it
 * @arg0: where the first argument is, in the registers that a system call has saved, say; its
 *	low 16 bits are recorded, read there by the instruction that puts them into the entry
 *
 * As ku_emit() of an entry that is made of the three, in fewer instructions.
 */
static __always_inline void ku_emit_lone_call(u32 event, u64 nr, const u64 *arg0)
{
	if (!ku_call_aside(event, nr, arg0) && unlikely(!ku_put_call(event, (u32)nr, arg0, false)))
		ku_emit_slow(ku_call_entry(event, (u32)nr, arg0));
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
 * @is_other: says whether the number may be of another ABI, where it is another call's: what is
 *	merged is compared with its call, and need not know, but what is recorded must. A function,
 *	as only two rings and counters ask, and one plain ring shall not pay for the answer
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

		/* As in ku_call_aside(). */
		ku_opaque(number);
		number += KUTRACE_CALL_SYSCALL64;
		way = ku_way_of(number);
		if (way >= KU_TWICE)
			return !unlikely(is_other()) && ku_return_aside(way, number, retval);
	}
	return ku_merge_return(KUTRACE_CALL_SYSCALL64 + (u32)nr, retval);
}

/* As ku_emit() of a return: its number is looked up as it is, not taken out of the entry again. */
static __always_inline void ku_emit_unmerged(u32 call, s64 retval)
{
	if (ku_key_on(ku_aside)) {
		enum ku_way way = ku_way_of(call + KUTRACE_RETURN_BIT);

		if (way != KU_STRAIGHT) {
			ku_emit_aside(way, ku_return_entry(call, retval), true);
			return;
		}
	}
	ku_emit_one(ku_return_entry(call, retval));
}

/* A return, merged or not. */
static __always_inline void ku_emit_return(u32 call, s64 retval)
{
	if (ku_key_on(ku_aside) && ku_return_aside(ku_way_of(call), call, retval))
		return;
	if (!ku_merge_return(call, retval))
		ku_emit_unmerged(call, retval);
}

/*
 * Calls and returns at half the price, for hooks that bracket a call in one
 * function (patched_syscall.c and syscall_direct.c in probes/x86/). They are
 * not for hooks that may see a call without its return, or a return without
 * its call, as tracepoints do.
 */

/**
 * ku_emit_call_straight() - record a call whose return ku_emit_call_return() may merge
 * @event: as of ku_emit_lone_call()
 * @nr: likewise
 * @arg0: likewise
 *
 * For hooks that know by themselves that no such call goes aside; others ask: ku_emit_call().
 *
 * Keeps the state that the claim left: by it the return can tell that nothing
 * has been recorded on this CPU since.
 */
static __always_inline void ku_emit_call_straight(u32 event, u32 nr, const u64 *arg0)
{
	if (unlikely(!ku_put_call(event, nr, arg0, true)))
		ku_emit_call_slow(ku_call_entry(event, nr, arg0));
}

/* The same, or aside. */
static __always_inline void ku_emit_call(u32 event, u32 nr, const u64 *arg0)
{
	if (!ku_call_aside(event, nr, arg0))
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
 *     stays what it is until all others have been used up, as in step o of
 *     ku_claimed_store().
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
	delta = ku_counts_since(call, ts);
	if (KU_COARSE_CLOCK) {
		/* That nothing was recorded since the state says, in the same count, too. */
		if (unlikely(!ku_delta_fits(delta, retval) || !ku_retval_fits(retval)))
			return false;
		retval = ku_retval_field(delta, retval);
	} else {
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
	struct ku_claim claim = ku_claim_of(ku_clock());
	struct ku_claimed first, second;
	u64 word = ku_claim_word(claim, event + nr, 0);

	ku_set_low_16(word, arg0);
	ku_step('k');
	if (unlikely(!ku_claim_at(KU_FIRST_PLACE, claim, 1, true, &first))) {
		ku_emit_twice(ku_call_entry(event, nr, arg0));
		return;
	}
	ku_claimed_store(first, word);
	ku_step('H');
	/* Scaled by addressing, once more: kept, that would take a register to be saved. */
	ku_opaque(claim.ts);
	if (unlikely(!ku_claim_at(KU_SECOND_PLACE, claim, 1, true, &second))) {
		ku_emit_second(ku_call_entry(event, nr, arg0));
		return;
	}
	ku_claimed_store(second, word);
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
 * be on, as when a task wakes itself, and an interrupt would wake another in between. Both are
 * ordered, as ku_emit_ordered() says.
 */
static __always_inline void ku_emit_switch(void *next, u32 pid)
{
	ku_clock_order();
	ku_cpu_write(task, next);
	ku_emit_of_task(KU_EVENT(KUTRACE_USERPID) | pid);
}

static __always_inline void ku_emit_wakeup(void *task, u32 pid)
{
	unsigned long flags;

	ku_irq_save(flags);
	ku_clock_order();
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
 * the next return. The steps are those of ku_emit().
 */
static __always_inline void ku_emit2(u64 entry, u64 second)
{
	struct ku_claimed claimed;
	struct ku_claim claim;

	if (ku_key_on(ku_aside) && ku_way_of(ku_event_of(entry)) != KU_STRAIGHT) {
		ku_emit_words_aside((u64[]){ entry, second }, 2, 3, 0);
		return;
	}
	ku_step('a');
	claim = ku_claim_words(ku_clock(), 3);
	ku_step('b');
	if (unlikely(!ku_claim_at(KU_FIRST_PLACE, claim, 3, false, &claimed))) {
		ku_emit_straight2(entry, second);
		return;
	}
	ku_step('o');
	WRITE_ONCE(claimed.base[claimed.index + 1], second);
	ku_store_last(&claimed.base[claimed.index], ku_claim_word(claim, 0, entry));
}

/* An entry for what happened so many units of the counter ago, after the entry before. */
static __always_inline void ku_emit_past(u64 entry, u64 past)
{
	ku_emit_words(&entry, 1, 1, past);
}

#endif
