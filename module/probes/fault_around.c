// SPDX-License-Identifier: GPL-2.0-only
/*
 * Functions that the direct hook of handle_mm_fault() calls before and after the function's body,
 * on architectures whose hook does not count the tasks itself: arm64 and riscv64.
 */
#include <linux/kprobes.h>
#include <linux/mm.h>
#include <linux/percpu.h>
#include <linux/preempt.h>

#include "probes/direct.h"
#include "probes/fault.h"

/*
 * Step a: counts the task as entered, before anything can sleep. Step b: counts it as left, after
 * everything else. No CPU sees b without a: if the task has moved to another CPU, the scheduler's
 * barriers have made a visible there, and smp_wmb() orders it before b. synchronize_rcu_tasks()
 * waits for a task that is preempted before a or after b.
 */
__visible notrace void __kprobes ku_fault_around_begin(unsigned int flags)
{
	preempt_disable_notrace();
	this_cpu_inc(ku_direct_entered[KU_DIRECT_FAULT]);	/* a */
	if (!ku_fault_begins())
		ku_fault_began(flags);
	preempt_enable_notrace();
}

__visible notrace void __kprobes ku_fault_around_end(vm_fault_t fault, struct pt_regs *regs)
{
	preempt_disable_notrace();
	if (ku_fault_begins())
		ku_fault_ended(fault, regs);
	else
		ku_fault_ended_late(fault);
	smp_wmb();	/* a before b; pairs with smp_rmb() in ku_direct_inside() */
	this_cpu_inc(ku_direct_left[KU_DIRECT_FAULT]);		/* b */
	preempt_enable_notrace();
}
