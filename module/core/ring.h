/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Records events per CPU into 64 KiB blocks from a pool that all CPUs share.
 *
 * core/emit.h is the fast path, core/block.h declares its data, and this file declares the slow
 * path. The ring must not depend on devices, tasks or tracepoints: it also compiles in user space
 * (core/env.h).
 *
 * Each session has a ring. A CPU has two slots, the per-CPU variables ku_cpu and ku_cpu2, which the
 * fast path reaches without loading a pointer. record/resident.c assigns them:
 *
 *	one session records	the primary slot, also with a filter or counter bits
 *	two sessions record	both slots, if their clock shifts are equal and neither session has
 *				a filter or counter bits
 *	any other case		no slot: both are closed
 *
 * While the slots are closed, every event takes the slow path, and ku_route offers it to each
 * session. So a single plain recording does not pay for the other cases.
 *
 * ku_ways holds the dispatch path of each event number. An event leaves the fast path if a mask, a
 * filter or a trigger depends on its number: ku_route or ku_follow then decides about it. While the
 * filter excludes the running task, the slot is hidden (KU_EXCLUDED): the slow path drops the events
 * of the fast path, until the filter selects a task at a context switch.
 */
#ifndef KU_RING_H
#define KU_RING_H

#include "core/block.h"
#include "core/env.h"
#include "uapi/kutrace_abi.h"
#include "uapi/kutrace_events.h"

/* The rings in the primary and in the secondary slot; NULL: the slot is unused. */
extern struct ku_ring *ku_resident;
extern struct ku_ring *ku_second;

/* Dispatch path of an event. KU_TWICE and KU_COUNTED must be last, for ku_merge_syscall(). */
enum ku_way {
	KU_STRAIGHT,	/* fast path, into the primary slot */
	KU_INSPECTED,	/* ku_route decides */
	KU_FOLLOWED,	/* ku_follow decides about a context switch or a wakeup */
	KU_TIMED,	/* fast path, into the primary slot; ku_route decides about a late return */
	KU_TWICE,	/* dual path, into both slots */
	KU_COUNTED	/* into the primary slot, with counter bits */
};

/* A return of KU_TIMED is late if it comes more counts than this after its call; at least 255. */
extern u64 ku_timed_limit;

/*
 * The dispatch path (enum ku_way) of each event number; valid while the key is on. record/update.c
 * sets both, in process context.
 */
ku_key_declare(ku_aside);
extern u8 ku_ways[KUTRACE_EVENT_MASK + 1];

/*
 * Returns the path of @event, which has 12 bits. No array index: UBSAN would check it, and its call
 * needs a stack frame.
 */
static __always_inline enum ku_way ku_way_of(u64 event)
{
	const u8 *way = ku_ways + event;

	return (enum ku_way)READ_ONCE(*way);
}

/*
 * Gets each inspected event, and each event that finds the primary slot of this CPU closed or
 * unresolved. Arguments: see ku_ring_put(). Context: any, interrupts off. record/route.c sets it
 * once, before the first event.
 */
ku_late_declare(ku_route, void, (const u64 *words, u32 nwords, u32 room, u64 past));

/*
 * Gets the events of the path KU_FOLLOWED: context switches and wakeups while a filter selects
 * tasks, and context switches while system calls are timed. ku_cpu.hook.task is the next or the
 * woken task. Context: interrupts off, not in an NMI. record/follow.c sets it once, before the
 * first event.
 */
ku_late_declare(ku_follow, void, (u64 entry));
/*
 * Returns the counter bits of the entry that is about to be recorded, and starts counting for the
 * next one; 0 in an NMI. @flags: the bits that the ring records (KUTRACE_FLAG_IPC,
 * KUTRACE_FLAG_LLC). Context: any, interrupts off. record/route.c sets it once, before the first
 * event.
 */
ku_late_declare(ku_count, u32, (struct ku_cpu *cpu, u32 flags));

/*
 * Returns the ring's state of this CPU, in an open slot or in the ring's memory. Context: any,
 * interrupts off.
 */
static __always_inline struct ku_cpu *ku_ring_cpu_here(const struct ku_ring *ring)
{
	if (ring == READ_ONCE(ku_resident) && ku_at_read(KU_FIRST_PLACE, slot.verdict) == KU_SELECTED)
		return ku_at_here(KU_FIRST_PLACE);
	if (ring == READ_ONCE(ku_second) && ku_at_read(KU_SECOND_PLACE, slot.verdict) == KU_SELECTED)
		return ku_at_here(KU_SECOND_PLACE);
	return ku_at_here(ring->cpu);
}

/*
 * Returns whether the header of a block can hold the numbers of @cpus CPUs. Otherwise nothing may
 * be recorded: other CPUs would appear under wrong numbers.
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
