/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The header of a span file: keys with values that are JSON text, in their order. Used by
 * the reconstruction, the readers and writers of spans, and the page.
 */
#ifndef KP_MODEL_HEADER_H
#define KP_MODEL_HEADER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/pause.h"
#include "model/span.h"

struct kp_header {
	struct kp_header_item *items;
	size_t count;
};

/* Value (JSON text) of key, or NULL. */
const char *kp_header_get(const struct kp_header_item *items, size_t count,
			  const char *key);

/*
 * Sets key to value (JSON text), both copied; replaces what it had. Returns 0,
 * or -1 without memory.
 */
int kp_header_set(struct kp_header *header, const char *key, const char *value);

/*
 * Adds count to what was left out for cause, in the header's "dropped": {"cause":
 * count, ...}, where it stands last. A second pass adds to the first one's. 0, or
 * -1 without memory.
 */
int kp_header_add_dropped(struct kp_header *header, const char *cause, uint64_t count);

/*
 * Notes in the header's "resolution_us" that shorter spans were put together or left out.
 * @resolution is in units of 10 ns. The coarsest of several passes stays. 0, or -1 without
 * memory.
 */
int kp_header_coarser(struct kp_header *header, int64_t resolution);

/* Returns the resolution in units of 10 ns, or 0 if the spans have their full resolution. */
int64_t kp_header_resolution(const struct kp_header_item *items, size_t count);

/*
 * Returns true if the header has the time in which events of some CPUs are missing, as the fact
 * partial in "coverage", "coverage2" ... Sets *partial, in 10 ns units.
 */
bool kp_header_partial(const struct kp_header_item *items, size_t count, struct kp_pause *partial);

/* A deep copy of items, to be freed with kp_header_free(). 0, or -1 without memory. */
int kp_header_copy(struct kp_header *header, const struct kp_header_item *items,
		   size_t count);
void kp_header_free(struct kp_header *header);

#endif
