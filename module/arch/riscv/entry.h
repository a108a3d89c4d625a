/* SPDX-License-Identifier: GPL-2.0-only */
/* riscv64: system calls, exceptions, and the interrupts of timer and IPIs. Any context. */
#ifndef KU_RISCV_ENTRY_H
#define KU_RISCV_ENTRY_H

#include <linux/compat.h>
#include <linux/interrupt.h>
#include <linux/irq.h>
#include <linux/ptrace.h>
#include <linux/sched.h>
#include <linux/sched/task_stack.h>
#include <linux/signal.h>
#include <linux/string.h>
#include <asm/csr.h>
#include <asm/syscall.h>
#include <asm/unistd.h>

#include "uapi/kutrace_events.h"

/* 32-bit tasks use the same table, with one sigreturn. There is no third ABI. */
#define KU_NR32_SIGRETURN	__NR_rt_sigreturn
#define KU_NR32_RT_SIGRETURN	__NR_rt_sigreturn
#define KU_NRX32_RT_SIGRETURN	(-1)
/* Calls that do not return. */
#define KU_NR32_EXIT		__NR_exit
#define KU_NR32_EXIT_GROUP	__NR_exit_group

/* Returns whether the running task is a 32-bit one. */
static __always_inline bool ku_arch_compat_task(void)
{
	return unlikely(is_compat_task());
}

/* Returns the address of the running call's first argument. a0 may already have a result. */
static __always_inline const u64 *ku_arch_syscall_arg(const struct pt_regs *regs, bool compat)
{
	return (const u64 *)&regs->orig_a0;
}

/*
 * Returns the number of the running call, as the task passed it; it may be any value. Returns -1
 * after sigreturn: the registers are those of the interrupted code, and cause is -1, so that no
 * other call is restarted.
 */
static __always_inline u64 ku_arch_syscall_nr(const struct pt_regs *regs)
{
	return likely(regs->cause != -1UL) ? regs->a7 : -1ULL;
}

/*
 * Returns true if the return may belong to an exec by which a 64-bit task became a 32-bit one. Such
 * a return has the number of the 64-bit call, but counts as a 32-bit return. The reverse cannot be
 * recognized in time: that return is recorded as a return of a 64-bit exec.
 */
static __always_inline bool ku_arch_may_be_exec(int nr)
{
	return (nr == __NR_execve || nr == __NR_execveat) && ku_arch_compat_task();
}

/* Returns the number of the exec by which @task has just become a 32-bit task, or -1. */
static __always_inline int ku_arch_exec_nr(const struct task_struct *task)
{
	int nr = (int)ku_arch_syscall_nr(task_pt_regs((struct task_struct *)task));

	return ku_arch_may_be_exec(nr) ? nr : -1;
}

/* On all architectures, a trace has the same number for page faults. */
#define KU_ARCH_TRAP_PAGE_FAULT	KUTRACE_PAGEFAULT

/*
 * Gets the exception by which the task has entered the kernel, and which raises this signal.
 * Returns false for interrupts, and for system calls and page faults, which have their own events.
 * *@trap: KUTRACE_TRAP_RISCV plus the cause. There are no error codes, so *@error is 0.
 */
static __always_inline bool ku_arch_trap(const struct task_struct *task, int sig,
					 const struct kernel_siginfo *info, u32 *trap, u32 *error)
{
	unsigned long cause = task_pt_regs((struct task_struct *)task)->cause;

	switch (cause) {
	case EXC_SYSCALL:
	case EXC_INST_PAGE_FAULT:
	case EXC_LOAD_PAGE_FAULT:
	case EXC_STORE_PAGE_FAULT:
		return false;
	}
	/* Interrupts have the highest bit set; sigreturn leaves -1. */
	if (cause >= KUTRACE_TRAPS_RISCV)
		return false;
	*trap = KUTRACE_TRAP_RISCV + (u32)cause;
	*error = 0;
	return true;
}

/*
 * Returns whether ftrace or a kprobe has patched the beginning of a function: two NOPs. ftrace's
 * call replaces the second NOP, a kprobe's breakpoint the first one.
 */
static inline bool ku_arch_hooked(const void *function)
{
	const u16 *begin = function;

	/* c.ebreak, ebreak; nop */
	return begin[0] == 0x9002 || (begin[0] == 0x0073 && begin[1] == 0x0010) ||
	       begin[2] != 0x0013 || begin[3] != 0x0000;
}

/* Returns whether ftrace is enabled and has patched a function with a requested hook. */
static inline bool ku_arch_ftraced(const void *function)
{
	return ku_arch_hooked(function);
}

/* Returns the address by which ftrace identifies a function. */
static inline unsigned long ku_arch_ftrace_address(unsigned long function)
{
	return function;
}

/*
 * Returns the argument of a page fault's event in the bits of x86, so that tools need no riscv64
 * case: write (2), user mode (4), instruction fetch (16).
 */
static __always_inline u16 ku_arch_fault_arg(const struct pt_regs *regs, unsigned long cause)
{
	return (cause == EXC_STORE_PAGE_FAULT ? 2 : 0) | (user_mode(regs) ? 4 : 0) |
	       (cause == EXC_INST_PAGE_FAULT ? 16 : 0);
}

/* The timer and IPIs have only the tracepoints of device interrupts. */
#define KU_ARCH_TIMER_IS_IRQ 1
#define KU_ARCH_IPI_IS_IRQ 1

static __always_inline bool ku_arch_irq_left_out(const struct irqaction *action)
{
	return false;
}

/* Returns whether this is an IPI: only the chips of IPIs can send. IPI names may change. */
static inline bool ku_arch_irq_is_ipi(const struct irq_data *data)
{
	return data && data->chip && data->chip->ipi_send_mask;
}

/*
 * Returns the vector that x86 has for the same purpose, so that tools need no riscv64 case; 0 for a
 * device. The purpose of an IPI is its number in its domain, which is the kernel's list of IPIs.
 * Context: in that interrupt.
 */
static inline u32 ku_arch_irq_vector(unsigned int irq, const struct irqaction *action)
{
	const struct irq_data *data;

	/* This action handles all interrupts of the CPU's timer. */
	if (action->name && !strcmp(action->name, "riscv-timer"))
		return KUTRACE_VECTOR_LOCAL_TIMER;
	data = irq_get_irq_data(irq);
	if (!ku_arch_irq_is_ipi(data))
		return 0;
	switch (data->hwirq) {
	case 0:
		return KUTRACE_VECTOR_RESCHEDULE;
	case 1:
		return KUTRACE_VECTOR_CALL_FUNCTION;
	case 4:
		return KUTRACE_VECTOR_IRQ_WORK;
	default:	/* forwarded timer; stopping CPUs, backtraces, debuggers */
		return KUTRACE_VECTOR_PLATFORM_IPI;
	}
}

#endif
