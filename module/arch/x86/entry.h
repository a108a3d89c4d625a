/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * x86: where a system call's number and arguments are, which trap a task is in, who sends
 * IPIs. Called by probes, in any context.
 */
#ifndef KU_X86_ENTRY_H
#define KU_X86_ENTRY_H

#include <linux/interrupt.h>
#include <linux/ptrace.h>
#include <linux/sched.h>
#include <linux/signal.h>
#include <linux/string.h>
#include <asm/ibt.h>
#include <asm/syscall.h>
#include <asm/trapnr.h>
#include <asm/unistd.h>

#include "arch/x86/fentry.h"
#include "arch/x86/number.h"

/* The running task is in a system call of the 32-bit ABI. */
static __always_inline bool ku_arch_compat_task(void)
{
#ifdef TS_COMPAT
	return unlikely(current_thread_info()->status & TS_COMPAT);
#else
	return false;
#endif
}

/* Where the first argument of the running system call is. */
static __always_inline const u64 *ku_arch_syscall_arg(const struct pt_regs *regs, bool compat)
{
	return (const u64 *)(compat ? &regs->bx : &regs->di);
}

/* Its number, as the registers say it: anything. */
static __always_inline u64 ku_arch_syscall_nr(const struct pt_regs *regs)
{
	return regs->orig_ax;
}

/* A task that becomes one of the other ABI by exec comes back with the number that has there. */
static __always_inline bool ku_arch_may_be_exec(int nr)
{
	return false;
}

static __always_inline int ku_arch_exec_nr(const struct task_struct *task)
{
	return -1;
}

#define KU_ARCH_TRAP_PAGE_FAULT	X86_TRAP_PF

/*
 * The trap that a task came into the kernel by last, if it leaves number and error code
 * behind; page faults, which have events of their own, do not count.
 */
static __always_inline bool ku_arch_trap(const struct task_struct *task, int sig,
					 const struct kernel_siginfo *info, u32 *trap, u32 *error)
{
	const struct thread_struct *thread = &task->thread;

	if (thread->trap_nr == X86_TRAP_PF || thread->trap_nr > X86_TRAP_IRET)
		return false;
	*trap = (u32)thread->trap_nr;
	*error = (u32)thread->error_code;
	return true;
}

/*
 * Whether what a function begins with, or, where its address is that of ENDBR, has behind that, is
 * something other than the NOP which ftrace and kprobes have their place in.
 */
static inline bool ku_arch_hooked(const void *function)
{
	static const u8 nop[] = { 0x0f, 0x1f, 0x44, 0x00, 0x00 };

	return memcmp(function, nop, sizeof(nop)) &&
	       memcmp(function + ENDBR_INSN_SIZE, nop, sizeof(nop));
}

/*
 * Whether ftrace, which has been told so, calls something first in a function: it is not
 * switched off.
 */
static inline bool ku_arch_ftraced(const void *function)
{
	return ku_arch_hooked(function);
}

/* The timer and IPIs have tracepoints of their own, as vectors. */
#define KU_ARCH_TIMER_IS_IRQ 0
#define KU_ARCH_IPI_IS_IRQ 0
static inline u32 ku_arch_irq_vector(unsigned int irq, const struct irqaction *action)
{
	return 0;
}

/*
 * Where a function at that address has what ftrace patches, as direct hooks of ours want it: at its
 * beginning, or behind ENDBR where the kernel has these. 0: it is elsewhere.
 */
static inline unsigned long ku_arch_ftrace_place(unsigned long function)
{
	return ku_fentry(function) == function + ENDBR_INSN_SIZE ? function + ENDBR_INSN_SIZE : 0;
}

/* What goes with a page fault's event: 2, a write; 4, in user mode; 16, an instruction; others. */
static __always_inline u16 ku_arch_fault_arg(const struct pt_regs *regs, unsigned long error_code)
{
	return (u16)error_code;
}

static __always_inline bool ku_arch_irq_left_out(const struct irqaction *action)
{
	return false;
}

/* Functions that send an IPI: to the CPU, or the mask of CPUs, that is their first argument. */
#define KU_ARCH_IPI_TO_CPU \
	"native_smp_send_reschedule", "native_send_call_func_single_ipi"
#define KU_ARCH_IPI_TO_MASK	"native_send_call_func_ipi"

#endif
