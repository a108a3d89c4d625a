/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * From the entries of a raw trace to events and names for a sink, in time order. Called by
 * rawtoevent, checktrace, rawtohtml and rawtrace/follow.c.
 */
#ifndef KP_RAWTRACE_EVENTS_H
#define KP_RAWTRACE_EVENTS_H

#include <stdbool.h>
#include <stdint.h>

#include "model/event.h"
#include "rawtrace/blocks.h"
#include "rawtrace/raw.h"

/* Counts of what kp_raw_events() handed out, for the summary. */
struct kp_raw_summary {
	uint64_t by_kind[8];	/* enum kp_raw_summary_kind */
	uint64_t points;	/* events of typed tracepoints */
	uint64_t unknown_points; /* of these, of tracepoints that the trace does not define */
	uint64_t names;
};

enum kp_raw_summary_kind {
	KP_SUM_SYSCALL,
	KP_SUM_TRAP,
	KP_SUM_IRQ,
	KP_SUM_SCHED,
	KP_SUM_WAKEUP,
	KP_SUM_MARK,
	KP_SUM_PC,
	KP_SUM_OTHER,
};

/*
 * Hands everything to sink: names at time -1, comments, then names and events
 * in time order. To be called once. verbose: with a comment in front of each entry that holds its
 * words. summary may be NULL. 0; -1 with message; or what the sink returned.
 */
int kp_raw_events(struct kp_raw *raw, const struct kp_event_sink *sink,
		  bool verbose, struct kp_raw_summary *summary);

/* Hands all entries of the trace to take in time order. Returns as kp_raw_heap_run(). */
typedef int kp_raw_reading(struct kp_raw *raw, kp_raw_take *take, void *self);

/* The same, read by reading: kp_raw_read_ahead(), or NULL, one block after the other. */
int kp_raw_events_by(kp_raw_reading *reading, struct kp_raw *raw, const struct kp_event_sink *sink,
		     bool verbose, struct kp_raw_summary *summary);

/* ---- step by step, for rawtrace/follow.c ---- */

struct kp_raw_out;

/* NULL with raw->message without memory. summary may be NULL. */
struct kp_raw_out *kp_raw_out_new(struct kp_raw *raw, const struct kp_event_sink *sink,
				  bool verbose, struct kp_raw_summary *summary);
void kp_raw_out_free(struct kp_raw_out *out);

/*
 * When the trace is followed, in this order: what stands in front of everything
 * (done, or NULL, is called when the block at that offset is out);
 * what is to be said of each block as it comes, with its names at time -1
 * (raw->names, which are forgotten then); entries whose count is below until; a
 * block came that begins before what was handed out; the end. 0; -1 with message;
 * or what the sink returned.
 */
int kp_raw_out_begin(struct kp_raw_out *out, void (*done)(void *self, uint64_t offset),
		     void *self);
int kp_raw_out_add(struct kp_raw_out *out, const struct kp_raw_block *block,
		   const struct kp_raw_place *place);
int kp_raw_out_until(struct kp_raw_out *out, uint64_t until);
void kp_raw_out_step_back(struct kp_raw_out *out);
int kp_raw_out_end(struct kp_raw_out *out);

#endif
