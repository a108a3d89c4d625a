// SPDX-License-Identifier: GPL-2.0-only
/*
 * Throttling of cgroups that have used their quota of CPU time (cpu.max). The kernel has no
 * tracepoints for it, so probes are set in throttle_cfs_rq() and unthrottle_cfs_rq(). Rules of
 * probes: tp.h. Both functions run with the lock of a run queue, so the probes take no lock.
 *
 * The argument of both functions, struct cfs_rq, is the queue of one cgroup on one CPU. The kernel
 * does not declare its members to modules. Two of them are needed: the cgroup's task_group, and the
 * run queue of the CPU. Their offsets are searched in queues whose cgroup and CPU are known, and
 * the probes are set only if both are found.
 */
#include <linux/cgroup.h>
#include <linux/kernel.h>
#include <linux/kprobes.h>
#include <linux/percpu.h>
#include <linux/ptrace.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include <linux/uaccess.h>

#include "arch/entry.h"
#include "compat/version.h"
#include "core/emit.h"
#include "probes/quota.h"
#include "uapi/kutrace_quota.h"

#if KU_QUOTA

/* Size of the searched part of a struct cfs_rq, and an upper limit of the size of a struct rq. */
#define KU_QUOTA_SEARCHED	1024
#define KU_QUOTA_RQ_BYTES	32768

/* Offsets in struct cfs_rq. They are valid if ku_quota_found. */
static size_t ku_quota_group, ku_quota_rq;
/* Address of the run queue of a CPU, minus the CPU's per_cpu_offset(). */
static unsigned long ku_quota_rqs;
static bool ku_quota_found, ku_quota_attached;
static u64 ku_quota_nmissed;

/*
 * ---- search ----
 *
 * The queue of a kernel thread that is bound to a CPU has a known CPU, and does not change.
 */

static bool ku_quota_is_bound(const struct task_struct *task)
{
	return task->flags & PF_KTHREAD && task->flags & PF_NO_SETAFFINITY &&
	       task->nr_cpus_allowed == 1 && task->se.cfs_rq;
}

/* Returns the word at an offset in the queue of @task; 0: unreadable. */
static unsigned long ku_quota_word(const struct task_struct *task, size_t offset)
{
	unsigned long word;

	if (copy_from_kernel_nofault(&word, (void *)task->se.cfs_rq + offset, sizeof(word)))
		return 0;
	return word;
}

static bool ku_quota_is_group(const struct task_struct *task, size_t offset)
{
	return ku_quota_word(task, offset) == (unsigned long)task->sched_task_group;
}

/*
 * The queue of a bound thread is in the root group, so it is a part of the CPU's run queue. The
 * distances between the run queues of CPUs are those of all per-CPU variables.
 */
static bool ku_quota_is_rq(const struct task_struct *task, size_t offset)
{
	unsigned long rq = ku_quota_word(task, offset);
	unsigned long own = (unsigned long)task->se.cfs_rq;

	if (!rq || rq > own || own - rq >= KU_QUOTA_RQ_BYTES)
		return false;
	if (!ku_quota_rqs)
		ku_quota_rqs = rq - per_cpu_offset(task_cpu(task));
	return rq - per_cpu_offset(task_cpu(task)) == ku_quota_rqs;
}

/*
 * Finds the offset at which @is holds for all bound threads, and stores it in *@offset. RCU read
 * lock held.
 */
static bool ku_quota_search(bool (*is)(const struct task_struct *task, size_t offset),
			    size_t *offset)
{
	struct task_struct *process;
	bool all, any;

	for (*offset = 0; *offset < KU_QUOTA_SEARCHED; *offset += sizeof(long)) {
		ku_quota_rqs = 0;
		all = true;
		any = false;
		for_each_process(process) {
			if (!ku_quota_is_bound(process))
				continue;
			any = true;
			all = is(process, *offset);
			if (!all)
				break;
		}
		if (any && all)
			return true;
	}
	return false;
}

/* Returns whether the first member of a task_group is its css, as task_css() assumes. */
static bool ku_quota_has_css(void)
{
	return (void *)task_css(&init_task, cpu_cgrp_id) == (void *)init_task.sched_task_group;
}

static void ku_quota_find(void)
{
	rcu_read_lock();
	ku_quota_found = ku_quota_has_css() &&
			 ku_quota_search(ku_quota_is_group, &ku_quota_group) &&
			 ku_quota_search(ku_quota_is_rq, &ku_quota_rq);
	rcu_read_unlock();
}

/* ---- probes ---- */

static u32 __kprobes ku_quota_cpu(const void *queue)
{
	unsigned long rq = *(unsigned long *)(queue + ku_quota_rq);
	unsigned int cpu;

	for_each_possible_cpu(cpu)
		if (rq - per_cpu_offset(cpu) == ku_quota_rqs)
			return cpu;
	return 0;
}

/* Returns whether the running task is in the cgroup of the queue, or below, on the queue's CPU. */
static bool __kprobes ku_quota_is_own(const void *queue)
{
	const struct sched_entity *entity;

	for (entity = &current->se; entity; entity = entity->parent)
		if (entity->cfs_rq == queue)
			return true;
	return false;
}

static void __kprobes ku_quota_emit(u32 event, const void *queue, bool own)
{
	struct cgroup_subsys_state *css = *(struct cgroup_subsys_state **)(queue + ku_quota_group);
	u32 id = css->cgroup ? (u32)cgroup_id(css->cgroup) : 0;

	ku_emit_ordered(KU_EVENT(event) | ku_quota_cpu(queue) << KUTRACE_QUOTA_CPU_SHIFT |
			(own ? KUTRACE_QUOTA_OWN : 0) | (id & KUTRACE_QUOTA_CGROUP));
}

static int __kprobes ku_quota_throttle(struct kretprobe_instance *instance, struct pt_regs *regs)
{
	*(void **)instance->data = (void *)regs_get_kernel_argument(regs, 0);
	return 0;
}

/* The function returns false if the cgroup has got more time meanwhile. */
static int __kprobes ku_quota_throttled(struct kretprobe_instance *instance, struct pt_regs *regs)
{
	const void *queue = *(void **)instance->data;

	if ((u8)regs_return_value(regs))
		ku_quota_emit(KUTRACE_THROTTLE, queue, ku_quota_is_own(queue));
	return 0;
}

static int __kprobes ku_quota_unthrottle(struct kprobe *probe, struct pt_regs *regs)
{
	ku_quota_emit(KUTRACE_UNTHROTTLE, (void *)regs_get_kernel_argument(regs, 0), false);
	return 0;
}

/*
 * From 6.18 on, each task of a throttled cgroup runs until it returns to user code, and then stops
 * in throttle_cfs_rq_work(). Records all cgroups of the task, because the probe cannot know which
 * of them is throttled.
 */
static int __kprobes ku_quota_stop(struct kprobe *probe, struct pt_regs *regs)
{
	const struct sched_entity *entity;

	for (entity = &current->se; entity && entity->parent; entity = entity->parent)
		ku_quota_emit(KUTRACE_THROTTLE_TASK, entity->cfs_rq, true);
	return 0;
}

static struct kretprobe ku_quota_begins;
static struct kprobe ku_quota_ends, ku_quota_stops;
static bool ku_quota_has_stops;

/* The end is attached first, so that no beginning is recorded without its end. */
bool ku_quota_attach(void)
{
	int err;

	if (!ku_quota_found)
		ku_quota_find();
	if (!ku_quota_found) {
		pr_info_once("kutrace: cannot record throttled cgroups: unexpected struct cfs_rq\n");
		return false;
	}
	ku_quota_ends = (struct kprobe){ .symbol_name = "unthrottle_cfs_rq",
					 .pre_handler = ku_quota_unthrottle };
	ku_quota_begins = (struct kretprobe){
		.kp.symbol_name = "throttle_cfs_rq",
		.entry_handler = ku_quota_throttle,
		.handler = ku_quota_throttled,
		.data_size = sizeof(void *),
	};
	if (register_kprobe(&ku_quota_ends)) {
		pr_info_once("kutrace: cannot record throttled cgroups: no probe in unthrottle_cfs_rq()\n");
		return false;
	}
	if (register_kretprobe(&ku_quota_begins)) {
		pr_info_once("kutrace: cannot record throttled cgroups: no probe in throttle_cfs_rq()\n");
		unregister_kprobe(&ku_quota_ends);
		return false;
	}
	ku_quota_stops = (struct kprobe){ .symbol_name = "throttle_cfs_rq_work",
					  .pre_handler = ku_quota_stop };
	err = register_kprobe(&ku_quota_stops);
	ku_quota_has_stops = !err;
	ku_quota_attached = true;
	/* Older kernels do not have this function. */
	if (err && err != -ENOENT) {
		pr_info_once("kutrace: cannot record throttled cgroups: no probe in throttle_cfs_rq_work()\n");
		ku_quota_detach();
		return false;
	}
	/* If ftrace is disabled, probes that use it never run. */
	if (!ku_arch_hooked(ku_quota_begins.kp.addr) || !ku_arch_hooked(ku_quota_ends.addr)) {
		pr_info_once("kutrace: cannot record throttled cgroups: ftrace is disabled (kernel.ftrace_enabled)\n");
		ku_quota_detach();
	}
	return ku_quota_attached;
}

/* Returns the number of events that the attached probes have missed. */
static u64 ku_quota_missed_now(void)
{
	return ku_quota_begins.nmissed + ku_quota_ends.nmissed +
	       (ku_quota_has_stops ? ku_quota_stops.nmissed : 0);
}

void ku_quota_detach(void)
{
	if (!ku_quota_attached)
		return;
	unregister_kretprobe(&ku_quota_begins);
	if (ku_quota_has_stops)
		unregister_kprobe(&ku_quota_stops);
	unregister_kprobe(&ku_quota_ends);
	ku_quota_nmissed += ku_quota_missed_now();
	ku_quota_attached = false;
}

u64 ku_quota_missed(void)
{
	return ku_quota_nmissed + (ku_quota_attached ? ku_quota_missed_now() : 0);
}

#else

bool ku_quota_attach(void)
{
	/* Without this option, the kernel throttles no cgroup. */
	return !IS_ENABLED(CONFIG_CFS_BANDWIDTH);
}

void ku_quota_detach(void)
{
}

u64 ku_quota_missed(void)
{
	return 0;
}

#endif
