/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Checks that execution spans cover each CPU's time: a kp_span_sink that takes rows in any order,
 * and finds gaps and overlaps.
 */
#ifndef KP_COVERAGE_H
#define KP_COVERAGE_H

#include "model/span.h"

struct kp_interval {
	int64_t start, end;	/* units of 10 ns */
};

struct kp_cpu_coverage {
	/* covered intervals, including pauses; sorted; they do not touch each other */
	struct kp_interval *list;
	size_t count, room;
	uint64_t spans;
	uint64_t overlaps;	/* number of spans that overlap earlier ones */
	int64_t overlap;	/* time that is covered more than once, units of 10 ns */
	int64_t overlap_at;	/* start of the first span that overlaps an earlier one */
	int64_t paused;		/* time in which recording was off, units of 10 ns */
	int64_t paused_until;	/* end of the last row of a pause or a stop */
};

/* Coverage of all CPUs. All zero before the first row. */
struct kp_coverage {
	struct kp_cpu_coverage cpu[256];
	uint64_t rows;
	bool failed;		/* memory ran out */
};

struct kp_span_sink kp_coverage_sink(struct kp_coverage *coverage);

/* Gaps: intervals between first and last that neither execution nor pauses cover. */
struct kp_gaps {
	uint64_t count;
	int64_t units;
	int64_t at;		/* start of the first gap */
	int64_t outside;	/* time that is covered before first or after last */
};

struct kp_gaps kp_coverage_gaps(const struct kp_coverage *coverage, int cpu,
				int64_t first, int64_t last);

void kp_coverage_free(struct kp_coverage *coverage);

#endif
