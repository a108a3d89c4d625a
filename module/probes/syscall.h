/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What is recorded of a system call's entry and exit, as a stock kernel's tracepoints show them.
 * Called by these tracepoints, and by what stands in for them. Preemption off.
 */
#ifndef KU_SYSCALL_H
#define KU_SYSCALL_H

struct pt_regs;

/* @id: number of the call, -1 for none; any ABI, as the task's state says. @data: nothing. */
void ku_sys_enter(void *data, struct pt_regs *regs, long id);
/* @ret: what it returns; its number is in @regs. */
void ku_sys_exit(void *data, struct pt_regs *regs, long ret);

#endif
