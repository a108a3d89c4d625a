/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Which pieces of work, queues and messages are of one RPC: a number for each, by the RPC's own, which
 * programs use again. Called by export/perfetto.
 */
#ifndef KP_EXPORT_RPC_FLOW_H
#define KP_EXPORT_RPC_FLOW_H

#include <stdbool.h>
#include <stdint.h>

#include "base/map.h"
#include "base/vector.h"
#include "model/span.h"

struct kp_rpc_flow {
	uint64_t flow;		/* 0: none yet */
	bool answered;		/* a request with this number is another one */
};

/* All zero to begin with. */
struct kp_rpc_flows {
	struct kp_map places;	/* RPC to the place in list */
	KP_VECTOR(struct kp_rpc_flow) list;
};

/*
 * Sets *flow to that of the RPC that the span is of, taking it from *flows where that is new; to 0: of
 * none. Spans come in order of time. 0, or -1 without memory.
 */
int kp_rpc_flow(struct kp_rpc_flows *rpcs, const struct kp_span *span, uint64_t *flows, uint64_t *flow);
void kp_rpc_flows_free(struct kp_rpc_flows *rpcs);

#endif
