/* SPDX-License-Identifier: BSD-3-Clause */
/* Memory for the ring core in user space: its tests and its benchmark. */
#ifndef RING_POOL_H
#define RING_POOL_H

#include <stdlib.h>
#include <string.h>

#include "core/kinds.h"
#include "core/ring.h"

/* The one ring of these programs. */
static struct ku_ring ku_ring;

/* A pool of so many blocks, written to once so that no page fault is left. */
static inline void pool_alloc(u32 nblocks)
{
	u32 i;

	ku_ring = (struct ku_ring){ .nblocks = nblocks };
	ku_ring.words = calloc(nblocks, sizeof(*ku_ring.words));
	ku_ring.table = calloc(nblocks, sizeof(*ku_ring.table));
	ku_ring.merge = true;
	ku_ring.shift = ku_clock_shift;
	ku_resident = &ku_ring;
	ku_kinds_init();
	ku_closed_block = calloc(KUTRACE_BLOCK_WORDS + 1, sizeof(u64));
	for (i = 0; i < nblocks; i++) {
		ku_ring.words[i] = malloc(KUTRACE_BLOCK_BYTES);
		memset(ku_ring.words[i], 0, KUTRACE_BLOCK_BYTES);
	}
}

static inline void pool_free(void)
{
	u32 i;

	for (i = 0; i < ku_ring.nblocks; i++)
		free(ku_ring.words[i]);
	free(ku_ring.words);
	free(ku_ring.table);
	free(ku_closed_block);
}

#endif
