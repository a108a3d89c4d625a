/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Records events per CPU into 64 KiB blocks from a pool that all CPUs share.
 *
 * core/emit.h is the fast path and declares the slow path of core/emit.c. core/block.h declares the
 * blocks and the state of a CPU. This file declares the slots and the dispatch paths. The ring must
 * not depend on devices, tasks or tracepoints: it also compiles in user space (core/env.h).
 *
 * Each session has a ring. A CPU has two slots, the per-CPU variables ku_cpu and ku_cpu2, which the
 * fast path reaches without loading a pointer. record/plan.h describes which sessions get the
 * slots.
 *
 * While the slots are closed, every event takes the slow path, and ku_dispatch offers it to each
 * session. So a single plain recording does not pay for the other cases.
 *
 * ku_paths holds the dispatch path of each event number. An event leaves the fast path if a mask, a
 * filter or a trigger depends on its number: ku_dispatch or ku_on_switch then decides about it.
 * While the filter excludes the running task, the slot is hidden (KU_EXCLUDED). Then the slow path
 * drops the events of the fast path, until the filter selects a task at a context switch.
 */
#ifndef KU_RING_H
#define KU_RING_H

#include "core/block.h"
#include "core/env.h"
#include "uapi/kutrace_abi.h"
#include "uapi/kutrace_events.h"

/* The rings in the primary and in the secondary slot; NULL: the slot is unused. */
extern struct ku_ring *ku_primary;
extern struct ku_ring *ku_secondary;

/* Dispatch path of an event. KU_PATH_DUAL and KU_PATH_COUNTED are last, for ku_merge_syscall(). */
enum ku_path {
	KU_PATH_FAST,	/* fast path, into the primary slot */
	KU_PATH_INSPECTED,	/* ku_dispatch decides */
	KU_PATH_SWITCH,	/* ku_on_switch decides about a context switch or a wakeup */
	KU_PATH_TIMED,	/* fast path, into the primary slot; ku_dispatch gets a late return */
	KU_PATH_DUAL,	/* dual path, into both slots */
	KU_PATH_COUNTED	/* into the primary slot, with counter bits */
};

/* A timed return is late if it comes more counts than this after its call; at least 255. */
extern u64 ku_timed_limit;

/*
 * The dispatch path (enum ku_path) of each event number; valid while the key is on. record/update.c
 * sets both, in process context.
 */
ku_key_declare(ku_other_paths);
extern u8 ku_paths[KUTRACE_EVENT_MASK + 1];

/*
 * Gets each inspected event, and each event that finds the primary slot of this CPU closed or
 * unresolved. Arguments: see ku_ring_put(). Context: any, interrupts off. record/dispatch.c sets
 * this and the next two functions once, before the first event.
 */
ku_late_declare(ku_dispatch, void, (const u64 *words, u32 nwords, u32 room, u64 past));

/*
 * Gets the events of the path KU_PATH_SWITCH: context switches and wakeups while a filter selects
 * tasks, and context switches while system calls are timed. ku_cpu.hook.task is the next or the
 * woken task. Context: interrupts off, not in an NMI.
 */
ku_late_declare(ku_on_switch, void, (u64 entry));
/*
 * Returns the counter bits of the entry that is about to be recorded, and starts counting for the
 * next entry; 0 in an NMI. @flags: the bits that the ring records (KUTRACE_FLAG_IPC,
 * KUTRACE_FLAG_LLC). Context: any, interrupts off.
 */
ku_late_declare(ku_count, u32, (struct ku_cpu *cpu, u32 flags));

/* Returns the ring's state of this CPU, in a slot or in the ring's memory. Interrupts off. */
static __always_inline struct ku_cpu *ku_ring_cpu_here(const struct ku_ring *ring)
{
	if (ring == READ_ONCE(ku_primary) &&
	    ku_at_read(KU_PRIMARY_SLOT, slot.verdict) == KU_SELECTED)
		return ku_at_here(KU_PRIMARY_SLOT);
	if (ring == READ_ONCE(ku_secondary) &&
	    ku_at_read(KU_SECONDARY_SLOT, slot.verdict) == KU_SELECTED)
		return ku_at_here(KU_SECONDARY_SLOT);
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

#endif
