// SPDX-License-Identifier: GPL-2.0-only
/*
 * ftrace calls ku_fault_call() (fault_call.S) first thing in handle_mm_fault(), which calls the
 * rest of the function itself, and before that and behind it what records the fault's
 * beginning and end. What such a hook is: direct.h.
 */
#include <linux/mm.h>
#include <linux/percpu.h>
#include <linux/preempt.h>

#include "probes/arm64/fault_call.h"
#include "probes/direct.h"
#include "probes/fault.h"
#include "probes/fault_direct.h"

static struct ku_direct ku_fault_hook = {
	.what = "page faults",
	.name = "ku_fault_call",
	.hook = ku_fault_call,
	.end = ku_fault_call_end,
	.number = KU_DIRECT_FAULT,
};

/*
 * Step a: counted in before anything can sleep. Step b: counted out behind all else, and no
 * other CPU sees b without a. The task may be on another CPU by then: the scheduler's barriers
 * have brought a there, and the one here brings it on. A task that is preempted before a or
 * behind b is waited for by synchronize_rcu_tasks().
 */
void __kprobes ku_fault_direct_begin(unsigned int flags)
{
	preempt_disable_notrace();
	this_cpu_inc(ku_direct_entered[KU_DIRECT_FAULT]);	/* a */
	ku_fault_began(flags);
	preempt_enable_notrace();
}

void __kprobes ku_fault_direct_end(vm_fault_t fault)
{
	preempt_disable_notrace();
	ku_fault_ended_late(fault);
	smp_wmb();	/* a before b; pairs with smp_rmb() in ku_direct_inside() */
	this_cpu_inc(ku_direct_left[KU_DIRECT_FAULT]);		/* b */
	preempt_enable_notrace();
}

static bool ku_fault_refused(const char *why)
{
	pr_info_once("kutrace: page faults come from a kretprobe, which takes longer: %s\n", why);
	return false;
}

bool ku_fault_direct_attach(void)
{
	int err;

	/*
	 * Where a tracepoint tells of their beginning, the kretprobe knows how to leave it to that.
	 */
	if (ku_fault_begins())
		return ku_fault_refused("this kernel has a tracepoint of page faults");
	err = ku_direct_attach(&ku_fault_hook, (unsigned long)handle_mm_fault);
	if (err == -EPERM)
		return false;
	if (err)
		return ku_fault_refused(err == -EBUSY ?
			"handle_mm_fault() is hooked already, by BPF or a live patch" :
			"ftrace does not hook handle_mm_fault()");
	return true;
}

void ku_fault_direct_detach(void)
{
	ku_direct_detach(&ku_fault_hook);
}
