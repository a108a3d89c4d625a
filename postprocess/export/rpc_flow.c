// SPDX-License-Identifier: BSD-3-Clause
/*
 * Numbers RPCs (export/rpc_flow.h).
 */
#include "export/rpc_flow.h"

#include <stdlib.h>

#include "kutrace_events.h"

/*
 * Returns the RPC number of the span, or 0. Received messages have none here: their start on the
 * wire is computed, and may be before the request. The work that follows them is in the flow.
 */
static uint32_t rpc_of(const struct kp_span *span)
{
	switch (span->event) {
	case KUTRACE_RPCIDREQ:
	case KUTRACE_RPCIDRESP:
		return (uint32_t)span->arg0 & 0xFFFF;
	case KUTRACE_RPCIDMID:
	case KUTRACE_ENQUEUE:
	case KUTRACE_RPCIDTXMSG:
		return (uint32_t)span->rpc & 0xFFFF;
	default:
		return 0;
	}
}

int kp_rpc_flow(struct kp_rpc_flows *rpcs, const struct kp_span *span, uint64_t *flows, uint64_t *flow)
{
	const uint32_t number = rpc_of(span);
	struct kp_rpc_flow *rpc;
	uint32_t place;

	*flow = 0;
	if (!number)
		return 0;
	if (!kp_map_get(&rpcs->places, number, &place)) {
		place = (uint32_t)rpcs->list.count;
		rpc = KP_PUSH(&rpcs->list);
		if (!rpc || kp_map_set(&rpcs->places, number, place))
			return -1;
		*rpc = (struct kp_rpc_flow){ .flow = 0 };
	}
	rpc = &rpcs->list.items[place];
	if (!rpc->flow || (rpc->answered && span->event == KUTRACE_RPCIDREQ))
		*rpc = (struct kp_rpc_flow){ .flow = ++*flows };
	rpc->answered |= span->event == KUTRACE_RPCIDRESP;
	*flow = rpc->flow;
	return 0;
}

void kp_rpc_flows_free(struct kp_rpc_flows *rpcs)
{
	kp_map_free(&rpcs->places);
	free(rpcs->list.items);
}
