// SPDX-License-Identifier: BSD-3-Clause
/*
 * Reads memory that was contiguous in the kernel's address space from its physical pages. Must
 * not read outside the extents.
 */
#include "crash/region.h"

#include <stdlib.h>
#include <string.h>

#include "kutrace_anchor.h"

bool kc_region_make(struct kc_region *region, const uint64_t *words, size_t count,
		    uint32_t page_bytes)
{
	size_t i;

	memset(region, 0, sizeof(*region));
	region->extents = calloc(count + 1, sizeof(*region->extents));
	if (!region->extents)
		return false;
	for (i = 0; i < count; i++) {
		region->extents[i] = (struct kc_extent){
			.from = region->bytes, .at = words[i] & ~KUTRACE_ANCHOR_PAGES_MASK};
		region->bytes += ((words[i] & KUTRACE_ANCHOR_PAGES_MASK) + 1) * page_bytes;
	}
	region->count = count;
	return true;
}

void kc_region_free(struct kc_region *region)
{
	free(region->extents);
	memset(region, 0, sizeof(*region));
}

/* Returns the extent that contains the offset, which must be inside the region. */
static size_t extent_of(const struct kc_region *region, uint64_t offset)
{
	size_t low = 0, high = region->count;

	while (high - low > 1) {
		size_t middle = low + (high - low) / 2;

		if (region->extents[middle].from <= offset)
			low = middle;
		else
			high = middle;
	}
	return low;
}

bool kc_region_read(struct kc_memory *memory, const struct kc_region *region, uint64_t offset,
		    void *to, size_t bytes)
{
	char *out = to;

	if (offset > region->bytes || bytes > region->bytes - offset)
		return false;
	while (bytes) {
		size_t i = extent_of(region, offset);
		uint64_t end = i + 1 < region->count ? region->extents[i + 1].from : region->bytes;
		uint64_t part = end - offset < bytes ? end - offset : bytes;

		if (!kc_memory_read(memory, region->extents[i].at + (offset - region->extents[i].from),
				    out, (size_t)part))
			return false;
		out += part;
		offset += part;
		bytes -= (size_t)part;
	}
	return true;
}
