/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Probes of system call entry and exit, with the arguments of the kernel's tracepoints. Direct
 * hooks also use them. Preemption disabled.
 */
#ifndef KU_SYSCALL_H
#define KU_SYSCALL_H

struct pt_regs;

/* @id: number of the call, or -1; the task's state determines the ABI. @data: unused. */
void ku_sys_enter(void *data, struct pt_regs *regs, long id);
/* @ret: result of the call. Its number is in @regs. */
void ku_sys_exit(void *data, struct pt_regs *regs, long ret);

#endif
