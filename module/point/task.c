// SPDX-License-Identifier: GPL-2.0-only
/*
 * Asks threads of a process to write the bytes that only the process can write, because a page is
 * missing or is still shared with a child. A thread writes on its way back to user space. An
 * interrupt makes running threads enter the kernel, so that they write before they continue in user
 * space. A thread that sleeps need not be woken.
 *
 * The work is bounded, because a user chooses the number of threads. At most KU_POINT_TASKS threads
 * are asked, running ones first. A scan checks at most KU_SCAN threads, and the next scan continues
 * where it stopped. These requests are part of the set, so their memory is charged to the process
 * that registered the bytes. A running thread that was asked may go to sleep in the kernel and
 * never return. So if all asked threads sleep, a scan asks one more running thread, within the
 * limits in set.h. The first request to run writes all due bytes. Until then, if not every thread
 * could be asked, the bytes count as late (ku_point_bytes_late()).
 *
 * Two gaps remain: threads that an asked thread creates before the write, and other processes that
 * share the memory (vfork), see the old value until the write.
 *
 * A request holds a reference to the module, because only its thread can end it. Unloading then
 * fails because the module is in use; it does not wait.
 */
#include <linux/cpumask.h>
#include <linux/module.h>
#include <linux/pid.h>
#include <linux/pid_namespace.h>
#include <linux/rcupdate.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>
#include <linux/smp.h>

#include "compat/version.h"
#include "point/set.h"
#include "users/user.h"

#if KU_HAVE_TASK_WORK
#include <linux/task_work.h>

/* Number of threads that one scan checks. */
#define KU_SCAN		1024
/* Number of requests that are reserved for running threads. */
#define KU_SPARE	4
/* Jiffies until new requests, after a thread has run its request but bytes are still due. */
#define KU_NEXT		max(HZ / 100, 1)

static bool ku_point_task_used;
/* CPUs that ku_point_hand_over() must interrupt. Under ku_point_bytes_lock. */
static struct cpumask ku_point_cpus;

/* Requests beyond those in the sets, of all users who may control. Under ku_point_bytes_lock. */
static u32 ku_point_requests;

static u32 *ku_point_requests_of(struct ku_point_mm *set)
{
	return set->user ? &set->user->requests : &ku_point_requests;
}

static bool ku_point_mm_owes(const struct ku_point_mm *set)
{
	const struct ku_point_byte *byte;

	list_for_each_entry(byte, &set->bytes, node)
		if (byte->owed)
			return true;
	return false;
}

/* Runs in the thread, on its way to user space or at its end. May sleep. */
static void ku_point_task_run(struct callback_head *work)
{
	struct ku_point_task *task = container_of(work, struct ku_point_task, work);
	struct ku_point_mm *set = task->set;
	/* False if the thread is exiting or has executed another program. */
	bool mine = current->mm == set->mm;

	if (mine)
		ku_point_mm_write_own(set, task);
	mutex_lock(&ku_point_bytes_lock);
	/* If @mine, the request is free already, and another thread may have it now. */
	if (!mine)
		task->thread = NULL;
	if (ku_point_mm_owes(set))
		ku_point_mm_again(set, KU_NEXT);
	if (!hlist_unhashed(&task->node)) {
		hlist_del(&task->node);
		set->more_count--;
		--*ku_point_requests_of(set);
		kfree(task);
	}
	ku_point_mm_put(set);
	mutex_unlock(&ku_point_bytes_lock);
	/* Code of the module still runs until the return: ku_point_task_exit() waits for that. */
	module_put(THIS_MODULE);
}

static bool ku_point_task_has(const struct ku_point_mm *set, const struct task_struct *thread)
{
	const struct ku_point_task *task;
	int i;

	for (i = 0; i < KU_POINT_TASKS; i++)
		if (set->tasks[i].thread == thread)
			return true;
	hlist_for_each_entry(task, &set->more, node)
		if (task->thread == thread)
			return true;
	return false;
}

/* @task->thread is valid: a thread runs its request before it ends. */
static bool ku_point_task_sleeps(const struct ku_point_task *task)
{
	return task->thread && !task_is_running(task->thread);
}

/*
 * Allocates a further request if all asked threads sleep. Returns NULL if an asked thread is
 * running, a limit is reached or no memory is available.
 */
static struct ku_point_task *ku_point_task_more(struct ku_point_mm *set)
{
	struct ku_point_task *task;
	int i;

	if (set->more_count == KU_POINT_MORE || *ku_point_requests_of(set) == KU_POINT_USER_MORE)
		return NULL;
	for (i = 0; i < KU_POINT_TASKS; i++)
		if (!ku_point_task_sleeps(&set->tasks[i]))
			return NULL;
	hlist_for_each_entry(task, &set->more, node)
		if (!ku_point_task_sleeps(task))
			return NULL;
	return kzalloc(sizeof(*task), GFP_NOWAIT | __GFP_NOWARN);
}

static void ku_point_task_count_more(struct ku_point_mm *set, struct ku_point_task *task)
{
	hlist_add_head(&task->node, &set->more);
	set->more_count++;
	++*ku_point_requests_of(set);
}

/* Returns a free request, if more than @spare are free. */
static struct ku_point_task *ku_point_task_free(struct ku_point_mm *set, int spare)
{
	int i;

	for (i = 0; i < KU_POINT_TASKS; i++)
		if (!set->tasks[i].thread && !spare--)
			return &set->tasks[i];
	return NULL;
}

/*
 * Makes a request to @thread, if it has none and can write for the set. Keeps @spare requests free.
 * Returns false if no request is available. Under RCU.
 */
static bool ku_point_task_add(struct ku_point_mm *set, struct task_struct *thread, int spare)
{
	struct ku_point_task *task;
	bool more = false;

	if (READ_ONCE(thread->mm) != set->mm || ku_point_task_has(set, thread) ||
	    thread->flags & (PF_EXITING | KU_PF_NOT_USER))
		return true;
	task = ku_point_task_free(set, spare);
	if (!task && !spare) {
		task = ku_point_task_more(set);
		more = task;
	}
	if (!task)
		return false;
	task->set = set;
	init_task_work(&task->work, ku_point_task_run);
	if (task_work_add(thread, &task->work, TWA_RESUME)) {
		if (more)
			kfree(task);
		return true;
	}
	if (more)
		ku_point_task_count_more(set, task);
	/* ku_point_task_run() waits for this lock before it ends the request. */
	task->thread = thread;
	__module_get(THIS_MODULE);	/* allowed: the set's open file holds a reference */
	kref_get(&set->ref);
	if (ku_task_on_cpu(thread))
		cpumask_set_cpu(task_cpu(thread), &ku_point_cpus);
	return true;
}

/* Returns the thread at which a scan begins. Under RCU. */
static struct task_struct *ku_point_task_first(const struct ku_point_mm *set,
					       struct task_struct *leader)
{
	struct pid *pid = set->next ? find_pid_ns(set->next, &init_pid_ns) : NULL;
	struct task_struct *thread = pid ? pid_task(pid, PIDTYPE_PID) : NULL;

	return thread && same_thread_group(thread, leader) ? thread : leader;
}

/*
 * Makes requests to the threads of the process, beginning at @first: only to running threads if
 * @running. Returns false at the first thread that gets no request, and after KU_SCAN threads. In
 * the second case, if @running, the next scan begins where this scan stopped. So scans find a
 * running thread among any number of threads. Under RCU.
 */
static bool ku_point_task_scan(struct ku_point_mm *set, struct task_struct *first, bool running)
{
	struct task_struct *thread = first;
	int left = KU_SCAN;

	do {
		if (!left--) {
			if (running)
				set->next = thread->pid;
			return false;
		}
		if ((!running || task_is_running(thread)) &&
		    !ku_point_task_add(set, thread, running ? 0 : KU_SPARE))
			return false;
		thread = next_thread(thread);
	} while (thread != first);
	return true;
}

static void ku_point_task_nothing(void *unused)
{
}

void ku_point_hand_over(struct ku_point_mm *set)
{
	struct task_struct *leader, *first;
	bool running = false, all = false;

	lockdep_assert_held(&ku_point_bytes_lock);
	ku_point_task_used = true;
	cpumask_clear(&ku_point_cpus);
	rcu_read_lock();
	leader = pid_task(set->process, PIDTYPE_TGID);
	if (leader) {
		first = ku_point_task_first(set, leader);
		running = ku_point_task_scan(set, first, true);
		/* A thread that sleeps now may be the first to return to user space. */
		all = ku_point_task_scan(set, first, false);
	}
	/* If all requests are free, no thread was found that can write. */
	set->handed = running && all && !ku_point_task_free(set, KU_POINT_TASKS - 1);
	rcu_read_unlock();
	on_each_cpu_mask(&ku_point_cpus, ku_point_task_nothing, NULL, 1);
}

void ku_point_task_exit(void)
{
	if (ku_point_task_used)
		synchronize_rcu_tasks();
}

#else

/* Without task_work, the process writes the bytes when it next registers one. */
void ku_point_hand_over(struct ku_point_mm *set)
{
	set->handed = false;
}

void ku_point_task_exit(void)
{
}

#endif
