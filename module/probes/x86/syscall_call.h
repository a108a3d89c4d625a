/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The direct hooks of system calls (syscall_call.S), called by ftrace only, and the functions of
 * syscall_direct.c that they call. Context of the latter: process, preemptible.
 */
#ifndef KU_SYSCALL_CALL_H
#define KU_SYSCALL_CALL_H

struct pt_regs;

void ku_syscall_call(void);
void ku_syscall_call_end(void);
void ku_syscallx32_call(void);
void ku_syscallx32_call_end(void);
void ku_syscall32_call(void);
void ku_syscall32_call_end(void);
void ku_syscall_traced_call(void);
void ku_syscall_traced_call_end(void);
void ku_syscall_child_call(void);
void ku_syscall_child_call_end(void);

/* A call with a number that the kernel implements, and its result: 64-bit, and other ABIs. */
void ku_syscall_direct_enter(struct pt_regs *regs, unsigned int nr);
void ku_syscall_direct_exit(long ret, struct pt_regs *regs);
void ku_syscall_direct_enter_other(struct pt_regs *regs, unsigned int nr);
void ku_syscall_direct_exit_other(long ret, struct pt_regs *regs);
/* @nr: result of the function that informs debugger and seccomp. */
void ku_syscall_direct_traced(long nr);
/* A new task will continue where its parent has called fork(). */
void ku_syscall_direct_child(long unused);

#endif
