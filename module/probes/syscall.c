// SPDX-License-Identifier: GPL-2.0-only
/* Tracepoints of system calls. Rules of probes: tp.h. */
#include <linux/kprobes.h>
#include <linux/ptrace.h>
#include <trace/events/syscalls.h>

#include "arch/entry.h"
#include "compat/tracepoints.h"
#include "compat/version.h"
#include "core/emit.h"
#include "probes/shared.h"
#include "probes/tp.h"

/*
 * Returns the event of a system call. 64-bit numbers below 512 begin at 0x800. Higher 64-bit
 * numbers and 32-bit numbers begin at 0xC00. All others share 0xDFE. For x32, the number is taken
 * without __X32_SYSCALL_BIT. Needed only for numbers outside 0 to 511, and for 32-bit tasks.
 */
static noinline u32 __kprobes ku_syscall_event(int nr, bool compat)
{
#ifdef __X32_SYSCALL_BIT
	if (!compat)
		nr &= ~__X32_SYSCALL_BIT;
#endif
	if (compat && (unsigned int)nr < KUTRACE_COUNT_SYSCALL32)
		return KUTRACE_CALL_SYSCALL32 + nr;
	if (!compat && (unsigned int)nr < KUTRACE_COUNT_SYSCALL64)
		return KUTRACE_CALL_SYSCALL64 + nr;
	if (!compat && nr >= KUTRACE_COUNT_SYSCALL64 &&
	    nr < KUTRACE_COUNT_SYSCALL64 + KUTRACE_COUNT_SYSCALL32)
		return KUTRACE_CALL_SYSCALL32 + nr - KUTRACE_COUNT_SYSCALL64;
	return KUTRACE_CALL_SYSOTHER;
}

/*
 * Functions for rare cases have the arguments of the probes. So the arguments are already in the
 * right registers, and the frequent path need not save them.
 */
static noinline __noclone void __kprobes ku_sys_enter_other(void *unused, struct pt_regs *regs,
							    long id)
{
	bool compat = ku_arch_compat_task();
	u32 event = ku_syscall_event((int)id, compat);
	u64 arg = *ku_arch_syscall_arg(regs, compat);

	if (event == KUTRACE_CALL_SYSOTHER)
		arg = id;
	if (id == -1 || id == (compat ? KU_NR32_SIGRETURN : KU_NRX32_RT_SIGRETURN))
		ku_numberless_begin(event);
	ku_emit(KU_EVENT(event) | (u16)arg);
}

notrace void __kprobes ku_sys_enter(void *data, struct pt_regs *regs, long id)
{
	ku_probe_guard();

	if (likely((unsigned long)id < KUTRACE_COUNT_SYSCALL64 && !ku_arch_compat_task()))
		ku_emit_lone_call(KUTRACE_CALL_SYSCALL64, id,
				  ku_arch_syscall_arg(regs, false));
	else
		ku_sys_enter_other(data, regs, id);
}

static noinline __noclone void __kprobes ku_sys_exit_other(void *unused, struct pt_regs *regs,
							   long ret)
{
	int id = (int)ku_arch_syscall_nr(regs);
	u32 event;

	/* Sigreturn restores all registers, and sets number -1. */
	if (unlikely(id == -1))
		event = ku_numberless_end(ku_arch_compat_task() ?
			KUTRACE_CALL_SYSCALL32 + KU_NR32_RT_SIGRETURN :
			KUTRACE_CALL_SYSCALL64 + __NR_rt_sigreturn);
	else
		event = ku_syscall_event(id, ku_arch_compat_task());
	/* After an exec that made the task a 32-bit one, the number is from the other table. */
	if (ku_arch_may_be_exec(id))
		event = ku_numberless_end(event);
	ku_emit_return(event, ret);
}

/*
 * Merging need not check the task's ABI: a preceding 32-bit call would have another event number.
 * Numbers without an event of their own are not merged here. The frequent cases that are not merged
 * are recorded here: results that do not fit, and returns of calls that slept.
 */
notrace void __kprobes ku_sys_exit(void *data, struct pt_regs *regs, long ret)
{
	ku_probe_guard();
	u64 nr = ku_arch_syscall_nr(regs);

	if (unlikely((u32)nr >= KUTRACE_COUNT_SYSCALL64)) {
		ku_sys_exit_other(data, regs, ret);
		return;
	}
	if (likely(ku_retval_fits(ret) && ku_merge_syscall(nr, ret, ku_arch_compat_task)))
		return;
	if (likely(!ku_arch_compat_task()))
		ku_emit_unmerged(KUTRACE_CALL_SYSCALL64 + (u32)nr, ret);
	else
		ku_sys_exit_other(data, regs, ret);
}

/* Returns are attached before calls, so that no call is recorded without its return. */
static struct ku_tp ku_syscall_tps[] = {
#if KU_HAVE_SYSCALL_BEGIN
	/* The same events, without the slow path of the kernel's entry and exit work. */
	KU_TP(syscall_end, ku_sys_exit, KUTRACE_MASK_SYSCALL),
	KU_TP(syscall_begin, ku_sys_enter, KUTRACE_MASK_SYSCALL),
#endif
	KU_TP_OLD(sys_exit, syscall_end, ku_sys_exit, KUTRACE_MASK_SYSCALL),
	KU_TP_OLD(sys_enter, syscall_begin, ku_sys_enter, KUTRACE_MASK_SYSCALL),
};

const struct ku_tp_table ku_tps_syscall = KU_TP_TABLE(ku_syscall_tps);

static void __maybe_unused ku_syscall_check(void)
{
#if KU_HAVE_SYSCALL_BEGIN
	KU_CHECK(syscall_end, ku_sys_exit);
	KU_CHECK(syscall_begin, ku_sys_enter);
#endif
	KU_CHECK(sys_exit, ku_sys_exit);
	KU_CHECK(sys_enter, ku_sys_enter);
}
