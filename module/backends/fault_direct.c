// SPDX-License-Identifier: GPL-2.0-only
/* Attaches the direct hook of handle_mm_fault() on any architecture: see fault_direct.h. */
#include <linux/errno.h>
#include <linux/mm.h>
#include <linux/printk.h>

#include "arch/entry.h"
#include "backends/fault_direct.h"
#include "probes/direct.h"
#include "probes/fault_call.h"

static struct ku_direct ku_fault_hook = {
	.what = "page faults",
	.name = "ku_fault_call",
	.hook = ku_fault_call,
	.end = ku_fault_call_end,
	.number = KU_DIRECT_FAULT,
};

static bool ku_fault_refused(const char *why)
{
	pr_info_once("kutrace: the end of page faults is recorded by a kretprobe, if available, which costs more: %s\n",
		     why);
	return false;
}

bool ku_fault_direct_attach(void)
{
	unsigned long place = ku_arch_ftrace_place((unsigned long)handle_mm_fault);
	int err;

	if (!place)
		return ku_fault_refused("handle_mm_fault() does not begin as expected");
	err = ku_direct_attach(&ku_fault_hook, place);
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
