/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Per-CPU recording into 64 KiB blocks from a common pool.
 *
 * The fast path is core/emit.h; this is what it works on, and the slow path. The
 * ring knows nothing of devices, tasks or tracepoints, and compiles in user
 * space (core/env.h).
 *
 * There may be several rings, one per session. One of them at a time can be the
 * resident: its state of a CPU is in the fixed per-CPU variable ku_cpu, where the
 * fast path finds it without a pointer. A second one that records beside it has a fixed place,
 * too, ku_cpu2: every event is then recorded in both (core/twice.c). When there are more, or one
 * of the two has a filter, no ring is resident: ku_cpu is closed and says so (routed), every event
 * takes the slow path, and that hands it to ku_route. So one plain recording pays nothing for there
 * being more.
 *
 * A mask, a filter or a trigger of who has a fixed place is about events of some numbers only.
 * Those are inspected: the fast path hands them to ku_route, all others go their way. Where a
 * filter does not want what runs on a CPU, that CPU is closed and hidden, until a context
 * switch, which is inspected, opens it.
 */
#ifndef KU_RING_H
#define KU_RING_H

#include "core/env.h"
#include "uapi/kutrace_abi.h"
#include "uapi/kutrace_events.h"

/* What is counted for the bytes of counters. */
enum ku_counter {
	KU_COUNTER_INSTRUCTIONS,
	KU_COUNTER_CYCLES,
	KU_COUNTER_MISSES,
	KU_COUNTERS
};

struct ku_cpu {
	u64 state;
	u64 *base;		/* what the index counts from, in or before its block; never NULL */
	u64 call;		/* state as the last ku_emit_call() left it, or 0 */
	u32 block;		/* number of the block that is being filled, KU_NO_BLOCK if none */
	u32 switching;		/* inside the slow path; seen by NMIs only */
	u32 mhz;		/* last frequency heard of, 0 = none; of ku_cpu only */
	u32 routed;		/* enum ku_routed; of ku_cpu and ku_cpu2 only */
	void *task;		/* whom a switch or wakeup is about; of ku_cpu only */
	u64 began;		/* when the task's last timed call did, 0 = unknown; of ku_cpu only */
	u32 wanted;		/* what the filter said of the running task */
	u32 filter;		/* number of the filter that said it, 0 = none */
	u64 lost[KUTRACE_LOST_CAUSES];
	u64 lost_kinds[KUTRACE_KINDS];
	/* Of rings whose words have a byte of counters each: */
	u8 *bytes;		/* those of the words at base, else NULL */
	u32 nibble;		/* for the entry that is being recorded */
	u64 counted[KU_COUNTERS]; /* as read for the entry before, 0 = not yet */
	/* Blocks in wrap mode: core/block.c. */
	u32 ahead;		/* the index is by so many words, as base is in front of the block */
	u32 next;		/* number of the next, KU_NO_BLOCK if none */
	u32 to_clear;		/* words at its end that are still to be cleared */
};

#define KU_NO_BLOCK	(~0U)

/* What becomes of events that do not find a CPU open. */
enum ku_routed {
	KU_OPEN,	/* the ring's state is in this place */
	KU_ROUTED,	/* to ku_route: nobody has this place */
	KU_UNSETTLED,	/* to ku_route, which then opens or hides the CPU */
	KU_HIDDEN	/* dropped, but for those that are inspected: filtered out */
};

#ifdef __KERNEL__
DECLARE_PER_CPU_ALIGNED(struct ku_cpu, ku_cpu);
DECLARE_PER_CPU_ALIGNED(struct ku_cpu, ku_cpu2);
#endif

/* The pool. words[i] is block i; table is shared with readers (kutrace_abi.h). */
struct ku_ring {
	u32 nblocks;
	bool wrap;		/* overwrite the oldest block instead of stopping */
	bool merge;		/* context switches are recorded: returns may be merged */
	bool filtered;		/* blocks begin with the pid that is shown, not current */
	u32 active;		/* recording */
	u32 shift;		/* of the time counter, to its counts */
	u64 **words;
	u8 *bytes;		/* KUTRACE_IPC_BYTES for each block, or NULL */
	u32 bytes_flags;	/* KUTRACE_FLAG_IPC, _LLC: what is in them */
	struct kutrace_block *table;
	bool ahead;		/* a CPU clears its next block while it fills one */
	ku_atomic64 taken;	/* blocks taken since the reset */
	ku_atomic64 picked;	/* in wrap mode: how often the pool has been looked into for one */
	ku_atomic64 spare;	/* blocks that are the next of some CPU */
	u32 resets;		/* so far: numbers of blocks mean others after each */
	/* A block is full; any context but NMI, IRQs off. May be NULL. */
	void (*filled)(struct ku_ring *ring);
	/* Who is running, in the header of a block of a filtered ring. Likewise. */
	void (*header)(const struct ku_ring *ring, u64 *words);
	struct ku_cpu __percpu *cpu;	/* while it has no fixed place */
};

/* The ring that has the fast path; NULL: none. And the one beside it. */
extern struct ku_ring *ku_resident;
extern struct ku_ring *ku_second;

/* How an event goes, by its number. */
enum ku_way {
	KU_STRAIGHT,	/* into the resident */
	KU_INSPECTED,	/* to ku_route */
	KU_TWICE,	/* into the resident and the second */
	KU_TIMED	/* into the resident; a return that comes late, to ku_route */
};

/* How late: in counts, not less than what a merged return says. */
extern u64 ku_timed_limit;

/*
 * Of each number, enum ku_way, while the key is on. Both are set by who has a mask, a filter,
 * triggers or a second ring, in process context, at any time.
 */
ku_key_declare(ku_aside);
extern u8 ku_ways[KUTRACE_EVENT_MASK + 1];

/* No event has a larger number, so a kernel with UBSAN need not look: its call would cost a stack. */
static __always_inline enum ku_way ku_way_of(u32 event)
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

/* A ring's state of this CPU, wherever it is. Context: any, interrupts off. */
static __always_inline struct ku_cpu *ku_ring_cpu_here(const struct ku_ring *ring)
{
	if (ring == READ_ONCE(ku_resident) && ku_at_read(KU_FIRST_PLACE, routed) == KU_OPEN)
		return ku_at_here(KU_FIRST_PLACE);
	if (ring == READ_ONCE(ku_second) && ku_at_read(KU_SECOND_PLACE, routed) == KU_OPEN)
		return ku_at_here(KU_SECOND_PLACE);
	return ku_at_here(ring->cpu);
}

/* A block of zeros, and a word, that closed CPUs point to. */
extern u64 *ku_closed_block;

/*
 * Whether blocks can name each of so many CPUs. Where they cannot, nothing may be
 * recorded: the CPUs beyond would pass for others.
 */
static inline bool ku_ring_names_cpus(u32 cpus)
{
	return cpus <= KUTRACE_CPUS;
}

/* With fewer blocks for each CPU than this, one that waits to be filled is one too many. */
#define KU_AHEAD_BLOCKS	8

/* Blocks that have something in them. Context: any. */
static inline u64 ku_ring_used(struct ku_ring *ring)
{
	u64 room = ring->nblocks - (u64)ku_atomic64_read(&ring->spare);
	u64 taken = (u64)ku_atomic64_read(&ring->taken);

	return taken < room ? taken : room;
}

/* Whether something was overwritten, or is being so. Context: any. */
static inline bool ku_ring_wrapped(struct ku_ring *ring)
{
	return ring->wrap && (u64)ku_atomic64_read(&ring->taken) +
			     (u64)ku_atomic64_read(&ring->spare) > ring->nblocks;
}

void ku_ring_reset(struct ku_ring *ring, bool wrap);
void ku_ring_init_cpu(struct ku_cpu *cpu);
void ku_ring_close_cpu(struct ku_ring *ring, struct ku_cpu *cpu);
void ku_ring_break(struct ku_ring *ring, struct ku_cpu *cpu);
void ku_ring_enter_fast(struct ku_ring *ring, struct ku_cpu *fast, struct ku_cpu *own);
void ku_ring_leave_fast(struct ku_cpu *fast, struct ku_cpu *own);
void ku_ring_move_losses(struct ku_cpu *to, struct ku_cpu *from);
bool ku_ring_put(struct ku_ring *ring, struct ku_cpu *cpu, const u64 *words,
		 u32 nwords, u32 room, u64 past);
void ku_ring_record(struct ku_ring *ring, struct ku_cpu *cpu, const u64 *words,
		    u32 nwords, u32 room, u64 past);
bool ku_ring_merge(struct ku_ring *ring, struct ku_cpu *cpu, u64 entry);
void ku_emit_slow(u64 entry);
void ku_emit_call_slow(u64 entry);
bool ku_emit_straight(const u64 *words, u32 nwords, u32 room, u64 past);
void ku_emit_straight2(u64 entry, u64 second);
void ku_emit_inspected_one(u64 entry);
void ku_emit_inspected(const u64 *words, u32 nwords, u32 room, u64 past);

#endif
