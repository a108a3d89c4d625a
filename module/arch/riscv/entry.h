/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * riscv64: where a system call's number and arguments are, which exception a task is in, which
 * interrupts are the timer's and IPIs. Called by probes, in any context.
 */
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

/* 32-bit tasks have the same table, and one sigreturn. There is no third ABI. */
#define KU_NR32_SIGRETURN	__NR_rt_sigreturn
#define KU_NR32_RT_SIGRETURN	__NR_rt_sigreturn
#define KU_NRX32_RT_SIGRETURN	(-1)
/* Calls that never return. */
#define KU_NR32_EXIT		__NR_exit
#define KU_NR32_EXIT_GROUP	__NR_exit_group

/* The running task is one of 32 bits. */
static __always_inline bool ku_arch_compat_task(void)
{
	return unlikely(is_compat_task());
}

/*
 * Where the first argument of the running system call is, as it was called: a0 may be a result
 * already.
 */
static __always_inline const u64 *ku_arch_syscall_arg(const struct pt_regs *regs, bool compat)
{
	return (const u64 *)&regs->orig_a0;
}

/*
 * Its number, as the registers say it: anything. Behind sigreturn they are those of what the
 * signal had interrupted, and their cause is -1, so that no other call is started again; then there
 * is no number.
 */
static __always_inline u64 ku_arch_syscall_nr(const struct pt_regs *regs)
{
	return likely(regs->cause != -1UL) ? regs->a7 : -1ULL;
}

/*
 * A task of 64 bits that becomes one of 32 by exec comes back with the number that it called, as
 * one of 32 bits. (The other way round that is not to be seen in time: the return is then
 * recorded as that of a 64-bit exec.)
 */
static __always_inline bool ku_arch_may_be_exec(int nr)
{
	return (nr == __NR_execve || nr == __NR_execveat) && ku_arch_compat_task();
}

/* By which call the running task, behind its exec, has become one of 32 bits; -1: it has not. */
static __always_inline int ku_arch_exec_nr(const struct task_struct *task)
{
	int nr = (int)ku_arch_syscall_nr(task_pt_regs((struct task_struct *)task));

	return ku_arch_may_be_exec(nr) ? nr : -1;
}

/* A trace calls page faults by one number on all architectures. */
#define KU_ARCH_TRAP_PAGE_FAULT	KUTRACE_PAGEFAULT

/*
 * The exception that a task came into the kernel by, which raises this signal; system calls
 * and page faults, which have events of their own, and interrupts do not count. *trap:
 * KUTRACE_TRAP_RISCV and its cause; there are no error codes, *error is 0.
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
	/* Interrupts have the highest bit; sigreturn left -1. */
	if (cause >= KUTRACE_TRAPS_RISCV)
		return false;
	*trap = KUTRACE_TRAP_RISCV + (u32)cause;
	*error = 0;
	return true;
}

/*
 * Whether a function begins with something other than the NOPs which ftrace and kprobes have their
 * place in. Of the two instructions there the second is the call, where the first is not a
 * breakpoint.
 */
static inline bool ku_arch_hooked(const void *function)
{
	const u16 *begin = function;

	/* c.ebreak, ebreak; nop */
	return begin[0] == 0x9002 || (begin[0] == 0x0073 && begin[1] == 0x0010) ||
	       begin[2] != 0x0013 || begin[3] != 0x0000;
}

/*
 * Whether ftrace, which has been told so, calls something first in a function: it is not switched
 * off.
 */
static inline bool ku_arch_ftraced(const void *function)
{
	return ku_arch_hooked(function);
}

/* Where ftrace is told of a function at that address: the function itself. */
static inline unsigned long ku_arch_ftrace_place(unsigned long function)
{
	return function;
}

/*
 * What goes with a page fault's event, of its cause and of where it came from: 2, a write; 4, in
 * user mode; 16, an instruction. As on x86, so that all tools know it.
 */
static __always_inline u16 ku_arch_fault_arg(const struct pt_regs *regs, unsigned long cause)
{
	return (cause == EXC_STORE_PAGE_FAULT ? 2 : 0) | (user_mode(regs) ? 4 : 0) |
	       (cause == EXC_INST_PAGE_FAULT ? 16 : 0);
}

/* The timer and IPIs pass the same tracepoints as interrupts of devices, and no others. */
#define KU_ARCH_TIMER_IS_IRQ 1
#define KU_ARCH_IPI_IS_IRQ 1

static __always_inline bool ku_arch_irq_left_out(const struct irqaction *action)
{
	return false;
}

/*
 * Whether it is an IPI: only of these the kernel can send one. What they are called, changes from
 * release to release.
 */
static inline bool ku_arch_irq_is_ipi(const struct irq_data *data)
{
	return data && data->chip && data->chip->ipi_send_mask;
}

/*
 * The vector of the same purpose on x86, so that all tools know it; 0: a device's. What an IPI is
 * for says its number in its domain, which is that of the kernel's list of them. Context: in
 * that interrupt.
 */
static inline u32 ku_arch_irq_vector(unsigned int irq, const struct irqaction *action)
{
	const struct irq_data *data;

	/* A tick, or what else a CPU has set its timer to. */
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
	default:	/* the timer's, passed on; to stop CPUs, for backtraces and debuggers */
		return KUTRACE_VECTOR_PLATFORM_IPI;
	}
}

#endif
