// SPDX-License-Identifier: GPL-2.0-only
/* Tracepoints of the scheduler and of tasks: switches, wakeups, names, identities. Rules: tp.h. */
#include <linux/cgroup.h>
#include <linux/kprobes.h>
#include <linux/sched.h>
#include <trace/events/sched.h>
#include <trace/events/task.h>
#ifdef CONFIG_CGROUPS
#include <trace/events/cgroup.h>
#endif

#include "arch/entry.h"
#include "compat/tracepoints.h"
#include "compat/version.h"
#include "core/emit.h"
#include "probes/shared.h"
#include "probes/timer.h"
#include "probes/tp.h"
#include "record/all.h"
#include "uapi/kutrace_task.h"

/* The scheduler begins with preemption disabled. It may return in another task. */
static void __kprobes ku_sched_entry(void *data, bool preempt)
{
	ku_probe_guard();

	ku_emit(KU_EVENT(KUTRACE_CALL_SCHED));
}

static void __kprobes ku_sched_exit(void *data, bool is_switch)
{
	ku_probe_guard();

	ku_emit_return(KUTRACE_CALL_SCHED, 0);
}

static void __kprobes ku_sched_switch(void *data, bool preempt, struct task_struct *prev,
				      struct task_struct *next, unsigned int prev_state)
{
	ku_probe_guard();

	ku_emit_switch(next, (u32)next->pid);
}

static void __kprobes ku_wakeup(void *data, struct task_struct *task)
{
	ku_probe_guard();

	ku_timer_woken(task);
	ku_emit_wakeup(task, (u32)task->pid);
}

static void __kprobes ku_task_new(void *data, struct task_struct *task, ku_clone_flags flags)
{
	ku_probe_guard();

	ku_sessions_name_task(task, task->comm);
	ku_sessions_priority(task);
}

/* Called before the name changes, with the task's alloc_lock held. */
static void __kprobes ku_task_rename(void *data, struct task_struct *task, const char *comm)
{
	ku_probe_guard();

	ku_sessions_name_task(task, comm);
}

void __kprobes ku_hook_exec(struct task_struct *task, pid_t old_pid)
{
	unsigned long flags;

	ku_sessions_identify(task, KUTRACE_TASK_EXEC, old_pid == task->pid ? 0 : (u32)old_pid);
	if (old_pid == task->pid)
		return;
	/* ku_emit_switch() needs interrupts disabled. */
	local_irq_save(flags);
	ku_emit_switch(task, (u32)task->pid);
	local_irq_restore(flags);
}

static void __kprobes ku_sched_exec(void *data, struct task_struct *task, pid_t old_pid,
				    struct linux_binprm *bprm)
{
	ku_probe_guard();

	if (unlikely(ku_arch_exec_nr(task) >= 0))
		ku_numberless_begin(KUTRACE_CALL_SYSCALL64 + ku_arch_exec_nr(task));
	ku_hook_exec(task, old_pid);
}

#ifdef CONFIG_CGROUPS
/*
 * Called after the move. With @all, one record stands for all threads of the process, because users
 * choose their number.
 */
static void __kprobes ku_cgroup_attach(void *data, struct cgroup *cgroup, const char *path,
				       struct task_struct *task, bool all)
{
	ku_probe_guard();

	/* The kernel does not move an exiting task, whose pid may already have another owner. */
	if (READ_ONCE(task->flags) & PF_EXITING)
		return;
	/* The id in an identity is that of the hierarchy of version 2. */
	if (cgroup->root == &cgrp_dfl_root)
		ku_sessions_identify(task, all ? KUTRACE_TASK_ALL_MOVED : KUTRACE_TASK_MOVED, 0);
}
#endif

static void __maybe_unused __kprobes ku_task_exit_alone(void *data, struct task_struct *task)
{
	ku_probe_guard();

	ku_emit(KU_EVENT(KUTRACE_TASKEXIT) | (u32)task->pid);
}

static void __maybe_unused __kprobes ku_task_exit_group(void *data, struct task_struct *task,
							bool group_dead)
{
	ku_probe_guard();

	ku_emit(KU_EVENT(KUTRACE_TASKEXIT) | (u32)task->pid);
}

#define KU_TASK_EXIT	KU_PROCESS_EXIT_PROBE(ku_task_exit_alone, ku_task_exit_group)

/* The scheduler's end is attached first, so that no start is recorded without its end. */
static struct ku_tp ku_sched_tps[] = {
	{ .name = KU_SCHED_SPANS ? "sched_exit_tp" : "", .probe = ku_sched_exit,
	  .category = KUTRACE_MASK_SCHED },
	{ .name = KU_SCHED_SPANS ? "sched_entry_tp" : "", .probe = ku_sched_entry,
	  .category = KUTRACE_MASK_SCHED },
	KU_TP(task_newtask, ku_task_new, KUTRACE_MASK_PROCESS),
	KU_TP(task_rename, ku_task_rename, KUTRACE_MASK_PROCESS),
	KU_TP(sched_process_exec, ku_sched_exec, KUTRACE_MASK_PROCESS),
	KU_TP(sched_process_exit, KU_TASK_EXIT, KUTRACE_MASK_PROCESS),
#ifdef CONFIG_CGROUPS
	KU_TP(cgroup_attach_task, ku_cgroup_attach, KUTRACE_MASK_PROCESS),
#endif
	KU_TP(sched_switch, ku_sched_switch, KUTRACE_MASK_SCHED),
	KU_TP(sched_waking, ku_wakeup, KUTRACE_MASK_WAKEUP | KUTRACE_MASK_TIMER),
	KU_TP(sched_wakeup_new, ku_wakeup, KUTRACE_MASK_WAKEUP),
};

const struct ku_tp_table ku_tps_sched = KU_TP_TABLE(ku_sched_tps);

static void __maybe_unused ku_sched_check(void)
{
	KU_CHECK(task_newtask, ku_task_new);
	KU_CHECK(task_rename, ku_task_rename);
	KU_CHECK(sched_process_exec, ku_sched_exec);
	KU_CHECK(sched_process_exit, KU_TASK_EXIT);
#ifdef CONFIG_CGROUPS
	KU_CHECK(cgroup_attach_task, ku_cgroup_attach);
#endif
	KU_CHECK(sched_switch, ku_sched_switch);
	KU_CHECK(sched_waking, ku_wakeup);
	KU_CHECK(sched_wakeup_new, ku_wakeup);
}

bool ku_sched_spans(void)
{
	/* The first two tracepoints of the table, if the kernel has them. */
	return ku_sched_tps[0].tp && ku_sched_tps[1].tp;
}
