/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Puts events into one definite time order between a source and the
 * reconstruction. What comes in order goes through; what does not is held and
 * sorted. Events of the same time are put into an order that depends on nothing
 * but themselves, so that sorted, unsorted and differently sorted input give
 * the same spans.
 *
 * The first KP_ORDER_LOOK records are held before any is handed on. If they are
 * in order, the rest streams through, and a step back later is an error; if
 * not, everything is held until the end. Called by eventtospan, checktrace and rawtohtml.
 */
#ifndef KP_ORDER_H
#define KP_ORDER_H

#include <stdbool.h>

#include "model/event.h"

#define KP_ORDER_LOOK	(1u << 17)	/* records; about 100 bytes each */

struct kp_order;

/* Hands on to sink, which must outlive it. NULL without memory. */
struct kp_order *kp_order_new(const struct kp_event_sink *sink);

/* The same for a source that promises order: nothing is held but one time's. */
struct kp_order *kp_order_new_ordered(const struct kp_event_sink *sink);

/*
 * The sink to feed. Comments and names at time -1 go through at once. Its
 * functions return 0, -1 (kp_order_message() says why), or what the sink behind
 * returned.
 */
struct kp_event_sink kp_order_sink(struct kp_order *order);

/* No more comes: hands on what is held. Returns as above. */
int kp_order_end(struct kp_order *order);

/* One line after a failure of its own, else "". */
const char *kp_order_message(const struct kp_order *order);

void kp_order_free(struct kp_order *order);

#endif
