/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * x86: what the hooks of <linux/kutrace.h> for system calls, traps and interrupts call. With
 * preemption off in any context, NMI included: they record and return, never sleep, never take a
 * lock that the hooked code can hold. Registered by backends/patched.c.
 *
 * No kprobe can be put on them: its breakpoint is an exception, which the hook of exceptions
 * records, which would come upon the same breakpoint.
 */
#ifndef KU_X86_PATCHED_H
#define KU_X86_PATCHED_H

#include <linux/types.h>

#include "core/emit.h"

struct irq_desc;
struct pt_regs;

void ku_static_syscall_enter(struct pt_regs *regs, unsigned int nr);
void ku_static_syscall_enter_other(struct pt_regs *regs, unsigned int nr);
void ku_static_syscall_exit(struct pt_regs *regs);
void ku_static_syscall32_enter(struct pt_regs *regs, unsigned int nr);
void ku_static_syscall32_exit(struct pt_regs *regs);
void ku_static_trap_enter(unsigned int trap, unsigned long error_code);
void ku_static_trap_exit(unsigned int trap);
void ku_static_irq_enter(unsigned int vector);
void ku_static_irq_exit(unsigned int vector);
void ku_static_device_enter(unsigned int vector, struct irq_desc *desc);
void ku_static_device_exit(unsigned int vector, struct irq_desc *desc);
void ku_static_softirq_enter(unsigned int kind);
void ku_static_softirq_exit(unsigned int kind);
void ku_static_pc_sample(struct pt_regs *regs);

/* Where all system calls go twice, and none is inspected. */
void ku_static_syscall_enter_twice(struct pt_regs *regs, unsigned int nr);
void ku_static_syscall_exit_twice(struct pt_regs *regs);

/*
 * Where context switches go unrecorded, the call before may be another task's: nothing
 * that can sleep is merged.
 */
void ku_static_syscall_exit_alone(struct pt_regs *regs);
void ku_static_syscall32_exit_alone(struct pt_regs *regs);
void ku_static_trap_exit_alone(unsigned int trap);

static __always_inline void ku_static_return_alone(u32 event, u64 retval)
{
	ku_emit(KU_EVENT(event | KUTRACE_RETURN_BIT) | (u16)retval);
}

#endif
