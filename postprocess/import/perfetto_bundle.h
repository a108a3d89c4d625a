/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Parses a bundle: ftrace's events of one CPU in a Perfetto packet. A bundle has events, and possibly
 * context switches and wakeups in columns (compact_sched). The result is one list, sorted by time.
 */
#ifndef KP_IMPORT_PERFETTO_BUNDLE_H
#define KP_IMPORT_PERFETTO_BUNDLE_H

#include "base/memory.h"
#include "import/linux.h"
#include "import/proto_read.h"

enum { KP_PF_SWITCH = 4, KP_PF_WAKING = 20 };	/* field numbers in Perfetto's FtraceEvent */

struct kp_pf_event {
	uint64_t time;		/* by the bundle's clock */
	uint32_t order;		/* position in the bundle, which orders events with the same time */
	uint32_t what;		/* number of the FtraceEvent field that holds the event; 0: none */
	int64_t pid;		/* running thread; -1: not given */
	struct kp_pb fields;	/* fields of the event itself */
	/* an event from compact_sched has these instead of pid and fields: */
	bool compact;
	int64_t task;		/* the task that runs next, or is woken */
	int64_t state;		/* of a switch: state of the task that leaves the CPU */
	struct kp_text comm;	/* name of task */
};

struct kp_pf_bundle_in {
	uint32_t cpu;
	uint32_t clock;		/* 0: boot time; otherwise another clock, see ftrace_time */
	uint64_t ftrace_time, boot_time;	/* the same moment by that clock and as boot time; 0: not given */
	bool lost;		/* events before this bundle are missing */
	KP_VECTOR(struct kp_pf_event) events;
	KP_VECTOR(struct kp_text) comms;	/* names that compact_sched refers to by index */
};

/* Parses a bundle; with @head, all except its events. Returns 0, -1 if it is damaged, or -2 without memory. */
int kp_pf_bundle_read(struct kp_pf_bundle_in *bundle, struct kp_pb bytes, bool head);
void kp_pf_bundle_free(struct kp_pf_bundle_in *bundle);

#endif
