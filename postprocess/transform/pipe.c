// SPDX-License-Identifier: BSD-3-Clause
/*
 * Passes events and spans to a thread in batches, see transform/pipe.h.
 */
#include <stdlib.h>
#include <string.h>

#include "base/thread.h"
#include "transform/pipe.h"

#define BATCH_SPANS	1024u
#define BATCH_EVENTS	1024u
#define BATCH_TEXT	65536u	/* bytes; several times the usual size */
/* Distance in bytes between data that different threads write and read: two cache lines. */
#define PADDING		128u

/* The first member of each kind of batch. */
struct fill {
	char padding[PADDING];
	size_t count, text_used;
};

/* The first member of each kind of pipe. */
struct pipe {
	struct kp_worker *worker;
	struct fill *fill;		/* of the batch that is filled */
};

/* Opens the pipe @self, which was allocated with zeros. Returns it; or frees it and returns NULL. */
static void *open_pipe(void *self, int (*empty)(void *self, void *batch), void *batches,
		       size_t batch_size, enum kp_worker_signals signals)
{
	struct pipe *pipe = self;

	pipe->worker = kp_worker_open(empty, self, batches, batch_size, signals);
	if (!pipe->worker) {
		free(self);
		return NULL;
	}
	pipe->fill = kp_worker_batch(pipe->worker);
	return self;
}

static int hand_over(struct pipe *pipe)
{
	int err = kp_worker_hand_over(pipe->worker);

	pipe->fill = kp_worker_batch(pipe->worker);
	pipe->fill->count = pipe->fill->text_used = 0;
	return err;
}

static int close_pipe(struct pipe *pipe)
{
	int err;

	hand_over(pipe);
	err = kp_worker_close(pipe->worker);
	free(pipe);
	return err;
}

/* ---- spans ---- */

struct span_batch {
	struct fill fill;
	struct kp_span spans[BATCH_SPANS];
};

struct span_pipe {
	struct pipe pipe;
	struct kp_span_sink to;
	char padding[PADDING];
	struct span_batch batches[KP_BATCHES];
};

static int empty_spans(void *self, void *data)
{
	struct span_pipe *pipe = self;
	struct span_batch *batch = data;
	size_t i;
	int err = 0;

	for (i = 0; i < batch->fill.count && !err; i++)
		err = pipe->to.span(pipe->to.self, &batch->spans[i]);
	return err;
}

static int put_span(void *self, const struct kp_span *span)
{
	struct pipe *pipe = self;
	struct span_batch *batch = (struct span_batch *)pipe->fill;

	batch->spans[batch->fill.count++] = *span;
	return batch->fill.count == BATCH_SPANS ? hand_over(pipe) : 0;
}

int kp_span_pipe_pass(int (*pass)(void *self, const struct kp_span_sink *sink), void *self,
		      const struct kp_span_sink *to)
{
	struct span_pipe *pipe = calloc(1, sizeof(*pipe));
	struct kp_span_sink threaded = { .span = put_span };
	int err, late;

	if (pipe) {
		pipe->to = *to;
		pipe = open_pipe(pipe, empty_spans, pipe->batches, sizeof(*pipe->batches),
				 KP_WORKER_TAKES_SIGNALS);
	}
	if (!pipe)
		return pass(self, to);
	threaded.self = pipe;
	err = pass(self, &threaded);
	late = close_pipe(&pipe->pipe);
	return err ? err : late;
}

/* ---- events ---- */

/* Values of cpu in records that are not events. */
enum { IS_NAMEDEF = -1, IS_COMMENT = -2 };

struct event_batch {
	struct fill fill;
	struct kp_event events[BATCH_EVENTS];	/* name definition: number in arg0, kind in rpc */
	char text[BATCH_TEXT];
};

struct kp_event_pipe {
	struct pipe pipe;
	struct kp_event_sink to;
	char padding[PADDING];
	struct event_batch batches[KP_BATCHES];
};

static int hand_on(const struct kp_event_sink *to, const struct kp_event *event)
{
	struct kp_namedef def;

	if (event->cpu >= 0)
		return to->event(to->self, event);
	if (event->cpu == IS_COMMENT)
		return to->comment(to->self, event->name, event->name_len);
	def = (struct kp_namedef){
		.ts = event->ts, .event = event->event, .number = event->arg0,
		.kind = event->rpc, .name = event->name, .name_len = event->name_len,
	};
	return to->namedef(to->self, &def);
}

static int empty_events(void *self, void *data)
{
	struct kp_event_pipe *pipe = self;
	struct event_batch *batch = data;
	size_t i;
	int err = 0;

	for (i = 0; i < batch->fill.count && !err; i++)
		err = hand_on(&pipe->to, &batch->events[i]);
	return err;
}

struct kp_event_pipe *kp_event_pipe_open(const struct kp_event_sink *to)
{
	struct kp_event_pipe *pipe = calloc(1, sizeof(*pipe));

	if (!pipe)
		return NULL;
	pipe->to = *to;
	return open_pipe(pipe, empty_events, pipe->batches, sizeof(*pipe->batches),
			 KP_WORKER_NO_SIGNALS);
}

static int put_event(void *self, const struct kp_event *event)
{
	struct kp_event_pipe *pipe = self;
	struct event_batch *batch = (struct event_batch *)pipe->pipe.fill;
	struct kp_event *copy;
	int err;

	if (batch->fill.count == BATCH_EVENTS || event->name_len > BATCH_TEXT - batch->fill.text_used) {
		err = hand_over(&pipe->pipe);
		if (err)
			return err;
		batch = (struct event_batch *)pipe->pipe.fill;
	}
	if (event->name_len > BATCH_TEXT) {
		/* should not occur; wait, so that the order is right */
		err = kp_worker_wait(pipe->pipe.worker);
		return err ? err : hand_on(&pipe->to, event);
	}
	copy = &batch->events[batch->fill.count++];
	*copy = *event;
	copy->name = batch->text + batch->fill.text_used;
	if (event->name_len)
		memcpy(batch->text + batch->fill.text_used, event->name, event->name_len);
	batch->fill.text_used += event->name_len;
	return 0;
}

static int pipe_namedef(void *self, const struct kp_namedef *def)
{
	const struct kp_event event = {
		.ts = def->ts, .event = def->event, .cpu = IS_NAMEDEF, .arg0 = def->number,
		.rpc = def->kind, .name = def->name, .name_len = def->name_len,
	};

	return put_event(self, &event);
}

static int pipe_comment(void *self, const char *text, size_t len)
{
	const struct kp_event event = {
		.cpu = IS_COMMENT, .name = text, .name_len = len,
	};

	return put_event(self, &event);
}

struct kp_event_sink kp_event_pipe_sink(struct kp_event_pipe *pipe)
{
	return (struct kp_event_sink){
		.event = put_event, .namedef = pipe_namedef, .comment = pipe_comment,
		.self = pipe,
	};
}

int kp_event_pipe_close(struct kp_event_pipe *pipe)
{
	return close_pipe(&pipe->pipe);
}
