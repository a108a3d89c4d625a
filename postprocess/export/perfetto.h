/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Writes spans as a Perfetto trace: a kp_span_sink that takes them in time order, as the
 * reconstruction of a raw trace makes them.
 *
 * Scheduling is written as ftrace events (sched_switch, sched_waking). Only these have the waker,
 * from which Perfetto derives its thread states and critical paths; generic_kernel_task_state_event
 * has none. All else becomes tracks of slices.
 */
#ifndef KP_EXPORT_PERFETTO_H
#define KP_EXPORT_PERFETTO_H

#include <stdio.h>

#include "export/source.h"
#include "model/span.h"
#include "rawtrace/about.h"

struct kp_perfetto;

struct kp_perfetto_options {
	FILE *out;
	const struct kp_raw_about *about;
	const struct kp_raw *raw;	/* has the flags (IPC) and the losses */
	struct kp_tasks *tasks;		/* names of tasks at the start; changes with the spans */
};

/* All members must stay valid until the end. Returns NULL without memory. */
struct kp_perfetto *kp_perfetto_new(const struct kp_perfetto_options *options);

/*
 * Returns the sink. Names of spans must stay valid until the end. Its functions return 0, or -1 if
 * out has an error or there is no memory.
 */
struct kp_span_sink kp_perfetto_sink(struct kp_perfetto *perfetto);

uint64_t kp_perfetto_packets(const struct kp_perfetto *perfetto);
void kp_perfetto_free(struct kp_perfetto *perfetto);

#endif
