/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Reads a raw trace into rows in order of time, which can then be written several times. Reading,
 * ordering, reconstruction and sorting run on several CPUs.
 */
#ifndef KP_TRANSFORM_TRACE_H
#define KP_TRANSFORM_TRACE_H

#include <stdio.h>

#include "rawtrace/blocks.h"
#include "rawtrace/raw.h"
#include "reconstruct/reconstruct.h"
#include "transform/order.h"
#include "transform/rows.h"

struct kp_trace {
	/* set by the caller; the rest must be zero */
	const char *title;			/* goes into the header; NULL = "" */
	/*
	 * Gets each name definition before the reconstruction; NULL = none. Returns 0, or -1
	 * without memory.
	 */
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
 * Reads the trace in @file, which kp_trace_free() closes. @shown is its name in messages. Returns
 * 0, or -1 with kp_trace_message(). A trace without events is an error.
 */
int kp_trace_open(struct kp_trace *trace, FILE *file, const char *shown);
int kp_trace_read(struct kp_trace *trace);

/*
 * Passes the header and all rows in order to @sink, then calls its end(). Must be called after
 * kp_trace_read(). Another thread may call the sink's span() (transform/pipe.h). Returns 0, or
 * nonzero: -1, or the value that the sink returned.
 */
int kp_trace_replay(struct kp_trace *trace, const struct kp_span_sink *sink);

/* Returns one line on the error of any stage. */
const char *kp_trace_message(const struct kp_trace *trace);

void kp_trace_free(struct kp_trace *trace);

#endif
