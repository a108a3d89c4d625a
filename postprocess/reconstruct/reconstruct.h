/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * From events to spans: what each CPU ran at each instant, what each pid waited
 * for, who woke whom. The rules are explained in docs/reconstruction.md.
 *
 * Feed events in time order (transform/order.h sees to that) to the sink that
 * kp_reconstruct_sink() gives; the spans go to the sink given to
 * kp_reconstruct_new(), in the order of their ends, not of their starts.
 * Called by eventtospan, rawtohtml and checktrace.
 */
#ifndef KP_RECONSTRUCT_H
#define KP_RECONSTRUCT_H

#include <stdio.h>

#include "model/event.h"
#include "model/span.h"
#include "reconstruct/stats.h"

struct kp_reconstruct;

/*
 * title goes into the header. sink must outlive the reconstruction. NULL
 * without memory.
 */
struct kp_reconstruct *kp_reconstruct_new(const char *title,
					  const struct kp_span_sink *sink);

/*
 * The sink to feed. Its functions return 0, -1 with kp_reconstruct_message(), or
 * what the span sink returned.
 */
struct kp_event_sink kp_reconstruct_sink(struct kp_reconstruct *rec);

/* From now on, a line to trace for everything that is inferred; NULL = no more. */
void kp_reconstruct_trace(struct kp_reconstruct *rec, FILE *trace);

/* No more comes: closes what is open and calls the span sink's end(). As above. */
int kp_reconstruct_end(struct kp_reconstruct *rec);

const char *kp_reconstruct_message(const struct kp_reconstruct *rec);
const struct kp_reconstruct_stats *kp_reconstruct_stats(const struct kp_reconstruct *rec);

/* Time of the last event as announced in front (10 ns units); 0 = not announced. */
int64_t kp_reconstruct_announced_last(const struct kp_reconstruct *rec);

/* "2026-11-20_08:50:00", or "" while unknown. */
const char *kp_reconstruct_base(const struct kp_reconstruct *rec);

void kp_reconstruct_free(struct kp_reconstruct *rec);

#endif
