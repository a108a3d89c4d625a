// SPDX-License-Identifier: GPL-2.0-only
/*
 * Dispatches the events that leave the fast path for a decision. ku_dispatch offers an event to
 * each session that records, and applies masks, filters and triggers to the inspected events of
 * sessions in the slots. ku_on_switch filters on switch (core/ring.h). Must neither sleep nor take
 * a lock.
 *
 * Context, except of ku_dispatch_init(): any, including NMI, interrupts off.
 */
#include <linux/bitops.h>
#include <linux/kprobes.h>

#include "core/emit.h"
#include "core/kinds.h"
#include "core/word.h"
#include "record/internal.h"
#include "record/plan.h"
#include "session/counters.h"
#include "session/filter.h"
#include "session/state.h"
#include "session/triggers.h"

/*
 * Returns whether @session records *@entry on this CPU. The filter may replace a context switch by
 * one to "-other-". If the filter has changed, first records a context switch to the task that is
 * shown from now on.
 */
static bool __kprobes ku_dispatch_wanted(struct ku_session *session, struct ku_cpu *cpu, u64 *entry)
{
	/*
	 * No rcu_dereference(): RCU may not watch a CPU that enters idle or goes offline. The
	 * writer waits with ku_synchronize() instead.
	 */
	const struct ku_filter *filter = READ_ONCE(session->filter);
	u32 kind = ku_kind_of(*entry);
	bool by_task = filter && !filter->all_tasks;

	if (filter && !ku_filter_cpu(filter))
		return false;
	if (unlikely(ku_filter_number(filter) != cpu->filter.number)) {
		u64 shown = ku_filter_changed(filter, cpu);

		if (shown)
			ku_ring_put(&session->ring, cpu, &shown, 1, 1, 0);
	}
	if (by_task && !ku_filter_pass(filter, cpu, entry, this_cpu_read(ku_cpu.hook.task)))
		return false;
	/* A filter by task needs every context switch, whatever the mask excludes. */
	return READ_ONCE(session->kinds) >> kind & 1 ||
	       (by_task && kind == KUTRACE_KIND_USERPID);
}

/*
 * Merges a return into its call. Returns false if it was not merged. The return may belong to
 * another task if a context switch since the call was not recorded. So ring.merge is set some time
 * after switches are recorded. The kind of switches is removed from session->kinds before a switch
 * is dropped, and this test comes after such a switch.
 */
static bool __kprobes ku_dispatch_merge(struct ku_session *session, struct ku_cpu *cpu, u64 entry)
{
	u32 event = ku_event_of(entry);

	return event >= KUTRACE_CALL_TRAP && event & KUTRACE_RETURN_BIT &&
	       READ_ONCE(session->ring.merge) &&
	       READ_ONCE(session->kinds) >> KUTRACE_KIND_USERPID & 1 &&
	       ku_ring_merge(&session->ring, cpu, entry);
}

/* Offers an event to each session that records. */
static void __kprobes ku_fan_out(const u64 *words, u32 nwords, u32 room,
				 u64 past)
{
	u32 left = READ_ONCE(ku_recording_set);

	while (left) {
		struct ku_session *session = READ_ONCE(ku_recording[__ffs(left)]);
		u64 copy[1 + KUTRACE_POINT_WORDS];
		struct ku_cpu *cpu;
		u32 i;

		left &= left - 1;
		if (!session || !READ_ONCE(session->ring.active))
			continue;
		cpu = ku_ring_cpu_here(&session->ring);
		ku_trigger_see(session, words[0]);
		copy[0] = words[0];
		if (!ku_dispatch_wanted(session, cpu, copy))
			continue;
		if (ku_dispatch_merge(session, cpu, copy[0]))
			continue;
		for (i = 1; i < nwords; i++)
			copy[i] = words[i];
		ku_ring_record(&session->ring, cpu, copy, nwords, room, past);
	}
}

/*
 * Opens or hides the slot @fast of this CPU, as the filter decides about the running task. The
 * session's state of this CPU must be in its own memory. Does nothing in an NMI, because the NMI
 * may have interrupted the move of a state.
 */
static void __kprobes ku_dispatch_resolve(struct ku_session *session,
					  const struct ku_filter *filter, struct ku_cpu *fast)
{
	struct ku_cpu *own = this_cpu_ptr(session->ring.cpu);
	bool by_task = filter && !filter->all_tasks;
	enum ku_verdict verdict;

	if (ku_in_nmi())
		return;
	verdict = ku_plan_verdict(!filter || ku_filter_cpu(filter),
				  own->filter.number == ku_filter_number(filter),
				  !by_task || own->filter.wanted == KU_WANTED_YES);
	if (verdict == KU_SELECTED)
		ku_ring_enter_fast(&session->ring, fast, own);
	else
		WRITE_ONCE(fast->slot.verdict, verdict);
}

/* Records an inspected event for a session whose slot is open: its filter selects the task. */
static void __kprobes ku_dispatch_open(struct ku_session *session, const u64 *words, u32 nwords,
				       u32 room, u64 past)
{
	struct ku_cpu *cpu = ku_ring_cpu_here(&session->ring);
	u32 event = ku_event_of(words[0]);

	ku_trigger_see(session, words[0]);
	if (!(READ_ONCE(session->kinds) >> ku_kinds[event] & 1)) {
		/* The fast path merges without a test, so must not merge across this switch. */
		if (event == KUTRACE_USERPID)
			ku_ring_break(&session->ring, cpu);
		return;
	}
	/* A NOP after a call prevents merging, so that triggers also see the return. */
	if (event >= KUTRACE_CALL_TRAP && !(event & KUTRACE_RETURN_BIT))
		room++;
	ku_ring_record(&session->ring, cpu, words, nwords, room, past);
}

/* Records an inspected event for the session in the secondary slot. */
static void __kprobes ku_dispatch_secondary(const u64 *words, u32 nwords, u32 room, u64 past)
{
	struct ku_ring *ring = READ_ONCE(ku_secondary);

	if (ring && READ_ONCE(ring->active))
		ku_dispatch_open(container_of(ring, struct ku_session, ring), words, nwords, room,
				 past);
}

/*
 * Before a context switch, makes the slot of this CPU unresolved, so that the filter decides again.
 * Ignores the secondary slot: with a filter, a session has a slot only if it records alone.
 */
static void __kprobes ku_dispatch_filtered(struct ku_session *session,
					   const struct ku_filter *filter, struct ku_cpu *fast,
					   u64 entry)
{
	if (!filter || ku_kind_of(entry) != KUTRACE_KIND_USERPID)
		return;
	if (READ_ONCE(fast->slot.verdict) == KU_SELECTED)
		ku_ring_leave_fast(fast, this_cpu_ptr(session->ring.cpu));
	else
		WRITE_ONCE(fast->slot.verdict, KU_UNRESOLVED);
}

/* Dispatches an event while @session has the primary slot. */
static void __kprobes ku_dispatch_primary(struct ku_session *session, const u64 *words, u32 nwords,
					  u32 room, u64 past)
{
	/* No rcu_dereference(): see ku_dispatch_wanted(). */
	const struct ku_filter *filter = READ_ONCE(session->filter);
	struct ku_cpu *fast = this_cpu_ptr(&ku_cpu);
	bool active = READ_ONCE(session->ring.active);
	u32 verdict;

	if (active)
		ku_dispatch_filtered(session, filter, fast, words[0]);
	verdict = READ_ONCE(fast->slot.verdict);
	if (verdict == KU_SELECTED) {
		if (active)
			ku_dispatch_open(session, words, nwords, room, past);
		ku_dispatch_secondary(words, nwords, room, past);
		return;
	}
	ku_fan_out(words, nwords, room, past);
	/* @owned is false until the session has entered the slot of this CPU. */
	if (active && verdict == KU_UNRESOLVED && READ_ONCE(fast->slot.owned))
		ku_dispatch_resolve(session, filter, fast);
}

/* Implements ku_dispatch. */
static void __kprobes ku_dispatch_any(const u64 *words, u32 nwords, u32 room, u64 past)
{
	struct ku_ring *ring = READ_ONCE(ku_primary);

	if (ring)
		ku_dispatch_primary(container_of(ring, struct ku_session, ring), words, nwords,
				    room, past);
	else
		ku_fan_out(words, nwords, room, past);
}

/*
 * Handles the frequent case of KU_PATH_SWITCH: the slot is open or hidden, as the present filter
 * has decided. All other cases go to ku_dispatch, like inspected events. Not in an NMI.
 */

/* Records an entry in the primary slot, which is open. */
static void __kprobes ku_switch_put(struct ku_ring *ring, struct ku_cpu *fast, u64 now, u64 entry)
{
	if (unlikely(!ku_put_at(KU_PRIMARY_SLOT, ku_claim_of(now), entry, false)))
		ku_ring_record(ring, fast, &entry, 1, 1, 0);
}

/* Records the switch from a selected task to a task that is not selected, and hides the slot. */
static void __kprobes ku_switch_leave(struct ku_ring *ring, struct ku_cpu *fast,
				      struct ku_cpu *own, u64 now)
{
	ku_switch_put(ring, fast, now, KU_EVENT(KUTRACE_USERPID) | KUTRACE_PID_OTHER);
	fast->filter.wanted = KU_WANTED_NO;
	ku_ring_leave_fast(fast, own);
	WRITE_ONCE(fast->slot.verdict, KU_EXCLUDED);
}

/* Opens the slot, and records the switch to a selected task. */
static void __kprobes ku_switch_enter(struct ku_ring *ring, struct ku_cpu *fast,
				      struct ku_cpu *own, u64 now, u64 entry)
{
	own->filter.wanted = KU_WANTED_YES;
	ku_ring_enter_fast(ring, fast, own);
	ku_switch_put(ring, fast, now, entry);
}

/* Handles a switch or a wakeup while the slot is open (@open) or hidden. */
static void __kprobes ku_switch_event(struct ku_ring *ring, const struct ku_filter *filter,
				      struct ku_cpu *fast, struct ku_cpu *own, bool open, u64 entry)
{
	bool is_switch = ku_event_of(entry) == KUTRACE_USERPID;
	u64 now = ku_clock();

	barrier();
	if (is_switch)
		ku_trigger_switch(container_of(ring, struct ku_session, ring), now);
	if (open) {
		if (is_switch && filter && !ku_filter_task(filter, fast->hook.task))
			ku_switch_leave(ring, fast, own, now);
		else
			ku_switch_put(ring, fast, now, entry);
	} else if (ku_filter_task(filter, fast->hook.task)) {
		/* A selected task is next, or is woken. Record its wakeup whichever task runs. */
		if (is_switch)
			ku_switch_enter(ring, fast, own, now, entry);
		else
			ku_ring_record(ring, own, &entry, 1, 1, 0);
	}
}

static void __kprobes ku_on_switch_any(u64 entry)
{
	struct ku_cpu *fast = this_cpu_ptr(&ku_cpu);
	u32 verdict = READ_ONCE(fast->slot.verdict);
	bool open = verdict == KU_SELECTED;

	if (likely(open || verdict == KU_EXCLUDED)) {
		/* A ring has the slot. No rcu_dereference(): see ku_dispatch_wanted(). */
		struct ku_ring *ring = READ_ONCE(ku_primary);
		const struct ku_filter *filter =
			READ_ONCE(container_of(ring, struct ku_session, ring)->filter);
		struct ku_cpu *own = this_cpu_ptr(ring->cpu);
		u32 number = open ? fast->filter.number : own->filter.number;

		if (likely(READ_ONCE(ring->active) && number == ku_filter_number(filter))) {
			ku_switch_event(ring, filter, fast, own, open, entry);
			return;
		}
	}
	ku_late_call(ku_dispatch, &entry, 1, 1, 0);
}

/*
 * Writes "-other-" into a block's header if the filter excludes the running task. The CPU's state
 * cannot decide this: if the CPU takes the block during a context switch, the state already
 * describes the next task.
 */
void __kprobes ku_dispatch_header(const struct ku_ring *ring, u64 *words)
{
	const struct ku_session *session = container_of(ring, struct ku_session, ring);
	const struct ku_filter *filter = READ_ONCE(session->filter);

	if (!filter || ku_filter_task(filter, current))
		return;
	words[2] = (words[2] & ~0xFFFFFFFFULL) | KUTRACE_PID_OTHER;
	memcpy(&words[4], "-other-\0\0\0\0\0\0\0\0", 16);
}

void ku_dispatch_init(void)
{
	ku_late_set(ku_on_switch, ku_on_switch_any);
	ku_late_set(ku_dispatch, ku_dispatch_any);
	ku_late_set(ku_count, ku_counters_bits);
}
