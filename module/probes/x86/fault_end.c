// SPDX-License-Identifier: GPL-2.0-only
/*
 * What the direct hook of handle_mm_fault() calls behind the function's body (fault_call.S): the
 * hook itself counts the tasks that are in it, and a tracepoint tells of the fault's beginning.
 */
#include <linux/kprobes.h>
#include <linux/mm.h>
#include <linux/preempt.h>

#include "probes/fault.h"

void ku_fault_direct_end(vm_fault_t fault, struct pt_regs *regs);

/* Context: process, preemptible. */
__visible void __kprobes ku_fault_direct_end(vm_fault_t fault, struct pt_regs *regs)
{
	preempt_disable_notrace();
	ku_fault_ended(fault, regs);
	preempt_enable_notrace();
}
