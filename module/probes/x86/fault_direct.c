// SPDX-License-Identifier: GPL-2.0-only
/*
 * ftrace calls ku_fault_call() (fault_call.S) first thing in handle_mm_fault(), which calls the
 * rest of the function itself and so sees it end. A direct hook has what a kretprobe has not: tasks
 * that sleep in the function have this module's code on their stacks. They are counted, and
 * the module stays until they are out.
 */
#include <linux/ftrace.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/percpu.h>
#include <linux/rcupdate.h>
#include <linux/workqueue.h>
#include <asm/ibt.h>

#include "arch/entry.h"
#include "compat/version.h"
#include "probes/fault.h"
#include "probes/x86/fault_direct.h"

/* After so long out of use the module says whom it stays for, and is not to be unloaded. */
#define KU_FAULT_PATIENCE	HZ

/* Counted by fault_call.S, maybe each on another CPU. */
DEFINE_PER_CPU(u64, ku_fault_entered);
DEFINE_PER_CPU(u64, ku_fault_left);

void ku_fault_call(void);
void ku_fault_direct_end(vm_fault_t fault, struct pt_regs *regs);

static struct ftrace_ops ku_fault_ops;
static bool ku_fault_hooked, ku_fault_used;

/* Context: process, preemptible. */
__visible void __kprobes ku_fault_direct_end(vm_fault_t fault, struct pt_regs *regs)
{
	preempt_disable_notrace();
	ku_fault_ended(fault, regs);
	preempt_enable_notrace();
}

/* ---- tasks in faults ---- */

/* So many at the most; while the hook is off, none is added. */
static u64 ku_fault_inside(void)
{
	u64 entered = 0, left = 0;
	int cpu;

	/*
	 * Who is seen to have left, is seen to have entered: left is read first. Pairs with
	 * steps a and b of ku_fault_call(), two stores that x86 keeps in their order.
	 */
	for_each_possible_cpu(cpu)
		left += READ_ONCE(per_cpu(ku_fault_left, cpu));
	smp_rmb();	/* see above */
	for_each_possible_cpu(cpu)
		entered += READ_ONCE(per_cpu(ku_fault_entered, cpu));
	return entered - left;
}

static bool ku_fault_pinned;
static void ku_fault_look(struct work_struct *work);
static DECLARE_DELAYED_WORK(ku_fault_work, ku_fault_look);

static void ku_fault_say(const char *what)
{
	pr_notice("kutrace: %s the end of page faults that began while recording was on: %llu (ku_fault_call in /proc/PID/task/TID/stack)\n",
		  what, ku_fault_inside());
}

/* Some time after the hook is off, and as long as there are tasks. */
static void ku_fault_look(struct work_struct *work)
{
	if (ku_fault_inside()) {
		if (!ku_fault_pinned && try_module_get(THIS_MODULE)) {
			ku_fault_pinned = true;
			ku_fault_say("cannot be unloaded before");
		}
		schedule_delayed_work(&ku_fault_work, KU_FAULT_PATIENCE / 10);
	} else if (ku_fault_pinned) {
		ku_fault_pinned = false;
		module_put(THIS_MODULE);
	}
}

static void ku_fault_unpin(void)
{
	cancel_delayed_work_sync(&ku_fault_work);
	if (ku_fault_pinned)
		module_put(THIS_MODULE);
	ku_fault_pinned = false;
}

void ku_fault_direct_exit(void)
{
	if (!ku_fault_used)
		return;
	ku_fault_unpin();
	if (ku_fault_inside() || ku_fault_hooked)
		ku_fault_say("unloading waits for");
	while (ku_fault_inside() || ku_fault_hooked)
		schedule_timeout_idle(HZ / 100 + 1);
	/* Counted out, but not yet behind the last instruction. */
	synchronize_rcu_tasks();
}

/* ---- on, off ---- */

static bool ku_fault_fentry(const u8 *code)
{
	static const u8 nop[] = { 0x0f, 0x1f, 0x44, 0x00, 0x00 };

	return code[0] == 0xe8 || !memcmp(code, nop, sizeof(nop));
}

/* What ftrace patches is where fault_call.S takes it to be: the body begins behind it. */
static bool ku_fault_expected(void)
{
	const u8 *code = (const u8 *)handle_mm_fault;

	return ku_fault_fentry(code + ENDBR_INSN_SIZE) &&
	       (!ENDBR_INSN_SIZE || !ku_fault_fentry(code));
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
	int err;

	if (!ku_fault_expected())
		return ku_fault_refused("handle_mm_fault() does not begin as expected");
	/* ftrace leaves it such that it is not good for once more. */
	memset(&ku_fault_ops, 0, sizeof(ku_fault_ops));
	err = ftrace_set_filter_ip(&ku_fault_ops, function, 0, 0);
	if (!err)
		err = ku_register_direct(&ku_fault_ops, (unsigned long)ku_fault_call);
	if (err) {
		ftrace_free_filter(&ku_fault_ops);
		return ku_fault_refused(err == -EBUSY ?
			"handle_mm_fault() is hooked already, by BPF or a live patch" :
			"ftrace does not hook handle_mm_fault()");
	}
	ku_fault_unpin();
	ku_fault_hooked = true;
	ku_fault_used = true;
	/* Nobody switches ftrace off while it is needed: kernel.ftrace_enabled is refused. */
	ku_fault_ops.flags |= FTRACE_OPS_FL_PERMANENT;
	if (ku_arch_hooked((const void *)function))
		return true;
	ku_fault_direct_detach();
	return false;
}

/* ftrace waits for tasks that were preempted on their way to the hook, or in it. */
void ku_fault_direct_detach(void)
{
	int err;

	if (!ku_fault_hooked)
		return;
	err = ku_unregister_direct(&ku_fault_ops, (unsigned long)ku_fault_call);
	if (err) {
		/* ftrace has given up because of an error in it, which it has said. */
		pr_err("kutrace: ftrace does not let go of handle_mm_fault(): %d\n", err);
		return;
	}
	ku_fault_hooked = false;
	if (ku_fault_inside())
		schedule_delayed_work(&ku_fault_work, KU_FAULT_PATIENCE);
}
