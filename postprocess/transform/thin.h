/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * How coarse spans must be so that there are at most so many, as a page that a browser is to hold. What marks
 * enclose, from mark_a "x" to mark_a "/x", is left as it is: that is what somebody wanted to look at. Takes all
 * spans twice, in time order: first for the marks, then to count. Called by rawtohtml.
 */
#ifndef KP_TRANSFORM_THIN_H
#define KP_TRANSFORM_THIN_H

#include <stdbool.h>
#include <stdint.h>

#include "model/span.h"
#include "transform/ranges.h"

struct kp_thin;

/* NULL without memory. */
struct kp_thin *kp_thin_new(void);
void kp_thin_free(struct kp_thin *thin);

/* The first time. 0, or -1 without memory. */
int kp_thin_mark(struct kp_thin *thin, const struct kp_span *span);
/* What marks enclose; valid behind the last kp_thin_mark(), until thin is freed. */
const kp_ranges *kp_thin_ranges(const struct kp_thin *thin);

/* The second time. */
void kp_thin_count(struct kp_thin *thin, const struct kp_span *span);

/* How many were counted; how many of these marks enclose. */
uint64_t kp_thin_all(const struct kp_thin *thin);
uint64_t kp_thin_inside(const struct kp_thin *thin);

/*
 * About the least resolution (of transform/merge.h, units of 10 ns) with which most at the most are left;
 * 0: it takes none. When no resolution does, the least that leaves no fewer than any other. leave_marked: what marks
 * enclose is left as it is. *left says how many are left, about.
 */
int64_t kp_thin_resolution(const struct kp_thin *thin, uint64_t most, bool leave_marked,
			   uint64_t *left);

#endif
