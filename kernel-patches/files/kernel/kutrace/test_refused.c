// SPDX-License-Identifier: GPL-2.0-only
/*
 * Counts the page faults that the kernel refuses. With page faults disabled, or where nothing
 * is mapped, the faulting code continues at its fixup. A trace has these faults, but no
 * counter of the kernel does. So a kprobe on fixup_exception() counts them. If the probe is a
 * breakpoint, not a call or a jump, each hit is one more exception, which a patched kernel
 * records.
 *
 * The file does not depend on kutrace, and can be built for any kernel on x86 and arm64. On
 * arm64 the function has no argument for the kind of fault, but is called only for memory
 * faults.
 */
#include <linux/atomic.h>
#include <linux/compiler.h>
#include <linux/kprobes.h>
#include <linux/ptrace.h>
#include <linux/sched.h>
#ifdef CONFIG_X86
#include <asm/trapnr.h>
#endif

#include "test_refused.h"

static atomic_long_t ku_test_refused_all;
static struct task_struct *ku_test_refused_whose;
static unsigned long ku_test_refused_mine;
static bool ku_test_refused_on;

static int ku_test_fixup(struct kprobe *probe, struct pt_regs *regs)
{
#ifdef CONFIG_X86
	if (regs_get_kernel_argument(regs, 1) != X86_TRAP_PF)
		return 0;
#endif
	atomic_long_inc(&ku_test_refused_all);
	/* Only the selected task writes this. */
	if (current == READ_ONCE(ku_test_refused_whose))
		ku_test_refused_mine++;
	return 0;
}

NOKPROBE_SYMBOL(ku_test_fixup);

static struct kprobe ku_test_refused_probe;

int ku_test_refused(unsigned int on, unsigned int unused)
{
	int err;

	if (!!on == ku_test_refused_on)
		return 0;
	if (!on) {
		unregister_kprobe(&ku_test_refused_probe);
		ku_test_refused_on = false;
		return 0;
	}
	/* A removed probe still has its address and flags. */
	ku_test_refused_probe = (struct kprobe){
		.symbol_name = "fixup_exception",
		.pre_handler = ku_test_fixup,
	};
	err = register_kprobe(&ku_test_refused_probe);
	ku_test_refused_on = !err;
	return err;
}

void ku_test_refused_task(struct task_struct *task)
{
	if (ku_test_refused_whose == task)
		return;
	ku_test_refused_mine = 0;
	WRITE_ONCE(ku_test_refused_whose, task);
}

void ku_test_refused_read(unsigned long *all, unsigned long *of_task)
{
	*all = atomic_long_read(&ku_test_refused_all);
	*of_task = READ_ONCE(ku_test_refused_mine);
}
