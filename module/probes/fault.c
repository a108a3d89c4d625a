// SPDX-License-Identifier: GPL-2.0-only
/* Tracepoints of page faults and other traps: see fault.h. Rules of probes: tp.h. */
#include <linux/kprobes.h>
#include <linux/mm.h>
#include <linux/mm_types.h>
#include <linux/ptrace.h>
#include <linux/sched/signal.h>
#include <linux/signal.h>
#include <linux/uaccess.h>
#include <trace/events/signal.h>

#include "arch/entry.h"
#include "compat/tracepoints.h"
#include "compat/version.h"
#include "core/emit.h"
#include "probes/fault.h"
#include "probes/tp.h"

static void __kprobes ku_page_fault(void *data, unsigned long address, struct pt_regs *regs,
				    unsigned long error_code)
{
	ku_probe_guard();

	ku_emit(KU_EVENT(KUTRACE_CALL_TRAP + KU_ARCH_TRAP_PAGE_FAULT) |
		ku_arch_fault_arg(regs, error_code));
}

/*
 * A fault in kernel mode at a kernel address, or while page faults are disabled, does not reach
 * handle_mm_fault(): the code continues at its fixup. So its end is recorded immediately.
 */
static void __kprobes ku_page_fault_kernel(void *data, unsigned long address,
					   struct pt_regs *regs, unsigned long error_code)
{
	ku_probe_guard();

	ku_emit(KU_EVENT(KUTRACE_CALL_TRAP + KU_ARCH_TRAP_PAGE_FAULT) |
		ku_arch_fault_arg(regs, error_code));
	if (address >= TASK_SIZE_MAX || pagefault_disabled())
		ku_emit_return(KUTRACE_CALL_TRAP + KU_ARCH_TRAP_PAGE_FAULT, 0);
}

/*
 * Other traps have no tracepoint. A trap that raises a signal stores its number and error code in
 * the task, where ku_arch_trap() finds them. Only the call is recorded, because the module cannot
 * see the end of such a trap.
 */
static void __kprobes ku_signal(void *data, int sig, struct kernel_siginfo *info,
				struct task_struct *task, int group, int result)
{
	ku_probe_guard();
	u32 trap, error;

	/* Exclude SEND_SIG_NOINFO (0) and SEND_SIG_PRIV (1), which are not pointers. */
	if (task != current || (unsigned long)info <= 1 || info->si_code <= 0)
		return;
	if (sig != SIGSEGV && sig != SIGBUS && sig != SIGFPE && sig != SIGILL &&
	    sig != SIGTRAP)
		return;
	if (ku_arch_trap(current, sig, info, &trap, &error))
		ku_emit(KU_EVENT(KUTRACE_CALL_TRAP + trap) | (u16)error);
}

struct ku_tp ku_fault_tps[] = {
	KU_TP_OLD(page_fault_user, exception_entry, ku_page_fault, KUTRACE_MASK_TRAP),
	KU_TP_OLD(page_fault_kernel, exception_entry, ku_page_fault_kernel, KUTRACE_MASK_TRAP),
	KU_TP_OLD(signal_generate, exception_entry, ku_signal, KUTRACE_MASK_TRAP),
};

const struct ku_tp_table ku_tps_fault = KU_TP_TABLE(ku_fault_tps);

static void __maybe_unused ku_fault_check(void)
{
	KU_CHECK_FAULT(page_fault_user, ku_page_fault);
	KU_CHECK_FAULT(page_fault_kernel, ku_page_fault_kernel);
	KU_CHECK(signal_generate, ku_signal);
}

#if KU_FAULT_KRETPROBE

/*
 * Hook of handle_mm_fault(), which does most of a page fault. The third argument has flags, the
 * fourth one points to registers; get_user_pages() passes NULL.
 */
static int __kprobes ku_fault_entry(struct kretprobe_instance *instance, struct pt_regs *regs)
{
	struct pt_regs **faulting = (struct pt_regs **)instance->data;

	*faulting = (struct pt_regs *)regs_get_kernel_argument(regs, 3);
	if (!*faulting)
		return 1;
	if (!ku_fault_begins())
		ku_fault_began((u32)regs_get_kernel_argument(regs, 2));
	return 0;
}

static int __kprobes ku_fault_return(struct kretprobe_instance *instance, struct pt_regs *regs)
{
	struct pt_regs **faulting = (struct pt_regs **)instance->data;
	vm_fault_t fault = (__force vm_fault_t)regs_return_value(regs);

	if (!ku_fault_begins())
		ku_fault_ended_late(fault);
	else
		ku_fault_ended(fault, *faulting);
	return 0;
}

/* Tasks sleep in faults, so many can be in progress at the same time. */
#define KU_FAULT_INSTANCES 1024

static struct kretprobe ku_fault_probe;
static bool ku_fault_attached;
static u64 ku_fault_nmissed;

bool ku_fault_attach(void)
{
	ku_fault_probe = (struct kretprobe){
		.kp.symbol_name = "handle_mm_fault",
		.entry_handler = ku_fault_entry,
		.handler = ku_fault_return,
		.data_size = sizeof(struct pt_regs *),
		.maxactive = KU_FAULT_INSTANCES,
	};
	ku_fault_attached = register_kretprobe(&ku_fault_probe) == 0;
	/* ftrace is disabled, so the kretprobe, which uses it, would never run. */
	if (ku_fault_attached && !ku_arch_hooked(ku_fault_probe.kp.addr)) {
		ku_fault_detach();
		pr_info_once("kutrace: cannot record the end of page faults: ftrace is disabled (kernel.ftrace_enabled)\n");
	}
	return ku_fault_attached;
}

void ku_fault_detach(void)
{
	if (!ku_fault_attached)
		return;
	unregister_kretprobe(&ku_fault_probe);
	ku_fault_nmissed += ku_fault_probe.nmissed;
	ku_fault_attached = false;
}

u64 ku_fault_missed(void)
{
	return ku_fault_nmissed + (ku_fault_attached ? ku_fault_probe.nmissed : 0);
}

#else

bool ku_fault_attach(void)
{
	return false;
}

void ku_fault_detach(void)
{
}

u64 ku_fault_missed(void)
{
	return 0;
}

#endif
