/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Converts events to spans: what each CPU ran at each time, what each task waited for, and which
 * task woke which. docs/design/reconstruction.md explains the rules.
 *
 * The sink from kp_reconstruct_sink() must get the events in order of time (transform/order.h sorts
 * them). The spans go to the sink given to kp_reconstruct_new(), in the order of their ends, not of
 * their starts.
 */
#ifndef KP_RECONSTRUCT_H
#define KP_RECONSTRUCT_H

#include <stdio.h>

#include "reconstruct/stats.h"

struct kp_reconstruct;

/* Returns a reconstruction for @sink, which must outlive it, or NULL without memory. */
struct kp_reconstruct *kp_reconstruct_new(const char *title,
					  const struct kp_span_sink *sink);

/*
 * Returns the sink for the events. Its functions return 0, -1 with kp_reconstruct_message(), or the
 * value that the span sink returned.
 */
struct kp_event_sink kp_reconstruct_sink(struct kp_reconstruct *rec);

/* Makes the reconstruction print a line to @trace for each inference; NULL: no lines. */
void kp_reconstruct_trace(struct kp_reconstruct *rec, FILE *trace);

/*
 * Ends all open spans after the last event, and calls end() of the span sink. Returns 0, -1 with
 * kp_reconstruct_message(), or the value that the span sink returned.
 */
int kp_reconstruct_end(struct kp_reconstruct *rec);

const char *kp_reconstruct_message(const struct kp_reconstruct *rec);
const struct kp_reconstruct_stats *kp_reconstruct_stats(const struct kp_reconstruct *rec);

/*
 * Returns the time of the last event that the comments before the events announce, in 10 ns units;
 * 0: unknown.
 */
int64_t kp_reconstruct_announced_last(const struct kp_reconstruct *rec);

/* Returns the start minute as "2026-11-20_08:50:00", or "" if it is unknown. */
const char *kp_reconstruct_base(const struct kp_reconstruct *rec);

void kp_reconstruct_free(struct kp_reconstruct *rec);

#endif
