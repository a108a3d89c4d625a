/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Imports Perfetto's packets about the scheduling of any kernel (generic_kernel_task_state_event and
 * similar). Each packet has one event, and packets are not in the order of time. So the events are
 * collected, sorted, and then passed on.
 */
#ifndef KP_IMPORT_PERFETTO_GENERIC_H
#define KP_IMPORT_PERFETTO_GENERIC_H

#include "base/memory.h"
#include "import/linux.h"
#include "interop/perfetto_facts.h"

/* The event of one packet: the new state or name of a task, or the frequency of a CPU. */
struct kp_pf_state {
	int64_t time_ns;	/* boot time until kp_pf_generic_sort(), then UTC */
	uint32_t order, cpu;	/* order: position in the trace */
	uint64_t number;	/* number of the task in the trace, up to 63 bits */
	uint32_t tid;		/* number of the task in the result, set by kp_pf_generic_sort() */
	uint32_t what;		/* data_case of the packet, which gives the kind of the event */
	uint64_t value;		/* state or frequency */
	const struct kp_str *name;	/* NULL: none */
};

struct kp_pf_generic {
	struct kp_linux *linux_;
	struct kp_feed *feed;
	const struct kp_pf_facts *facts;
	KP_VECTOR(struct kp_pf_state) states;
	struct kp_strings texts;
	struct kp_map substitutes;		/* number above 31 bits to the number that replaces it */
	size_t next;				/* index of the next state to pass on */
	uint32_t runs[KP_FEED_CPUS];		/* running thread of each CPU; 0: none */
	uint32_t left[KP_FEED_CPUS];		/* CPUs that a thread left at left_ns */
	size_t left_count;
	int64_t left_ns;
};

/* Collects the event of @packet, if it has one. Returns 0, or -1 without memory. */
int kp_pf_generic_note(struct kp_pf_generic *generic, const Pf__TracePacket *packet);
/* Sorts all events and numbers their tasks. Returns 0, or -1 without memory. */
int kp_pf_generic_sort(struct kp_pf_generic *generic);
/* Goes to the first event. */
void kp_pf_generic_begin(struct kp_pf_generic *generic);
/* Passes the events up to @time_ns on; INT64_MAX: to the end. Returns what kp_feed_event() does. */
int kp_pf_generic_until(struct kp_pf_generic *generic, int64_t time_ns);
void kp_pf_generic_free(struct kp_pf_generic *generic);

#endif
