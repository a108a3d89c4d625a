/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the slow path (ring.c) wants of the pool of blocks: see block.c. Context: any but NMI,
 * interrupts off; an NMI may come at any instruction.
 */
#ifndef KU_BLOCK_H
#define KU_BLOCK_H

#include "core/ring.h"

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

#endif
