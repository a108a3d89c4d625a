/* SPDX-License-Identifier: GPL-2.0-only */
/* A session's name table, and the work item that finds out which names are needed. */
#ifndef KU_NAMES_H
#define KU_NAMES_H

#include <linux/irq_work.h>
#include <linux/workqueue.h>

#include "core/ring.h"
#include "names/table.h"

struct ku_names {
	struct ku_aux aux;
	struct ku_ring *ring;		/* ring whose events have these names */
	struct irq_work ask;		/* queues refresh */
	struct work_struct refresh;	/* finds out which names are needed */
};

struct task_struct;

/* Returns the kind of @task. Any context. */
enum kutrace_task_kind ku_task_kind(const struct task_struct *task);

/* Size of the text of a priority: "batch -20". */
#define KU_PRIORITY_MAX	16

/*
 * Writes the policy and the priority of @task as text (kutrace_priority.h). Returns the length. Any
 * context.
 */
size_t ku_task_priority(const struct task_struct *task, char text[KU_PRIORITY_MAX]);

/* Returns whether @task has the priority @text now. Any context. */
bool ku_task_has_priority(const struct task_struct *task, const char *text, size_t len);

/* Sets *@identity, except @before. Any context. */
void ku_identify(struct ku_identity *identity, struct task_struct *task, char reason);

/* Initialises zeroed memory, before ku_names_alloc(). */
void ku_names_init(struct ku_names *names, struct ku_ring *ring);
/* Ends the work item: on return nothing reads the ring's blocks. Nothing may add names. Sleeps. */
void ku_names_stop(struct ku_names *names);

/* Return the size of a table for @nblocks blocks, and all the memory that this size needs. */
u32 ku_names_size(u32 nblocks);
u64 ku_names_memory(u32 bytes);
/* Returns 0, or -ENOMEM: ku_names_free() then frees the allocated part. */
int ku_names_alloc(struct ku_names *names, u32 bytes);
void ku_names_free(struct ku_names *names);

#endif
