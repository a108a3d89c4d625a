// SPDX-License-Identifier: GPL-2.0-only
/*
 * ftrace calls ku_fault_call() (fault_call.S) first thing in handle_mm_fault(), which calls the
 * rest of the function itself and so sees it end. What such a hook is: direct.h.
 */
#include <linux/mm.h>
#include <linux/preempt.h>
#include <asm/ibt.h>

#include "compat/version.h"
#include "probes/direct.h"
#include "probes/fault.h"
#include "probes/fault_direct.h"
#include "probes/x86/fault_direct.h"

void ku_fault_call(void);
void ku_fault_call_end(void);
void ku_fault_direct_end(vm_fault_t fault, struct pt_regs *regs);

static struct ku_direct ku_fault_hook = {
	.what = "page faults",
	.name = "ku_fault_call",
	.hook = ku_fault_call,
	.end = ku_fault_call_end,
	.number = KU_DIRECT_FAULT,
};

/* Context: process, preemptible. */
__visible void __kprobes ku_fault_direct_end(vm_fault_t fault, struct pt_regs *regs)
{
	preempt_disable_notrace();
	ku_fault_ended(fault, regs);
	preempt_enable_notrace();
}

static bool ku_fault_refused(const char *why)
{
	pr_info_once("kutrace: the end of page faults comes from a kretprobe, which takes longer: %s\n",
		     why);
	return false;
}

bool ku_fault_direct_attach(void)
{
	unsigned long function = (unsigned long)handle_mm_fault;
	unsigned long fentry = ku_fentry(function);
	int err;

	/* Where fault_call.S takes it to be: the body begins behind it. */
	if (fentry != function + KU_FAULT_BODY - KU_FENTRY_SIZE)
		return ku_fault_refused("handle_mm_fault() does not begin as expected");
	err = ku_direct_attach(&ku_fault_hook, fentry);
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
