/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Puts events into a definite order between a source and the reconstruction. Events in order are
 * passed on; others are held and sorted. The order of events with the same time depends only on the
 * events themselves. So sorted, unsorted and differently sorted input give the same spans.
 *
 * The first KP_ORDER_HELD records are held. If they are in order, later records are passed on
 * directly, and a step back in time is an error. Otherwise all records are held until the end.
 */
#ifndef KP_ORDER_H
#define KP_ORDER_H

#include "model/span.h"

/* number of records that are held at first; about 100 bytes each */
#define KP_ORDER_HELD	(1u << 17)

struct kp_order;

/* Returns an ordering for @sink, which must outlive it. Returns NULL without memory. */
struct kp_order *kp_order_new(const struct kp_event_sink *sink);

/*
 * Returns an ordering for a source that is already in order: holds only records with the same time.
 */
struct kp_order *kp_order_new_ordered(const struct kp_event_sink *sink);

/*
 * Returns the sink for the records. Comments and names at time -1 are passed on immediately. The
 * functions return 0, -1 (see kp_order_message()), or the value that the next sink returned.
 */
struct kp_event_sink kp_order_sink(struct kp_order *order);

/*
 * Passes on the held records. Must be called after the last record. Returns 0, -1 (see
 * kp_order_message()), or the value that the next sink returned.
 */
int kp_order_end(struct kp_order *order);

/* Returns a line about an error of the ordering itself, or "". */
const char *kp_order_message(const struct kp_order *order);

void kp_order_free(struct kp_order *order);

#endif
