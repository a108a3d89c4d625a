// SPDX-License-Identifier: GPL-2.0-only
/*
 * Records events in two rings: see aside.h. Stores an entry in the primary slot, then in the
 * secondary slot, with the same time. The rings are independent. An interrupt in between records in
 * both, before the second ring's entry; that entry then takes the slow path and gets its own time.
 *
 * Each event is recorded once in each ring, also while the rings enter or leave their slots on this
 * CPU (record/resident.c). The primary slot decides at the moment of the claim. If it is open, this
 * file also records the entry in the second ring, wherever that ring's state is by then. If it is
 * not open, ku_route handles the event for all rings, and this file does nothing more.
 *
 * All functions are __kprobes, like the slow path.
 */
#include "core/aside.h"
#include "core/claim.h"
#include "core/word.h"

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
