// SPDX-License-Identifier: BSD-3-Clause
/*
 * Reads a raw trace into rows, and passes events and spans to a thread in batches, see
 * transform/trace.h.
 *
 * A thread reads, decodes and merges the blocks of all CPUs, and makes parts of PART_ENTRIES
 * entries in order. So the consumer reads memory sequentially, instead of many blocks that are in
 * another CPU's cache. Only one thread does this, because the consumer would have to merge the
 * parts of several threads again. The code is not in rawtrace/events.c: filters with a single
 * thread need no thread library.
 *
 * A part also ends after the last entry of a block. The thread gets this block back when the
 * consumer has consumed the part.
 */
#include "transform/trace.h"

#include <stdlib.h>

#include "base/progress.h"
#include "base/thread.h"
#include "base/tool.h"

#define BATCH_SPANS	1024u
#define BATCH_EVENTS	1024u
/* number of bytes of texts in a batch; several times the usual size */
#define BATCH_TEXT	65536u
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
	struct fill *fill;		/* fill member of the batch that is being filled */
};

/* Opens the zeroed pipe @self. Returns @self, or frees it and returns NULL after an error. */
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

/* ---- spans to another thread ---- */

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
	int err = 0;

	for (size_t i = 0; i < batch->fill.count && !err; i++)
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

/* ---- events to another thread ---- */

/* Values of cpu that mark records which are not events. */
enum { IS_NAMEDEF = -1, IS_COMMENT = -2 };

struct event_batch {
	struct fill fill;
	/* events; a name definition has its number in arg0 and its kind in rpc */
	struct kp_event events[BATCH_EVENTS];
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
	int err = 0;

	for (size_t i = 0; i < batch->fill.count && !err; i++)
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
		/* such a long name should not occur; wait, so that the order remains right */
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

#define PART_ENTRIES	1024u

struct part {
	size_t count;
	struct kp_raw_source *finished;	/* block whose last entry ends this part; NULL: none */
	struct kp_raw_merged entries[PART_ENTRIES];
};

struct reader {
	/* copy of the trace, in which the thread stores its message */
	struct kp_raw raw;
	struct kp_raw_heap heap;
	bool failed;			/* an error occurred after the parts made so far */
	struct part parts[KP_BATCHES];
};

static int make_part(void *self, void *batch)
{
	struct reader *reader = self;
	struct part *part = batch;
	struct kp_raw_source *back = part->finished;
	int err;

	part->finished = NULL;
	if (reader->failed)
		return -1;
	if (back)
		kp_raw_heap_return(&reader->heap, back);
	err = kp_raw_heap_part(&reader->heap, part->entries, PART_ENTRIES, &part->count,
			       &part->finished);
	reader->failed = err;
	return part->count ? 1 : err;
}

static int take_part(const struct part *part, kp_raw_consume *take, void *self)
{
	int err = 0;

	for (size_t i = 0; i < part->count && !err; i++)
		err = take(self, &part->entries[i]);
	return err;
}

/* Shows progress after a block was consumed. */
static int say_progress(struct kp_raw *raw, uint64_t blocks)
{
	kp_progress(blocks * KUTRACE_BLOCK_BYTES, raw->bytes);
	return kp_interrupted() ? kp_raw_fail(raw, "interrupted") : 0;
}

static int take_all(struct kp_raw *raw, struct reader *reader, struct kp_ahead *ahead,
		    kp_raw_consume *take, void *self)
{
	const struct part *part;
	uint64_t blocks = 0;
	int err;

	while ((part = kp_ahead_next(ahead, &err))) {
		err = take_part(part, take, self);
		if (!err && part->finished)
			err = say_progress(raw, ++blocks);
		if (err)
			return err;
	}
	/* the thread has ended or is about to: its message is complete */
	if (err)
		memcpy(raw->message, reader->raw.message, sizeof(raw->message));
	return err;
}

static int read_with(struct kp_raw *raw, struct reader *reader, kp_raw_consume *take, void *self)
{
	struct kp_ahead *ahead;
	int err;

	reader->heap.raw = raw;
	kp_raw_heap_add_all(&reader->heap);
	reader->raw = *raw;
	reader->raw.message[0] = 0;
	reader->heap.raw = &reader->raw;
	reader->heap.ahead = true;
	ahead = kp_ahead_open(make_part, reader, reader->parts, sizeof(*reader->parts));
	err = ahead ? take_all(raw, reader, ahead, take, self) : kp_raw_fail(raw, "no memory");
	kp_ahead_close(ahead);
	for (unsigned int i = 0; i < KP_BATCHES; i++)
		free(reader->parts[i].finished);
	kp_raw_heap_free(&reader->heap);
	return err;
}

/*
 * Calls @take in this thread for each entry in order of time. Takes over raw->locations, which is
 * then NULL. Returns 0; -1 with raw->message; or the nonzero value of @take.
 */
static int kp_raw_read_ahead(struct kp_raw *raw, kp_raw_consume *take, void *self)
{
	struct reader *reader;
	int err;

	reader = calloc(1, sizeof(*reader));
	if (!reader)
		return kp_raw_fail(raw, "no memory");
	err = read_with(raw, reader, take, self);
	free(reader);
	return err;
}

/* ---- the rows ---- */

/* With fewer CPUs, reading has no thread: naming, reconstruction and sorting need a CPU each. */
#define AHEAD_FROM	4u

int kp_trace_open(struct kp_trace *trace, FILE *file, const char *shown)
{
	struct kp_span_sink spans;

	if (kp_raw_open(&trace->raw, file, shown))
		return -1;
	trace->rows = kp_rows_new();
	if (!trace->rows)
		return -1;
	spans = kp_rows_sink(trace->rows);
	trace->rec = kp_reconstruct_new(trace->title ? trace->title : "", &spans);
	return trace->rec ? 0 : -1;
}

static int pass_event(void *self, const struct kp_event *event)
{
	const struct kp_trace *trace = self;

	return trace->next.event(trace->next.self, event);
}

static int pass_namedef(void *self, const struct kp_namedef *def)
{
	const struct kp_trace *trace = self;

	if (trace->names(trace->names_self, def))
		return -1;
	return trace->next.namedef(trace->next.self, def);
}

static int pass_comment(void *self, const char *text, size_t len)
{
	const struct kp_trace *trace = self;

	return trace->next.comment(trace->next.self, text, len);
}

/* Passes all events through the reconstruction, which runs in a thread, to the rows. */
static int reconstruct(struct kp_trace *trace)
{
	struct kp_event_sink events = kp_reconstruct_sink(trace->rec);
	struct kp_event_pipe *pipe = kp_event_pipe_open(&events);
	int err, late = 0;

	if (pipe)
		events = kp_event_pipe_sink(pipe);
	trace->order = kp_order_new_ordered(&events);
	if (!trace->order) {
		if (pipe)
			kp_event_pipe_close(pipe);
		return -1;
	}
	events = kp_order_sink(trace->order);
	trace->next = events;
	if (trace->names)
		events = (struct kp_event_sink){ pass_event, pass_namedef, pass_comment, trace };
	err = kp_raw_events_by(kp_cores() < AHEAD_FROM ? NULL : kp_raw_read_ahead, &trace->raw,
			       &events, false, &trace->summary);
	err = err ? err : kp_order_end(trace->order);
	if (pipe)
		late = kp_event_pipe_close(pipe);
	return err ? err : late;
}

int kp_trace_read(struct kp_trace *trace)
{
	if (reconstruct(trace))
		return -1;
	if (!kp_reconstruct_stats(trace->rec)->cpus) {
		snprintf(trace->raw.message, sizeof(trace->raw.message),
			 "%s: no events in it: an empty trace", trace->raw.shown);
		return -1;
	}
	return kp_reconstruct_end(trace->rec) ? -1 : 0;
}

static int replay_rows(void *self, const struct kp_span_sink *sink)
{
	return kp_rows_replay(self, sink);
}

int kp_trace_replay(struct kp_trace *trace, const struct kp_span_sink *sink)
{
	const struct kp_header *header = kp_rows_header(trace->rows);
	int err = sink->header(sink->self, header->items, header->count);

	kp_progress_phase("writing", "spans");
	err = err ? err : kp_span_pipe_pass(replay_rows, trace->rows, sink);
	return err ? err : sink->end(sink->self);
}

const char *kp_trace_message(const struct kp_trace *trace)
{
	const char *why = trace->raw.message;

	if (!*why && trace->order)
		why = kp_order_message(trace->order);
	if (!*why && trace->rec)
		why = kp_reconstruct_message(trace->rec);
	if (!*why && trace->rows)
		why = kp_rows_message(trace->rows);
	return *why ? why : "no memory";
}

void kp_trace_free(struct kp_trace *trace)
{
	kp_order_free(trace->order);
	kp_reconstruct_free(trace->rec);
	kp_rows_free(trace->rows);
	kp_raw_close(&trace->raw);
}
