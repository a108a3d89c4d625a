/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Events when no ring is resident: several sessions record, or one has a mask, a
 * filter or triggers. Called by the slow path of the ring.
 */
#ifndef KU_MULTI_H
#define KU_MULTI_H

#include "ku_ring.h"

#ifdef __KERNEL__

/*
 * Any context, interrupts off. Words as of ku_ring_put(); a return is merged in each
 * session where that is exact.
 */
void ku_multi_emit(const u64 *words, u32 nwords, u32 room, u64 past);
/* Who is running, for the header of a block of a ring with a filter. Likewise. */
void ku_multi_header(const struct ku_ring *ring, u64 *words);

#else

/* In user space there is one ring, and it is the resident. */
static inline void ku_multi_emit(const u64 *words, u32 nwords, u32 room, u64 past)
{
	(void)words;
	(void)nwords;
	(void)room;
	(void)past;
}

static inline void ku_multi_header(const struct ku_ring *ring, u64 *words)
{
	(void)ring;
	(void)words;
}

#endif

#endif
