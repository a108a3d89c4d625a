/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Reads a raw trace into rows in order of time on several CPUs. The rows can be written several
 * times. Also passes events or spans to a sink in another thread, in order.
 */
#ifndef KP_TRANSFORM_TRACE_H
#define KP_TRANSFORM_TRACE_H

#include "rawtrace/blocks.h"
#include "reconstruct/reconstruct.h"
#include "transform/order.h"
#include "transform/rows.h"

/*
 * Calls pass(self, sink). Another thread passes the spans to to->span(), until this function
 * returns. If no thread can be created, this thread does so. The other thread writes, so it gets
 * the signals (base/thread.h). Names must stay valid. Returns 0, or the nonzero value of pass() or
 * to->span().
 */
int kp_span_pipe_pass(int (*pass)(void *self, const struct kp_span_sink *sink), void *self,
		      const struct kp_span_sink *to);

struct kp_event_pipe;

/*
 * Opens a pipe that passes events, name definitions and comments to another thread. Their texts are
 * copied. The caller, which reads the input, still gets the signals.
 */
struct kp_event_pipe *kp_event_pipe_open(const struct kp_event_sink *to);
struct kp_event_sink kp_event_pipe_sink(struct kp_event_pipe *pipe);
int kp_event_pipe_close(struct kp_event_pipe *pipe);

struct kp_trace {
	/* members set by the caller; all other members must be zero */
	const char *title;			/* title of the header; NULL: "" */
	/*
	 * Called with each name before the reconstruction gets the name; or NULL. Returns 0, or -1
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
 * Read the trace in @file, which kp_trace_free() closes. Return 0, or -1 with kp_trace_message(); a
 * trace without events is an error. @shown is the file's name in messages.
 */
int kp_trace_open(struct kp_trace *trace, FILE *file, const char *shown);
int kp_trace_read(struct kp_trace *trace);

/*
 * Passes the header and all rows of the read trace in order to @sink, and calls its end(). Another
 * thread may call span(). Returns 0, -1, or the value that the sink returned.
 */
int kp_trace_replay(struct kp_trace *trace, const struct kp_span_sink *sink);

/* Returns one line on the error of any stage. */
const char *kp_trace_message(const struct kp_trace *trace);

void kp_trace_free(struct kp_trace *trace);

#endif
