// SPDX-License-Identifier: GPL-2.0-only
/* arm64: hooks of system calls in a patched kernel: see probes/patched.h. */
#include <linux/kprobes.h>
#include <linux/kutrace.h>
#ifdef CONFIG_KUTRACE_CONTROL
#include <linux/kutrace_control.h>
#endif /* CONFIG_KUTRACE_CONTROL */
#include <linux/ptrace.h>
#include <asm/unistd.h>

#include "arch/entry.h"
#include "core/emit.h"
#include "probes/patched.h"
#include "probes/shared.h"

/* Returns the event of a call by a 64-bit task, by the call's number; 0 if it is not recorded. */
static __always_inline u32 ku_static_event64(u32 nr)
{
	if (likely(nr < KUTRACE_COUNT_SYSCALL64))
		return KUTRACE_CALL_SYSCALL64 + nr;
#ifdef CONFIG_KUTRACE_CONTROL
	/* The control call is not recorded. */
	if (kutrace_is_control(nr))
		return 0;
#endif /* CONFIG_KUTRACE_CONTROL */
	if (nr < KUTRACE_COUNT_SYSCALL64 + KUTRACE_COUNT_SYSCALL32)
		return KUTRACE_CALL_SYSCALL32 + nr - KUTRACE_COUNT_SYSCALL64;
	return KUTRACE_CALL_SYSOTHER;
}

void __kprobes ku_static_syscall_enter_other(struct pt_regs *regs, unsigned int nr)
{
	u32 event = ku_static_event64(nr);

	if (nr == -1U)
		ku_numberless_begin(event);
	if (event)
		ku_emit(KU_EVENT(event) |
			(u16)(event == KUTRACE_CALL_SYSOTHER ? nr : regs->orig_x0));
}

/* This hook gets only numbers that the kernel implements. */
static_assert(__NR_syscalls <= KUTRACE_COUNT_SYSCALL64);

void __kprobes ku_static_syscall_enter(struct pt_regs *regs, unsigned int nr)
{
	ku_emit_call(KUTRACE_CALL_SYSCALL64, nr, &regs->orig_x0);
}

void __kprobes ku_static_syscall_enter_fast(struct pt_regs *regs, unsigned int nr)
{
	ku_emit_call_fast(KUTRACE_CALL_SYSCALL64, nr, &regs->orig_x0);
}

/* Returns the event of a 64-bit return. Sigreturn restores all registers, and sets number -1. */
static u32 __kprobes ku_static_return64(const struct pt_regs *regs)
{
	u32 nr = (u32)regs->syscallno;

	return nr == -1U ? ku_numberless_end(KUTRACE_CALL_SYSCALL64 + __NR_rt_sigreturn) :
			   ku_static_event64(nr);
}

/* Handles rare cases in a separate function, so that the frequent path needs no stack frame. */
static noinline void __kprobes ku_static_exit_other(struct pt_regs *regs)
{
	u32 event = ku_static_return64(regs);

	if (event)
		ku_emit_return(event, (s64)regs->regs[0]);
}

/*
 * Merges a result that fits, if nothing was recorded since the call. If the slow path recorded the
 * call, ku_static_exit_other() decides whether to merge.
 */
void __kprobes ku_static_syscall_exit(struct pt_regs *regs)
{
	s64 retval = (s64)regs->regs[0];
	u32 nr;

	if (likely(ku_emit_call_return(retval)))
		return;
	nr = (u32)regs->syscallno;
	if (unlikely(nr >= KUTRACE_COUNT_SYSCALL64 ||
		     (ku_retval_fits(retval) && ku_emit_call_was_slow())))
		ku_static_exit_other(regs);
	else
		ku_emit_unmerged(KUTRACE_CALL_SYSCALL64 + nr, retval);
}

void __kprobes ku_static_syscall_enter_dual(struct pt_regs *regs, unsigned int nr)
{
	ku_emit_call_dual(KUTRACE_CALL_SYSCALL64, nr, &regs->orig_x0);
}

void __kprobes ku_static_syscall_exit_dual(struct pt_regs *regs)
{
	s64 retval = (s64)regs->regs[0];
	u32 nr;

	if (likely(ku_emit_call_return_dual(retval)))
		return;
	nr = (u32)regs->syscallno;
	if (unlikely(nr >= KUTRACE_COUNT_SYSCALL64 || ku_retval_fits(retval)))
		ku_static_exit_other(regs);
	else
		ku_emit_dual(ku_return_entry(KUTRACE_CALL_SYSCALL64 + nr, retval));
}

void __kprobes ku_static_syscall_exit_alone(struct pt_regs *regs)
{
	u32 event = ku_static_return64(regs);

	if (event)
		ku_static_return_alone(event, regs->regs[0]);
}

void __kprobes ku_static_syscall_uncalled(struct pt_regs *regs)
{
	u32 event = ku_static_event64((u32)regs->syscallno);

	if (event)
		ku_static_uncalled((u32)regs->syscallno, event, (s64)regs->regs[0]);
}

static u32 __kprobes ku_static_event32(u32 nr)
{
	return nr < KUTRACE_COUNT_SYSCALL32 ? KUTRACE_CALL_SYSCALL32 + nr :
					      KUTRACE_CALL_SYSOTHER;
}

void __kprobes ku_static_syscall32_enter(struct pt_regs *regs, unsigned int nr)
{
	u32 event = ku_static_event32(nr);

	if (nr == -1U || nr == KU_NR32_SIGRETURN)
		ku_numberless_begin(event);
	ku_emit(KU_EVENT(event) | (u16)(event == KUTRACE_CALL_SYSOTHER ? nr : regs->orig_x0));
}

/*
 * Returns the event of a 32-bit return. After an exec that made the task a 32-bit one, the number
 * is from the 64-bit table.
 */
static u32 __kprobes ku_static_return32(const struct pt_regs *regs)
{
	u32 nr = (u32)regs->syscallno;

	if (nr == -1U)
		return ku_numberless_end(KUTRACE_CALL_SYSCALL32 + KU_NR32_RT_SIGRETURN);
	if (unlikely(ku_arch_may_be_exec((int)nr)))
		return ku_numberless_end(ku_static_event32(nr));
	return ku_static_event32(nr);
}

void __kprobes ku_static_syscall32_exit(struct pt_regs *regs)
{
	ku_emit_return(ku_static_return32(regs), (s32)regs->regs[0]);
}

void __kprobes ku_static_syscall32_exit_alone(struct pt_regs *regs)
{
	ku_static_return_alone(ku_static_return32(regs), (u32)regs->regs[0]);
}

void __kprobes ku_static_syscall32_uncalled(struct pt_regs *regs)
{
	u32 nr = (u32)regs->syscallno;

	ku_static_uncalled(nr, ku_static_event32(nr), (s32)regs->regs[0]);
}
