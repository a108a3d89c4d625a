/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Numbers RPCs, to connect the work, queues and messages of one RPC. Programs use the RPC numbers
 * of the trace again for other RPCs.
 */
#ifndef KP_EXPORT_RPC_FLOW_H
#define KP_EXPORT_RPC_FLOW_H

#include <stdbool.h>
#include <stdint.h>

#include "base/memory.h"
#include "model/span.h"

struct kp_rpc_flow {
	uint64_t flow;		/* 0: none yet */
	bool answered;		/* a request with this number is another RPC */
};

/* All zero before the first span. */
struct kp_rpc_flows {
	struct kp_map places;	/* RPC number -> index in list */
	KP_VECTOR(struct kp_rpc_flow) list;
};

/*
 * Sets *@flow to the flow of the span's RPC, or to 0 if it has none. A new RPC gets the number
 * ++*@flows. Spans must come in time order. Returns 0, or -1 without memory.
 */
int kp_rpc_flow(struct kp_rpc_flows *rpcs, const struct kp_span *span, uint64_t *flows, uint64_t *flow);
void kp_rpc_flows_free(struct kp_rpc_flows *rpcs);

#endif
