/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Computes how coarse spans must be so that at most a given number is left, for a page that a
 * browser can hold. Spans between the marks mark_a "x" and mark_a "/x" can be left unchanged,
 * because the user has marked them. Takes all spans twice in order of time: first to find the
 * marks, then to count.
 */
#ifndef KP_TRANSFORM_THIN_H
#define KP_TRANSFORM_THIN_H

#include <stdbool.h>
#include <stdint.h>

#include "model/span.h"
#include "transform/ranges.h"

struct kp_thin;

/* Returns NULL without memory. */
struct kp_thin *kp_thin_new(void);
void kp_thin_free(struct kp_thin *thin);

/* First pass. Returns 0, or -1 without memory. */
int kp_thin_mark(struct kp_thin *thin, const struct kp_span *span);
/* Returns the ranges between marks. Valid after the last kp_thin_mark() until kp_thin_free(). */
const kp_ranges *kp_thin_ranges(const struct kp_thin *thin);

/* Second pass. */
void kp_thin_count(struct kp_thin *thin, const struct kp_span *span);

/* Return the number of counted spans, and the number of those between marks. */
uint64_t kp_thin_all(const struct kp_thin *thin);
uint64_t kp_thin_inside(const struct kp_thin *thin);

/*
 * Returns approximately the smallest resolution (see transform/merge.h; units of 10 ns) that leaves
 * at most @most spans; 0: none is needed. If no resolution is enough, returns the smallest one that
 * leaves the fewest spans. @leave_marked: spans between marks are left unchanged. Sets *left to the
 * approximate number of spans left.
 */
int64_t kp_thin_resolution(const struct kp_thin *thin, uint64_t most, bool leave_marked,
			   uint64_t *left);

#endif
