/* SPDX-License-Identifier: BSD-3-Clause */
/* Combines the execution spans of each CPU until they reach a given duration. */
#ifndef KP_TRANSFORM_MERGE_H
#define KP_TRANSFORM_MERGE_H

#include "base/memory.h"
#include "model/span.h"

/* A range of time. Both ends are included; units of 10 ns. */
struct kp_range {
	int64_t start, stop;
};

/* Ranges in order, which do not touch each other. */
typedef KP_VECTOR(struct kp_range) kp_ranges;

/*
 * Returns whether the span overlaps a range. Must be called in the order of the spans, with *next 0
 * for the first span.
 */
static inline bool kp_ranges_have(const kp_ranges *ranges, size_t *next, const struct kp_span *span)
{
	while (*next < ranges->count && ranges->items[*next].stop < span->start)
		++*next;
	return *next < ranges->count && kp_span_overlaps(span, ranges->items[*next].start,
							 ranges->items[*next].stop);
}

/*
 * Adds a range that ends after all others, and joins it with ranges that touch it. Returns 0, or -1
 * without memory.
 */
static inline int kp_ranges_add(kp_ranges *ranges, int64_t start, int64_t stop)
{
	while (ranges->count && ranges->items[ranges->count - 1].stop >= start) {
		if (ranges->items[ranges->count - 1].start < start)
			start = ranges->items[ranges->count - 1].start;
		ranges->count--;
	}
	return KP_APPEND(ranges, (struct kp_range){ start, stop });
}

struct kp_merge;

struct kp_merge_counts {
	uint64_t execution_in, execution_out;
	uint64_t dropped;	/* number of short arcs, waits and points that were left out */
	/* number of rows that are not execution and were passed on */
	uint64_t passed;
	/* number of execution spans that began before the previous one ended */
	uint64_t overlaps;
	/* number of holes of up to 30 ns that became part of spans */
	uint64_t holes;
	int64_t hole_time;	/* total duration of the holes, 10 ns units */
};

enum kp_merge_result {
	KP_MERGE_OK = 0,
	KP_MERGE_ORDER = -1,	/* the span starts before the previous one */
	KP_MERGE_MEMORY = -2,
	KP_MERGE_SINK = -3,	/* the sink's span() returned nonzero */
};

/*
 * Returns a merge into @out, which must outlive it; NULL without memory. @resolution is above 0, in
 * units of 10 ns.
 */
struct kp_merge *kp_merge_new(int64_t resolution, const struct kp_span_sink *out);

/* Makes the merge pass on the spans in these ranges unchanged. @ranges must outlive the merge. */
void kp_merge_leave(struct kp_merge *merge, const kp_ranges *ranges);

/*
 * Returns whether the merge leaves out the span if it is shorter than the resolution: arcs, waits,
 * some points.
 */
bool kp_merge_drops(const struct kp_span *span);

/* Adds the next span. */
enum kp_merge_result kp_merge_span(struct kp_merge *merge, const struct kp_span *span);

/* Writes the remaining spans. The last spans of the CPUs may be shorter than the resolution. */
enum kp_merge_result kp_merge_end(struct kp_merge *merge);

const struct kp_merge_counts *kp_merge_counts(const struct kp_merge *merge);
void kp_merge_free(struct kp_merge *merge);

/*
 * Computes the resolution at which at most a given number of spans is left for a browser. Spans
 * between the marks mark_a "x" and "/x" can stay unchanged. All spans must be passed twice in order
 * of time: to find the marks, and to count.
 */

struct kp_thin;

/* Returns the state of these two passes, or NULL without memory. */
struct kp_thin *kp_thin_new(void);
void kp_thin_free(struct kp_thin *thin);

/* Adds a span in the first pass. Returns 0, or -1 without memory. */
int kp_thin_mark(struct kp_thin *thin, const struct kp_span *span);
/* Returns the ranges between marks. Valid after the last kp_thin_mark() until kp_thin_free(). */
const kp_ranges *kp_thin_ranges(const struct kp_thin *thin);

/* Adds a span in the second pass. */
void kp_thin_count(struct kp_thin *thin, const struct kp_span *span);

/* Return the number of counted spans, and the number of spans between marks. */
uint64_t kp_thin_all(const struct kp_thin *thin);
uint64_t kp_thin_inside(const struct kp_thin *thin);

/*
 * Returns about the smallest resolution (units of 10 ns) that leaves at most @most spans, or the
 * fewest possible; 0: no merge is needed. @leave_marked: spans between marks stay unchanged. Sets
 * *left to the approximate number of spans.
 */
int64_t kp_thin_resolution(const struct kp_thin *thin, uint64_t most, bool leave_marked,
			   uint64_t *left);

#endif
