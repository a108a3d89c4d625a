/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Writes spans that are not execution for Perfetto: wakeups, IPIs and RPCs as flows; marks, samples
 * and packets as instants; held locks and other intervals as slices; frequencies and idle states.
 * Must not repeat what thread states show.
 */
#ifndef KP_EXPORT_PERFETTO_POINT_H
#define KP_EXPORT_PERFETTO_POINT_H

#include "export/perfetto_tracks.h"
#include "export/rpc_flow.h"

/* Zeroed, except tracks. */
struct kp_pf_points {
	struct kp_pf_tracks *tracks;
	uint64_t flows;		/* last flow number in use */
	struct kp_rpc_flows rpcs;
};

/*
 * Writes the next span in time order. @group: the @count spans with the same start, including it.
 */
void kp_pf_point(struct kp_pf_points *points, const struct kp_span *span, const struct kp_span *group, size_t count);

#endif
