// SPDX-License-Identifier: GPL-2.0-only
/* Which session has the fast path: see resident.h. */
#include <linux/bug.h>
#include <linux/cpu.h>
#include <linux/smp.h>

#include "record/resident.h"
#include "session/filter.h"

static bool ku_routed;			/* every CPU routes its events */

struct ku_cpu *ku_session_cpu(struct ku_session *session, int cpu)
{
	struct ku_cpu *fast = per_cpu_ptr(&ku_cpu, cpu);

	return ku_resident == &session->ring && READ_ONCE(fast->routed) == KU_OPEN ?
	       fast : per_cpu_ptr(session->ring.cpu, cpu);
}

const struct ku_cpu *ku_session_fast_losses(const struct ku_session *session, int cpu)
{
	return ku_resident == &session->ring ? per_cpu_ptr(&ku_cpu, cpu) : NULL;
}

static void ku_demote_cpu(struct ku_ring *ring, int cpu)
{
	struct ku_cpu *fast = per_cpu_ptr(&ku_cpu, cpu);

	if (ring) {
		if (fast->routed == KU_OPEN)
			ku_ring_leave_fast(fast, per_cpu_ptr(ring->cpu, cpu));
		ku_ring_move_losses(per_cpu_ptr(ring->cpu, cpu), fast);
	}
	WRITE_ONCE(fast->routed, KU_ROUTED);
}

static void ku_promote_cpu(struct ku_ring *ring, int cpu)
{
	const struct ku_session *session = container_of(ring, struct ku_session, ring);
	struct ku_cpu *fast = per_cpu_ptr(&ku_cpu, cpu);
	struct ku_cpu *own = per_cpu_ptr(ring->cpu, cpu);

	if (session->filter) {
		WRITE_ONCE(fast->routed, KU_UNSETTLED);
		return;
	}
	own->wanted = KU_WANTED_UNKNOWN;
	own->filter = 0;
	ku_ring_enter_fast(ring, fast, own);
}

/* Without a filter any more: a task that it has hidden is shown from now on. */
static void ku_unfilter_here(struct ku_ring *ring)
{
	const struct ku_session *session = container_of(ring, struct ku_session, ring);
	struct ku_cpu *own = this_cpu_ptr(ring->cpu);
	u64 shown;

	if (session->filter || !own->filter)
		return;
	shown = ku_filter_changed(NULL, own);
	if (shown && READ_ONCE(ring->active))
		ku_ring_put(ring, own, &shown, 1, 1, 0);
}

static void ku_demote_here(void *ring)
{
	unsigned long flags;

	local_irq_save(flags);
	ku_demote_cpu(ring, raw_smp_processor_id());
	local_irq_restore(flags);
}

static void ku_promote_here(void *ring)
{
	unsigned long flags;

	local_irq_save(flags);
	ku_unfilter_here(ring);
	ku_promote_cpu(ring, raw_smp_processor_id());
	local_irq_restore(flags);
}

/* On each CPU itself; for those that are offline, which record nothing, from here. */
static void ku_on_all_cpus(void (*here)(void *), void (*other)(struct ku_ring *, int),
			   struct ku_ring *ring)
{
	int cpu;

	cpus_read_lock();
	on_each_cpu(here, ring, 1);
	for_each_possible_cpu(cpu)
		if (!cpu_online(cpu))
			other(ring, cpu);
	cpus_read_unlock();
}

struct ku_session *ku_resident_candidate(void)
{
	struct ku_session *only = NULL;
	int i;

	for (i = 0; i < KUTRACE_SESSIONS; i++) {
		if (!ku_recording[i])
			continue;
		if (only)
			return NULL;
		only = ku_recording[i];
	}
	return only && !only->ring.bytes ? only : NULL;
}

void ku_resident_demote(void)
{
	if (ku_routed)
		return;
	ku_on_all_cpus(ku_demote_here, ku_demote_cpu, ku_resident);
	WRITE_ONCE(ku_resident, NULL);
	ku_routed = true;
}

void ku_resident_promote(struct ku_session *session)
{
	if (ku_resident == &session->ring)
		return;
	/* There is none: the one before has stopped, or went when the second began. */
	WARN_ON_ONCE(ku_resident);
	WRITE_ONCE(ku_clock_shift, session->ring.shift);
	WRITE_ONCE(ku_resident, &session->ring);
	ku_on_all_cpus(ku_promote_here, ku_promote_cpu, &session->ring);
	ku_routed = false;
}

void ku_resident_leave(struct ku_session *session)
{
	if (ku_resident == &session->ring)
		ku_resident_demote();
}
