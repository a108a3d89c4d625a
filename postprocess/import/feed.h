/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Converts the events of an imported trace to records of event text, as rawtoevent writes them.
 * Adds times in units of 10 ns, the running thread of each event, names, and a header. The events
 * must come in time order. Times in the output do not decrease. In a trace of another tracer, two
 * events of a CPU have different times. Only a record of the running thread (kp_feed_was()) may
 * share the time of the next event.
 *
 * The importer passes a trace twice. The first pass writes nothing. It checks that the
 * trace can be read to its end. It collects the first thread of each CPU, the first names of tasks
 * and the recorded categories. Then the importer calls kp_feed_header() and makes the second pass.
 */
#ifndef KP_IMPORT_FEED_H
#define KP_IMPORT_FEED_H


#include "model/span.h"

#define KP_FEED_CPUS	256

struct kp_feed;

struct kp_feed_at {
	int64_t time_ns;	/* nanoseconds since 1970, UTC */
	uint32_t cpu;
};

/* Facts about the trace. The importer sets them before kp_feed_header(). */
struct kp_feed_about {
	char host[128], kernel[128], cpu_model[128];	/* "": not known */
	char trace_id[40];	/* UUID as text */
	uint32_t flags;		/* KUTRACE_FLAG_ bits, as in a raw trace */
	uint64_t stale, damaged;	/* counts for the header line DROPPED */
	/*
	 * rawtoctf wrote the trace. Then the feed does not change times of events, each event has
	 * its own pid, and time 0 is base_s instead of the minute of the first event.
	 */
	bool ours;
	int64_t base_s;
};

/* Returns a feed that writes to @sink, which must outlive the feed. Returns NULL without memory. */
struct kp_feed *kp_feed_new(const struct kp_event_sink *sink);
struct kp_feed_about *kp_feed_about(struct kp_feed *feed);

/*
 * The functions below that return an int return 0, -1 without memory, or the result of the sink.
 * They write events and names only in the second pass.
 */

/* Adds a fact "key=value" to the header. */
int kp_feed_meta(struct kp_feed *feed, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/*
 * Adds a fact about the time from @off_ns to @on_ns (UTC). @key: KUTRACE_META_PAUSE or
 * KUTRACE_META_PARTIAL. Must be called at the end of the first pass.
 */
int kp_feed_pause(struct kp_feed *feed, const char *key, int64_t off_ns, int64_t on_ns);
/*
 * Adds the category of @event (KUTRACE_x) to the recorded categories, even if the trace has no such
 * event.
 */
void kp_feed_recorded(struct kp_feed *feed, uint32_t event);
/* Returns the mask of the recorded categories. */
uint32_t kp_feed_categories(const struct kp_feed *feed);

/*
 * Names an object (@base: KUTRACE_NAME_x, and @number) from the beginning of the trace on. Does
 * nothing if the object already has a name, or in the second pass.
 */
int kp_feed_name(struct kp_feed *feed, uint32_t base, uint32_t number, const char *text, size_t len);
/* Ends the first pass, and writes the header: comments, facts and first names. */
int kp_feed_header(struct kp_feed *feed);

/* Names thread @pid from @at on. Begins another life of @pid if its last thread is gone. */
int kp_feed_task(struct kp_feed *feed, const struct kp_feed_at *at, uint32_t pid, const char *text,
		 size_t len);
/*
 * Names a thread that was just created. If the last thread with this number has exited, begins
 * another life of the number, even if both threads have the same name. Without a name (@len 0),
 * uses the name of the last thread.
 */
int kp_feed_task_new(struct kp_feed *feed, const struct kp_feed_at *at, uint32_t pid, const char *text,
		     size_t len);
/*
 * Names a thread that thread @parent just created, as kp_feed_task_new() does. A child of kthreadd
 * is a kernel thread, and a child of a user thread is a user thread.
 */
int kp_feed_task_of(struct kp_feed *feed, const struct kp_feed_at *at, uint32_t pid, uint32_t parent,
		    const char *text, size_t len);
/*
 * Names a thread from the tracer's list of tasks, unless the last thread with this number has
 * exited. @kind: enum kutrace_task_kind. In the first pass, @kind is only stored if no earlier call
 * has determined the kind.
 */
int kp_feed_task_listed(struct kp_feed *feed, const struct kp_feed_at *at, uint32_t pid, uint32_t kind,
			const char *text, size_t len);
/*
 * Names a thread that executes a program (@len 0: the name does not change), and makes it a user
 * thread.
 */
int kp_feed_exec(struct kp_feed *feed, const struct kp_feed_at *at, uint32_t pid, const char *text, size_t len);
/* State of the last thread with a number. */
enum kp_feed_life {
	/* the thread has not exited, or there was no thread with this number */
	KP_FEED_ALIVE,
	KP_FEED_EXITED,		/* the exit of the thread was passed on; the thread may still run */
	/* the thread has also left its CPU for the last time, so the number is free */
	KP_FEED_GONE,
};
enum kp_feed_life kp_feed_life(const struct kp_feed *feed, uint32_t pid);
/*
 * Sets KP_FEED_GONE: thread @pid has exited and left its CPU for the last time. The next use of the
 * number begins another life.
 */
int kp_feed_gone(struct kp_feed *feed, uint32_t pid);
/*
 * Sets the thread that ran at the next event. In the first pass, the first call for a CPU
 * determines its first thread. In the second pass, corrects the running thread if the trace lacks a context
 * switch.
 */
int kp_feed_runs(struct kp_feed *feed, const struct kp_feed_at *at, uint32_t pid);

/*
 * Passes on @event with the time and CPU of @at and the RPC of its thread. Also sets the event's
 * pid, except in traces of rawtoctf.
 */
int kp_feed_event(struct kp_feed *feed, const struct kp_feed_at *at, const struct kp_event *event);
/* Passes on a context switch to @pid; 0 is idle. @counter: counter bits, as kp_event.ipc. */
int kp_feed_switch(struct kp_feed *feed, const struct kp_feed_at *at, uint32_t pid, uint32_t counter);

/* Passes on a record that @pid runs on the CPU. The record is not a context switch. */
int kp_feed_was(struct kp_feed *feed, const struct kp_feed_at *at, uint32_t pid, uint32_t counter);

/*
 * @events: number of events passed to the sink. @far_cpus: number of events omitted because the
 * number of their CPU is KP_FEED_CPUS or more.
 */
struct kp_feed_counts {
	uint64_t events, far_cpus;
};

const struct kp_feed_counts *kp_feed_counts(const struct kp_feed *feed);
/* Returns whether the first pass found an event. */
bool kp_feed_any(const struct kp_feed *feed);
/* Returns whether memory ran out. Otherwise the sink caused the failure. */
bool kp_feed_no_memory(const struct kp_feed *feed);
void kp_feed_free(struct kp_feed *feed);

#endif
