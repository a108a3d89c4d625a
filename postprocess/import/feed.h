/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * From what a foreign trace tells, in time order, to event text's records: times in its units, who
 * runs on each CPU, names, and in front of all what the trace says of itself. What goes out is as
 * rawtoevent's: times never go back, and no two events of a CPU share one.
 *
 * A trace is told twice. The first time, a survey, hands on nothing: it shows that the trace can
 * be read to its end, who ran first where, what tasks are called, what was recorded at all. Then
 * kp_feed_header(), then all of it once more. Used by import/linux.c and the importers.
 */
#ifndef KP_IMPORT_FEED_H
#define KP_IMPORT_FEED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/event.h"

#define KP_FEED_CPUS	256

struct kp_feed;

/* When and where. */
struct kp_feed_at {
	int64_t time_ns;	/* since 1970, UTC */
	uint32_t cpu;
};

/* What the trace says of itself; filled in by the importer before kp_feed_header(). */
struct kp_feed_about {
	char host[128], kernel[128], cpu_model[128];	/* "" = not known */
	char trace_id[40];	/* a UUID's text */
	uint32_t flags;		/* as a raw trace's */
	uint64_t stale, damaged;	/* what DROPPED counts */
	/*
	 * It was written by one of our own exporters: times are those of events, who runs is said
	 * with each, and time 0 is base_s, not the minute of the first event.
	 */
	bool ours;
	int64_t base_s;
};

/* Hands on to sink, which must outlive it. NULL without memory. */
struct kp_feed *kp_feed_new(const struct kp_event_sink *sink);
struct kp_feed_about *kp_feed_about(struct kp_feed *feed);

/* All functions below return 0, or -1: no memory, or what the sink returned. */

/* A fact "key=value" for the trace's header. */
int kp_feed_meta(struct kp_feed *feed, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* Events of that kind (a KUTRACE_x number) are recorded, whether or not there are any. */
void kp_feed_recorded(struct kp_feed *feed, uint32_t event);
/* All that are, as a mask. */
uint32_t kp_feed_categories(const struct kp_feed *feed);

/* A thing's name, of kind base, as it is from the beginning on; the first one counts. */
int kp_feed_name(struct kp_feed *feed, uint32_t base, uint32_t number, const char *text, size_t len);
/* What is said in front, when the survey is over. Both passes begin with the first event. */
int kp_feed_header(struct kp_feed *feed);

/* pid is called that at this time. */
int kp_feed_task(struct kp_feed *feed, const struct kp_feed_at *at, uint32_t pid, const char *text,
		 size_t len);
/*
 * As kp_feed_task(), for a thread that has just been made: the name begins another life of the
 * number even if an earlier thread had the same one. Without a name (@len 0) it gets that one.
 */
int kp_feed_task_new(struct kp_feed *feed, const struct kp_feed_at *at, uint32_t pid, const char *text,
		     size_t len);
/* As kp_feed_task(), for a thread that executes a program from then on: it is none of the kernel's. */
int kp_feed_exec(struct kp_feed *feed, const struct kp_feed_at *at, uint32_t pid, const char *text, size_t len);
/* How far the last thread of a number has come. */
enum kp_feed_life {
	KP_FEED_ALIVE,
	KP_FEED_EXITED,		/* its exit was passed on; it may still run */
	KP_FEED_GONE,		/* and it has left its CPU for the last time: the number is free */
};
enum kp_feed_life kp_feed_life(const struct kp_feed *feed, uint32_t pid);
/*
 * Notes that thread @pid has left its CPU for the last time, after its exit. Wherever the number
 * comes next begins another life, as with kp_feed_task_new().
 */
int kp_feed_gone(struct kp_feed *feed, uint32_t pid);
/*
 * pid runs there already, says the event that comes next: of interest when nothing has said so yet, or
 * something else, because a context switch is not in the trace.
 */
int kp_feed_runs(struct kp_feed *feed, const struct kp_feed_at *at, uint32_t pid);

/* An event: number, dur, pid (of ours only), arg0, retval, ipc and name are taken from it. */
int kp_feed_event(struct kp_feed *feed, const struct kp_feed_at *at, const struct kp_event *event);
/* Now pid runs there: the context switch itself. pid 0 is idle. counter: as ipc. */
int kp_feed_switch(struct kp_feed *feed, const struct kp_feed_at *at, uint32_t pid, uint32_t counter);

/* pid runs there, as the trace itself says in passing: no context switch. */
int kp_feed_was(struct kp_feed *feed, const struct kp_feed_at *at, uint32_t pid, uint32_t counter);

/* Events handed on; left out for their CPU's number, by the survey. */
struct kp_feed_counts {
	uint64_t events, far_cpus;
};

const struct kp_feed_counts *kp_feed_counts(const struct kp_feed *feed);
/* Has there been an event? */
bool kp_feed_any(const struct kp_feed *feed);
/* false: the sink did. */
bool kp_feed_no_memory(const struct kp_feed *feed);
void kp_feed_free(struct kp_feed *feed);

#endif
