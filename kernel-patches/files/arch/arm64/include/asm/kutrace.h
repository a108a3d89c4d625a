/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Hooks of KUtrace in arm64's entry code; see <linux/kutrace.h>. Included by that code, and by
 * the module for what its hooks are told by.
 */
#ifndef __ASM_KUTRACE_H
#define __ASM_KUTRACE_H

#include <linux/compat.h>
#include <linux/kutrace.h>

/* What an interrupt from another CPU is for: the argument of kutrace_irq_enter(). */
enum kutrace_arm64_ipi {
	KUTRACE_ARM64_IPI_OTHER,
	KUTRACE_ARM64_IPI_RESCHEDULE,
	KUTRACE_ARM64_IPI_CALL_FUNCTION,
	KUTRACE_ARM64_IPI_IRQ_WORK,
};

/* The entry code is no module, and modules may not leave out to look for work. */
#ifndef MODULE

#ifdef CONFIG_KUTRACE_SYSCALL
/*
 * One path has the calls of both ABIs, and numbers that are no call's. Which hook is
 * meant is asked here, while tracing is on only. Process context, preemptible.
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

/* Likewise; the return to user mode, which follows, looks for work. */
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

/* Instead of both, of a call that is not made. */
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
/* An exception by its syndrome. Interrupts are masked. */
static __always_inline void kutrace_esr_enter(unsigned long esr)
{
	kutrace_trap_enter((unsigned int)esr, esr);
}

/* Its end, likewise. */
static __always_inline void kutrace_esr_exit(unsigned long esr)
{
	kutrace_trap_exit((unsigned int)esr);
}

/* Likewise where interrupts may be on, and the way back, which follows, looks for work. */
static __always_inline void kutrace_esr_exit_last(unsigned long esr)
{
	if (kutrace_on(TRAP)) {
		preempt_disable_notrace();
		kutrace_call(trap_exit)((unsigned int)esr);
		preempt_enable_no_resched_notrace();
	}
}

/*
 * A debug exception of kernel mode comes anywhere, also where the lock is held that
 * what is called would take: so it is called as by an NMI, though to the rest of the kernel
 * this is none. Interrupts are masked.
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
