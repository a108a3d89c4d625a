// SPDX-License-Identifier: GPL-2.0-only
/*
 * ftrace calls ku_fault_call() (fault_call.S) first thing in handle_mm_fault(), which calls the
 * rest of the function itself, and before that and behind it what records the fault's end, and
 * its beginning where that has no tracepoint. What such a hook is: direct.h.
 */
#include <linux/kprobes.h>
#include <linux/mm.h>
#include <linux/percpu.h>
#include <linux/preempt.h>
#include <linux/printk.h>

#include "probes/direct.h"
#include "probes/fault.h"
#include "probes/fault_direct.h"

void ku_fault_call(void);
void ku_fault_call_end(void);
void ku_fault_direct_begin(unsigned int flags);
void ku_fault_direct_end(vm_fault_t fault, struct pt_regs *regs);

static struct ku_direct ku_fault_hook = {
	.what = "page faults",
	.name = "ku_fault_call",
	.hook = ku_fault_call,
	.end = ku_fault_call_end,
	.number = KU_DIRECT_FAULT,
};

/*
 * Both: context: process, preemptible. Steps a and b as on arm64: counted in before anything can
 * sleep, counted out behind all else.
 */
__visible notrace void __kprobes ku_fault_direct_begin(unsigned int flags)
{
	preempt_disable_notrace();
	this_cpu_inc(ku_direct_entered[KU_DIRECT_FAULT]);	/* a */
	if (!ku_fault_begins())
		ku_fault_began(flags);
	preempt_enable_notrace();
}

__visible notrace void __kprobes ku_fault_direct_end(vm_fault_t fault, struct pt_regs *regs)
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

static bool ku_fault_refused(const char *why)
{
	pr_info_once("kutrace: page faults come from a kretprobe, if at all: %s\n", why);
	return false;
}

bool ku_fault_direct_attach(void)
{
	int err = ku_direct_attach(&ku_fault_hook, (unsigned long)handle_mm_fault);

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
