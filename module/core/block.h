/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A ring: a pool of blocks, and for each CPU the state of the block that it fills. Context, if not
 * stated: any but NMI, interrupts off; an NMI may come at any instruction.
 */
#ifndef KU_BLOCK_H
#define KU_BLOCK_H

#include "core/env.h"
#include "uapi/kutrace_abi.h"
#include "uapi/kutrace_events.h"

/* Hardware counters that counter bits are computed from. */
enum ku_counter {
	KU_COUNTER_INSTRUCTIONS,
	KU_COUNTER_CYCLES,
	KU_COUNTER_MISSES,
	KU_COUNTERS
};

/* Size of a cache line in bytes on x86, arm64 and riscv64. */
#define KU_CPU_LINE_BYTES 64

/* Value of a counter that was not read yet: larger than any reading. */
#define KU_NOT_COUNTED	(~0ULL)

/* The position of the next entry. Changes with each entry, each new block, and a move to a slot. */
struct ku_position {
	u64 state;		/* core/word.h */
	u64 *base;		/* address of index 0, in or before the block; never NULL */
	u64 call;		/* state after the last claim of a call, or 0 */
	u32 block;		/* number of the block that is filled, or KU_NO_BLOCK */
	u32 ahead;		/* words from base to the block's first word: core/block.c */
};

/* What the filter of a slot's ring has decided about this CPU and its running task. */
enum ku_verdict {
	KU_SELECTED,	/* the slot holds the ring's state of this CPU; also without a filter */
	KU_UNRESOLVED,	/* not decided; also in a slot without a ring */
	KU_EXCLUDED,
};

/*
 * Whether a ring has a slot on this CPU, and the decision of its filter. Together they are the
 * state of the slot; docs/design/ring-buffer.md draws the changes.
 *
 *	owned	verdict		state		ring's state	an event
 *	0	KU_UNRESOLVED	closed		in the session	goes to ku_dispatch
 *	1	KU_UNRESOLVED	unresolved	in the session	goes to ku_dispatch, which decides
 *	1	KU_SELECTED	open		in the slot	takes its dispatch path
 *	1	KU_EXCLUDED	hidden		in the session	is dropped unless inspected
 *
 * Both are written with interrupts off, or for an offline CPU. An NMI may come between the two
 * stores. It does not resolve slots, so it need not distinguish closed and unresolved.
 */
struct ku_slot {
	u8 owned;		/* the ring in ku_primary, or in ku_secondary, has the slot */
	u8 verdict;		/* enum ku_verdict */
};

/* What a filter by task has decided. Context switches and changes of the filter write it. */
struct ku_decision {
	u32 wanted;		/* decision about the running task: KU_WANTED_* */
	u32 number;		/* number of the filter that decided, 0 = none */
};

/* Data for filters and triggers. Switches, wakeups and timed calls write it, only in ku_cpu. */
struct ku_passed {
	void *task;		/* task of a switch or wakeup */
	u64 began;		/* start of the last timed call, 0 = unknown */
};

struct ku_losses {
	u64 causes[KUTRACE_LOST_CAUSES];
	u64 kinds[KUTRACE_KINDS];
};

/* Used only in rings with counter bits, where each entry writes it. */
struct ku_counted {
	u8 *bytes;		/* counter bits of the words at base, or NULL */
	u64 last[KU_COUNTERS];	/* readings at the previous entry, or KU_NOT_COUNTED */
};

/* Used only in wrap mode. Written when a block or a part begins: core/block.c. */
struct ku_next_block {
	u32 block;		/* number of the next block, or KU_NO_BLOCK */
	u32 to_clear;		/* words at the end of this block that are not cleared yet */
};

struct ku_cpu {
	struct ku_position at;
	u32 switching;		/* a block or slot is changing; only NMIs see a 1 */
	struct ku_slot slot;	/* only in ku_cpu and ku_cpu2 */
	struct ku_decision filter;
	struct ku_passed hook;
	/* The cache line that every event writes ends here. */
	u32 mhz;		/* last frequency, 0 = unknown; any CPU writes it; only in ku_cpu */
	struct ku_losses lost;
	struct ku_counted counters;
	struct ku_next_block next;
};

/* Other CPUs write mhz: it must not be in the cache line that every event writes. */
static_assert(offsetof(struct ku_cpu, hook) + sizeof(struct ku_passed) == KU_CPU_LINE_BYTES);
static_assert(offsetof(struct ku_cpu, mhz) == KU_CPU_LINE_BYTES);
static_assert(offsetof(struct ku_cpu, at) == 0);

#define KU_NO_BLOCK	(~0U)

#ifdef __KERNEL__
DECLARE_PER_CPU_ALIGNED(struct ku_cpu, ku_cpu);
DECLARE_PER_CPU_ALIGNED(struct ku_cpu, ku_cpu2);
#endif

/* Blocks from which one or more CPUs take their next block in wrap mode. */
struct ku_share {
	u32 first;		/* number of the first block */
	u32 count;		/* number of blocks */
	ku_atomic64 picked;	/* number of blocks tried so far, round robin */
};

/* The shares, if each CPU overwrites only blocks of its share. */
struct ku_shares {
	u8 of[KUTRACE_CPUS];	/* index of each CPU's share */
	struct ku_share share[KUTRACE_CPUS];
};

/* A pool of blocks, and the states of the CPUs. words[i] is block i. Readers map @table. */
struct ku_ring {
	u32 nblocks;
	bool wrap;		/* overwrite the oldest block when all are used */
	bool merge;		/* context switches are recorded: returns may be merged */
	bool filtered;		/* a filter selects tasks: header() corrects block headers */
	u32 active;		/* recording */
	u32 shift;		/* right shift from the time counter to counts */
	u64 **words;
	u8 *bytes;		/* counter bits, KUTRACE_IPC_BYTES for each block, or NULL */
	u32 bytes_flags;	/* KUTRACE_FLAG_IPC, KUTRACE_FLAG_LLC: content of bytes */
	struct kutrace_block *table;
	bool ahead;		/* each CPU clears its next block while it fills one */
	ku_atomic64 taken;	/* blocks taken since the reset */
	ku_atomic64 overwritten; /* blocks whose content was dropped for newer events */
	u32 nshares;		/* shares in use; 0: each CPU takes any block */
	struct ku_share whole;	/* the whole pool */
	struct ku_shares *shares; /* NULL if the ring cannot have shares */
	u32 resets;		/* number of resets; each changes the content of all blocks */
	/* Reports a finished block. Context: any but NMI, interrupts off. May be NULL. */
	void (*filled)(struct ku_ring *ring);
	/* If a filter excludes the task, writes "-other-" into a block's header. Same context. */
	void (*header)(const struct ku_ring *ring, u64 *words);
	struct ku_cpu __percpu *cpu;	/* states of the CPUs, except those in an open slot */
};

/* A block of zeros plus one word: the base of a CPU without a block. */
extern u64 *ku_closed_block;

/* With fewer blocks per CPU, no CPU reserves its next block, so that more blocks are in use. */
#define KU_AHEAD_BLOCKS	8

/* A CPU whose share has fewer blocks would lose its history whenever it begins a block. */
#define KU_SHARE_BLOCKS	2

/* Returns the number of blocks with content. Context: any. */
static inline u64 ku_ring_used(struct ku_ring *ring)
{
	u64 overwritten = (u64)ku_atomic64_read(&ring->overwritten), used;

	/*
	 * A block is counted as taken before it is counted as overwritten. This function reads the
	 * counts in the opposite order, so the difference is not negative.
	 */
	smp_rmb();
	used = (u64)ku_atomic64_read(&ring->taken) - overwritten;
	return used < ring->nblocks ? used : ring->nblocks;
}

/* Returns whether a block was overwritten. Context: any. */
static inline bool ku_ring_wrapped(struct ku_ring *ring)
{
	return ku_atomic64_read(&ring->overwritten);
}

/* Returns share @i; without shares, share 0 is the whole pool. */
static __always_inline struct ku_share *ku_ring_share(struct ku_ring *ring, u32 i)
{
	return ring->nshares ? &ring->shares->share[i] : &ring->whole;
}

/* Adds one to a counter that an NMI may also increment. */
static __always_inline void ku_count_up(u64 *count)
{
	u64 old;

	do {
		old = READ_ONCE(*count);
	} while (!ku_local_try_cmpxchg(count, old, old + 1));
}

/*
 * Gives this CPU an empty block. If there is none, counts a loss and returns false. An NMI in
 * between finds the CPU closed, takes the slow path, and counts a loss because switching is set.
 */
bool ku_block_take(struct ku_ring *ring, struct ku_cpu *cpu);

/*
 * Moves the CPU to the next part of its block. @state: the state that the caller has read. The
 * caller must read the state again, because an NMI may have changed it. Returns false if this is
 * the last part, or if the CPU has no block.
 */
bool ku_block_next_part(struct ku_ring *ring, struct ku_cpu *cpu, u64 state);

void ku_ring_reset(struct ku_ring *ring, bool wrap);
void ku_ring_split(struct ku_ring *ring, u32 nshares);
void ku_ring_init_cpu(struct ku_cpu *cpu);
void ku_ring_forget_cpu(struct ku_ring *ring, struct ku_cpu *cpu);
void ku_ring_close_cpu(struct ku_ring *ring, struct ku_cpu *cpu);

/* move.c */
void ku_ring_break(struct ku_ring *ring, struct ku_cpu *cpu);
void ku_ring_enter_fast(struct ku_ring *ring, struct ku_cpu *fast, struct ku_cpu *own);
void ku_ring_leave_fast(struct ku_cpu *fast, struct ku_cpu *own);
void ku_ring_move_losses(struct ku_cpu *to, struct ku_cpu *from);

#endif
