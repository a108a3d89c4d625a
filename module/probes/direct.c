// SPDX-License-Identifier: GPL-2.0-only
/*
 * Attaches and detaches direct hooks of ftrace (see direct.h), and counts the tasks in hooked
 * functions. Must keep the module loaded while a task may return to it.
 */
#include <linux/kernel.h>
#include <linux/module.h>
#include <linux/percpu.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/stacktrace.h>
#include <linux/string.h>
#include <linux/tracepoint.h>
#include <linux/workqueue.h>
#include <trace/events/sched.h>

#include "arch/entry.h"
#include "compat/tracepoints.h"
#include "compat/version.h"
#include "probes/direct.h"

/* Delay between two checks for remaining tasks. It is short at first: most tasks return soon. */
#define KU_DIRECT_SOON		(HZ / 250 + 1)
#define KU_DIRECT_LATER		(HZ / 10)
/* The number of short delays; after about a second the module prints the reason of the wait. */
#define KU_DIRECT_LOOKS_SOON	25
#define KU_DIRECT_LOOKS_SILENT	(KU_DIRECT_LOOKS_SOON + 9)
#define KU_DIRECT_FRAMES	64

/* Sums over all CPUs are valid: a task may enter on one CPU and leave on another. */
DEFINE_PER_CPU(u64 [KU_DIRECTS], ku_direct_entered);
DEFINE_PER_CPU(u64 [KU_DIRECTS], ku_direct_left);

static struct ku_direct *ku_directs[KU_DIRECTS];
static bool ku_direct_used, ku_direct_pinned;
static u32 ku_direct_looks;
static void ku_direct_look(struct work_struct *work);
static DECLARE_DELAYED_WORK(ku_direct_work, ku_direct_look);

/*
 * Returns the largest possible number of tasks in the function. It does not grow after the hook is
 * detached.
 */
static u64 ku_direct_inside(u32 number)
{
	u64 entered = 0, left = 0;
	int cpu;

	/*
	 * A task that is counted as left must also be counted as entered, so @left is read first.
	 * Pairs with steps a and b of the hooks: x86 keeps these stores in order; the hooks of
	 * arm64 and riscv64 have smp_wmb() between them, in ku_fault_around_end().
	 */
	for_each_possible_cpu(cpu)
		left += READ_ONCE(per_cpu(ku_direct_left, cpu)[number]);
	smp_rmb();	/* see above */
	for_each_possible_cpu(cpu)
		entered += READ_ONCE(per_cpu(ku_direct_entered, cpu)[number]);
	return entered - left;
}

/* Returns true if a hook (@lasting: a lasting hook) is attached, or its function has tasks. */
static bool ku_direct_is_needed(bool lasting)
{
	u32 i;

	for (i = 0; i < KU_DIRECTS; i++)
		if (ku_directs[i] && (ku_directs[i]->lasting || !lasting) &&
		    (ku_directs[i]->hooked || ku_direct_inside(i)))
			return true;
	return false;
}

static bool ku_direct_is_left(void)
{
	u32 i;

	for (i = 0; i < KU_DIRECTS; i++)
		if (ku_directs[i] && !ku_directs[i]->hooked && ku_direct_inside(i))
			return true;
	return false;
}

static void ku_direct_say(const char *what)
{
	u32 i;

	for (i = 0; i < KU_DIRECTS; i++)
		if (ku_directs[i] && ku_direct_inside(i))
			pr_notice("kutrace: %s the end of %s that began while recording was on: %llu (%s in /proc/PID/task/TID/stack)\n",
				  what, ku_directs[i]->what, ku_direct_inside(i),
				  ku_directs[i]->name);
}

/*
 * A task may end inside a hooked function: in reboot() of a container's first process, or when
 * seccomp kills a thread. Counts it as left, once for each frame of a hook on its stack. A task
 * that crashed in the kernel has lost these frames, and the module stays loaded. Context: process,
 * in do_exit().
 */
static void ku_direct_died(void)
{
	unsigned long frames[KU_DIRECT_FRAMES];
	unsigned int count, i;
	u32 n;

	count = stack_trace_save(frames, ARRAY_SIZE(frames), 0);
	for (i = 0; i < count; i++)
		for (n = 0; n < KU_DIRECTS; n++)
			if (ku_directs[n] && frames[i] > (unsigned long)ku_directs[n]->hook &&
			    frames[i] <= (unsigned long)ku_directs[n]->end)
				this_cpu_inc(ku_direct_left[n]);
}

/*
 * Nearly all tasks end by exit() or exit_group(), which the hooks do not count (syscall_call.S).
 * Their stack need not be searched.
 */
static void ku_direct_exits(void)
{
	int nr = syscall_get_nr(current, task_pt_regs(current));

	if (current->flags & KU_PF_NOT_USER)
		return;
	if (current->exit_code & 0x7f ||
	    !(ku_arch_compat_task() ? nr == KU_NR32_EXIT || nr == KU_NR32_EXIT_GROUP :
				      nr == __NR_exit || nr == __NR_exit_group))
		ku_direct_died();
}

static void __maybe_unused ku_direct_exit_alone(void *data, struct task_struct *task)
{
	ku_probe_guard();

	ku_direct_exits();
}

static void __maybe_unused ku_direct_exit_group(void *data, struct task_struct *task,
						bool group_dead)
{
	ku_probe_guard();

	ku_direct_exits();
}

#define KU_DIRECT_EXIT_PROBE	KU_PROCESS_EXIT_PROBE(ku_direct_exit_alone, ku_direct_exit_group)

static struct tracepoint *ku_direct_exit_tp;
static bool ku_direct_exit_on, ku_direct_exit_used;

static void ku_direct_match(struct tracepoint *tp, void *data)
{
	if (!strcmp(tp->name, "sched_process_exit"))
		ku_direct_exit_tp = tp;
}

/*
 * The watch must be active as long as a lasting hook is attached or a task can be in its function.
 */
static int ku_direct_watch_exits(void)
{
	int err;

	KU_CHECK(sched_process_exit, KU_DIRECT_EXIT_PROBE);
	if (ku_direct_exit_on)
		return 0;
	for_each_kernel_tracepoint(ku_direct_match, NULL);
	if (!ku_direct_exit_tp)
		return -EOPNOTSUPP;
	err = tracepoint_probe_register(ku_direct_exit_tp, KU_DIRECT_EXIT_PROBE, NULL);
	ku_direct_exit_on = !err;
	ku_direct_exit_used |= !err;
	return err;
}

static void ku_direct_unwatch_exits(void)
{
	if (ku_direct_exit_on)
		tracepoint_probe_unregister(ku_direct_exit_tp, KU_DIRECT_EXIT_PROBE, NULL);
	ku_direct_exit_on = false;
}

static void ku_direct_pin(void)
{
	if (!ku_direct_pinned)
		ku_direct_pinned = try_module_get(THIS_MODULE);
}

/* Allows unloading: no lasting hook is attached, and no task is in its function. */
static void ku_direct_release(void)
{
	ku_direct_unwatch_exits();
	if (ku_direct_pinned)
		module_put(THIS_MODULE);
	ku_direct_pinned = false;
}

/* Runs some time after a hook was detached, and again while tasks are in its function. */
static void ku_direct_look(struct work_struct *work)
{
	if (ku_direct_is_left()) {
		ku_direct_looks++;
		if (ku_direct_looks >= KU_DIRECT_LOOKS_SILENT)
			ku_direct_pin();
		if (ku_direct_looks == KU_DIRECT_LOOKS_SILENT && ku_direct_pinned)
			ku_direct_say("cannot be unloaded before");
		schedule_delayed_work(&ku_direct_work, ku_direct_looks < KU_DIRECT_LOOKS_SOON ?
				      KU_DIRECT_SOON : KU_DIRECT_LATER);
	} else if (!ku_direct_is_needed(true)) {
		ku_direct_release();
	}
}

/*
 * Decides after each change whether the module stays loaded, and whether to check for tasks again.
 * The work item must not run meanwhile.
 */
static void ku_direct_settle(void)
{
	if (ku_direct_is_needed(true))
		ku_direct_pin();
	else
		ku_direct_release();
	ku_direct_looks = 0;
	if (ku_direct_is_left())
		schedule_delayed_work(&ku_direct_work, KU_DIRECT_SOON);
}

void ku_direct_exit(void)
{
	cancel_delayed_work_sync(&ku_direct_work);
	if (ku_direct_is_needed(false))
		ku_direct_say("unloading waits for");
	while (ku_direct_is_needed(false))
		schedule_timeout_idle(HZ / 100 + 1);
	ku_direct_unwatch_exits();
	if (ku_direct_exit_used) {
		tracepoint_synchronize_unregister();
		/* In some kernels, that does not wait for code with preemption disabled. */
		synchronize_rcu();
	}
	/* A task that is counted as left may still execute the last instructions of a hook. */
	if (ku_direct_used)
		synchronize_rcu_tasks();
}

int ku_direct_attach(struct ku_direct *direct, unsigned long function)
{
	int err;

	cancel_delayed_work_sync(&ku_direct_work);
	err = direct->lasting ? ku_direct_watch_exits() : 0;
	if (err)
		goto settled;
	ku_directs[direct->number] = direct;
	/* ftrace accepts a used struct only if it was cleared. */
	memset(&direct->ops, 0, sizeof(direct->ops));
	err = ftrace_set_filter_ip(&direct->ops, function, 0, 0);
	if (!err)
		err = ku_register_direct(&direct->ops, (unsigned long)direct->hook);
	if (err) {
		ftrace_free_filter(&direct->ops);
		goto settled;
	}
	direct->hooked = true;
	ku_direct_used = true;
	/* With this flag, the kernel refuses to clear kernel.ftrace_enabled. */
	direct->ops.flags |= FTRACE_OPS_FL_PERMANENT;
	if (!ku_arch_ftraced((const void *)function)) {
		ku_direct_detach(direct);
		return -EPERM;
	}
settled:
	ku_direct_settle();
	return err;
}

void ku_direct_detach(struct ku_direct *direct)
{
	int err;

	if (!direct->hooked)
		return;
	err = ku_unregister_direct(&direct->ops, (unsigned long)direct->hook);
	if (err) {
		/* ftrace has disabled itself after an internal error, which it has reported. */
		pr_err("kutrace: ftrace cannot remove the hook %s: error %d\n", direct->name, err);
		return;
	}
	cancel_delayed_work_sync(&ku_direct_work);
	direct->hooked = false;
	ku_direct_settle();
}
