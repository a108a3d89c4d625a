/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Spans as a Perfetto trace: a kp_span_sink that takes them in time order, as the reconstruction of
 * a raw trace makes them. Called by rawtoperfetto.
 *
 * The scheduler is told in ftrace's words (sched_switch, sched_waking), because only these have the
 * waker, from which Perfetto makes its thread states and critical paths; its events of task
 * states (generic_kernel_task_state_event) have none. All else are tracks of slices.
 */
#ifndef KP_EXPORT_PERFETTO_H
#define KP_EXPORT_PERFETTO_H

#include <stdio.h>

#include "export/tasks.h"
#include "model/span.h"
#include "rawtrace/about.h"

struct kp_perfetto;

struct kp_perfetto_options {
	FILE *out;
	const struct kp_raw_about *about;
	const struct kp_raw *raw;	/* of which the counters (IPC) and losses are said */
	struct kp_tasks *tasks;		/* names of tasks at the beginning; changed with the spans' */
};

/* All must stay until the end. NULL without memory. */
struct kp_perfetto *kp_perfetto_new(const struct kp_perfetto_options *options);

/*
 * The names of spans must stay valid until the end. Functions return 0, or -1: out has an error, or
 * there is no memory.
 */
struct kp_span_sink kp_perfetto_sink(struct kp_perfetto *perfetto);

uint64_t kp_perfetto_packets(const struct kp_perfetto *perfetto);
void kp_perfetto_free(struct kp_perfetto *perfetto);

#endif
