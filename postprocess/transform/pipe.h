/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Sinks in threads of their own: events or spans go in here and come out there a
 * little later, in order, so that making and taking them share two processors.
 * Called by rawtohtml.
 */
#ifndef KP_PIPE_H
#define KP_PIPE_H

#include "model/event.h"
#include "model/span.h"

/* ---- spans ---- */

struct kp_span_pipe;

/*
 * Starts handing spans to to->span(), which is called from the other thread only,
 * until the pipe is closed. The other thread takes the signals that end a program
 * (base/worker.h), as it is the one that writes. NULL if it cannot be made.
 */
struct kp_span_pipe *kp_span_pipe_open(const struct kp_span_sink *to);

/* self is the pipe. The name must stay valid until the pipe is closed. 0, or what to said. */
int kp_span_pipe_span(void *self, const struct kp_span *span);

/* Waits for the rest and frees the pipe. 0, or what to said to some span. */
int kp_span_pipe_close(struct kp_span_pipe *pipe);

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
