// SPDX-License-Identifier: GPL-2.0-only
/*
 * Back end for patched kernels: registers the probes of probes/ with the in-tree core, which owns
 * the static keys and the call targets of the hooks. The keys are on only during a recording.
 */
#include <linux/kutrace.h>
#include <linux/printk.h>

#include "arch/entry.h"
#include "backends/backends.h"
#include "core/env.h"
#include "probes/patched.h"
#include "probes/shared.h"
#include "session/backend.h"
#include "uapi/kutrace_abi.h"
#include "uapi/kutrace_events.h"

/*
 * All probes except those of numbered 64-bit system calls. @how: _alone for kernels that have no
 * hooks of context switches.
 */
#define KU_OPS(how) \
	.version = KUTRACE_OPS_VERSION, \
	.size = sizeof(struct kutrace_ops), \
	.on_syscall_enter_other = ku_static_syscall_enter_other, \
	.on_syscall_uncalled = ku_static_syscall_uncalled, \
	.on_syscall32_enter = ku_static_syscall32_enter, \
	.on_syscall32_exit = ku_static_syscall32_exit##how, \
	.on_syscall32_uncalled = ku_static_syscall32_uncalled, \
	.on_trap_enter = ku_static_trap_enter, \
	.on_trap_exit = ku_static_trap_exit##how, \
	.on_irq_enter = ku_static_irq_enter, \
	.on_irq_exit = ku_static_irq_exit, \
	.on_device_enter = ku_static_device_enter, \
	.on_device_exit = ku_static_device_exit, \
	.on_softirq_enter = ku_static_softirq_enter, \
	.on_softirq_exit = ku_static_softirq_exit, \
	.on_sched_enter = ku_static_sched_enter, \
	.on_sched_exit = ku_static_sched_exit, \
	.on_sched_switch = ku_static_sched_switch, \
	.on_wakeup = ku_static_wakeup, \
	.on_ipi = ku_static_ipi, \
	.on_ipi_mask = ku_static_ipi_mask, \
	.on_idle = ku_static_idle, \
	.on_idle_exit = ku_static_idle_exit, \
	.on_frequency = ku_static_frequency, \
	.on_pc_sample = ku_static_pc_sample, \
	.on_task_name = ku_static_task_name, \
	.on_task_exec = ku_static_task_exec, \
	.on_task_exit = ku_static_task_exit, \
	.on_packet_rx = ku_static_packet_rx, \
	.on_packet_tx = ku_static_packet_tx, \
	.on_lock = ku_static_lock

/* Probes that look up the dispatch path of each call. */
static const struct kutrace_ops ku_static_ops = {
	KU_OPS(),
	.on_syscall_enter = ku_static_syscall_enter,
	.on_syscall_exit = ku_static_syscall_exit,
};

static const struct kutrace_ops ku_static_ops_fast = {
	KU_OPS(),
	.on_syscall_enter = ku_static_syscall_enter_fast,
	.on_syscall_exit = ku_static_syscall_exit,
};

static const struct kutrace_ops ku_static_ops_dual = {
	KU_OPS(),
	.on_syscall_enter = ku_static_syscall_enter_dual,
	.on_syscall_exit = ku_static_syscall_exit_dual,
};

static const struct kutrace_ops ku_static_ops_alone = {
	KU_OPS(_alone),
	.on_syscall_enter = ku_static_syscall_enter,
	.on_syscall_exit = ku_static_syscall_exit_alone,
};

static const struct kutrace_ops *ku_static_registered;

/* The kernel's categories and those of the trace use the same bits. */
#define KU_SAME_BIT(name) \
	static_assert((int)KUTRACE_HOOK_##name == (int)KUTRACE_CAT_##name)
KU_SAME_BIT(SYSCALL);
KU_SAME_BIT(TRAP);
KU_SAME_BIT(IRQ);
KU_SAME_BIT(SOFTIRQ);
KU_SAME_BIT(SCHED);
KU_SAME_BIT(WAKEUP);
KU_SAME_BIT(IPI);
KU_SAME_BIT(IDLE);
KU_SAME_BIT(FREQ);
KU_SAME_BIT(PCSAMPLE);
KU_SAME_BIT(PROCESS);
KU_SAME_BIT(NET);
KU_SAME_BIT(LOCK);

static int ku_static_init(void)
{
	bool switches = kutrace_compiled() & KUTRACE_MASK_SCHED;
	int err;

	err = ku_irq_init();
	if (err)
		return err;
	ku_lock_number_init();
	ku_static_registered = switches ? &ku_static_ops_fast : &ku_static_ops_alone;
	err = kutrace_register(ku_static_registered);
	if (err == -EBUSY)
		pr_err("kutrace: another tracer is registered with the kernel's hooks\n");
	if (err)
		ku_irq_exit();
	return err;
}

static void ku_static_exit(void)
{
	kutrace_unregister(ku_static_registered);
	ku_irq_exit();
}

static int ku_static_attach(u32 categories)
{
	static u32 before;

	/*
	 * The calls that numberless.c has saved may have returned while system calls were not
	 * recorded.
	 */
	if (categories & ~before & KUTRACE_MASK_SYSCALL)
		ku_numberless_reset();
	before = categories;
	/*
	 * Where the timer is a device interrupt, the end of this interrupt records the PC sample.
	 * The ring drops events of kinds that the mask excludes.
	 */
	if (KU_ARCH_TIMER_IS_IRQ && (categories & KUTRACE_MASK_PCSAMPLE))
		categories |= KUTRACE_MASK_IRQ;
	kutrace_enable(categories);
	return 0;
}

static void ku_static_calls_path(enum ku_path path)
{
	const struct kutrace_ops *ops = &ku_static_ops;

	if (path == KU_PATH_FAST)
		ops = &ku_static_ops_fast;
	else if (path == KU_PATH_DUAL)
		ops = &ku_static_ops_dual;
	if (ku_static_registered == ops || ku_static_registered == &ku_static_ops_alone)
		return;
	kutrace_exchange(ku_static_registered, ops);
	ku_static_registered = ops;
}

/* Hooks run with preemption disabled, so ku_synchronize() alone waits for them. */
static void ku_static_synchronize(void)
{
}

static u32 ku_static_categories(void)
{
	return kutrace_compiled() | KUTRACE_MASK_MARK;
}

/* No caveats: categories() omits a category that is not compiled in. */
static u32 ku_static_caveats(void)
{
	return 0;
}

static u64 ku_static_missed(void)
{
	return 0;
}

const struct ku_hooks ku_hooks_static = {
	.backend = KUTRACE_BACKEND_PATCHED,
	.init = ku_static_init,
	.exit = ku_static_exit,
	.name_again = ku_name_again,
	.attach = ku_static_attach,
	.calls_path = ku_static_calls_path,
	.synchronize = ku_static_synchronize,
	.categories = ku_static_categories,
	.caveats = ku_static_caveats,
	.missed = ku_static_missed,
};
