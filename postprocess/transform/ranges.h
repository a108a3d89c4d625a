/* SPDX-License-Identifier: BSD-3-Clause */
/* Stretches of time, in order, that do not touch each other. Used by transform/merge.c and thin.c. */
#ifndef KP_TRANSFORM_RANGES_H
#define KP_TRANSFORM_RANGES_H

#include <stdbool.h>
#include <stdint.h>

#include "base/vector.h"
#include "model/span.h"

/* Both ends are in it; units of 10 ns. */
struct kp_range {
	int64_t start, stop;
};

typedef KP_VECTOR(struct kp_range) kp_ranges;

/*
 * Whether any of the span lies in one of them. *next is the caller's, 0 before the first of spans that come in time
 * order.
 */
static inline bool kp_ranges_have(const kp_ranges *ranges, size_t *next, const struct kp_span *span)
{
	while (*next < ranges->count && ranges->items[*next].stop < span->start)
		++*next;
	return *next < ranges->count && kp_span_overlaps(span, ranges->items[*next].start,
							 ranges->items[*next].stop);
}

/* Adds one that does not end before those in it; what it touches becomes one with it. 0, or -1 without memory. */
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
