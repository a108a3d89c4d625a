// SPDX-License-Identifier: GPL-2.0-only
/*
 * A session's name table: its memory, and the work item that finds out which names are needed. Must
 * not hold the table's lock for long, because names are added in interrupts. aux.c adds names,
 * read.c reads them.
 *
 * Each time an eighth of the buffer has been added, ku_names_refresh() finds out
 *
 *	a) which tasks have exited: their names end now;
 *	b) which events are readable (readable.c): a name that was not in force at the
 *	   time of any of them is of no use any more.
 *
 * The order matters. Events that a task recorded before a) found it gone are in blocks that b)
 * sees. Events after b) come from tasks that existed after a). So the result may be outdated when
 * it is used, but it never drops a name that a readable event has.
 *
 * Process context, may sleep, except where stated.
 */
#include <linux/cgroup.h>
#include <linux/log2.h>
#include <linux/moduleparam.h>
#include <linux/pid.h>
#include <linux/pid_namespace.h>
#include <linux/random.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/sizes.h>
#include <linux/vmalloc.h>

#include "compat/version.h"
#include "core/clock.h"
#include "core/memory.h"
#include "names/names.h"
#include "names/table.h"
#include "uapi/kutrace_quota.h"

static unsigned int names_kb;
module_param(names_kb, uint, 0444);
MODULE_PARM_DESC(names_kb, "size of a session's name table in KiB, 64 to 65536, rounded up to a power of two (default 0: a 16th of the trace buffer, at least 1024)");

enum kutrace_task_kind ku_task_kind(const struct task_struct *task)
{
	unsigned int flags = READ_ONCE(task->flags);

	if (flags & PF_KTHREAD)
		return KUTRACE_TASK_KTHREAD;
	return flags & KU_PF_NOT_USER ? KUTRACE_TASK_WORKER : KUTRACE_TASK_USER;
}

/* Returns the name of a fair policy. */
static const char *ku_fair_policy(unsigned int policy)
{
	switch (policy) {
	case SCHED_NORMAL:
		return "nice";
	case SCHED_BATCH:
		return "batch";
#ifdef SCHED_EXT
	case SCHED_EXT:
		return "ext";
#endif
	default:
		return "policy";
	}
}

size_t ku_task_priority(const struct task_struct *task, char text[KU_PRIORITY_MAX])
{
	unsigned int policy = READ_ONCE(task->policy);

	switch (policy) {
	case SCHED_FIFO:
		return scnprintf(text, KU_PRIORITY_MAX, "FIFO %u", task->rt_priority);
	case SCHED_RR:
		return scnprintf(text, KU_PRIORITY_MAX, "RR %u", task->rt_priority);
	case SCHED_DEADLINE:
		return scnprintf(text, KU_PRIORITY_MAX, "deadline");
	case SCHED_IDLE:
		return scnprintf(text, KU_PRIORITY_MAX, "idle");
	default:
		return scnprintf(text, KU_PRIORITY_MAX, "%s %d", ku_fair_policy(policy),
				 task_nice(task));
	}
}

bool ku_task_has_priority(const struct task_struct *task, const char *text, size_t len)
{
	char now[KU_PRIORITY_MAX];

	return ku_task_priority(task, now) == len && !memcmp(now, text, len);
}

static u32 ku_task_cgroup(struct task_struct *task)
{
#ifdef CONFIG_CGROUPS
	return (u32)cgroup_id(rcu_dereference_raw(task->cgroups)->dfl_cgrp) & KUTRACE_QUOTA_CGROUP;
#else
	return 0;
#endif
}

void ku_identify(struct ku_identity *identity, struct task_struct *task, char reason)
{
	struct pid *pid;

	rcu_read_lock();
	*identity = (struct ku_identity) {
		.start = task->start_boottime,
		.process = (u32)task->tgid,
		.cgroup = ku_task_cgroup(task),
		.reason = reason,
	};
	pid = READ_ONCE(task->thread_pid);
	/* NULL: the task has exited. Then the memory of its parent may be freed. */
	if (pid)
		identity->parent = (u32)rcu_dereference(task->real_parent)->tgid;
	if (pid && pid->level) {
		identity->level = pid->level;
		identity->own = (u32)pid->numbers[pid->level].nr;
	}
	rcu_read_unlock();
}

/* Returns whether a task has this pid. Any context. */
static bool ku_task_lives(u32 pid)
{
	bool lives;

	rcu_read_lock();
	lives = pid_task(find_pid_ns((int)pid, &init_pid_ns), PIDTYPE_PID);
	rcu_read_unlock();
	return lives;
}

static void ku_names_refresh(struct work_struct *work)
{
	struct ku_names *names = container_of(work, struct ku_names, refresh);
	struct ku_aux *aux = &names->aux;
	u32 resets = READ_ONCE(aux->resets);
	u64 at = 0;

	while (ku_aux_lives(aux, &at, ku_task_lives))
		cond_resched();
	ku_readable(names->ring, aux->spare);
	aux->spare = ku_aux_readable(aux, resets, aux->spare);
}

/* Names are also added in interrupts, so an irq_work queues the work item. */
static void ku_names_ask(struct irq_work *work)
{
	schedule_work(&container_of(work, struct ku_names, ask)->refresh);
}

/* Any context but NMI. */
static void ku_aux_ask(struct ku_aux *aux)
{
	irq_work_queue(&container_of(aux, struct ku_names, aux)->ask);
}

void ku_names_init(struct ku_names *names, struct ku_ring *ring)
{
	names->ring = ring;
	init_irq_work(&names->ask, ku_names_ask);
	INIT_WORK(&names->refresh, ku_names_refresh);
	names->aux.ask = ku_aux_ask;
}

void ku_names_stop(struct ku_names *names)
{
	irq_work_sync(&names->ask);
	cancel_work_sync(&names->refresh);
}

/*
 * Names take a 16th of the blocks. A short-lived process leaves some hundred words of events and
 * two names of 40 bytes. If only such processes are recorded, names need a 9th. Identities, which
 * need more, use the space that names leave.
 */
u32 ku_names_size(u32 nblocks)
{
	u64 bytes = (u64)nblocks * KUTRACE_BLOCK_BYTES / 16;

	if (names_kb)
		bytes = (u64)names_kb * SZ_1K;
	else
		bytes = max_t(u64, bytes, KUTRACE_AUX_BYTES);
	return (u32)roundup_pow_of_two(clamp_t(u64, bytes, SZ_64K, SZ_64M));
}

static void *ku_aux_alloc(size_t bytes)
{
	return __vmalloc(bytes, KU_LARGE_GFP);
}

static u32 ku_aux_notes_bytes(u32 bytes)
{
	return bytes / KU_AUX_MIN * sizeof(struct ku_aux_note);
}

static u32 ku_aux_heads_bytes(u32 bytes)
{
	return bytes / 64 * sizeof(u32);
}

u64 ku_names_memory(u32 bytes)
{
	return (u64)bytes + ku_aux_notes_bytes(bytes) + ku_aux_heads_bytes(bytes) +
	       2 * sizeof(struct ku_readable);
}

int ku_names_alloc(struct ku_names *names, u32 bytes)
{
	struct ku_aux *aux = &names->aux;

	ku_spin_init(&aux->lock);
	aux->bytes = bytes;
	get_random_bytes(&aux->key, sizeof(aux->key));
	aux->key |= 1;
	aux->buffer = ku_aux_alloc(bytes);
	aux->notes = ku_aux_alloc(ku_aux_notes_bytes(bytes));
	aux->heads = ku_aux_alloc(ku_aux_heads_bytes(bytes));
	aux->readable = ku_aux_alloc(sizeof(*aux->readable));
	aux->spare = ku_aux_alloc(sizeof(*aux->spare));
	if (!aux->buffer || !aux->notes || !aux->heads || !aux->readable || !aux->spare)
		return -ENOMEM;
	ku_aux_empty(aux, ku_finest_shift());
	return 0;
}

void ku_names_free(struct ku_names *names)
{
	struct ku_aux *aux = &names->aux;

	vfree(aux->copy);
	vfree(aux->spare);
	vfree(aux->readable);
	vfree(aux->heads);
	vfree(aux->notes);
	vfree(aux->buffer);
}
