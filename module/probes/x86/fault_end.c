// SPDX-License-Identifier: GPL-2.0-only
/*
 * Records the end of a page fault for the direct hook of handle_mm_fault() (fault_call.S). The hook
 * itself counts the tasks in the function, and a tracepoint records the beginning of the fault.
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
