/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Checks that execution spans cover each CPU's time: a kp_span_sink that takes
 * rows in any order and finds gaps and overlaps. Used by checktrace and tests.
 */
#ifndef KP_COVERAGE_H
#define KP_COVERAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/span.h"

struct kp_interval {
	int64_t start, end;	/* 10 ns units */
};

struct kp_cpu_coverage {
	struct kp_interval *list;	/* covered, by pauses also; disjoint, in order, not adjacent */
	size_t count, room;
	uint64_t spans;
	uint64_t overlaps;	/* spans that cover what was covered */
	int64_t overlap;	/* 10 ns units covered more than once */
	int64_t overlap_at;	/* where the first one is */
	int64_t paused;		/* 10 ns units of the list in which recording was off */
	int64_t paused_until;	/* end of the last of these rows */
};

/* All zero to begin with. */
struct kp_coverage {
	struct kp_cpu_coverage cpu[256];
	uint64_t rows;
	bool failed;		/* out of memory */
};

struct kp_span_sink kp_coverage_sink(struct kp_coverage *coverage);

/* Time between first and last that neither execution nor pauses cover, 10 ns units. */
struct kp_gaps {
	uint64_t count;
	int64_t units;
	int64_t at;		/* where the first one begins */
	int64_t outside;	/* units covered before first or after last */
};

struct kp_gaps kp_coverage_gaps(const struct kp_coverage *coverage, int cpu,
				int64_t first, int64_t last);

void kp_coverage_free(struct kp_coverage *coverage);

#endif
