/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Per-CPU recording into 64 KiB blocks from a common pool.
 *
 * This file declares the slow path. The fast path is in core/emit.h, and the data of both is
 * in core/block.h. The ring does not use devices, tasks or tracepoints. It also compiles in
 * user space (core/env.h).
 *
 * Each session has a ring. If one session records, its ring is the resident: the state of each
 * CPU is in the per-CPU variable ku_cpu, so that the fast path needs no pointer. If a second
 * session records too, its state is in ku_cpu2, and the fast path records every event in both
 * (core/twice.c). If more than two record, or two of which one has a filter or counters, no ring
 * is resident: ku_cpu is closed and marked as routed, and the slow path passes each event to
 * ku_route. So one plain recording does not pay for the other cases. A ring that records alone
 * with bytes of counters is resident too, and its events are counted (core/counted.c).
 *
 * A mask, a filter or a trigger of a resident ring concerns only some event numbers. Events with
 * these numbers are inspected: the fast path passes them to ku_route, and records all others.
 * While a CPU runs a task that the filter does not want, the state of that CPU is closed and
 * marked as hidden. A context switch opens it again: ku_follow gets switches and wakeups.
 */
#ifndef KU_RING_H
#define KU_RING_H

#include "core/block.h"
#include "core/env.h"
#include "uapi/kutrace_abi.h"
#include "uapi/kutrace_events.h"

/* The rings whose states are in ku_cpu and ku_cpu2; NULL: there is none. */
extern struct ku_ring *ku_resident;
extern struct ku_ring *ku_second;

/* What the fast path does with an event, by event number. */
enum ku_way {
	KU_STRAIGHT,	/* into the resident */
	KU_INSPECTED,	/* to ku_route */
	KU_FOLLOWED,	/* to ku_follow: a context switch or a wakeup */
	KU_TIMED,	/* into the resident; a return that comes late, to ku_route */
	KU_TWICE,	/* into the resident and the second */
	KU_COUNTED	/* into the resident, with what counters say */
};

/* A return later than this after its call is inspected; counts, at least 255 (KU_TIMED). */
extern u64 ku_timed_limit;

/*
 * An enum ku_way for each event number; valid while the key is on. record/inspect.c sets both, in
 * process context, when a mask, a filter, triggers or a second ring need it.
 */
ku_key_declare(ku_aside);
extern u8 ku_ways[KUTRACE_EVENT_MASK + 1];

/* @event has 12 bits. No index: UBSAN would check it, and its call needs a stack frame. */
static __always_inline enum ku_way ku_way_of(u64 event)
{
	const u8 *way = ku_ways + event;

	return (enum ku_way)READ_ONCE(*way);
}

/*
 * Gets each event while no ring is resident, and each inspected one. Arguments: as for
 * ku_ring_put(). Context: any, interrupts off. record/route.c sets it once, before the first event.
 */
ku_late_declare(ku_route, void, (const u64 *words, u32 nwords, u32 room, u64 past));

/*
 * ku_follow() gets each context switch and wakeup while a filter follows tasks; ku_cpu.task is
 * the task. Context: interrupts off, not in an NMI.
 *
 * ku_count() returns the four bits of counters for the entry that is about to be recorded, and
 * begins to count for the next one. @flags: what the ring counts (KUTRACE_FLAG_IPC, _LLC).
 * Context: any, interrupts off. Both are set like ku_route.
 */
ku_late_declare(ku_follow, void, (u64 entry));
ku_late_declare(ku_count, u32, (struct ku_cpu *cpu, u32 flags));

/* A ring's state of this CPU, wherever it is. Context: any, interrupts off. */
static __always_inline struct ku_cpu *ku_ring_cpu_here(const struct ku_ring *ring)
{
	if (ring == READ_ONCE(ku_resident) && ku_at_read(KU_FIRST_PLACE, routed) == KU_OPEN)
		return ku_at_here(KU_FIRST_PLACE);
	if (ring == READ_ONCE(ku_second) && ku_at_read(KU_SECOND_PLACE, routed) == KU_OPEN)
		return ku_at_here(KU_SECOND_PLACE);
	return ku_at_here(ring->cpu);
}

/*
 * Whether blocks can name each of so many CPUs. Where they cannot, nothing may be
 * recorded: the CPUs beyond would pass for others.
 */
static inline bool ku_ring_names_cpus(u32 cpus)
{
	return cpus <= KUTRACE_CPUS;
}

bool ku_ring_put(struct ku_ring *ring, struct ku_cpu *cpu, const u64 *words,
		 u32 nwords, u32 room, u64 past);
void ku_ring_record(struct ku_ring *ring, struct ku_cpu *cpu, const u64 *words,
		    u32 nwords, u32 room, u64 past);
bool ku_ring_merge(struct ku_ring *ring, struct ku_cpu *cpu, u64 entry);
void ku_emit_slow(u64 entry);
void ku_emit_counted_slow(u64 entry, u32 nibble);
void ku_emit_call_slow(u64 entry);
bool ku_emit_straight(const u64 *words, u32 nwords, u32 room, u64 past);
void ku_emit_straight2(u64 entry, u64 second);
void ku_emit_inspected_one(u64 entry);
void ku_emit_inspected(const u64 *words, u32 nwords, u32 room, u64 past);

#endif
