/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The RPCs in each queue. Adding and removing an RPC takes constant time.
 */
#ifndef KP_RECONSTRUCT_QUEUE_H
#define KP_RECONSTRUCT_QUEUE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/memory.h"

/* One RPC in a queue. Links are indexes + 1; 0: none. */
struct kp_queued {
	int64_t ts;
	uint32_t queue, rpc, pid;
	int cpu;
	const struct kp_str *name;	/* of the queue */
	uint32_t next, prev;		/* in the queue, oldest first */
	uint32_t next_same;		/* with the same queue and RPC, oldest first */
};

struct kp_queue_list {
	uint32_t first, last;
};

/* An empty table is all zeros. */
struct kp_queues {
	KP_VECTOR(struct kp_queued) items;
	uint32_t unused;		/* first unused item, linked by next */
	KP_VECTOR(struct kp_queue_list) lists;
	struct kp_map by_queue;		/* from queue to the list of its items */
	struct kp_map by_rpc;		/* from queue and RPC to the list of its items */
};

/* Adds a copy of @item; its links are ignored. Returns 0, or -1 without memory. */
int kp_queues_put(struct kp_queues *queues, const struct kp_queued *item);
/*
 * Removes the oldest item of the queue with this RPC. If there is none or @rpc is 0, removes the
 * oldest item of the queue. Returns false if the queue is empty.
 */
bool kp_queues_take(struct kp_queues *queues, uint32_t queue, uint32_t rpc, struct kp_queued *item);
/* Empties all queues. */
void kp_queues_free(struct kp_queues *queues);

#endif
