/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Per-CPU recording into 64 KiB blocks from a common pool.
 *
 * The fast path is core/emit.h, what it works on core/block.h; this is the slow path. The
 * ring knows nothing of devices, tasks or tracepoints, and compiles in user
 * space (core/env.h).
 *
 * There may be several rings, one per session. One of them at a time can be the
 * resident: its state of a CPU is in the fixed per-CPU variable ku_cpu, where the
 * fast path finds it without a pointer. A second one that records beside it has a fixed place,
 * too, ku_cpu2: every event is then recorded in both (core/twice.c). When there are more, or one
 * of the two has a filter or counters, no ring is resident: ku_cpu is closed and says so (routed),
 * every event takes the slow path, and that hands it to ku_route. So one plain recording pays
 * nothing for there being more. One alone whose words have bytes of counters is resident, and its
 * events are counted (core/counted.c).
 *
 * A mask, a filter or a trigger of who has a fixed place is about events of some numbers only.
 * Those are inspected: the fast path hands them to ku_route, all others go their way. Where a
 * filter does not want what runs on a CPU, that CPU is closed and hidden, until a context
 * switch opens it; ku_follow has switches and wakeups then.
 */
#ifndef KU_RING_H
#define KU_RING_H

#include "core/block.h"
#include "core/env.h"
#include "uapi/kutrace_abi.h"
#include "uapi/kutrace_events.h"

/* The ring that has the fast path; NULL: none. And the one beside it. */
extern struct ku_ring *ku_resident;
extern struct ku_ring *ku_second;

/* How an event goes, by its number. */
enum ku_way {
	KU_STRAIGHT,	/* into the resident */
	KU_INSPECTED,	/* to ku_route */
	KU_FOLLOWED,	/* to ku_follow: a context switch or a wakeup */
	KU_TIMED,	/* into the resident; a return that comes late, to ku_route */
	KU_TWICE,	/* into the resident and the second */
	KU_COUNTED	/* into the resident, with what counters say */
};

/* How late: in counts, not less than what a merged return says. */
extern u64 ku_timed_limit;

/*
 * Of each number, enum ku_way, while the key is on. Both are set by who has a mask, a filter,
 * triggers or a second ring, in process context, at any time.
 */
ku_key_declare(ku_aside);
extern u8 ku_ways[KUTRACE_EVENT_MASK + 1];

/* No event has a larger number: a kernel with UBSAN need not look, whose call costs a stack. */
static __always_inline enum ku_way ku_way_of(u64 event)
{
	const u8 *way = ku_ways + event;

	return (enum ku_way)READ_ONCE(*way);
}

/*
 * What is done with events while no ring is resident, and with those that are inspected:
 * arguments as of ku_ring_put(); any context, interrupts off. Set once, before anything is
 * emitted, by who has several rings.
 */
ku_late_declare(ku_route, void, (const u64 *words, u32 nwords, u32 room, u64 past));

/*
 * What is done with a context switch or wakeup of who follows tasks, whom it is about being in
 * ku_cpu.task. Interrupts off, not in an NMI. Set like ku_route, and so is this: the four bits of
 * an entry that is about to be recorded, of a ring whose bytes have these flags (KUTRACE_FLAG_IPC,
 * _LLC), and what it counts from here on for the next one. Any context, interrupts off.
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
