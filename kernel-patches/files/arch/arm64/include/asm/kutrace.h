/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Hooks of KUtrace in arm64's entry code; see <linux/kutrace.h>. The module includes this file
 * for the arguments of the hooks.
 */
#ifndef __ASM_KUTRACE_H
#define __ASM_KUTRACE_H

#include <linux/compat.h>
#include <linux/kutrace.h>

/* The purpose of an interrupt from another CPU, which is the argument of kutrace_irq_enter(). */
enum kutrace_arm64_ipi {
	KUTRACE_ARM64_IPI_OTHER,
	KUTRACE_ARM64_IPI_RESCHEDULE,
	KUTRACE_ARM64_IPI_CALL_FUNCTION,
	KUTRACE_ARM64_IPI_IRQ_WORK,
};

/* Only the entry code uses these hooks. Modules must not skip the check for rescheduling. */
#ifndef MODULE

#ifdef CONFIG_KUTRACE_SYSCALL
/*
 * Selects the hook by the ABI and the number, only while tracing is on. The kernel has one path for
 * the calls of both ABIs and for unknown numbers. Process context, preemptible.
 */
static __always_inline void kutrace_svc_enter(struct pt_regs *regs, unsigned int nr,
					      unsigned int count)
{
	if (kutrace_on(SYSCALL)) {
		preempt_disable_notrace();
		if (is_compat_task())
			kutrace_call(syscall32_enter)(regs, nr);
		else if (nr < count)
			kutrace_call(syscall_enter)(regs, nr);
		else
			kutrace_call(syscall_enter_other)(regs, nr);
		preempt_enable_notrace();
	}
}

/* The return of a call. The return to user mode, which follows, checks for rescheduling. */
static __always_inline void kutrace_svc_exit(struct pt_regs *regs)
{
	if (kutrace_on(SYSCALL)) {
		preempt_disable_notrace();
		if (is_compat_task())
			kutrace_call(syscall32_exit)(regs);
		else
			kutrace_call(syscall_exit)(regs);
		preempt_enable_no_resched_notrace();
	}
}

/* The return of a call that was refused. It replaces both other hooks. */
static __always_inline void kutrace_svc_uncalled(struct pt_regs *regs)
{
	if (kutrace_on(SYSCALL)) {
		preempt_disable_notrace();
		if (is_compat_task())
			kutrace_call(syscall32_uncalled)(regs);
		else
			kutrace_call(syscall_uncalled)(regs);
		preempt_enable_no_resched_notrace();
	}
}
#else
#define kutrace_svc_enter(...)	kutrace_nothing()
#define kutrace_svc_exit(...)	kutrace_nothing()
#define kutrace_svc_uncalled(...)	kutrace_nothing()
#endif

#ifdef CONFIG_KUTRACE_TRAP
/* The begin of an exception, with its syndrome. Interrupts are masked. */
static __always_inline void kutrace_esr_enter(unsigned long esr)
{
	kutrace_trap_enter((unsigned int)esr, esr);
}

/* The end of an exception. Interrupts are masked. */
static __always_inline void kutrace_esr_exit(unsigned long esr)
{
	kutrace_trap_exit((unsigned int)esr);
}

/* The end of an exception. Interrupts may be on. The return then checks for rescheduling. */
static __always_inline void kutrace_esr_exit_last(unsigned long esr)
{
	if (kutrace_on(TRAP)) {
		preempt_disable_notrace();
		kutrace_call(trap_exit)((unsigned int)esr);
		preempt_enable_no_resched_notrace();
	}
}

/*
 * The begin of a debug exception of kernel mode, which may come anywhere, even while a lock is
 * held that the target would take. So the target is called as in an NMI, although the rest of
 * the kernel does not treat this as an NMI. Interrupts are masked.
 */
static __always_inline void kutrace_dbg_enter(unsigned long esr)
{
	if (kutrace_on(TRAP)) {
		__preempt_count_add(NMI_OFFSET);
		kutrace_call(trap_enter)((unsigned int)esr, esr);
		__preempt_count_sub(NMI_OFFSET);
	}
}

static __always_inline void kutrace_dbg_exit(unsigned long esr)
{
	if (kutrace_on(TRAP)) {
		__preempt_count_add(NMI_OFFSET);
		kutrace_call(trap_exit)((unsigned int)esr);
		__preempt_count_sub(NMI_OFFSET);
	}
}
#else
#define kutrace_esr_enter(...)		kutrace_nothing()
#define kutrace_esr_exit(...)		kutrace_nothing()
#define kutrace_esr_exit_last(...)	kutrace_nothing()
#define kutrace_dbg_enter(...)		kutrace_nothing()
#define kutrace_dbg_exit(...)		kutrace_nothing()
#endif

#endif /* MODULE */

#endif /* __ASM_KUTRACE_H */
