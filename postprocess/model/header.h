/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The header of a span file: an ordered list of keys, whose values are JSON text.
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

/* Returns the value (JSON text) of @key, or NULL. */
const char *kp_header_get(const struct kp_header_item *items, size_t count,
			  const char *key);

/* Sets @key to @value (JSON text); both are copied. Returns 0, or -1 without memory. */
int kp_header_set(struct kp_header *header, const char *key, const char *value);

/*
 * Adds @count to the number of spans left out for @cause in "dropped", a header value {"cause":
 * count, ...}. If the last cause is @cause, its count grows; otherwise @cause is appended. Returns
 * 0, or -1 without memory.
 */
int kp_header_add_dropped(struct kp_header *header, const char *cause, uint64_t count);

/*
 * Records in "resolution_us" that spans shorter than @resolution were merged or left out.
 * @resolution is in units of 10 ns. After several passes the header has the coarsest resolution.
 * Returns 0, or -1 without memory.
 */
int kp_header_coarser(struct kp_header *header, int64_t resolution);

/* Returns the resolution in units of 10 ns, or 0 if the spans have their full resolution. */
int64_t kp_header_resolution(const struct kp_header_item *items, size_t count);

/*
 * Returns true if the trace is partial: if a key "coverage", "coverage2" ... has a valid fact
 * "partial". Sets *partial to its interval, in units of 10 ns.
 */
bool kp_header_partial(const struct kp_header_item *items, size_t count, struct kp_pause *partial);

/*
 * Makes a deep copy of @items, to be freed with kp_header_free(). Returns 0, or -1 without memory.
 */
int kp_header_copy(struct kp_header *header, const struct kp_header_item *items,
		   size_t count);
void kp_header_free(struct kp_header *header);

#endif
