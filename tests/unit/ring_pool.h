/* SPDX-License-Identifier: BSD-3-Clause */
/* Allocates memory for the ring core in user space, for its tests and its benchmark. */
#ifndef RING_POOL_H
#define RING_POOL_H

#include <stdlib.h>
#include <string.h>

#include "core/kinds.h"
#include "core/ring.h"

/* The first ring. Most programs have no other ring. */
static struct ku_ring ku_ring;

/*
 * Allocates a pool of @nblocks blocks for a ring and writes to it once, so that no page fault
 * remains.
 */
static inline void pool_alloc_for(struct ku_ring *ring, u32 nblocks)
{
	u32 i;

	*ring = (struct ku_ring){ .nblocks = nblocks };
	ring->words = calloc(nblocks, sizeof(*ring->words));
	ring->table = calloc(nblocks, sizeof(*ring->table));
	ring->merge = true;
	ring->shift = ku_clock_shift;
	for (i = 0; i < nblocks; i++) {
		ring->words[i] = malloc(KUTRACE_BLOCK_BYTES);
		memset(ring->words[i], 0, KUTRACE_BLOCK_BYTES);
	}
}

static inline void pool_free_of(struct ku_ring *ring)
{
	u32 i;

	for (i = 0; i < ring->nblocks; i++)
		free(ring->words[i]);
	free(ring->words);
	free(ring->table);
}

static inline void pool_alloc(u32 nblocks)
{
	pool_alloc_for(&ku_ring, nblocks);
	ku_primary = &ku_ring;
	ku_kinds_init();
	ku_closed_block = calloc(KUTRACE_BLOCK_WORDS + 1, sizeof(u64));
}

static inline void pool_free(void)
{
	pool_free_of(&ku_ring);
	free(ku_closed_block);
}

#endif
