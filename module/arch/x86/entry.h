/* SPDX-License-Identifier: GPL-2.0-only */
/* x86: system calls, traps, and the functions that send IPIs. Any context. */
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

/* Returns whether the running task is in a system call of the 32-bit ABI. */
static __always_inline bool ku_arch_compat_task(void)
{
#ifdef TS_COMPAT
	return unlikely(current_thread_info()->status & TS_COMPAT);
#else
	return false;
#endif
}

/* Returns the address of the first argument of the running system call. */
static __always_inline const u64 *ku_arch_syscall_arg(const struct pt_regs *regs, bool compat)
{
	return (const u64 *)(compat ? &regs->bx : &regs->di);
}

/* Returns the number of the running call, as the task passed it; it may be any value. */
static __always_inline u64 ku_arch_syscall_nr(const struct pt_regs *regs)
{
	return regs->orig_ax;
}

/*
 * Returns false: after an exec that changes the ABI, the kernel has set the number of the new ABI.
 */
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
 * Gets the trap by which the task last entered the kernel, if the kernel saved its number and error
 * code. Returns false for page faults, which have their own events.
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
 * Returns whether ftrace or a kprobe has patched the beginning of a function, where one instruction
 * is a NOP. The NOP is the first instruction, or the one after ENDBR.
 */
static inline bool ku_arch_hooked(const void *function)
{
	static const u8 nop[] = { 0x0f, 0x1f, 0x44, 0x00, 0x00 };

	return memcmp(function, nop, sizeof(nop)) &&
	       memcmp(function + ENDBR_INSN_SIZE, nop, sizeof(nop));
}

/* Returns whether ftrace is enabled and has patched a function with a requested hook. */
static inline bool ku_arch_ftraced(const void *function)
{
	return ku_arch_hooked(function);
}

/* The timer and IPIs have their own tracepoints, as vectors. */
#define KU_ARCH_TIMER_IS_IRQ 0
#define KU_ARCH_IPI_IS_IRQ 0
static inline u32 ku_arch_irq_vector(unsigned int irq, const struct irqaction *action)
{
	return 0;
}

/*
 * Returns the address of the call that ftrace patches in a function, if it is where direct hooks
 * need it: at the beginning, or after ENDBR in kernels that use ENDBR. Otherwise returns 0.
 */
static inline unsigned long ku_arch_ftrace_address(unsigned long function)
{
	return ku_fentry(function) == function + ENDBR_INSN_SIZE ? function + ENDBR_INSN_SIZE : 0;
}

/*
 * Returns the argument of a page fault's event: write (2), user mode (4), instruction fetch (16),
 * and other bits of the error code.
 */
static __always_inline u16 ku_arch_fault_arg(const struct pt_regs *regs, unsigned long error_code)
{
	return (u16)error_code;
}

static __always_inline bool ku_arch_irq_left_out(const struct irqaction *action)
{
	return false;
}

/* Functions that send an IPI. The first argument is the CPU, or the mask of CPUs. */
#define KU_ARCH_IPI_TO_CPU \
	"native_smp_send_reschedule", "native_send_call_func_single_ipi"
#define KU_ARCH_IPI_TO_MASK	"native_send_call_func_ipi"

#endif
