/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Coarser spans: per CPU, execution spans are put together until they are at
 * least a given time long. Takes spans in time order and gives spans in time
 * order to another sink's span(). The core of spantospan. Called by spantospan and rawtohtml.
 */
#ifndef KP_MERGE_H
#define KP_MERGE_H

#include <stdbool.h>
#include <stdint.h>

#include "model/span.h"
#include "transform/ranges.h"

struct kp_merge;

/* What a merge did so far. */
struct kp_merge_counts {
	uint64_t execution_in, execution_out;
	uint64_t dropped;	/* short arcs, waits and points */
	uint64_t kept;		/* rows that are not execution */
	uint64_t overlaps;	/* execution spans that began before the last one ended */
	uint64_t holes;		/* without execution, of up to 30 ns, that are in spans now */
	int64_t hole_time;	/* their sum, 10 ns units */
};

enum kp_merge_result {
	KP_MERGE_OK = 0,
	KP_MERGE_ORDER = -1,	/* the span starts before the one in front of it */
	KP_MERGE_MEMORY = -2,
	KP_MERGE_SINK = -3,	/* the sink's span() did not return 0 */
};

/*
 * resolution in 10 ns units, above 0. NULL without memory. Spans go to
 * out->span(out->self, ...); out must outlive the merge.
 */
struct kp_merge *kp_merge_new(int64_t resolution, const struct kp_span_sink *out);

/* Spans that lie in one of these are left as they are; ranges must outlive the merge. */
void kp_merge_leave(struct kp_merge *merge, const kp_ranges *ranges);

/* Whether it is left out when it is shorter than the resolution: arcs, waits and points that say little then. */
bool kp_merge_drops(const struct kp_span *span);

/* One span in. */
enum kp_merge_result kp_merge_span(struct kp_merge *merge, const struct kp_span *span);

/* The rest out: what is left on each CPU may be shorter than the resolution. */
enum kp_merge_result kp_merge_end(struct kp_merge *merge);

const struct kp_merge_counts *kp_merge_counts(const struct kp_merge *merge);
void kp_merge_free(struct kp_merge *merge);

#endif
