/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * arm64: where a system call's number and arguments are, which exception a task is in, which
 * interrupts are the timer's and IPIs. Called by probes, in any context.
 */
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

/* What a 32-bit task calls sigreturn by. There is no third ABI: a number that nobody has. */
#define KU_NR32_SIGRETURN	119
#define KU_NR32_RT_SIGRETURN	173
#define KU_NRX32_RT_SIGRETURN	(-1)
/* What it ends by. */
#define KU_NR32_EXIT		1
#define KU_NR32_EXIT_GROUP	248

/* The running task is one of 32 bits. */
static __always_inline bool ku_arch_compat_task(void)
{
	return unlikely(is_compat_task());
}

/* Where the first argument of the running system call is, as it was called. */
static __always_inline const u64 *ku_arch_syscall_arg(const struct pt_regs *regs, bool compat)
{
	return &regs->orig_x0;
}

/* Its number, as the registers say it: anything. */
static __always_inline u64 ku_arch_syscall_nr(const struct pt_regs *regs)
{
	return (u64)(s64)regs->syscallno;
}

/*
 * A task of 64 bits that becomes one of 32 by exec comes back with the number that it called, which
 * there is another call's. (The other way round that is not to be seen in time: the return
 * is then recorded as that of the call which has the number.)
 */
static __always_inline bool ku_arch_may_be_exec(int nr)
{
	return (nr == __NR_execve || nr == __NR_execveat) && ku_arch_compat_task();
}

/* By which call the running task, behind its exec, has become one of 32 bits; -1: it has not. */
static __always_inline int ku_arch_exec_nr(const struct task_struct *task)
{
	int nr = task_pt_regs(task)->syscallno;

	return ku_arch_may_be_exec(nr) ? nr : -1;
}

/* A trace calls page faults by one number on all architectures. */
#define KU_ARCH_TRAP_PAGE_FAULT	KUTRACE_PAGEFAULT

/* Not one of alignment, and no error that the memory itself reports. In user or kernel mode. */
static __always_inline bool ku_arch_esr_is_page_fault(unsigned long esr)
{
	switch (ESR_ELx_EC(esr)) {
	case ESR_ELx_EC_IABT_LOW:
	case ESR_ELx_EC_IABT_CUR:
	case ESR_ELx_EC_DABT_LOW:
	case ESR_ELx_EC_DABT_CUR:
		/* Translation, access flag and permission, at each of the levels. */
		return (esr & ESR_ELx_FSC) < 0x10;
	default:
		return false;
	}
}

/*
 * The exception that a task came into the kernel by, which raises this signal, if it leaves its
 * syndrome behind or the signal says it; page faults, which have events of their own, do not
 * count. *trap: KUTRACE_TRAP_ARM64 and its exception class, *error: the low bits of its syndrome.
 */
static __always_inline bool ku_arch_trap(const struct task_struct *task, int sig,
					 const struct kernel_siginfo *info, u32 *trap, u32 *error)
{
	unsigned long esr = task->thread.fault_code;
	u32 class = ESR_ELx_EC(esr);

	*error = (u32)(esr & ESR_ELx_ISS_MASK);
	/* These leave nothing in fault_code, in which the one before may still be. */
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
 * Whether a function begins with something other than what ftrace and kprobes have their place in.
 * A kprobe here is a breakpoint and needs no ftrace, so what is registered is there.
 */
static inline bool ku_arch_hooked(const void *function)
{
	return true;
}

/*
 * Whether ftrace, which has been told so, calls something first in a function: it is not
 * switched off. The function begins, maybe behind a landing pad, with what keeps the link
 * register, and that call (BL), or NOPs.
 */
static inline bool ku_arch_ftraced(const void *function)
{
	const u32 *code = function;

	return aarch64_insn_is_bl(le32_to_cpu(code[1])) || aarch64_insn_is_bl(le32_to_cpu(code[2]));
}

/* Sends of IPIs have a tracepoint of their own, in all releases. */
#define KU_ARCH_IPI_RAISE

/*
 * The timer and IPIs pass the same tracepoints as interrupts of devices. The timer's, a tick, or
 * what else a CPU has set its timer to, has its vector; 0 of any other.
 */
static inline u32 ku_arch_irq_vector(unsigned int irq, const struct irqaction *action)
{
	return action->name && !strcmp(action->name, "arch_timer") ? KUTRACE_VECTOR_LOCAL_TIMER : 0;
}

/* Where ftrace is told of a function at that address: the function itself. */
static inline unsigned long ku_arch_ftrace_place(unsigned long function)
{
	return function;
}

/* There is no tracepoint that would say it: see ku_fault_began(). */
static __always_inline u16 ku_arch_fault_arg(const struct pt_regs *regs, unsigned long error_code)
{
	return 0;
}

/* Those of IPIs are told by ipi_entry and ipi_exit, which say what for. */
static __always_inline bool ku_arch_irq_left_out(const struct irqaction *action)
{
	const char *name = action->name;

	return name && name[0] == 'I' && name[1] == 'P' && name[2] == 'I' && !name[3];
}

#define KU_ARCH_TIMER_IS_IRQ 1
#define KU_ARCH_IPI_IS_IRQ 0

#endif
