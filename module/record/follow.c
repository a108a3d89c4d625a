// SPDX-License-Identifier: GPL-2.0-only
/*
 * Handles context switches and wakeups: see follow.h. This file handles the frequent case: the slot
 * is open or hidden, as the present filter has decided. All other cases go to ku_route, like
 * inspected events. Must neither sleep nor take a lock.
 *
 * Context, except of ku_follow_init(): interrupts off, not in an NMI.
 */
#include <linux/kprobes.h>

#include "core/claim.h"
#include "core/move.h"
#include "record/follow.h"
#include "session/filter.h"
#include "session/state.h"
#include "session/trigger_watch.h"

/* Records an entry in the primary slot, which is open. */
static void __kprobes ku_follow_put(struct ku_ring *ring, struct ku_cpu *fast, u64 now, u64 entry)
{
	if (unlikely(!ku_put_at(KU_FIRST_PLACE, ku_claim_of(now), entry, false)))
		ku_ring_record(ring, fast, &entry, 1, 1, 0);
}

/* Records the switch from a selected task to one that is not, and hides the slot. */
static void __kprobes ku_follow_leave(struct ku_ring *ring, struct ku_cpu *fast,
				      struct ku_cpu *own, u64 now)
{
	ku_follow_put(ring, fast, now, KU_EVENT(KUTRACE_USERPID) | KUTRACE_PID_OTHER);
	fast->filter.wanted = KU_WANTED_NO;
	ku_ring_leave_fast(fast, own);
	WRITE_ONCE(fast->slot.verdict, KU_EXCLUDED);
}

/* Opens the slot, and records the switch to a selected task. */
static void __kprobes ku_follow_enter(struct ku_ring *ring, struct ku_cpu *fast,
				      struct ku_cpu *own, u64 now, u64 entry)
{
	own->filter.wanted = KU_WANTED_YES;
	ku_ring_enter_fast(ring, fast, own);
	ku_follow_put(ring, fast, now, entry);
}

/* Handles an event while the slot is open (@open) or hidden. */
static void __kprobes ku_follow_event(struct ku_ring *ring, const struct ku_filter *filter,
				      struct ku_cpu *fast, struct ku_cpu *own, bool open, u64 entry)
{
	bool is_switch = ku_event_of(entry) == KUTRACE_USERPID;
	u64 now = ku_clock();

	barrier();
	if (is_switch)
		ku_trigger_switch(container_of(ring, struct ku_session, ring), now);
	if (open) {
		if (is_switch && filter && !ku_filter_task(filter, fast->hook.task))
			ku_follow_leave(ring, fast, own, now);
		else
			ku_follow_put(ring, fast, now, entry);
	} else if (ku_filter_task(filter, fast->hook.task)) {
		/* A selected task comes, or is woken. The wakeup is recorded whatever task runs. */
		if (is_switch)
			ku_follow_enter(ring, fast, own, now, entry);
		else
			ku_ring_record(ring, own, &entry, 1, 1, 0);
	}
}

static void __kprobes ku_follow_any(u64 entry)
{
	struct ku_cpu *fast = this_cpu_ptr(&ku_cpu);
	u32 verdict = READ_ONCE(fast->slot.verdict);
	bool open = verdict == KU_SELECTED;

	if (likely(open || verdict == KU_EXCLUDED)) {
		/*
		 * A ring has the slot. No rcu_dereference() of the filter: see ku_route_wanted().
		 */
		struct ku_ring *ring = READ_ONCE(ku_resident);
		const struct ku_filter *filter =
			READ_ONCE(container_of(ring, struct ku_session, ring)->filter);
		struct ku_cpu *own = this_cpu_ptr(ring->cpu);
		u32 number = open ? fast->filter.number : own->filter.number;

		if (likely(READ_ONCE(ring->active) && number == ku_filter_number(filter))) {
			ku_follow_event(ring, filter, fast, own, open, entry);
			return;
		}
	}
	ku_late_call(ku_route, &entry, 1, 1, 0);
}

void ku_follow_init(void)
{
	ku_late_set(ku_follow, ku_follow_any);
}
