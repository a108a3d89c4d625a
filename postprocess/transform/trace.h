/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * From a raw trace to its rows in time order, ready to be replayed: reading, order, reconstruction
 * and sorting, on several processors. Called by rawtohtml and by exporters that take spans.
 */
#ifndef KP_TRANSFORM_TRACE_H
#define KP_TRANSFORM_TRACE_H

#include <stdio.h>

#include "rawtrace/events.h"
#include "rawtrace/raw.h"
#include "reconstruct/reconstruct.h"
#include "transform/order.h"
#include "transform/rows.h"

struct kp_trace {
	/* set by the caller, the rest zero */
	const char *title;			/* goes into the header; NULL = "" */
	/* sees each name definition, in front of the reconstruction; NULL = nobody. 0, or -1 without memory */
	int (*names)(void *self, const struct kp_namedef *def);
	void *names_self;

	struct kp_raw raw;
	struct kp_raw_summary summary;
	struct kp_rows *rows;
	struct kp_reconstruct *rec;
	struct kp_order *order;
	struct kp_event_sink next;
};

/*
 * Reads the trace in file, called shown in messages, which is closed by kp_trace_free(). 0, or
 * -1: kp_trace_message() says why; a trace without events is an error, too.
 */
int kp_trace_open(struct kp_trace *trace, FILE *file, const char *shown);
int kp_trace_read(struct kp_trace *trace);

/*
 * The header and all rows, in order, to sink, whose span() may be called from another thread
 * (transform/pipe.h), and its end(); after kp_trace_read(). 0, or what went wrong: -1, or what sink said.
 */
int kp_trace_replay(struct kp_trace *trace, const struct kp_span_sink *sink);

/* One line after a failure of any stage. */
const char *kp_trace_message(const struct kp_trace *trace);

void kp_trace_free(struct kp_trace *trace);

#endif
