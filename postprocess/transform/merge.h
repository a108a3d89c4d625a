/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Merges spans: combines the execution spans of each CPU until they reach a given duration. Input
 * and output are in order of time.
 */
#ifndef KP_MERGE_H
#define KP_MERGE_H

#include <stdbool.h>
#include <stdint.h>

#include "model/span.h"
#include "transform/ranges.h"

struct kp_merge;

/* Statistics of a merge. */
struct kp_merge_counts {
	uint64_t execution_in, execution_out;
	uint64_t dropped;	/* short arcs, waits and points */
	uint64_t kept;		/* rows that are not execution and were passed on */
	uint64_t overlaps;	/* execution spans that began before the previous one ended */
	uint64_t holes;		/* times without execution of up to 30 ns, now part of spans */
	int64_t hole_time;	/* their total duration, 10 ns units */
};

enum kp_merge_result {
	KP_MERGE_OK = 0,
	KP_MERGE_ORDER = -1,	/* the span starts before the previous one */
	KP_MERGE_MEMORY = -2,
	KP_MERGE_SINK = -3,	/* the sink's span() returned nonzero */
};

/*
 * @resolution is in units of 10 ns, above 0. Spans go to out->span(out->self, ...). @out must
 * outlive the merge. Returns NULL without memory.
 */
struct kp_merge *kp_merge_new(int64_t resolution, const struct kp_span_sink *out);

/* Leaves the spans in these ranges unchanged. @ranges must outlive the merge. */
void kp_merge_leave(struct kp_merge *merge, const kp_ranges *ranges);

/*
 * Returns whether the span is left out if it is shorter than the resolution: arcs, waits, some
 * points.
 */
bool kp_merge_drops(const struct kp_span *span);

/* Adds a span. */
enum kp_merge_result kp_merge_span(struct kp_merge *merge, const struct kp_span *span);

/* Writes the rest. The last spans of the CPUs may be shorter than the resolution. */
enum kp_merge_result kp_merge_end(struct kp_merge *merge);

const struct kp_merge_counts *kp_merge_counts(const struct kp_merge *merge);
void kp_merge_free(struct kp_merge *merge);

#endif
