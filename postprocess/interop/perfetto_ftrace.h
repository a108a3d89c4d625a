/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Passes Perfetto's messages of Linux's tracepoints to import/linux.h. They come in bundles: ftrace's events of
 * one CPU. A bundle has events, and possibly context switches and wakeups in columns (compact_sched).
 */
#ifndef KP_IMPORT_PERFETTO_FTRACE_H
#define KP_IMPORT_PERFETTO_FTRACE_H

#include "base/memory.h"
#include "import/linux.h"
#include "perfetto.pb-c.h"

enum {
	KP_PF_SWITCH = PF__FTRACE_EVENT__EVENT_SCHED_SWITCH,
	KP_PF_WAKING = PF__FTRACE_EVENT__EVENT_SCHED_WAKING,
};

struct kp_pf_event {
	uint64_t time;		/* by the bundle's clock */
	uint32_t order;		/* position in the bundle, which orders events with the same time */
	uint32_t what;		/* event_case of the event */
	const Pf__FtraceEvent *message;	/* NULL: from compact_sched */
	/* of a switch or waking: */
	int64_t task;		/* the task that runs next, or is woken */
	int64_t state;		/* of a switch: state of the task that leaves the CPU */
	ProtobufCBinaryData comm;	/* name of task */
};

struct kp_pf_events {
	struct kp_pf_event *items;
	size_t count, cap;
};

/* Lists the events of @bundle by time. Returns 0, -1 if the bundle is damaged, or -2 without memory. */
int kp_pf_events_of(struct kp_pf_events *events, const Pf__FtraceEventBundle *bundle);

struct kp_pf_ftrace {
	struct kp_linux *linux_;
	struct kp_feed *feed;
	enum kp_calls_of calls;		/* table of the numbers of system calls */
};

/* Passes @event on. Returns what kp_feed_event() does. */
int kp_pf_ftrace_event(const struct kp_pf_ftrace *to, const struct kp_feed_at *at,
		       const struct kp_pf_event *event);

#endif
