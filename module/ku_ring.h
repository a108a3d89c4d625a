/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Per-CPU recording into 64 KiB blocks from a common pool.
 *
 * The fast path is ku_emit.h; this is what it works on, and the slow path. The
 * ring knows nothing of devices, tasks or tracepoints, and compiles in user
 * space (ku_env.h).
 *
 * There may be several rings, one per session (ku_session.h). One of them at a
 * time can be the resident: its state of a CPU is in the fixed per-CPU variable
 * ku_cpu, where the fast path finds it without a pointer. When others record, too,
 * or something must be asked about every event, no ring is resident: ku_cpu is
 * closed and says so (shared), every event takes the slow path, and that hands it
 * to ku_multi_emit(). So one plain recording pays nothing for there being more.
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

/* What is counted for the bytes of counters (ku_counters.h). */
enum ku_counter {
	KU_COUNTER_INSTRUCTIONS,
	KU_COUNTER_CYCLES,
	KU_COUNTER_MISSES,
	KU_COUNTERS
};

struct ku_cpu {
	u64 state;
	u64 *base;		/* the block index is in; never NULL */
	u64 call;		/* state as the last ku_emit_call() left it, or 0 */
	u32 block;		/* number of that block, KU_NO_BLOCK if none */
	u32 switching;		/* inside the slow path; seen by NMIs only */
	u32 mhz;		/* last frequency heard of, 0 = none; of ku_cpu only */
	u32 shared;		/* nobody is resident: ask ku_multi.c; of ku_cpu only */
	void *task;		/* of whom a switch or wakeup tells; of ku_cpu only */
	u32 wanted;		/* what the filter said of the running task (ku_filter.h) */
	u32 filter;		/* number of the filter that said it, 0 = none */
	u64 lost[KUTRACE_LOST_CAUSES];
	u64 lost_kinds[KUTRACE_KINDS];
	/* Of rings whose words have a byte of counters each: */
	u8 *bytes;		/* those of the words at base, else NULL */
	u32 nibble;		/* for the entry that is being recorded */
	u64 counted[KU_COUNTERS]; /* as read for the entry before, 0 = not yet */
};

#define KU_NO_BLOCK	(~0U)

#ifdef __KERNEL__
DECLARE_PER_CPU_ALIGNED(struct ku_cpu, ku_cpu);
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
	ku_atomic64 taken;	/* blocks taken since the reset */
	u32 resets;		/* so far: numbers of blocks mean others after each */
	/* A block is full; any context but NMI, IRQs off. May be NULL. */
	void (*filled)(struct ku_ring *ring);
#ifdef __KERNEL__
	struct ku_cpu __percpu *cpu;	/* while it is not the resident */
#endif
};

/* Who may use the fast path; NULL: nobody. */
extern struct ku_ring *ku_resident;

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

void ku_ring_reset(struct ku_ring *ring, bool wrap);
void ku_ring_init_cpu(struct ku_cpu *cpu);
void ku_ring_close_cpu(struct ku_ring *ring, struct ku_cpu *cpu);
void ku_ring_move_cpu(struct ku_cpu *to, struct ku_cpu *from);
bool ku_ring_put(struct ku_ring *ring, struct ku_cpu *cpu, const u64 *words,
		 u32 nwords, u32 room, u64 past);
bool ku_ring_merge(struct ku_ring *ring, struct ku_cpu *cpu, u64 entry);
void ku_emit_words(const u64 *words, u32 nwords, u32 room, u64 past);
void ku_emit_slow(u64 entry);
void ku_emit2(u64 entry, u64 second);

#endif
