// SPDX-License-Identifier: BSD-3-Clause
/*
 * Reads a raw trace into rows, see transform/trace.h.
 */
#include "transform/trace.h"

#include "base/progress.h"
#include "base/thread.h"
#include "rawtrace/readahead.h"
#include "transform/pipe.h"

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
