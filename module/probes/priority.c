// SPDX-License-Identifier: GPL-2.0-only
/*
 * Policies and priorities of tasks: names when a task changes its own, and events when it inherits
 * one. Rules of probes: tp.h.
 *
 * The kernel has no tracepoint for a change. But each change of the priority or of the scheduling
 * class calls a method of the class, with the lock of the run queue held and before the task can be
 * switched. So probes in these methods record the change in time, whatever its cause. A change of
 * the policy alone, such as from SCHED_OTHER to SCHED_BATCH, calls no method: it is recorded when
 * __sched_setscheduler() returns.
 */
#include <linux/kernel.h>
#include <linux/kprobes.h>
#include <linux/ptrace.h>
#include <linux/sched.h>
#include <linux/sched/prio.h>
#include <trace/events/sched.h>

#include "arch/entry.h"
#include "compat/tracepoints.h"
#include "compat/version.h"
#include "core/emit.h"
#include "probes/priority.h"
#include "probes/tp.h"
#include "record/all.h"
#include "uapi/kutrace_priority.h"

/* ---- inherited priorities ---- */

/* Called before the change. @donor: the task of highest priority that waits for @task, or NULL. */
static void __kprobes ku_priority_inherited(void *data, struct task_struct *task,
					    struct task_struct *donor)
{
	ku_probe_guard();
	u32 inherited = KUTRACE_PRIORITY_OWN;

	if (donor && donor->prio < task->normal_prio)
		inherited = (u32)(donor->prio + 1);
	ku_emit(KU_EVENT(KUTRACE_PRIORITY_PI) | inherited << KUTRACE_PRIORITY_SHIFT |
		((u32)task->pid & KUTRACE_PRIORITY_PID));
}

static struct ku_tp ku_priority_tps[] = {
	KU_TP(sched_pi_setprio, ku_priority_inherited, KUTRACE_MASK_PROCESS),
};

const struct ku_tp_table ku_tps_priority = KU_TP_TABLE(ku_priority_tps);

static void __maybe_unused ku_priority_check(void)
{
	KU_CHECK(sched_pi_setprio, ku_priority_inherited);
}

/* ---- own priorities ---- */

#if KU_PRIORITY

/* Methods with a run queue and a task as arguments. Only some kernels have the class scx. */
static const char * const ku_priority_methods[] = {
	"switched_to_fair", "prio_changed_fair", "switched_to_rt", "prio_changed_rt",
	"switched_to_dl", "prio_changed_dl",
	"switched_to_scx", "prio_changed_scx",
};

#define KU_PRIORITY_NEEDED	6	/* number of methods that each kernel has */

static struct kprobe ku_priority_probes[ARRAY_SIZE(ku_priority_methods)];
/* The probes that were registered last. */
static struct kprobe *ku_priority_list[ARRAY_SIZE(ku_priority_methods)];
static int ku_priority_count;
static struct kretprobe ku_priority_end;
static bool ku_priority_attached;
static u64 ku_priority_nmissed;

static int __kprobes ku_priority_changed(struct kprobe *probe, struct pt_regs *regs)
{
	ku_sessions_priority((struct task_struct *)regs_get_kernel_argument(regs, 1));
	return 0;
}

static int __kprobes ku_priority_set(struct kretprobe_instance *instance, struct pt_regs *regs)
{
	*(void **)instance->data = (void *)regs_get_kernel_argument(regs, 0);
	return 0;
}

static int __kprobes ku_priority_was_set(struct kretprobe_instance *instance, struct pt_regs *regs)
{
	ku_sessions_priority(*(struct task_struct **)instance->data);
	return 0;
}

/* Returns the number of changes that the attached probes have missed. */
static u64 ku_priority_missed_now(void)
{
	u64 missed = ku_priority_end.nmissed + ku_priority_end.kp.nmissed;
	int i;

	for (i = 0; i < ku_priority_count; i++)
		missed += ku_priority_list[i]->nmissed;
	return missed;
}

static void ku_priority_unregister(void)
{
	/* Together, because each call waits until no probe runs. */
	unregister_kprobes(ku_priority_list, ku_priority_count);
}

static bool ku_priority_refused(const char *name)
{
	pr_info_once("kutrace: cannot record changes of priorities: no probe in %s()\n", name);
	return false;
}

bool ku_priority_attach(void)
{
	int i, err;

	ku_priority_count = 0;
	for (i = 0; i < ARRAY_SIZE(ku_priority_probes); i++) {
		struct kprobe *probe = &ku_priority_probes[i];

		*probe = (struct kprobe){ .symbol_name = ku_priority_methods[i],
					  .pre_handler = ku_priority_changed };
		err = register_kprobe(probe);
		if (err == -ENOENT && i >= KU_PRIORITY_NEEDED)
			continue;
		if (err) {
			ku_priority_unregister();
			return ku_priority_refused(ku_priority_methods[i]);
		}
		ku_priority_list[ku_priority_count++] = probe;
	}
	ku_priority_end = (struct kretprobe){
		.kp.symbol_name = "__sched_setscheduler",
		.entry_handler = ku_priority_set,
		.handler = ku_priority_was_set,
		.data_size = sizeof(void *),
	};
	if (register_kretprobe(&ku_priority_end)) {
		ku_priority_unregister();
		return ku_priority_refused("__sched_setscheduler");
	}
	ku_priority_attached = true;
	/* If ftrace is disabled, probes that use it never run. */
	if (!ku_arch_hooked(ku_priority_end.kp.addr)) {
		pr_info_once("kutrace: cannot record changes of priorities: ftrace is disabled (kernel.ftrace_enabled)\n");
		ku_priority_detach();
	}
	return ku_priority_attached;
}

void ku_priority_detach(void)
{
	if (!ku_priority_attached)
		return;
	unregister_kretprobe(&ku_priority_end);
	ku_priority_unregister();
	ku_priority_nmissed += ku_priority_missed_now();
	ku_priority_attached = false;
}

u64 ku_priority_missed(void)
{
	return ku_priority_nmissed + (ku_priority_attached ? ku_priority_missed_now() : 0);
}

#else

bool ku_priority_attach(void)
{
	return false;
}

void ku_priority_detach(void)
{
}

u64 ku_priority_missed(void)
{
	return 0;
}

#endif
