/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Per-CPU recording into 64 KiB blocks from a common pool.
 *
 * The fast path is ku_emit.h; this is what it works on, and the slow path. The
 * ring knows nothing of devices, tasks or tracepoints, and compiles in user
 * space (ku_env.h).
 */
#ifndef KU_RING_H
#define KU_RING_H

#include "ku_env.h"
#include "uapi/kutrace_abi.h"
#include "uapi/kutrace_events.h"

/*
 * The state of a CPU is one word, so that one compare-and-exchange claims an
 * entry, moves the time of the last entry forward, and proves that nothing was
 * recorded on this CPU since the word was read:
 *
 *   63                                    14 13             0
 *   +---------------------------------------+----------------+
 *   | time of the last entry claimed, counts| next index     |
 *   +---------------------------------------+----------------+
 *
 * Index KU_INDEX_CLOSED: nothing to write to (block full, or not recording).
 */
#define KU_INDEX_BITS	14
#define KU_INDEX_MASK	((1ULL << KU_INDEX_BITS) - 1)
#define KU_INDEX_CLOSED	((u64)KUTRACE_BLOCK_WORDS)

/*
 * Word 6 of a block stays a NOP: with it, the word before the next index is
 * never part of the header, and the merging of a return needs no check.
 */
#define KU_FIRST_INDEX	((u64)KUTRACE_FIRST_WORD + 1)

struct ku_cpu {
	u64 state;
	u64 *base;		/* the block index is in; never NULL */
	u64 call;		/* state as the last ku_emit_call() left it, or 0 */
	u32 block;		/* number of that block, KU_NO_BLOCK if none */
	u32 switching;		/* inside the slow path; seen by NMIs only */
	u32 mhz;		/* last frequency heard of, 0 = none */
	u64 lost[KUTRACE_LOST_CAUSES];
};

#define KU_NO_BLOCK	(~0U)

#ifdef __KERNEL__
DECLARE_PER_CPU_ALIGNED(struct ku_cpu, ku_cpu);
#endif

/* The pool. words[i] is block i; table is shared with readers (kutrace_abi.h). */
struct ku_ring {
	u32 nblocks;
	bool wrap;		/* overwrite the oldest block instead of stopping */
	u32 active;		/* recording */
	u64 **words;
	struct kutrace_block *table;
	u64 *closed;		/* a block of zeros that closed CPUs point to */
	ku_atomic64 taken;	/* blocks taken since the reset */
	void (*filled)(void);	/* a block is full; any context but NMI, IRQs off */
};

extern struct ku_ring ku_ring;

void ku_ring_reset(bool wrap);
void ku_ring_init_cpu(struct ku_cpu *cpu);
void ku_ring_close_this_cpu(void);
void ku_ring_close_other_cpu(struct ku_cpu *cpu);
void ku_emit_slow(u64 entry, u64 second, u32 nwords, u64 past);

#endif
