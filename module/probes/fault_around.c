// SPDX-License-Identifier: GPL-2.0-only
/*
 * What the direct hook of handle_mm_fault() calls in front of the function's body and behind it,
 * where tasks in it are not counted by the hook itself: arm64 and riscv64. Called by their
 * fault_call.S.
 */
#include <linux/kprobes.h>
#include <linux/mm.h>
#include <linux/percpu.h>
#include <linux/preempt.h>

#include "probes/direct.h"
#include "probes/fault.h"
#include "probes/fault_around.h"

/*
 * Step a: counted in before anything can sleep. Step b: counted out behind all else, and no
 * other CPU sees b without a. The task may be on another CPU by then: the scheduler's barriers
 * have brought a there, and the one here brings it on. A task that is preempted before a or
 * behind b is waited for by synchronize_rcu_tasks().
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
