// SPDX-License-Identifier: GPL-2.0-only
/*
 * Back end for stock kernels, and for kernels with the tracepoints of kernel-patches/tracepoints/.
 * Attaches the probes of probes/ to the tracepoints that the kernel has, which are found by name.
 * Also attaches a hook for the end of page faults and, in kernels without tracepoints for them,
 * kprobes for IPI sends; on request, direct hooks instead of the tracepoints of system calls.
 * Everything is attached only while a session records, so that a loaded module costs nothing.
 */
#include <linux/errno.h>
#include <linux/mm.h>
#include <linux/moduleparam.h>
#include <linux/printk.h>
#include <linux/string.h>
#include <linux/tracepoint.h>
#include <xen/xen.h>

#include "arch/entry.h"
#include "backends/backends.h"
#include "compat/version.h"
#include "probes/direct.h"
#include "probes/fault.h"
#include "probes/priority.h"
#include "probes/quota.h"
#include "probes/shared.h"
#include "probes/timer.h"
#include "probes/tp.h"
#include "probes/x86/syscall_direct.h"
#include "session/backend.h"
#include "uapi/kutrace_abi.h"
#include "uapi/kutrace_events.h"

/* Tables of probes, in the order of attaching. */
static const struct ku_tp_table * const ku_tp_tables[] = {
	&ku_tps_sched, &ku_tps_syscall, &ku_tps_irq, &ku_tps_arch, &ku_tps_ipi, &ku_tps_fault,
	&ku_tps_power, &ku_tps_lock, &ku_tps_priority,
#ifdef CONFIG_NET
	&ku_tps_net,
#endif
#ifdef CONFIG_BLOCK
	&ku_tps_disk,
#endif
	&ku_tps_reclaim, &ku_tps_timer,
};

/* Tracepoints without which a trace has no use. */
static const char * const ku_tp_required[] = {
	"sched_switch", "sys_enter", "sys_exit",
};

static char *fault_end = "direct";
module_param(fault_end, charp, 0444);
MODULE_PARM_DESC(fault_end, "how a stock kernel shows the end of a page fault: direct, by a hook of ftrace if the kernel supports it (default), or kretprobe, so that BPF can hook handle_mm_fault()");

static char *syscalls = "tracepoints";
module_param(syscalls, charp, 0444);
MODULE_PARM_DESC(syscalls, "how system calls are recorded on a stock kernel: tracepoints (default), or direct, by hooks of ftrace if the kernel supports them; direct costs less, but calls that began while recording was on delay unloading");

static bool ku_have_ipi_sends, ku_have_fault_end;
/* The last attempt to attach the probes for throttled cgroups failed. */
static bool ku_no_quota;
/* The same for the probes for changes of priorities. */
static bool ku_no_priority;
static bool ku_ipi_on, ku_fault_on, ku_quota_on, ku_priority_on;
/* Whether direct hooks of system calls are possible, were used last, and are attached. */
static bool ku_calls_direct, ku_have_calls_direct, ku_calls_on;

/* Returns tracepoint @number, counted through all tables, or NULL. */
static struct ku_tp *ku_tp_at(u32 number)
{
	u32 i;

	for (i = 0; i < ARRAY_SIZE(ku_tp_tables); i++) {
		if (number < ku_tp_tables[i]->count)
			return &ku_tp_tables[i]->tps[number];
		number -= ku_tp_tables[i]->count;
	}
	return NULL;
}

static struct ku_tp *ku_tp_find(const char *name)
{
	struct ku_tp *tp;
	u32 i;

	for (i = 0; (tp = ku_tp_at(i)); i++)
		if (!strcmp(tp->name, name))
			return tp;
	return NULL;
}

/*
 * Returns false if the tracepoint shows less than the tracepoints that it replaces. In a Xen guest,
 * device interrupts of event channels do not pass the tracepoints of the entry code.
 */
static bool ku_tp_is_usable(const char *name)
{
	return !xen_domain() || !strstarts(name, "device_interrupt_");
}

static void ku_tp_match(struct tracepoint *tp, void *data)
{
	struct ku_tp *mine = ku_tp_find(tp->name);

	if (mine && ku_tp_is_usable(tp->name))
		mine->tp = tp;
}

/*
 * The hook costs much less than a kretprobe (docs/reference/overhead.md). In kernels without a
 * tracepoint for the beginning, the hook also records the beginning.
 */
#if KU_DIRECT
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

/*
 * Returns false if the hook is not possible: another user hooks the function, or ftrace is
 * disabled. Logs the reason once, except for disabled ftrace.
 */
static bool ku_fault_direct_attach(void)
{
	unsigned long address = ku_arch_ftrace_address((unsigned long)handle_mm_fault);
	int err;

	if (!address)
		return ku_fault_refused("handle_mm_fault() does not begin as expected");
	err = ku_direct_attach(&ku_fault_hook, address);
	if (err == -EPERM)
		return false;
	if (err)
		return ku_fault_refused(err == -EBUSY ?
			"handle_mm_fault() is hooked already, by BPF or a live patch" :
			"ftrace does not hook handle_mm_fault()");
	return true;
}

static void ku_fault_direct_detach(void)
{
	ku_direct_detach(&ku_fault_hook);
}
#else
static bool ku_fault_direct_attach(void)
{
	return false;
}

static void ku_fault_direct_detach(void)
{
}
#endif

/* Returns true if the kernel has this tracepoint and the module has a probe for it. */
static bool ku_tp_has(const char *name)
{
	const struct ku_tp *tp = ku_tp_find(name);

	return tp && tp->tp;
}

/* Returns true if hooks or a newer tracepoint record the events of @tp. */
static bool ku_tp_is_replaced(const struct ku_tp *tp)
{
	return (ku_calls_on && tp->category == KUTRACE_MASK_SYSCALL) ||
	       (tp->newer && ku_tp_has(tp->newer));
}

/* Detaches everything that is not in @categories, in reverse order. */
static void ku_tp_detach(u32 categories)
{
	u32 i = 0;

	if (ku_calls_on && !(categories & KUTRACE_MASK_SYSCALL)) {
		ku_syscall_direct_detach();
		ku_calls_on = false;
	}
	if (ku_fault_on && !(categories & KUTRACE_MASK_TRAP)) {
		ku_fault_direct_detach();
		ku_fault_detach();
		ku_fault_on = false;
	}
	if (ku_ipi_on && !(categories & KUTRACE_MASK_IPI)) {
		ku_ipi_detach();
		ku_ipi_on = false;
	}
	if (ku_quota_on && !(categories & KUTRACE_MASK_SCHED)) {
		ku_quota_detach();
		ku_quota_on = false;
	}
	if (ku_priority_on && !(categories & KUTRACE_MASK_PROCESS)) {
		ku_priority_detach();
		ku_priority_on = false;
	}
	while (ku_tp_at(i))
		i++;
	while (i--) {
		struct ku_tp *tp = ku_tp_at(i);

		if (!tp->attached || tp->category & categories)
			continue;
		tracepoint_probe_unregister(tp->tp, tp->probe, NULL);
		tp->attached = false;
	}
}

/* Attaches the cheapest possible hook for the end of page faults. */
static bool ku_tp_attach_fault(void)
{
	return (strcmp(fault_end, "kretprobe") && ku_fault_direct_attach()) || ku_fault_attach();
}

/*
 * Attaches direct hooks of system calls. If that is not possible, for example because another user
 * hooks the functions, logs this at each recording.
 */
static void ku_tp_attach_calls(void)
{
	const char *why = ku_syscall_direct_attach();

	ku_calls_on = !why;
	ku_have_calls_direct = ku_calls_on;
	if (why)
		pr_info("kutrace: system calls come from tracepoints, which cost more: %s\n",
			why);
}

static int ku_tp_attach(u32 categories)
{
	static u32 before;
	struct ku_tp *tp;
	u32 i;
	int err;

	/*
	 * The calls that numberless.c has saved may have returned while system calls were not
	 * recorded.
	 */
	if (categories & ~before & KUTRACE_MASK_SYSCALL)
		ku_numberless_reset();
	/* A callback that ran when its end was detached. */
	if (categories & ~before & KUTRACE_MASK_TIMER)
		ku_timer_reset();
	if (categories & KUTRACE_MASK_TRAP && !ku_fault_on && !ku_tp_has("exception_exit")) {
		ku_have_fault_end = ku_tp_attach_fault();
		ku_fault_on = true;
	}
	if (ku_calls_direct && categories & ~before & KUTRACE_MASK_SYSCALL)
		ku_tp_attach_calls();
	for (i = 0; (tp = ku_tp_at(i)); i++) {
		if (!tp->tp || tp->attached || !(tp->category & categories) ||
		    ku_tp_is_replaced(tp))
			continue;
		err = tracepoint_probe_register(tp->tp, tp->probe, NULL);
		if (err) {
			pr_err("kutrace: cannot attach to tracepoint %s: %d\n", tp->name, err);
			ku_tp_detach(before);
			return err;
		}
		tp->attached = true;
	}
	if (categories & KUTRACE_MASK_IPI && !ku_ipi_on) {
		ku_have_ipi_sends = ku_ipi_attach();
		ku_ipi_on = true;
	}
	if (categories & KUTRACE_MASK_SCHED && !ku_quota_on) {
		ku_no_quota = !ku_quota_attach();
		ku_quota_on = true;
	}
	if (categories & KUTRACE_MASK_PROCESS && !ku_priority_on) {
		ku_no_priority = !ku_priority_attach();
		ku_priority_on = true;
	}
	ku_tp_detach(categories);
	before = categories;
	return 0;
}

static void ku_tp_calls_path(enum ku_path path)
{
	if (ku_calls_direct)
		ku_syscall_direct_dual(path == KU_PATH_DUAL);
}

static void ku_tp_synchronize(void)
{
	tracepoint_synchronize_unregister();
}

/* Finds the functions for direct hooks at load, so that the log then reports a problem. */
static void ku_tp_init_calls(void)
{
	const char *function;

	if (strcmp(syscalls, "direct"))
		return;
	function = ku_syscall_direct_init();
	ku_calls_direct = !function;
	if (function)
		pr_warn("kutrace: cannot use syscalls=direct, so system calls come from tracepoints: this kernel's %s() cannot be hooked\n",
			function);
}

static int ku_tp_init(void)
{
	int i;

	if (strcmp(syscalls, "direct") && strcmp(syscalls, "tracepoints")) {
		pr_err("kutrace: bad syscalls=%s (direct, tracepoints)\n", syscalls);
		return -EINVAL;
	}
	if (strcmp(fault_end, "direct") && strcmp(fault_end, "kretprobe")) {
		pr_err("kutrace: bad fault_end=%s (direct, kretprobe)\n", fault_end);
		return -EINVAL;
	}
	for_each_kernel_tracepoint(ku_tp_match, NULL);
	for (i = 0; i < ARRAY_SIZE(ku_tp_required); i++) {
		if (!ku_tp_find(ku_tp_required[i])->tp) {
			pr_err("kutrace: this kernel has no tracepoint %s\n",
			       ku_tp_required[i]);
			return -EOPNOTSUPP;
		}
	}
	ku_tp_init_calls();
	ku_lock_number_init();
	return ku_irq_init();
}

static void ku_tp_exit(void)
{
	ku_direct_exit();
	ku_irq_exit();
}

static u32 ku_tp_categories(void)
{
	u32 mask = KUTRACE_MASK_MARK, i;
	struct ku_tp *tp;

	for (i = 0; (tp = ku_tp_at(i)); i++)
		if (tp->tp)
			mask |= tp->category;
	return mask;
}

/* Names of the KUTRACE_TRACEPOINT_* bits, indexed by bit number. */
static const char * const ku_tp_added[] = KUTRACE_TRACEPOINT_LABELS;

static u32 ku_tp_added_used(void)
{
	u32 used = 0, i;

	for (i = 0; i < ARRAY_SIZE(ku_tp_added); i++)
		if (ku_tp_has(ku_tp_added[i]))
			used |= 1U << i;
	if (ku_have_calls_direct)
		used &= ~(u32)KUTRACE_TRACEPOINT_SYSCALL_BEGIN;
	return used;
}

static u32 ku_tp_trap_caveats(void)
{
	if (ku_tp_has("exception_entry"))
		return KUTRACE_CAVEAT_TRAPS_SOME;
	if (!ku_have_fault_end)
		return KUTRACE_CAVEAT_TRAPS |
		       (ku_fault_begins() ? KUTRACE_CAVEAT_FAULT_NO_END :
					    KUTRACE_CAVEAT_FAULT_NONE);
	return KUTRACE_CAVEAT_TRAPS | KUTRACE_CAVEAT_FAULT_END |
	       (ku_fault_begins() ? 0 : KUTRACE_CAVEAT_FAULT_LATE);
}

static u32 ku_tp_caveats(void)
{
	u32 caveats = KUTRACE_CAVEAT_LOCKS | ku_tp_trap_caveats();

	if (!ku_tp_has("device_interrupt_entry"))
		caveats |= KUTRACE_CAVEAT_IRQ_ACTION;
	if (ku_tp_find("nmi_handler") && !ku_tp_has("nmi_entry"))
		caveats |= KUTRACE_CAVEAT_NMI_TIME;
	if (!ku_sched_spans())
		caveats |= KUTRACE_CAVEAT_SCHED_ENTRY;
	if (!ku_lock_holders())
		caveats |= KUTRACE_CAVEAT_LOCK_HOLDER;
	if (!ku_have_ipi_sends)
		caveats |= KUTRACE_CAVEAT_IPI_SEND;
	if (!(ku_tp_categories() & KUTRACE_MASK_PCSAMPLE))
		caveats |= KUTRACE_CAVEAT_PC;
	if (ku_have_calls_direct)
		caveats |= KUTRACE_CAVEAT_CALLS_DIRECT;
	if (ku_no_quota)
		caveats |= KUTRACE_CAVEAT_THROTTLED;
	if (ku_no_priority)
		caveats |= KUTRACE_CAVEAT_PRIORITIES;
	return caveats;
}

static bool ku_tp_priorities(void)
{
	return ku_priority_on && !ku_no_priority;
}

static u64 ku_tp_missed(void)
{
	return ku_fault_missed() + ku_quota_missed() + ku_priority_missed();
}

const struct ku_hooks ku_hooks_tp = {
	.backend = KUTRACE_BACKEND_TRACEPOINTS,
	.init = ku_tp_init,
	.exit = ku_tp_exit,
	.name_again = ku_name_again,
	.attach = ku_tp_attach,
	.calls_path = ku_tp_calls_path,
	.synchronize = ku_tp_synchronize,
	.categories = ku_tp_categories,
	.caveats = ku_tp_caveats,
	.added_tracepoints = ku_tp_added_used,
	.priorities = ku_tp_priorities,
	.missed = ku_tp_missed,
};
