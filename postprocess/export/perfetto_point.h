/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What is no execution as Perfetto has it: wakeups, IPIs and RPCs as flows, marks, samples and packets as
 * instants, locks that are held and what else lasts as slices, frequencies and idle states. It must
 * not say what thread states say already. Called by export/perfetto.c.
 */
#ifndef KP_EXPORT_PERFETTO_POINT_H
#define KP_EXPORT_PERFETTO_POINT_H

#include "export/perfetto_tracks.h"
#include "export/rpc_flow.h"

/* Zeroed, but for tracks. */
struct kp_pf_points {
	struct kp_pf_tracks *tracks;
	uint64_t flows;		/* given out */
	struct kp_rpc_flows rpcs;
};

/* The next in order of time; group: the count spans that have the same start, it among them. */
void kp_pf_point(struct kp_pf_points *points, const struct kp_span *span, const struct kp_span *group, size_t count);

#endif
