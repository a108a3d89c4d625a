// SPDX-License-Identifier: GPL-2.0-only
/* x86: hooks of system calls in a patched kernel: see probes/patched.h. */
#include <linux/kprobes.h>
#include <linux/kutrace.h>
#include <linux/ptrace.h>
#include <linux/sched.h>
#include <linux/syscall_user_dispatch.h>

#include "arch/entry.h"
#include "core/emit.h"
#include "probes/patched.h"
#include "probes/shared.h"

/* Returns the event of a call by a 64-bit or x32 task, by the call's number. */
static __always_inline u32 ku_static_event64(u32 nr)
{
	if (likely(nr < KUTRACE_COUNT_SYSCALL64))
		return KUTRACE_CALL_SYSCALL64 + nr;
#ifdef __X32_SYSCALL_BIT
	nr &= ~(u32)__X32_SYSCALL_BIT;
#endif
	if (nr < KUTRACE_COUNT_SYSCALL64)
		return KUTRACE_CALL_SYSCALL64 + nr;
	if (nr < KUTRACE_COUNT_SYSCALL64 + KUTRACE_COUNT_SYSCALL32)
		return KUTRACE_CALL_SYSCALL32 + nr - KUTRACE_COUNT_SYSCALL64;
	return KUTRACE_CALL_SYSOTHER;
}

void __kprobes ku_static_syscall_enter_other(struct pt_regs *regs, unsigned int nr)
{
	u32 event = ku_static_event64(nr);
	u64 arg = regs->di;

	if (event == KUTRACE_CALL_SYSOTHER)
		arg = nr;
	if (nr == KU_NRX32_RT_SIGRETURN)
		ku_numberless_begin(event);
	ku_emit(KU_EVENT(event) | (u16)arg);
}

/* This hook gets only numbers that the kernel implements. */
static_assert(NR_syscalls <= KUTRACE_COUNT_SYSCALL64);

void __kprobes ku_static_syscall_enter(struct pt_regs *regs, unsigned int nr)
{
	ku_emit_call(KUTRACE_CALL_SYSCALL64, nr, (const u64 *)&regs->di);
}

void __kprobes ku_static_syscall_enter_fast(struct pt_regs *regs, unsigned int nr)
{
	ku_emit_call_fast(KUTRACE_CALL_SYSCALL64, nr, (const u64 *)&regs->di);
}

/* Sigreturn restores all registers, and sets number -1. */
static u32 __kprobes ku_static_numberless64(void)
{
	return ku_numberless_end(KUTRACE_CALL_SYSCALL64 + __NR_rt_sigreturn);
}

static u32 __kprobes ku_static_return64(const struct pt_regs *regs)
{
	return (u32)regs->orig_ax == -1U ? ku_static_numberless64() :
					   ku_static_event64((u32)regs->orig_ax);
}

static noinline void __kprobes ku_static_exit_numberless(struct pt_regs *regs)
{
	u32 event = ku_static_numberless64();

	if (event)
		ku_emit_return(event, (s64)regs->ax);
}

/* Handles rare cases in a separate function, so that the frequent path needs no stack frame. */
static noinline void __kprobes ku_static_exit_other(struct pt_regs *regs)
{
	if (unlikely((u32)regs->orig_ax == -1U)) {
		ku_static_exit_numberless(regs);
		return;
	}
	ku_emit_return(ku_static_event64((u32)regs->orig_ax), (s64)regs->ax);
}

/*
 * Merges a result that fits, if nothing was recorded since the call. If the slow path recorded the
 * call, ku_static_exit_other() decides whether to merge.
 */
void __kprobes ku_static_syscall_exit(struct pt_regs *regs)
{
	s64 retval = (s64)regs->ax;
	u32 nr;

	if (likely(ku_emit_call_return(retval)))
		return;
	nr = (u32)regs->orig_ax;
	if (unlikely(nr >= KUTRACE_COUNT_SYSCALL64 ||
		     (ku_retval_fits(retval) && ku_emit_call_was_slow())))
		ku_static_exit_other(regs);
	else
		ku_emit_unmerged(KUTRACE_CALL_SYSCALL64 + nr, retval);
}

void __kprobes ku_static_syscall_enter_dual(struct pt_regs *regs, unsigned int nr)
{
	ku_emit_call_dual(KUTRACE_CALL_SYSCALL64, nr, (const u64 *)&regs->di);
}

void __kprobes ku_static_syscall_exit_dual(struct pt_regs *regs)
{
	s64 retval = (s64)regs->ax;
	u32 nr;

	if (likely(ku_emit_call_return_dual(retval)))
		return;
	nr = (u32)regs->orig_ax;
	if (unlikely(nr >= KUTRACE_COUNT_SYSCALL64 || ku_retval_fits(retval)))
		ku_static_exit_other(regs);
	else
		ku_emit_dual(ku_return_entry(KUTRACE_CALL_SYSCALL64 + nr, retval));
}

void __kprobes ku_static_syscall_exit_alone(struct pt_regs *regs)
{
	u32 event = ku_static_return64(regs);

	if (event)
		ku_static_return_alone(event, regs->ax);
}

/*
 * A call that user dispatch intercepts is not recorded: the kernel does not know its meaning, and
 * does not show the call to tracers.
 */
void __kprobes ku_static_syscall_uncalled(struct pt_regs *regs)
{
	u32 nr = (u32)regs->orig_ax;

	if (!current->syscall_dispatch.on_dispatch)
		ku_static_uncalled(nr, ku_static_event64(nr), (s64)regs->ax);
}

static u32 __kprobes ku_static_event32(u32 nr)
{
	return nr < KUTRACE_COUNT_SYSCALL32 ? KUTRACE_CALL_SYSCALL32 + nr :
					      KUTRACE_CALL_SYSOTHER;
}

void __kprobes ku_static_syscall32_enter(struct pt_regs *regs, unsigned int nr)
{
	u32 event = ku_static_event32(nr);

	if (nr == KU_NR32_SIGRETURN)
		ku_numberless_begin(event);
	ku_emit(KU_EVENT(event) | (u16)(event == KUTRACE_CALL_SYSOTHER ? nr : regs->bx));
}

static u32 __kprobes ku_static_return32(const struct pt_regs *regs)
{
	if ((u32)regs->orig_ax == -1U)
		return ku_numberless_end(KUTRACE_CALL_SYSCALL32 + KU_NR32_RT_SIGRETURN);
	return ku_static_event32((u32)regs->orig_ax);
}

void __kprobes ku_static_syscall32_exit(struct pt_regs *regs)
{
	ku_emit_return(ku_static_return32(regs), (s32)regs->ax);
}

void __kprobes ku_static_syscall32_exit_alone(struct pt_regs *regs)
{
	ku_static_return_alone(ku_static_return32(regs), regs->ax);
}

void __kprobes ku_static_syscall32_uncalled(struct pt_regs *regs)
{
	u32 nr = (u32)regs->orig_ax;

	if (!current->syscall_dispatch.on_dispatch)
		ku_static_uncalled(nr, ku_static_event32(nr), (s32)regs->ax);
}
