/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Ranges of time, in order, that do not touch each other.
 */
#ifndef KP_TRANSFORM_RANGES_H
#define KP_TRANSFORM_RANGES_H

#include <stdbool.h>
#include <stdint.h>

#include "base/memory.h"
#include "model/span.h"

/* Both ends are included; units of 10 ns. */
struct kp_range {
	int64_t start, stop;
};

typedef KP_VECTOR(struct kp_range) kp_ranges;

/*
 * Returns whether any part of the span is in a range. Spans must come in order of time. *next
 * belongs to the caller, and is 0 before the first span.
 */
static inline bool kp_ranges_have(const kp_ranges *ranges, size_t *next, const struct kp_span *span)
{
	while (*next < ranges->count && ranges->items[*next].stop < span->start)
		++*next;
	return *next < ranges->count && kp_span_overlaps(span, ranges->items[*next].start,
							 ranges->items[*next].stop);
}

/*
 * Adds a range that does not end before the others; joins it with those that it touches. Returns 0,
 * or -1 without memory.
 */
static inline int kp_ranges_add(kp_ranges *ranges, int64_t start, int64_t stop)
{
	while (ranges->count && ranges->items[ranges->count - 1].stop >= start) {
		if (ranges->items[ranges->count - 1].start < start)
			start = ranges->items[ranges->count - 1].start;
		ranges->count--;
	}
	if (KP_ADD(ranges))
		return -1;
	ranges->items[ranges->count - 1] = (struct kp_range){ start, stop };
	return 0;
}

#endif
