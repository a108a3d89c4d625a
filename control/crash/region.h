/* SPDX-License-Identifier: BSD-3-Clause */
/* Contiguous kernel memory that is spread over extents of physical pages. */
#ifndef KU_CRASH_REGION_H
#define KU_CRASH_REGION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "crash/memory.h"

struct kc_extent {
	uint64_t from;		/* offset in the region */
	uint64_t at;		/* physical address */
};

struct kc_region {
	uint64_t bytes;		/* size of all extents together */
	struct kc_extent *extents;
	size_t count;
};

/* Makes a region from words of an anchor's list. Returns false if there is no memory. */
bool kc_region_make(struct kc_region *region, const uint64_t *words, size_t count,
		    uint32_t page_bytes);
void kc_region_free(struct kc_region *region);
bool kc_region_read(struct kc_memory *memory, const struct kc_region *region, uint64_t offset,
		    void *to, size_t bytes);

#endif
