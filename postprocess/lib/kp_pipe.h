/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A sink in a thread of its own: spans go in here and come out there a little
 * later, in order, so that making them and writing them share two processors.
 * Called by rawtohtml.
 */
#ifndef KP_PIPE_H
#define KP_PIPE_H

#include "kp_span.h"

struct kp_pipe;

/*
 * Starts handing spans to to->span(), which is called from the other thread only,
 * until kp_pipe_close(). SIGINT and SIGTERM are kept from the calling thread
 * meanwhile, so that they end a write that waits. NULL if it cannot be made.
 */
struct kp_pipe *kp_pipe_open(const struct kp_span_sink *to);

/* self is the pipe. The name must stay valid until kp_pipe_close(). 0, or what to said. */
int kp_pipe_span(void *self, const struct kp_span *span);

/* Waits for the rest and frees the pipe. 0, or what to said to some span. */
int kp_pipe_close(struct kp_pipe *pipe);

#endif
