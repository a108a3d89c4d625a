/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A bundle of ftrace's events of one CPU, as Perfetto writes it: events, and beside them, in columns,
 * context switches and wakeups (compact_sched). Here it is one list in the order of its times.
 * Used by import/perfetto_import.c.
 */
#ifndef KP_IMPORT_PERFETTO_BUNDLE_H
#define KP_IMPORT_PERFETTO_BUNDLE_H

#include "base/vector.h"
#include "import/linux.h"
#include "import/proto_read.h"

enum { KP_PF_SWITCH = 4, KP_PF_WAKING = 20 };	/* numbers of the fields of an ftrace event */

struct kp_pf_event {
	uint64_t time;		/* by the bundle's clock */
	uint32_t order;		/* among those of the same time: as they stand there */
	uint32_t what;		/* number of the field that is the event; 0: none that is known */
	int64_t pid;		/* who runs; -1: not said */
	struct kp_pb fields;	/* the event's own */
	/* of compact_sched, instead: */
	bool compact;
	int64_t task;		/* who comes, or is woken */
	int64_t state;		/* of a switch: that of who leaves */
	struct kp_text comm;
};

struct kp_pf_bundle_in {
	uint32_t cpu;
	uint32_t clock;		/* 0: boot time; else another, see ftrace_time and boot_time */
	uint64_t ftrace_time, boot_time;	/* the same moment, by both; 0: not said */
	bool lost;		/* events in front of it are missing */
	KP_VECTOR(struct kp_pf_event) events;
	KP_VECTOR(struct kp_text) comms;
};

/* head: only what stands in front of the events' list. 0; -1: damaged; -2: no memory. */
int kp_pf_bundle_read(struct kp_pf_bundle_in *bundle, struct kp_pb bytes, bool head);
void kp_pf_bundle_free(struct kp_pf_bundle_in *bundle);

#endif
