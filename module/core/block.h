/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What a ring is made of: a pool of blocks, and the state that it has of each CPU, which fills
 * one of them. block.c says how a CPU takes a block and leaves it. Context, where nothing else is
 * said: any but NMI, interrupts off; an NMI may come at any instruction.
 */
#ifndef KU_BLOCK_H
#define KU_BLOCK_H

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

/* Bytes of a cache line on x86, arm64 and riscv64. */
#define KU_CPU_LINE_BYTES 64

/* More than any counter says. */
#define KU_NOT_COUNTED	(~0ULL)

struct ku_cpu {
	u64 state;
	u64 *base;		/* what the index counts from, in or before its block; never NULL */
	u64 call;		/* state as the last claim of a call left it, or 0 */
	u32 block;		/* number of the block that is filled, KU_NO_BLOCK if none */
	u32 switching;		/* inside the slow path; seen by NMIs only */
	u32 routed;		/* enum ku_routed; of ku_cpu and ku_cpu2 only */
	u32 wanted;		/* the filter's verdict on the running task */
	void *task;		/* whom a switch or wakeup is about; of ku_cpu only */
	u64 began;		/* when the task's last timed call did, 0 = unknown; likewise */
	u32 filter;		/* number of the filter that set wanted, 0 = none */
	u32 ahead;		/* words between base and its block, which follows: core/block.c */
	/* Here ends the cache line that every event writes. */
	u32 mhz;		/* last frequency, 0 = none; any CPU writes it; only in ku_cpu */
	u64 lost[KUTRACE_LOST_CAUSES];
	u64 lost_kinds[KUTRACE_KINDS];
	/* Of rings whose words have a byte of counters each: */
	u8 *bytes;		/* those of the words at base, else NULL */
	u64 counted[KU_COUNTERS]; /* as read for the entry before, or KU_NOT_COUNTED */
	/* Blocks in wrap mode: core/block.c. */
	u32 next;		/* number of the next, KU_NO_BLOCK if none */
	u32 to_clear;		/* words at its end that are still to be cleared */
};

/* Another CPU that writes mhz must not take the line that every event writes. */
static_assert(offsetof(struct ku_cpu, mhz) >= KU_CPU_LINE_BYTES);

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

/* A range of blocks, from which one or more CPUs take their next block in wrap mode. */
struct ku_share {
	u32 first;		/* number of its first block */
	u32 count;		/* blocks */
	ku_atomic64 picked;	/* how many blocks have been tried, round robin */
};

/* The shares of the CPUs, if each wraps within its own. */
struct ku_shares {
	u8 of[KUTRACE_CPUS];	/* index of each CPU's share */
	struct ku_share share[KUTRACE_CPUS];
};

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
	ku_atomic64 overwritten; /* blocks whose content has been dropped for newer events */
	u32 nshares;		/* shares in use; 0: every CPU takes any block */
	struct ku_share whole;	/* the whole pool */
	struct ku_shares *shares; /* NULL if the ring cannot have shares */
	u32 resets;		/* so far: numbers of blocks mean others after each */
	/* A block is full; any context but NMI, IRQs off. May be NULL. */
	void (*filled)(struct ku_ring *ring);
	/* Who is running, in the header of a block of a filtered ring. Likewise. */
	void (*header)(const struct ku_ring *ring, u64 *words);
	struct ku_cpu __percpu *cpu;	/* while it has no fixed place */
};

/* A block of zeros, and a word, that closed CPUs point to. */
extern u64 *ku_closed_block;

/* With fewer blocks for each CPU than this, one that waits to be filled is one too many. */
#define KU_AHEAD_BLOCKS	8

/* A share with fewer blocks would have no history when its CPU begins a block. */
#define KU_SHARE_BLOCKS	2

/* Returns how many blocks have content. Context: any. */
static inline u64 ku_ring_used(struct ku_ring *ring)
{
	u64 overwritten = (u64)ku_atomic64_read(&ring->overwritten), used;

	/*
	 * A block is counted as taken before it is counted as overwritten: read in the other
	 * order, the difference is not negative.
	 */
	smp_rmb();
	used = (u64)ku_atomic64_read(&ring->taken) - overwritten;
	return used < ring->nblocks ? used : ring->nblocks;
}

/* Returns whether something was overwritten. Context: any. */
static inline bool ku_ring_wrapped(struct ku_ring *ring)
{
	return ku_atomic64_read(&ring->overwritten);
}

/* Returns the blocks of share @i; without shares, share 0 is the whole pool. */
static __always_inline struct ku_share *ku_ring_share(struct ku_ring *ring, u32 i)
{
	return ring->nshares ? &ring->shares->share[i] : &ring->whole;
}

/* Counts up by one, against an NMI that counts there, too. */
static __always_inline void ku_count_up(u64 *count)
{
	u64 old;

	do {
		old = READ_ONCE(*count);
	} while (!ku_local_try_cmpxchg(count, old, old + 1));
}

/*
 * Gives this CPU a fresh block. An NMI finds the CPU closed, comes to ku_emit_slow(), sees
 * switching and counts a loss. Returns true when there is one; else the loss has been counted.
 */
bool ku_block_take(struct ku_ring *ring, struct ku_cpu *cpu);

/*
 * Goes on in the next part of the CPU's block. @state is what was read of it; whether it went on
 * is for the caller to see, who looks at the state again. Returns false where this is the last
 * part, or no block at all.
 */
bool ku_block_next_part(struct ku_ring *ring, struct ku_cpu *cpu, u64 state);

void ku_ring_reset(struct ku_ring *ring, bool wrap);
void ku_ring_split(struct ku_ring *ring, u32 nshares);
void ku_ring_init_cpu(struct ku_cpu *cpu);
void ku_ring_forget_cpu(struct ku_ring *ring, struct ku_cpu *cpu);
void ku_ring_close_cpu(struct ku_ring *ring, struct ku_cpu *cpu);

#endif
