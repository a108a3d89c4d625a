/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Perfetto's packets of any kernel's scheduling (generic_kernel_task_state_event and its like), one
 * event each, in no order: noted, sorted, told. Used by import/perfetto_import.c.
 */
#ifndef KP_IMPORT_PERFETTO_GENERIC_H
#define KP_IMPORT_PERFETTO_GENERIC_H

#include "base/map.h"
#include "base/vector.h"
#include "import/linux.h"
#include "import/perfetto_facts.h"
#include "import/perfetto_file.h"

/* One packet's event: who is in what state, or what frequency a CPU has; or a new name. */
struct kp_pf_state {
	int64_t time_ns;	/* boot time, at first; then UTC */
	uint32_t order, cpu;
	uint64_t number;	/* the task's, as the trace has it: 63 bits */
	uint32_t tid;		/* the task's number here, once all are noted */
	uint32_t what;		/* number of the packet's field */
	uint64_t value;		/* state, frequency */
	const struct kp_str *name;	/* NULL: none */
};

struct kp_pf_generic {
	struct kp_linux *linux_;
	struct kp_feed *feed;
	const struct kp_pf_facts *facts;
	KP_VECTOR(struct kp_pf_state) states;
	struct kp_strings texts;
	struct kp_map substitutes;		/* of numbers above 31 bits */
	size_t next;
	uint32_t runs[KP_FEED_CPUS];		/* thread that runs there; 0: none */
	uint32_t left[KP_FEED_CPUS];		/* CPUs that nobody runs on since left_ns */
	size_t left_count;
	int64_t left_ns;
};

/* What packet has of that. 0, or -1: no memory. */
int kp_pf_generic_note(struct kp_pf_generic *generic, const struct kp_pf_place *place, struct kp_pb packet);
/* Sorts them when all are noted, and gives numbers to their tasks. Returns 0, or -1 without memory. */
int kp_pf_generic_sort(struct kp_pf_generic *generic);
/* From the first one on. */
void kp_pf_generic_begin(struct kp_pf_generic *generic);
/* Tells those up to that time. As kp_feed_event(). */
int kp_pf_generic_until(struct kp_pf_generic *generic, int64_t time_ns);
void kp_pf_generic_free(struct kp_pf_generic *generic);

#endif
