// SPDX-License-Identifier: GPL-2.0-only
/*
 * Assigns the slots to the sessions that record, as plan.h describes. To promote a session, an
 * interrupt to each CPU moves the state of that CPU into a slot, so that no event is lost or
 * recorded twice. But an NMI during the move may count a loss. With a filter, each slot is
 * unresolved at first: the CPU's next event opens or hides it (dispatch.c). ku_session_lock held.
 */
#include <linux/bug.h>
#include <linux/cpu.h>
#include <linux/smp.h>

#include "core/emit.h"
#include "record/internal.h"
#include "session/backend.h"
#include "session/filter.h"

static bool ku_slots_closed = true;		/* both slots are closed on every CPU */

/* Returns the slot in which the session's states are on all or some CPUs; NULL: none. */
static struct ku_cpu __percpu *ku_slot_of(const struct ku_session *session)
{
	if (ku_primary == &session->ring)
		return &ku_cpu;
	if (ku_secondary == &session->ring)
		return &ku_cpu2;
	return NULL;
}

struct ku_cpu *ku_session_cpu(struct ku_session *session, int cpu)
{
	struct ku_cpu __percpu *fast = ku_slot_of(session);

	if (fast && READ_ONCE(per_cpu_ptr(fast, cpu)->slot.verdict) == KU_SELECTED)
		return per_cpu_ptr(fast, cpu);
	return per_cpu_ptr(session->ring.cpu, cpu);
}

const struct ku_cpu *ku_session_fast_losses(const struct ku_session *session, int cpu)
{
	struct ku_cpu __percpu *fast = ku_slot_of(session);

	return fast ? per_cpu_ptr(fast, cpu) : NULL;
}

void ku_slot_init(void)
{
	int cpu;

	for_each_possible_cpu(cpu) {
		ku_ring_init_cpu(per_cpu_ptr(&ku_cpu, cpu));
		ku_ring_init_cpu(per_cpu_ptr(&ku_cpu2, cpu));
		per_cpu_ptr(&ku_cpu, cpu)->slot.verdict = KU_UNRESOLVED;
		per_cpu_ptr(&ku_cpu2, cpu)->slot.verdict = KU_UNRESOLVED;
	}
}

static void ku_leave_slot(struct ku_cpu *fast, struct ku_ring *ring, int cpu)
{
	if (ring) {
		if (fast->slot.verdict == KU_SELECTED)
			ku_ring_leave_fast(fast, per_cpu_ptr(ring->cpu, cpu));
		ku_ring_move_losses(per_cpu_ptr(ring->cpu, cpu), fast);
	}
	WRITE_ONCE(fast->slot.verdict, KU_UNRESOLVED);
	WRITE_ONCE(fast->slot.owned, false);
}

static void ku_demote_cpu(int cpu)
{
	ku_leave_slot(per_cpu_ptr(&ku_cpu, cpu), ku_primary, cpu);
	ku_leave_slot(per_cpu_ptr(&ku_cpu2, cpu), ku_secondary, cpu);
}

static void ku_enter_slot(struct ku_cpu *fast, struct ku_ring *ring, int cpu)
{
	const struct ku_session *session = container_of(ring, struct ku_session, ring);
	struct ku_cpu *own = per_cpu_ptr(ring->cpu, cpu);

	if (fast->slot.verdict == KU_SELECTED)
		return;
	WRITE_ONCE(fast->slot.owned, true);
	/* The next event on this CPU makes the filter decide. */
	if (session->filter)
		return;
	own->filter.wanted = KU_WANTED_UNKNOWN;
	own->filter.number = 0;
	ku_ring_enter_fast(ring, fast, own);
}

static void ku_promote_cpu(int cpu)
{
	if (ku_secondary)
		ku_enter_slot(per_cpu_ptr(&ku_cpu2, cpu), ku_secondary, cpu);
	ku_enter_slot(per_cpu_ptr(&ku_cpu, cpu), ku_primary, cpu);
}

/* After the filter was removed: records a switch to the running task, if the filter hid it. */
static void ku_unfilter_here(struct ku_ring *ring)
{
	const struct ku_session *session = container_of(ring, struct ku_session, ring);
	struct ku_cpu *own = this_cpu_ptr(ring->cpu);
	u64 shown;

	if (session->filter || !own->filter.number)
		return;
	shown = ku_filter_changed(NULL, own);
	if (shown && READ_ONCE(ring->active))
		ku_ring_put(ring, own, &shown, 1, 1, 0);
}

static void ku_demote_here(void *unused)
{
	unsigned long flags;

	local_irq_save(flags);
	ku_demote_cpu(raw_smp_processor_id());
	local_irq_restore(flags);
}

static void ku_promote_here(void *unused)
{
	unsigned long flags;

	local_irq_save(flags);
	ku_unfilter_here(ku_primary);
	if (ku_secondary)
		ku_unfilter_here(ku_secondary);
	ku_promote_cpu(raw_smp_processor_id());
	local_irq_restore(flags);
}

/* Runs @here on each online CPU. Offline CPUs record nothing: this CPU runs @other for each. */
static void ku_on_all_cpus(void (*here)(void *), void (*other)(int))
{
	int cpu;

	cpus_read_lock();
	on_each_cpu(here, NULL, 1);
	for_each_possible_cpu(cpu)
		if (!cpu_online(cpu))
			other(cpu);
	cpus_read_unlock();
}

static struct ku_ring *ku_ring_of(const struct ku_settings *settings)
{
	return settings ? &settings->session->ring : NULL;
}

bool ku_slot_may_stay(const struct ku_plan *plan)
{
	return (!ku_primary || ku_primary == ku_ring_of(plan->first)) &&
	       (!ku_secondary || ku_secondary == ku_ring_of(plan->second));
}

void ku_slot_demote(void)
{
	if (ku_slots_closed)
		return;
	ku_on_all_cpus(ku_demote_here, ku_demote_cpu);
	/*
	 * Another ring must not get a slot before all CPUs have finished with the old one. A CPU
	 * may have recorded in the primary slot, and read ku_secondary next. Or it may have read a
	 * slot's base to merge a return.
	 */
	ku_synchronize();
	WRITE_ONCE(ku_secondary, NULL);
	WRITE_ONCE(ku_primary, NULL);
	ku_slots_closed = true;
}

void ku_slot_promote(const struct ku_plan *plan)
{
	struct ku_ring *first = ku_ring_of(plan->first);
	struct ku_ring *second = ku_ring_of(plan->second);

	if (ku_primary == first && ku_secondary == second)
		return;
	/* Each slot is free or already has its ring: see ku_slot_may_stay(). */
	WARN_ON_ONCE((ku_primary && ku_primary != first) ||
		     (ku_secondary && ku_secondary != second));
	WRITE_ONCE(ku_clock_shift, first->shift);
	WRITE_ONCE(ku_secondary, second);
	WRITE_ONCE(ku_primary, first);
	ku_on_all_cpus(ku_promote_here, ku_promote_cpu);
	ku_slots_closed = false;
}

void ku_slot_leave(const struct ku_session *session)
{
	if (ku_slot_of(session))
		ku_slot_demote();
}
