/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The direct hooks of system calls, which only ftrace calls (syscall_call.S), and the functions of
 * syscall_direct.c that they call: these in process context, preemptible.
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

/* A call by a number that the kernel knows, and what it returns: 64-bit, and other ABIs. */
void ku_syscall_direct_enter(struct pt_regs *regs, unsigned int nr);
void ku_syscall_direct_exit(long ret, struct pt_regs *regs);
void ku_syscall_direct_enter_other(struct pt_regs *regs, unsigned int nr);
void ku_syscall_direct_exit_other(long ret, struct pt_regs *regs);
/* What the function that asks debugger and seccomp returns. */
void ku_syscall_direct_traced(long nr);
/* A new task is about to go on where its parent has called fork(). */
void ku_syscall_direct_child(long unused);

#endif
