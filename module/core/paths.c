// SPDX-License-Identifier: GPL-2.0-only
/*
 * Records events on the dispatch paths other than the fast path: see paths.h. All functions are
 * __kprobes, like the slow path.
 */
#include "core/claim.h"
#include "core/paths.h"

/* ---- dual ---- */

/*
 * Stores an entry in the primary slot, then in the secondary slot, with the same time. The rings
 * are independent. An interrupt in between records in both, before the second ring's entry; that
 * entry then takes the slow path and gets its own time.
 *
 * Each event is recorded once in each ring, also while the rings enter or leave their slots on this
 * CPU (record/resident.c). The primary slot decides at the moment of the claim. If it is open, this
 * code also records the entry in the second ring, wherever that ring's state is by then. If it is
 * not open, ku_route handles the event for all rings, and this code does nothing more.
 */

/* Records in the second ring, wherever its state of this CPU is. */
static noinline void __kprobes ku_second_slow(const u64 *words, u32 nwords, u32 room, u64 past)
{
	unsigned long flags;
	struct ku_ring *ring;

	ku_irq_save(flags);
	ring = READ_ONCE(ku_second);
	if (ring && READ_ONCE(ring->active))
		ku_ring_record(ring, ku_ring_cpu_here(ring), words, nwords, room, past);
	ku_irq_restore(flags);
}

void __kprobes ku_emit_words_aside(const u64 *words, u32 nwords, u32 room, u64 past)
{
	enum ku_way way = ku_way_of(ku_event_of(words[0]));

	if (way == KU_INSPECTED || way == KU_FOLLOWED)
		ku_emit_inspected(words, nwords, room, past);
	else if (ku_emit_straight(words, nwords, room, past))
		ku_second_slow(words, nwords, room, past);
}

/*
 * Rare cases are in functions of their own, called last, so that the frequent paths need no stack
 * frame. Step H: recorded in the first ring, not yet in the second.
 */
noinline void __kprobes ku_emit_second(u64 entry)
{
	ku_second_slow(&entry, 1, 1, 0);
}

static __always_inline void ku_then_second(struct ku_claim claim, u64 entry)
{
	ku_step('H');
	if (unlikely(!ku_put_at(KU_SECOND_PLACE, claim, entry, false)))
		ku_emit_second(entry);
}

static noinline void __kprobes ku_emit_twice_slow(struct ku_claim claim, u64 entry)
{
	if (ku_emit_straight(&entry, 1, 1, 0))
		ku_then_second(claim, entry);
}

notrace void __kprobes ku_emit_twice(u64 entry)
{
	struct ku_claim claim = ku_claim_of(ku_clock());

	barrier();
	if (likely(ku_put_at(KU_FIRST_PLACE, claim, entry, false)))
		ku_then_second(claim, entry);
	else
		ku_emit_twice_slow(claim, entry);
}

static noinline void __kprobes ku_return_second(u64 ts, u32 call, s64 retval)
{
	u64 entry = ku_return_entry(call, retval);

	if (unlikely(!ku_put_at(KU_SECOND_PLACE, ku_claim_of(ts), entry, false)))
		ku_second_slow(&entry, 1, 1, 0);
}

static noinline void __kprobes ku_return_first_slow(u64 ts, u32 call, s64 retval)
{
	u64 entry = ku_return_entry(call, retval);

	if (ku_emit_straight(&entry, 1, 1, 0) &&
	    !ku_merge_at(KU_SECOND_PLACE, ts, call, retval, KU_NO_NIBBLE))
		ku_return_second(ts, call, retval);
}

static noinline void __kprobes ku_return_first(u64 ts, u32 call, s64 retval)
{
	u64 entry = ku_return_entry(call, retval);

	if (unlikely(!ku_put_at(KU_FIRST_PLACE, ku_claim_of(ts), entry, false))) {
		ku_return_first_slow(ts, call, retval);
		return;
	}
	ku_step('H');
	if (!ku_merge_at(KU_SECOND_PLACE, ts, call, retval, KU_NO_NIBBLE))
		ku_return_second(ts, call, retval);
}

notrace void __kprobes ku_return_twice(u32 call, s64 retval)
{
	u64 ts = ku_clock();

	barrier();
	ku_step('e');
	if (unlikely(!ku_merge_at(KU_FIRST_PLACE, ts, call, retval, KU_NO_NIBBLE))) {
		ku_return_first(ts, call, retval);
		return;
	}
	ku_step('H');
	if (unlikely(!ku_merge_at(KU_SECOND_PLACE, ts, call, retval, KU_NO_NIBBLE)))
		ku_return_second(ts, call, retval);
}

/* ---- with counter bits ---- */

/*
 * Interrupts are off from reading the counters until the entry is stored. So this entry's bits
 * count everything since the previous entry. An NMI in between does not read the counters
 * (ku_count), takes no block and does not move base. If its entry comes before this one, this entry
 * takes the slow path, with the bits that were read.
 */

/* Returns the counter bits for the ring in the primary slot. Valid only while the slot is open. */
static __always_inline u8 ku_nibble_here(void)
{
	return (u8)ku_late_ask(ku_count, ku_cpu_here(), READ_ONCE(ku_resident)->bytes_flags);
}

static __always_inline void ku_put_counted(u64 entry, u8 nibble)
{
	struct ku_claim claim = ku_claim_of(ku_clock());
	struct ku_claimed claimed;
	u8 *bytes;

	if (unlikely(!ku_claim_at(KU_FIRST_PLACE, claim, 1, false, &claimed))) {
		ku_emit_counted_slow(entry, nibble);
		return;
	}
	bytes = ku_cpu_read(counters.bytes);
	/* NULL for a moment after another ring has taken the slot. */
	if (likely(bytes))
		WRITE_ONCE(bytes[claimed.index], nibble);
	/* The entry after its counter bits. Step o: see ku_claimed_store(). */
	ku_step('o');
	ku_store_last(&claimed.base[claimed.index], ku_claim_word(claim, 0, entry));
}

notrace void __kprobes ku_emit_counted(u64 entry)
{
	unsigned long flags;

	ku_irq_save(flags);
	if (likely(ku_cpu_read(slot.verdict) == KU_SELECTED))
		ku_put_counted(entry, ku_nibble_here());
	else
		ku_emit_slow(entry);
	ku_irq_restore(flags);
}

static __always_inline void ku_return_here(u32 call, s64 retval)
{
	u8 nibble = ku_nibble_here();
	u64 ts = ku_clock();

	barrier();
	ku_step('e');
	if (unlikely(!ku_merge_at(KU_FIRST_PLACE, ts, call, retval, nibble)))
		ku_put_counted(ku_return_entry(call, retval), nibble);
}

notrace void __kprobes ku_return_counted(u32 call, s64 retval)
{
	unsigned long flags;

	ku_irq_save(flags);
	if (likely(ku_cpu_read(slot.verdict) == KU_SELECTED))
		ku_return_here(call, retval);
	else
		ku_emit_slow(ku_return_entry(call, retval));
	ku_irq_restore(flags);
}

/* ---- timed ---- */

/*
 * Each call stores its start in ku_cpu.hook.began; at a context switch, session/trigger_watch.c
 * saves it with the task. A merged return comes at most 255 counts after its call. No limit is
 * shorter, so a merged return needs no check. Any other return is inspected if it comes after the
 * limit.
 */

/*
 * System calls do not nest, and the caller does not migrate: nothing else on this CPU writes these
 * fields in between. The call's state is saved for ku_emit_call_return(), for any kind of hook.
 */
notrace void __kprobes ku_timed_call(u64 entry)
{
	u64 now = ku_clock();

	barrier();
	ku_cpu_write(hook.began, now);
	if (unlikely(!ku_put_at(KU_FIRST_PLACE, ku_claim_of(now), entry, true)))
		ku_emit_call_slow(entry);
}

/*
 * Records the return of a timed call. If the start of the call is unknown (0), the return counts as
 * late, and ku_route decides.
 */
notrace void __kprobes ku_timed_return(u64 entry)
{
	u64 now = ku_clock();

	barrier();
	/*
	 * The right side is the time after which the return is late; the sum cannot overflow. The
	 * limit is an aligned word, read once, as the operand of the addition: READ_ONCE() would
	 * load it first.
	 */
	if (unlikely(now > ku_cpu_read(hook.began) + data_race(ku_timed_limit)))
		ku_emit_inspected_one(entry);
	else if (unlikely(!ku_put_at(KU_FIRST_PLACE, ku_claim_of(now), entry, false)))
		ku_emit_call_slow(entry);
}
