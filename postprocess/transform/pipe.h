/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Sinks in threads of their own: events or spans go in here and come out there a
 * little later, in order, so that making and taking them share two processors.
 * Called by what makes one file of a raw trace: rawtohtml, rawtoperfetto.
 */
#ifndef KP_PIPE_H
#define KP_PIPE_H

#include "model/event.h"
#include "model/span.h"

/* ---- spans ---- */

/*
 * Calls pass(self, sink), which gives spans to sink, and hands them to to->span(), which is
 * called from another thread until this returns; where there cannot be one, directly. The
 * other thread takes the signals that end a program (base/worker.h), as it is the one that
 * writes. A span's name must stay valid until this returns. 0, or what pass said, or what
 * to said to some span.
 */
int kp_span_pipe_pass(int (*pass)(void *self, const struct kp_span_sink *sink), void *self,
		      const struct kp_span_sink *to);

/* ---- events ---- */

struct kp_event_pipe;

/*
 * The same for events, name definitions and comments, whose texts are copied. The
 * signals stay with the caller, which is the one that reads.
 */
struct kp_event_pipe *kp_event_pipe_open(const struct kp_event_sink *to);
struct kp_event_sink kp_event_pipe_sink(struct kp_event_pipe *pipe);
int kp_event_pipe_close(struct kp_event_pipe *pipe);

#endif
