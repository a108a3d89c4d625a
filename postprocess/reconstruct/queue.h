/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The RPCs in each queue. Adding one and taking one out need the same time whatever a queue holds.
 */
#ifndef KP_RECONSTRUCT_QUEUE_H
#define KP_RECONSTRUCT_QUEUE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/map.h"
#include "base/vector.h"

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

/* All zero = empty. */
struct kp_queues {
	KP_VECTOR(struct kp_queued) items;
	uint32_t unused;		/* first item that is in no queue, linked by next */
	KP_VECTOR(struct kp_queue_list) lists;
	struct kp_map by_queue;		/* to the list of all items of a queue */
	struct kp_map by_rpc;		/* to the list of the items of a queue with an RPC */
};

/* Adds a copy of @item; its links are ignored. Returns 0, or -1 without memory. */
int kp_queues_put(struct kp_queues *queues, const struct kp_queued *item);
/*
 * Takes out the oldest item of the queue with that RPC, or with another RPC if there is none or
 * @rpc is 0. Returns false if the queue is empty.
 */
bool kp_queues_take(struct kp_queues *queues, uint32_t queue, uint32_t rpc, struct kp_queued *item);
/* Empties all queues. */
void kp_queues_free(struct kp_queues *queues);

#endif
