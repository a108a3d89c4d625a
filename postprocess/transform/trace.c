// SPDX-License-Identifier: BSD-3-Clause
/*
 * Reads a raw trace into rows, see transform/trace.h.
 *
 * A thread reads, decodes and merges the blocks ahead of the consumer. It is not part of
 * rawtrace/events.c, so that filters with a single thread need no thread library. The thread makes
 * parts of PART_ENTRIES entries in order, which contain all that most entries need. So the consumer
 * reads memory sequentially, and not the blocks of all CPUs alternately, which are in another CPU's
 * cache. A single thread does all of it: the parts of several threads would have to be merged again
 * in the consumer's thread.
 *
 * The thread gets a block back with the part that ends with the block's last entry, after the whole
 * part was consumed. Entries in earlier parts have been consumed before.
 */
#include "transform/trace.h"

#include <stdlib.h>
#include <string.h>

#include "base/progress.h"
#include "base/thread.h"
#include "base/tool.h"
#include "rawtrace/blocks.h"
#include "transform/pipe.h"

#define PART_ENTRIES	1024u

struct part {
	size_t count;
	struct kp_raw_source *finished;	/* block whose last entry ends this part; or NULL */
	struct kp_raw_merged entries[PART_ENTRIES];
};

struct reader {
	struct kp_raw raw;		/* a copy, for the thread's message */
	struct kp_raw_heap heap;
	bool failed;			/* after the parts made so far */
	struct part parts[KP_BATCHES];
};

/* ---- the thread ---- */

static int make_part(void *self, void *batch)
{
	struct reader *reader = self;
	struct part *part = batch;
	struct kp_raw_source *back = part->finished;
	int err;

	part->finished = NULL;
	if (reader->failed || (back && kp_raw_heap_return(&reader->heap, back)))
		return -1;
	err = kp_raw_heap_part(&reader->heap, part->entries, PART_ENTRIES, &part->count,
			       &part->finished);
	reader->failed = err;
	return part->count ? 1 : err;
}

/* ---- the consumer ---- */

static int take_part(const struct part *part, kp_raw_consume *take, void *self)
{
	size_t i;
	int err = 0;

	for (i = 0; i < part->count && !err; i++)
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
	unsigned int i;
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
	for (i = 0; i < KP_BATCHES; i++)
		kp_raw_source_free(reader->parts[i].finished);
	kp_raw_heap_free(&reader->heap);
	return err;
}

/*
 * Calls @take in this thread for each entry in order of time, as kp_raw_heap_run() with all blocks.
 * Takes over raw->places, which is NULL then. Returns 0; -1 with raw->message; or the nonzero value
 * of @take.
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

/*
 * Number of CPUs from which on reading has its own thread. Naming, reconstruction and sorting need
 * one each.
 */
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
