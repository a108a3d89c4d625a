/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A session's names: their buffer, and the work item that finds out what in it is still of
 * use. Called by session/, which has one for each session.
 */
#ifndef KU_NAMES_H
#define KU_NAMES_H

#include <linux/irq_work.h>
#include <linux/workqueue.h>

#include "core/ring.h"
#include "names/aux.h"

struct ku_names {
	struct ku_aux aux;
	struct ku_ring *ring;		/* whose events have these names */
	struct irq_work ask;		/* queues the next */
	struct work_struct refresh;	/* what is still of use */
};

struct task_struct;

/* Returns the kind of @task. Any context. */
enum kutrace_task_kind ku_task_kind(const struct task_struct *task);

/* Of zeroed memory, before ku_names_alloc(). */
void ku_names_init(struct ku_names *names, struct ku_ring *ring);
/* On return nobody looks at the ring's blocks any more; nobody may be adding. May sleep. */
void ku_names_stop(struct ku_names *names);

/* The size of a buffer for that many blocks, and all the bytes that such a buffer takes. */
u32 ku_names_size(u32 nblocks);
u64 ku_names_memory(u32 bytes);
/* 0, -ENOMEM: what has been had by then is for ku_names_free(). */
int ku_names_alloc(struct ku_names *names, u32 bytes);
void ku_names_free(struct ku_names *names);

#endif
