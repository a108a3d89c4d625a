/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Probes that the hooks of <linux/kutrace.h> in a patched kernel call. Context: any, including NMI,
 * preemption disabled. They record and return; they never sleep, and never take a lock that the
 * hooked code can hold.
 *
 * No kprobe can be set in them: its breakpoint is an exception, whose hook would reach the same
 * breakpoint again.
 */
#ifndef KU_PROBES_PATCHED_H
#define KU_PROBES_PATCHED_H

#include <linux/types.h>

#include "core/emit.h"

struct cpumask;
struct irq_desc;
struct pt_regs;
struct sk_buff;
struct task_struct;

/* In patched_syscall.c of x86/ and arm64/. */
void ku_static_syscall_enter(struct pt_regs *regs, unsigned int nr);
void ku_static_syscall_enter_other(struct pt_regs *regs, unsigned int nr);
void ku_static_syscall_exit(struct pt_regs *regs);
void ku_static_syscall_uncalled(struct pt_regs *regs);
void ku_static_syscall32_enter(struct pt_regs *regs, unsigned int nr);
void ku_static_syscall32_exit(struct pt_regs *regs);
void ku_static_syscall32_uncalled(struct pt_regs *regs);

/* Exceptions and interrupts, in patched_irq.c of x86/ and arm64/. */
void ku_static_trap_enter(unsigned int trap, unsigned long error_code);
void ku_static_trap_exit(unsigned int trap);
void ku_static_irq_enter(unsigned int vector);
void ku_static_irq_exit(unsigned int vector);
void ku_static_device_enter(unsigned int vector, struct irq_desc *desc);
void ku_static_device_exit(unsigned int vector, struct irq_desc *desc);

/*
 * Variants for the time in which all 64-bit system calls take the fast path, or all of them the
 * dual path. These functions do not look up the path.
 */
void ku_static_syscall_enter_fast(struct pt_regs *regs, unsigned int nr);
void ku_static_syscall_enter_dual(struct pt_regs *regs, unsigned int nr);
void ku_static_syscall_exit_dual(struct pt_regs *regs);

/*
 * Variants for recordings without context switches. The previous entry may be another task's call,
 * so returns of calls that may sleep are not merged.
 */
void ku_static_syscall_exit_alone(struct pt_regs *regs);
void ku_static_syscall32_exit_alone(struct pt_regs *regs);
void ku_static_trap_exit_alone(unsigned int trap);

/*
 * Records the return of a call that was not recorded. If the number is -1, the task called with -1,
 * or its debugger set -1. Then the call is also recorded now, as with tracepoints. The return is
 * never merged, because the previous entry is another call.
 */
static __always_inline void ku_static_uncalled(u32 nr, u32 event, s64 retval)
{
	if (nr == -1U)
		ku_emit(KU_EVENT(event) | (u16)nr);
	ku_emit_unmerged(event, retval);
}

static __always_inline void ku_static_return_alone(u32 event, u64 retval)
{
	ku_emit(KU_EVENT(event | KUTRACE_RETURN_BIT) | (u16)retval);
}

/*
 * In patched.c: softirqs, the PC sample of a timer that has a hook for it, the scheduler, wakeups,
 * IPIs, idle states, frequency, names, locks.
 */
void ku_static_softirq_enter(unsigned int kind);
void ku_static_softirq_exit(unsigned int kind);
void ku_static_pc_sample(struct pt_regs *regs);
void ku_static_sched_enter(void);
void ku_static_sched_exit(void);
void ku_static_sched_switch(struct task_struct *next);
void ku_static_wakeup(struct task_struct *task);
void ku_static_ipi(unsigned int cpu);
void ku_static_ipi_mask(const struct cpumask *mask);
void ku_static_idle(unsigned int state);
void ku_static_idle_exit(unsigned int state);
void ku_static_frequency(unsigned int cpu, unsigned int khz);
void ku_static_task_name(struct task_struct *task, const char *comm);
void ku_static_task_exec(struct task_struct *task, pid_t old_pid);
void ku_static_task_exit(struct task_struct *task);
void ku_static_lock(const void *lock, unsigned int step);

/* In net.c. */
void ku_static_packet_rx(const struct sk_buff *skb, unsigned int offset);
void ku_static_packet_tx(const struct sk_buff *skb, unsigned int offset);

#endif
