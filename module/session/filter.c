// SPDX-License-Identifier: GPL-2.0-only
/* Filters of sessions by task and CPU: see filter.h. */
#include <linux/cgroup.h>
#include <linux/err.h>
#include <linux/kprobes.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "core/word.h"
#include "session/filter.h"

static bool __kprobes ku_filter_cgroup(const struct kutrace_filter *wanted,
				       struct task_struct *task)
{
#ifdef CONFIG_CGROUPS
	struct cgroup *cgroup;
	u32 i;

	if (!wanted->ncgroups)
		return false;
	/* The task runs or runs next, so its cgroup stays valid even where RCU does not watch. */
	for (cgroup = rcu_dereference_raw(task->cgroups)->dfl_cgrp; cgroup;
	     cgroup = cgroup_parent(cgroup))
		for (i = 0; i < wanted->ncgroups; i++)
			if (cgroup_id(cgroup) == wanted->cgroups[i])
				return true;
#endif
	return false;
}

/* Returns whether a process group is selected. Interrupts off: objects under RCU stay valid. */
static bool __kprobes ku_filter_group(const struct kutrace_filter *wanted, struct task_struct *task)
{
	struct pid *group;
	pid_t number;
	u32 i;

	if (!wanted->ngroups || !task->pid)
		return false;
	group = READ_ONCE(task->signal->pids[PIDTYPE_PGID]);
	number = pid_nr(group);
	for (i = 0; i < wanted->ngroups; i++)
		if (number == wanted->groups[i])
			return true;
	return false;
}

bool __kprobes ku_filter_task(const struct ku_filter *filter, struct task_struct *task)
{
	const struct kutrace_filter *wanted = &filter->wanted;
	u32 i;

	if (filter->all_tasks)
		return true;
	for (i = 0; i < wanted->npids; i++)
		if (task->pid == wanted->pids[i] || task->tgid == wanted->pids[i])
			return true;
	return ku_filter_group(wanted, task) || ku_filter_cgroup(wanted, task);
}

bool __kprobes ku_filter_cpu(const struct ku_filter *filter)
{
	u32 number = ku_this_cpu_number();

	return filter->all_cpus ||
	       (number < KUTRACE_FILTER_CPUS &&
		filter->wanted.cpus[number / 64] >> (number % 64) & 1);
}

u64 __kprobes ku_filter_changed(const struct ku_filter *filter, struct ku_cpu *cpu)
{
	bool hidden = cpu->filter.wanted == KU_WANTED_NO;
	bool wanted = !filter || ku_filter_task(filter, current);

	cpu->filter.wanted = wanted ? KU_WANTED_YES : KU_WANTED_NO;
	cpu->filter.number = ku_filter_number(filter);
	if (wanted && hidden)
		return KU_EVENT(KUTRACE_USERPID) | (u32)current->pid;
	if (!wanted && !hidden)
		return KU_EVENT(KUTRACE_USERPID) | KUTRACE_PID_OTHER;
	return 0;
}

/*
 * Decides about a context switch. A switch to a selected task is recorded. A switch from a selected
 * task to another one becomes a switch to "-other-". Other switches are not recorded.
 */
static bool __kprobes ku_filter_switch(const struct ku_filter *filter, struct ku_cpu *cpu,
				       u64 *entry, struct task_struct *next)
{
	bool was = cpu->filter.wanted == KU_WANTED_YES;
	bool is = ku_filter_task(filter, next);

	cpu->filter.wanted = is ? KU_WANTED_YES : KU_WANTED_NO;
	if (!is)
		*entry = KU_EVENT(KUTRACE_USERPID) | KUTRACE_PID_OTHER;
	return was || is;
}

bool __kprobes ku_filter_pass(const struct ku_filter *filter, struct ku_cpu *cpu, u64 *entry,
			      struct task_struct *task)
{
	u32 event = *entry >> KUTRACE_EVENT_SHIFT & KUTRACE_EVENT_MASK;

	if (event == KUTRACE_USERPID)
		return ku_filter_switch(filter, cpu, entry, task);
	if (cpu->filter.wanted == KU_WANTED_YES)
		return true;
	return (event == KUTRACE_RUNNABLE || event == KUTRACE_TIMER) &&
	       ku_filter_task(filter, task);
}

void ku_filter_name(struct ku_session *session, u64 counts)
{
	if (session->ring.filtered)
		ku_aux_add(ku_session_aux(session), KUTRACE_NAME_PID, KUTRACE_PID_OTHER,
			   "-other-", 7, counts);
}

static bool ku_filter_valid(const struct kutrace_filter *wanted)
{
	return !memchr_inv(wanted->reserved, 0, sizeof(wanted->reserved)) &&
	       wanted->npids <= KUTRACE_FILTER_PIDS &&
	       wanted->ngroups <= KUTRACE_FILTER_GROUPS &&
	       wanted->ncgroups <= KUTRACE_FILTER_CGROUPS;
}

struct ku_filter *ku_filter_new(const struct kutrace_filter *wanted)
{
	struct ku_filter *filter;
	int i;

	if (!ku_filter_valid(wanted))
		return ERR_PTR(-EINVAL);
	if (!IS_ENABLED(CONFIG_CGROUPS) && wanted->ncgroups)
		return ERR_PTR(-EOPNOTSUPP);
	filter = kzalloc(sizeof(*filter), GFP_KERNEL_ACCOUNT);
	if (!filter)
		return ERR_PTR(-ENOMEM);
	filter->wanted = *wanted;
	filter->all_tasks = !wanted->npids && !wanted->ngroups && !wanted->ncgroups;
	filter->all_cpus = true;
	for (i = 0; i < ARRAY_SIZE(wanted->cpus); i++)
		if (wanted->cpus[i])
			filter->all_cpus = false;
	if (!filter->all_tasks || !filter->all_cpus)
		return filter;
	kfree(filter);
	return NULL;
}

struct ku_filter *ku_filter_replace(struct ku_session *session, struct ku_filter *filter)
{
	static u32 number;
	struct ku_filter *old = session->filter;

	lockdep_assert_held(&ku_session_lock);
	if (!++number)
		number = 1;
	if (filter)
		filter->number = number;
	/* Publishes the content. Readers need no barrier: their loads depend on this address. */
	smp_store_release(&session->filter, filter);
	WRITE_ONCE(session->ring.filtered, filter && !filter->all_tasks);
	return old;
}
