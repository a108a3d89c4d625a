// SPDX-License-Identifier: GPL-2.0-only
/*
 * Attaches empty probes to the tracepoints of system calls, which is the least cost of a tracer
 * that uses them: sys_enter and sys_exit, or, with fast=1, syscall_begin and syscall_end
 * (kernel-patches/tracepoints). Cannot be loaded if the kernel lacks them. For
 * tests/bench/hooks.sh.
 */
#include <linux/module.h>
#include <linux/string.h>
#include <linux/tracepoint.h>

static bool fast;
module_param(fast, bool, 0444);
MODULE_PARM_DESC(fast, "attach to syscall_begin and syscall_end");

static struct tracepoint *empty_probe_enter, *empty_probe_exit;

static void empty_probe_entered(void *data, struct pt_regs *regs, long id)
{
}

static void empty_probe_left(void *data, struct pt_regs *regs, long ret)
{
}

static void empty_probe_find(struct tracepoint *tp, void *unused)
{
	if (!strcmp(tp->name, fast ? "syscall_begin" : "sys_enter"))
		empty_probe_enter = tp;
	else if (!strcmp(tp->name, fast ? "syscall_end" : "sys_exit"))
		empty_probe_exit = tp;
}

static int __init empty_probe_init(void)
{
	int err;

	for_each_kernel_tracepoint(empty_probe_find, NULL);
	if (!empty_probe_enter || !empty_probe_exit)
		return -ENOENT;
	err = tracepoint_probe_register(empty_probe_enter, empty_probe_entered, NULL);
	if (err)
		return err;
	err = tracepoint_probe_register(empty_probe_exit, empty_probe_left, NULL);
	if (err)
		tracepoint_probe_unregister(empty_probe_enter, empty_probe_entered, NULL);
	return err;
}

static void __exit empty_probe_leave(void)
{
	tracepoint_probe_unregister(empty_probe_exit, empty_probe_left, NULL);
	tracepoint_probe_unregister(empty_probe_enter, empty_probe_entered, NULL);
	tracepoint_synchronize_unregister();
}

module_init(empty_probe_init);
module_exit(empty_probe_leave);
MODULE_DESCRIPTION("Empty probes of system calls");
MODULE_LICENSE("GPL");
