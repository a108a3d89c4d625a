// SPDX-License-Identifier: GPL-2.0-only
/*
 * Bytes of typed tracepoints that only their process can write (see task.h), because the page
 * is not there or is still shared with a child. Each thread gets a piece of work that it does
 * on its way back to user space; the CPUs are interrupted, so that none goes on in user space
 * without having been in the kernel. A thread that sleeps need not be woken: it cannot look.
 *
 * One hole is left: a thread that is created by one that has this before it yet runs without.
 * It sees what was, until the other one is through.
 *
 * A piece of work holds the module, as nothing but its thread can end it: unloading then
 * says that the module is in use, and does not wait.
 */
#include <linux/module.h>
#include <linux/rcupdate.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>
#include <linux/smp.h>

#include "compat/version.h"
#include "point/set.h"
#include "point/task.h"

#if KU_HAVE_TASK_WORK
#include <linux/task_work.h>

struct ku_point_task {
	struct callback_head work;
	struct list_head node;	/* of set->tasks, until it has written */
	const struct task_struct *task;
	struct ku_point_mm *set;
};

static bool ku_point_task_used;

/* Process context of the thread, on its way to user space or its end. May sleep. */
static void ku_point_task_run(struct callback_head *work)
{
	struct ku_point_task *task = container_of(work, struct ku_point_task, work);
	struct ku_point_mm *set = task->set;

	/* Not so if it is ending or has executed another program. */
	if (current->mm == set->mm)
		ku_point_mm_write_own(set, &task->node);
	mutex_lock(&ku_point_bytes_lock);
	list_del(&task->node);
	ku_point_mm_put(set);
	mutex_unlock(&ku_point_bytes_lock);
	kfree(task);
	/* What is left of this function: see ku_point_task_exit(). */
	module_put(THIS_MODULE);
}

static bool ku_point_task_has(const struct ku_point_mm *set, const struct task_struct *thread)
{
	const struct ku_point_task *task;

	list_for_each_entry(task, &set->tasks, node)
		if (task->task == thread)
			return true;
	return false;
}

/* Under RCU. False: no memory. */
static bool ku_point_task_add(struct ku_point_mm *set, struct task_struct *thread)
{
	struct ku_point_task *task;

	if (ku_point_task_has(set, thread))
		return true;
	task = kzalloc(sizeof(*task), GFP_NOWAIT | __GFP_NOWARN);
	if (!task)
		return false;
	task->task = thread;
	task->set = set;
	init_task_work(&task->work, ku_point_task_run);
	/* The set has a file, which has the module. */
	__module_get(THIS_MODULE);
	kref_get(&set->ref);
	list_add(&task->node, &set->tasks);
	if (!task_work_add(thread, &task->work, TWA_RESUME))
		return true;
	/* It is ending. */
	list_del(&task->node);
	ku_point_mm_put(set);
	module_put(THIS_MODULE);
	kfree(task);
	return true;
}

static void ku_point_task_nothing(void *unused)
{
}

void ku_point_hand_over(struct ku_point_mm *set)
{
	struct task_struct *process, *thread;

	lockdep_assert_held(&ku_point_bytes_lock);
	ku_point_task_used = true;
	set->handed = true;
	rcu_read_lock();
	for_each_process_thread(process, thread)
		if (READ_ONCE(thread->mm) == set->mm &&
		    !(thread->flags & (PF_EXITING | KU_PF_NOT_USER)) &&
		    !ku_point_task_add(set, thread))
			set->handed = false;
	rcu_read_unlock();
	on_each_cpu(ku_point_task_nothing, NULL, 1);
}

void ku_point_task_exit(void)
{
	if (ku_point_task_used)
		synchronize_rcu_tasks();
}

#else

/* Without task_work: the process writes it when it next gives a byte. */
void ku_point_hand_over(struct ku_point_mm *set)
{
	set->handed = false;
}

void ku_point_task_exit(void)
{
}

#endif
