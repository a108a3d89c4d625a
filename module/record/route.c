// SPDX-License-Identifier: GPL-2.0-only
/*
 * Passes each event to every session that records it, if several sessions record; and decides
 * about an inspected event of one or two sessions (core/ring.h). Must neither sleep nor take a
 * lock.
 *
 * Context, if not stated: any, NMI included, interrupts off.
 */
#include <linux/bitops.h>
#include <linux/kprobes.h>

#include "core/kinds.h"
#include "core/move.h"
#include "core/word.h"
#include "record/route.h"
#include "session/counters.h"
#include "session/filter.h"
#include "session/state.h"
#include "session/trigger_watch.h"

/*
 * Whether the session records that entry on this CPU; the entry may become another
 * one. Puts a context switch in front where the filter has changed.
 */
static bool __kprobes ku_route_wanted(struct ku_session *session, struct ku_cpu *cpu, u64 *entry)
{
	/* RCU may not look at this CPU, on its way to idle or away: ku_synchronize() does. */
	const struct ku_filter *filter = READ_ONCE(session->filter);
	u32 kind = ku_kind_of(*entry);
	bool by_task = filter && !filter->all_tasks;

	if (filter && !ku_filter_cpu(filter))
		return false;
	if (unlikely(ku_filter_number(filter) != cpu->filter)) {
		u64 shown = ku_filter_changed(filter, cpu);

		if (shown)
			ku_ring_put(&session->ring, cpu, &shown, 1, 1, 0);
	}
	if (by_task && !ku_filter_pass(filter, cpu, entry, this_cpu_read(ku_cpu.task)))
		return false;
	/* A filter by task is about who runs, so that is always said. */
	return READ_ONCE(session->kinds) >> kind & 1 ||
	       (by_task && kind == KUTRACE_KIND_USERPID);
}

/*
 * Only while context switches are recorded. The kinds say when they end, and are asked
 * after any switch that went by since; merge says when they have begun.
 */
static bool __kprobes ku_route_merge(struct ku_session *session, struct ku_cpu *cpu, u64 entry)
{
	u32 event = ku_event_of(entry);

	return event >= KUTRACE_CALL_TRAP && event & KUTRACE_RETURN_BIT &&
	       READ_ONCE(session->ring.merge) &&
	       READ_ONCE(session->kinds) >> KUTRACE_KIND_USERPID & 1 &&
	       ku_ring_merge(&session->ring, cpu, entry);
}

static void __kprobes ku_route_event(const u64 *words, u32 nwords, u32 room,
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
		if (!ku_route_wanted(session, cpu, copy))
			continue;
		if (ku_route_merge(session, cpu, copy[0]))
			continue;
		for (i = 1; i < nwords; i++)
			copy[i] = words[i];
		ku_ring_record(&session->ring, cpu, copy, nwords, room, past);
	}
}

/* ---- those that have the fast path ---- */

/*
 * Opens or hides a CPU, as the filter says of what runs; its state is the session's own. Not in
 * an NMI, which may have come while a state was moved.
 */
static void __kprobes ku_route_settle(struct ku_session *session, const struct ku_filter *filter,
				      struct ku_cpu *fast)
{
	struct ku_cpu *own = this_cpu_ptr(session->ring.cpu);
	bool by_task = filter && !filter->all_tasks;

	if (ku_in_nmi())
		return;
	if (filter && !ku_filter_cpu(filter))
		WRITE_ONCE(fast->routed, KU_HIDDEN);
	/* Nobody has asked the filter yet. */
	else if (own->filter != ku_filter_number(filter))
		WRITE_ONCE(fast->routed, KU_UNSETTLED);
	else if (by_task && own->wanted != KU_WANTED_YES)
		WRITE_ONCE(fast->routed, KU_HIDDEN);
	else
		ku_ring_enter_fast(&session->ring, fast, own);
}

/* An event that is inspected, on a CPU that is open: whatever runs is wanted. */
static void __kprobes ku_route_open(struct ku_session *session, const u64 *words, u32 nwords,
				    u32 room, u64 past)
{
	struct ku_cpu *cpu = ku_ring_cpu_here(&session->ring);
	u32 event = ku_event_of(words[0]);

	ku_trigger_see(session, words[0]);
	if (!(READ_ONCE(session->kinds) >> ku_kinds[event] & 1)) {
		/* The fast path merges always. */
		if (event == KUTRACE_USERPID)
			ku_ring_break(&session->ring, cpu);
		return;
	}
	/* With a NOP behind a call its return is not merged, so that triggers see it, too. */
	if (event >= KUTRACE_CALL_TRAP && !(event & KUTRACE_RETURN_BIT))
		room++;
	ku_ring_record(&session->ring, cpu, words, nwords, room, past);
}

static void __kprobes ku_route_second(const u64 *words, u32 nwords, u32 room, u64 past)
{
	struct ku_ring *ring = READ_ONCE(ku_second);

	if (ring && READ_ONCE(ring->active))
		ku_route_open(container_of(ring, struct ku_session, ring), words, nwords, room,
			      past);
}

/* A filter has only who is alone. */
static void __kprobes ku_route_filtered(struct ku_session *session, const struct ku_filter *filter,
					struct ku_cpu *fast, u64 entry)
{
	if (!filter || ku_kind_of(entry) != KUTRACE_KIND_USERPID)
		return;
	if (READ_ONCE(fast->routed) == KU_OPEN)
		ku_ring_leave_fast(fast, this_cpu_ptr(session->ring.cpu));
	else if (READ_ONCE(fast->routed) == KU_HIDDEN)
		WRITE_ONCE(fast->routed, KU_UNSETTLED);
}

static void __kprobes ku_route_resident(struct ku_session *session, const u64 *words, u32 nwords,
					u32 room, u64 past)
{
	/* As in ku_route_wanted(). */
	const struct ku_filter *filter = READ_ONCE(session->filter);
	struct ku_cpu *fast = this_cpu_ptr(&ku_cpu);
	bool active = READ_ONCE(session->ring.active);
	u32 routed;

	/* It may not have come to all CPUs yet. */
	if (active)
		ku_route_filtered(session, filter, fast, words[0]);
	routed = READ_ONCE(fast->routed);
	if (routed == KU_OPEN) {
		if (active)
			ku_route_open(session, words, nwords, room, past);
		ku_route_second(words, nwords, room, past);
		return;
	}
	ku_route_event(words, nwords, room, past);
	if (active && routed == KU_UNSETTLED)
		ku_route_settle(session, filter, fast);
}

static void __kprobes ku_route_any(const u64 *words, u32 nwords, u32 room, u64 past)
{
	struct ku_ring *ring = READ_ONCE(ku_resident);

	if (ring)
		ku_route_resident(container_of(ring, struct ku_session, ring), words, nwords,
				  room, past);
	else
		ku_route_event(words, nwords, room, past);
}

/* ---- blocks ---- */

/*
 * Not by what is known of the CPU: when it is a context switch that takes the block, that
 * is of the next task already.
 */
void __kprobes ku_route_header(const struct ku_ring *ring, u64 *words)
{
	const struct ku_session *session = container_of(ring, struct ku_session, ring);
	const struct ku_filter *filter = READ_ONCE(session->filter);

	if (!filter || ku_filter_task(filter, current))
		return;
	words[2] = (words[2] & ~0xFFFFFFFFULL) | KUTRACE_PID_OTHER;
	memcpy(&words[4], "-other-\0\0\0\0\0\0\0\0", 16);
}

void ku_route_init(void)
{
	ku_late_set(ku_route, ku_route_any);
	ku_late_set(ku_count, ku_counters_nibble);
}
