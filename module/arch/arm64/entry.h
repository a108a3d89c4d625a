/* SPDX-License-Identifier: GPL-2.0-only */
/* arm64: system calls, exceptions, and the interrupts of timer and IPIs. Any context. */
#ifndef KU_ARM64_ENTRY_H
#define KU_ARM64_ENTRY_H

#include <linux/compat.h>
#include <linux/interrupt.h>
#include <linux/ptrace.h>
#include <linux/sched.h>
#include <linux/signal.h>
#include <linux/string.h>
#include <asm/esr.h>
#include <asm/insn.h>
#include <asm/syscall.h>
#include <asm/unistd.h>

#include "uapi/kutrace_events.h"

/* Numbers of sigreturn for 32-bit tasks. arm64 has no x32 ABI: the last number is no call. */
#define KU_NR32_SIGRETURN	119
#define KU_NR32_RT_SIGRETURN	173
#define KU_NRX32_RT_SIGRETURN	(-1)
/* Calls of 32-bit tasks that do not return. */
#define KU_NR32_EXIT		1
#define KU_NR32_EXIT_GROUP	248

/* Returns whether the running task is a 32-bit one. */
static __always_inline bool ku_arch_compat_task(void)
{
	return unlikely(is_compat_task());
}

/* Returns the address of the first argument of the running system call. */
static __always_inline const u64 *ku_arch_syscall_arg(const struct pt_regs *regs, bool compat)
{
	return &regs->orig_x0;
}

/* Returns the number of the running call, as the task passed it; it may be any value. */
static __always_inline u64 ku_arch_syscall_nr(const struct pt_regs *regs)
{
	return (u64)(s64)regs->syscallno;
}

/*
 * Returns true if the return may belong to an exec by which a 64-bit task became a 32-bit one. The
 * number of such a return is from the 64-bit table, and means another call in the 32-bit table. The
 * reverse cannot be recognized in time: that return is recorded as a return of the 64-bit call with
 * this number.
 */
static __always_inline bool ku_arch_may_be_exec(int nr)
{
	return (nr == __NR_execve || nr == __NR_execveat) && ku_arch_compat_task();
}

/* Returns the number of the exec by which @task has just become a 32-bit task, or -1. */
static __always_inline int ku_arch_exec_nr(const struct task_struct *task)
{
	int nr = task_pt_regs(task)->syscallno;

	return ku_arch_may_be_exec(nr) ? nr : -1;
}

/* On all architectures, a trace has the same number for page faults. */
#define KU_ARCH_TRAP_PAGE_FAULT	KUTRACE_PAGEFAULT

/* Returns true for page faults in any mode, but not for alignment faults and memory errors. */
static __always_inline bool ku_arch_esr_is_page_fault(unsigned long esr)
{
	switch (ESR_ELx_EC(esr)) {
	case ESR_ELx_EC_IABT_LOW:
	case ESR_ELx_EC_IABT_CUR:
	case ESR_ELx_EC_DABT_LOW:
	case ESR_ELx_EC_DABT_CUR:
		/* Translation, access flag and permission faults, at each level. */
		return (esr & ESR_ELx_FSC) < 0x10;
	default:
		return false;
	}
}

/*
 * Gets the exception by which the task has entered the kernel, and which raises this signal. The
 * exception must have saved a syndrome, or the signal must imply one. Returns false for page
 * faults, which have their own events. *@trap: KUTRACE_TRAP_ARM64 plus the exception class;
 * *@error: low bits of the syndrome.
 */
static __always_inline bool ku_arch_trap(const struct task_struct *task, int sig,
					 const struct kernel_siginfo *info, u32 *trap, u32 *error)
{
	unsigned long esr = task->thread.fault_code;
	u32 class = ESR_ELx_EC(esr);

	*error = (u32)(esr & ESR_ELx_ISS_MASK);
	/* These signals do not set fault_code, which may still have the previous exception. */
	if (sig == SIGTRAP) {
		class = info->si_code == TRAP_TRACE ? ESR_ELx_EC_SOFTSTP_LOW :
			info->si_code == TRAP_HWBKPT ? ESR_ELx_EC_BREAKPT_LOW : ESR_ELx_EC_BRK64;
		*error = 0;
	} else if (sig == SIGFPE) {
		class = ESR_ELx_EC_FP_EXC64;
		*error = 0;
	} else if (ku_arch_esr_is_page_fault(esr)) {
		return false;
	}
	*trap = KUTRACE_TRAP_ARM64 + class;
	return true;
}

/*
 * Returns whether the beginning of a function is patched. On arm64 a kprobe is a breakpoint and
 * does not need ftrace, so a registered kprobe is always active.
 */
static inline bool ku_arch_hooked(const void *function)
{
	return true;
}

/*
 * Returns whether ftrace is enabled and has patched a function with a requested hook. The function
 * may begin with a landing pad. Then follow an instruction that saves the link register, and a call
 * (BL) or NOPs.
 */
static inline bool ku_arch_ftraced(const void *function)
{
	const u32 *code = function;

	return aarch64_insn_is_bl(le32_to_cpu(code[1])) || aarch64_insn_is_bl(le32_to_cpu(code[2]));
}

/* All kernels have a tracepoint for IPI sends. */
#define KU_ARCH_IPI_RAISE

/*
 * The timer and IPIs use the tracepoints of device interrupts. Returns the timer's vector for
 * interrupts of the CPU's timer, and 0 for others.
 */
static inline u32 ku_arch_irq_vector(unsigned int irq, const struct irqaction *action)
{
	return action->name && !strcmp(action->name, "arch_timer") ? KUTRACE_VECTOR_LOCAL_TIMER : 0;
}

/* Returns the address by which ftrace identifies a function. */
static inline unsigned long ku_arch_ftrace_address(unsigned long function)
{
	return function;
}

/* Unused, because arm64 has no tracepoint of page faults: see ku_fault_began(). */
static __always_inline u16 ku_arch_fault_arg(const struct pt_regs *regs, unsigned long error_code)
{
	return 0;
}

/* IPIs are excluded: ipi_entry and ipi_exit record them with their purpose. */
static __always_inline bool ku_arch_irq_left_out(const struct irqaction *action)
{
	const char *name = action->name;

	return name && name[0] == 'I' && name[1] == 'P' && name[2] == 'I' && !name[3];
}

#define KU_ARCH_TIMER_IS_IRQ 1
#define KU_ARCH_IPI_IS_IRQ 0

#endif
