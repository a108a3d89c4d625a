/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Sinks in a thread: events or spans pass to another thread, and reach its sink a little later in
 * order. So two processors share the work.
 */
#ifndef KP_PIPE_H
#define KP_PIPE_H

#include "model/event.h"
#include "model/span.h"

/* ---- spans ---- */

/*
 * Calls pass(self, sink), which writes spans to @sink. They go to to->span(), called by another
 * thread until this function returns, or directly if there cannot be a thread. The other thread
 * writes the output, so it gets the signals that end a program (base/thread.h). The name of a span
 * must stay valid until this function returns. Returns 0, or the nonzero value of pass() or
 * to->span().
 */
int kp_span_pipe_pass(int (*pass)(void *self, const struct kp_span_sink *sink), void *self,
		      const struct kp_span_sink *to);

/* ---- events ---- */

struct kp_event_pipe;

/*
 * Passes events, name definitions and comments to another thread. Their texts are copied. The
 * caller, which reads the input, keeps the signals.
 */
struct kp_event_pipe *kp_event_pipe_open(const struct kp_event_sink *to);
struct kp_event_sink kp_event_pipe_sink(struct kp_event_pipe *pipe);
int kp_event_pipe_close(struct kp_event_pipe *pipe);

#endif
