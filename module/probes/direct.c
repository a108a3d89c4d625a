// SPDX-License-Identifier: GPL-2.0-only
/*
 * Direct hooks of ftrace, attached and detached, and who is in a function that he entered by one:
 * see direct.h. Must not let the module go while a task may still return to it.
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

/* So often the module looks who is left; at first more often, as most are out at once. */
#define KU_DIRECT_SOON		(HZ / 250 + 1)
#define KU_DIRECT_LATER		(HZ / 10)
/* After so many looks, a second or so, it says whom it stays for. */
#define KU_DIRECT_LOOKS_SOON	25
#define KU_DIRECT_LOOKS_SILENT	(KU_DIRECT_LOOKS_SOON + 9)
#define KU_DIRECT_FRAMES	64

/* A task enters and leaves maybe each on another CPU. */
DEFINE_PER_CPU(u64 [KU_DIRECTS], ku_direct_entered);
DEFINE_PER_CPU(u64 [KU_DIRECTS], ku_direct_left);

static struct ku_direct *ku_directs[KU_DIRECTS];
static bool ku_direct_used, ku_direct_pinned;
static u32 ku_direct_looks;
static void ku_direct_look(struct work_struct *work);
static DECLARE_DELAYED_WORK(ku_direct_work, ku_direct_look);

/* ---- tasks in hooked functions ---- */

/* So many at the most; while the hook is off, none is added. */
static u64 ku_direct_inside(u32 number)
{
	u64 entered = 0, left = 0;
	int cpu;

	/*
	 * Who is seen to have left, is seen to have entered: left is read first. Pairs with
	 * steps a and b of the hooks: two stores that x86 keeps in their order, and between which
	 * arm64's and riscv64's hooks have smp_wmb(), in ku_fault_around_end().
	 */
	for_each_possible_cpu(cpu)
		left += READ_ONCE(per_cpu(ku_direct_left, cpu)[number]);
	smp_rmb();	/* see above */
	for_each_possible_cpu(cpu)
		entered += READ_ONCE(per_cpu(ku_direct_entered, cpu)[number]);
	return entered - left;
}

/* Whether any is hooked, or a task may be in one, of all or of the lasting ones. */
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

/* ---- tasks that never come out ---- */

/*
 * A task may end where it is: in reboot() of a container's first process, or when seccomp kills a
 * thread. It is counted out here, by the hooks' frames on its stack. One that has crashed in the
 * kernel has lost them, and the module stays. Context: process, in do_exit().
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

/* Who ends as nearly all do, by exit() or exit_group(), is in no hook: syscall_call.S. */
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

/* From before the first task can be in a hook, until none is. */
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

/* ---- whether the module can be unloaded ---- */

static void ku_direct_pin(void)
{
	if (!ku_direct_pinned)
		ku_direct_pinned = try_module_get(THIS_MODULE);
}

/* Lets the module go: no lasting hook is on, and no task is in one. */
static void ku_direct_release(void)
{
	ku_direct_unwatch_exits();
	if (ku_direct_pinned)
		module_put(THIS_MODULE);
	ku_direct_pinned = false;
}

/* Runs some time after a hook is off, and again as long as tasks are in one. */
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
 * Decides after any change whether the module stays, and whether to look for tasks again. The work
 * item does not run meanwhile.
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
		/* Not every grace period waits for what has preemption off. */
		synchronize_rcu();
	}
	/* Counted out, but not yet behind the last instruction. */
	if (ku_direct_used)
		synchronize_rcu_tasks();
}

/* ---- on, off ---- */

int ku_direct_attach(struct ku_direct *direct, unsigned long function)
{
	int err;

	cancel_delayed_work_sync(&ku_direct_work);
	err = direct->lasting ? ku_direct_watch_exits() : 0;
	if (err)
		goto settled;
	ku_directs[direct->number] = direct;
	/* ftrace leaves it such that it is not good for once more. */
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
	/* Nobody switches ftrace off while it is needed: kernel.ftrace_enabled is refused. */
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
		/* ftrace has given up because of an error in it, which it has said. */
		pr_err("kutrace: ftrace does not let go of what %s hooks: %d\n", direct->name, err);
		return;
	}
	cancel_delayed_work_sync(&ku_direct_work);
	direct->hooked = false;
	ku_direct_settle();
}
