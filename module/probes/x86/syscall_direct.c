// SPDX-License-Identifier: GPL-2.0-only
/*
 * System calls by direct hooks (direct.h): see syscall_direct.h. Five functions together show what
 * the tracepoints sys_enter and sys_exit show:
 *
 *	x64_sys_call()		a 64-bit call with a number that the kernel implements, and its
 *				return
 *	x32_sys_call(), ia32_sys_call()		the same for the other ABIs
 *	syscall_trace_enter()	a call that debugger, seccomp or user dispatch has refused, or
 *				whose number they have changed to one that the kernel does not
 *				implement. Only tasks with one of these, or with auditing, call it
 *	schedule_tail()		the return of fork() in the child
 *
 * Two kinds of calls are not recorded, because no hooked function is called for them. These are
 * calls in progress when the hooks were attached, and calls with numbers that the kernel does not
 * implement, of tasks that do not call syscall_trace_enter().
 */
#include <linux/jump_label.h>
#include <linux/kernel.h>
#include <linux/kprobes.h>
#include <linux/preempt.h>
#include <linux/ptrace.h>
#include <linux/sched.h>
#include <linux/sched/task_stack.h>
#include <linux/static_call.h>
#include <linux/syscall_user_dispatch.h>
#include <asm/syscall.h>
#include <asm/unistd.h>

#include "arch/entry.h"
#include "compat/version.h"
#include "core/emit.h"
#include "probes/direct.h"
#include "probes/shared.h"
#include "arch/x86/fentry.h"
#include "probes/x86/syscall_call.h"
#include "probes/x86/syscall_direct.h"

static_assert(NR_syscalls <= KUTRACE_COUNT_SYSCALL64);
static_assert(KU_NR64_EXIT == __NR_exit && KU_NR64_EXIT_GROUP == __NR_exit_group);

static DEFINE_STATIC_KEY_FALSE(ku_syscall_dual);

__visible notrace void __kprobes ku_syscall_direct_enter(struct pt_regs *regs, unsigned int nr)
{
	preempt_disable_notrace();
	if (static_branch_unlikely(&ku_syscall_dual))
		ku_emit_call_dual(KUTRACE_CALL_SYSCALL64, nr, (const u64 *)&regs->di);
	else
		ku_emit_call(KUTRACE_CALL_SYSCALL64, nr, (const u64 *)&regs->di);
	preempt_enable_notrace();
}

static noinline void __kprobes ku_syscall_direct_return(long ret, struct pt_regs *regs)
{
	ku_sys_exit(NULL, regs, ret);
}

/*
 * Records a return. A result that does not fit cannot be merged. ku_sys_exit() also handles an exec
 * that has changed the task's ABI.
 */
static __always_inline void ku_syscall_direct_exits(long ret, struct pt_regs *regs)
{
	if (ku_retval_fits(ret)) {
		if (static_branch_unlikely(&ku_syscall_dual) ? ku_emit_call_return_dual(ret) :
								ku_emit_call_return(ret))
			return;
	} else if (likely(ku_arch_syscall_nr(regs) < KUTRACE_COUNT_SYSCALL64)) {
		u32 call = KUTRACE_CALL_SYSCALL64 + (u32)regs->orig_ax;

		if (static_branch_unlikely(&ku_syscall_dual))
			ku_emit_dual(ku_return_entry(call, ret));
		else
			ku_emit_unmerged(call, ret);
		return;
	}
	ku_syscall_direct_return(ret, regs);
}

__visible notrace void __kprobes ku_syscall_direct_exit(long ret, struct pt_regs *regs)
{
	preempt_disable_notrace();
	ku_syscall_direct_exits(ret, regs);
	preempt_enable_notrace();
}

/* The other ABIs: ku_sys_enter() distinguishes them by task or number. */
__visible notrace void __kprobes
ku_syscall_direct_enter_other(struct pt_regs *regs, unsigned int nr)
{
	preempt_disable_notrace();
	ku_sys_enter(NULL, regs, syscall_get_nr(current, regs));
	preempt_enable_notrace();
}

__visible notrace void __kprobes ku_syscall_direct_exit_other(long ret, struct pt_regs *regs)
{
	preempt_disable_notrace();
	ku_sys_exit(NULL, regs, ret);
	preempt_enable_notrace();
}

/* Returns whether the kernel calls a hooked function for this number. */
static bool __kprobes ku_syscall_is_called(u32 nr)
{
#ifdef CONFIG_IA32_EMULATION
	if (ku_arch_compat_task())
		return nr < IA32_NR_syscalls;
#endif
#ifdef CONFIG_X86_X32_ABI
	if (nr - __X32_SYSCALL_BIT < X32_NR_syscalls)
		return true;
#endif
	return nr < NR_syscalls;
}

/*
 * Records a refused call: only its return, as the tracepoints do. A call refused by user dispatch
 * is not recorded. If a debugger has changed the number to -1, call and return are recorded. A
 * change by seccomp cannot be distinguished from that.
 */
static noinline void __kprobes ku_syscall_direct_uncalled(int nr)
{
	struct pt_regs *regs = task_pt_regs(current);
	int asked = syscall_get_nr(current, regs);
	long ret = nr == -1 ? syscall_get_return_value(current, regs) : -ENOSYS;

	if (nr == -1 && current->syscall_dispatch.on_dispatch)
		return;
	preempt_disable_notrace();
	if (nr == asked)
		ku_sys_enter(NULL, regs, nr);
	ku_sys_exit(NULL, regs, ret);
	preempt_enable_notrace();
}

/* @nr: result of syscall_trace_enter(). */
__visible notrace void __kprobes ku_syscall_direct_traced(long nr)
{
	if (unlikely(!ku_syscall_is_called((u32)nr)))
		ku_syscall_direct_uncalled((int)nr);
}

/* Runs before a new task first returns to user space: the return of its parent's fork(). */
__visible notrace void __kprobes ku_syscall_direct_child(long unused)
{
	struct pt_regs *regs = task_pt_regs(current);

	if (current->flags & KU_PF_NOT_USER)
		return;
	preempt_disable_notrace();
	ku_sys_exit(NULL, regs, syscall_get_return_value(current, regs));
	preempt_enable_notrace();
}

/* The body of a hooked function. Only assembler code calls it, so it has no arguments in C. */
typedef void ku_syscall_body(void);

struct ku_syscall_function {
	struct ku_direct direct;
	/* possible names: with constant arguments, the compiler renames a function */
	const char *names[3];
	void (*set_body)(ku_syscall_body *body);
	unsigned long fentry;
};

#define KU_SYSCALL_BODY(name) \
	ku_syscall_body name##_prototype; \
	DEFINE_STATIC_CALL_NULL(name, name##_prototype); \
	static void name##_set(ku_syscall_body *body) \
	{ \
		static_call_update(name, body); \
	} \
	static_assert(true)

KU_SYSCALL_BODY(ku_syscall_body64);
#ifdef CONFIG_X86_X32_ABI
KU_SYSCALL_BODY(ku_syscall_bodyx32);
#endif
#ifdef CONFIG_IA32_EMULATION
KU_SYSCALL_BODY(ku_syscall_body32);
#endif
KU_SYSCALL_BODY(ku_syscall_body_traced);
KU_SYSCALL_BODY(ku_syscall_body_child);

#define KU_SYSCALL_HOOK(hook_, number_) \
	.direct = { .what = "system calls", .name = #hook_, .hook = hook_, .end = hook_##_end, \
		    .number = number_, .lasting = true }

/* The hook that shows calls is attached last: before it, the other hooks are of no use. */
static struct ku_syscall_function ku_syscall_functions[] = {
	{
		KU_SYSCALL_HOOK(ku_syscall_child_call, KU_DIRECT_CHILD),
		.names = { "schedule_tail" },
		.set_body = ku_syscall_body_child_set,
	},
	{
		KU_SYSCALL_HOOK(ku_syscall_traced_call, KU_DIRECT_TRACED),
		.names = { "syscall_trace_enter", "syscall_trace_enter.constprop.0",
			   "syscall_trace_enter.isra.0" },
		.set_body = ku_syscall_body_traced_set,
	},
#ifdef CONFIG_IA32_EMULATION
	{
		KU_SYSCALL_HOOK(ku_syscall32_call, KU_DIRECT_CALL32),
		.names = { "ia32_sys_call" },
		.set_body = ku_syscall_body32_set,
	},
#endif
#ifdef CONFIG_X86_X32_ABI
	{
		KU_SYSCALL_HOOK(ku_syscallx32_call, KU_DIRECT_CALLX32),
		.names = { "x32_sys_call" },
		.set_body = ku_syscall_bodyx32_set,
	},
#endif
	{
		KU_SYSCALL_HOOK(ku_syscall_call, KU_DIRECT_CALL64),
		.names = { "x64_sys_call" },
		.set_body = ku_syscall_body64_set,
	},
};

/*
 * Finds a function by name, even if not exported, by registering a disabled kprobe. Returns the
 * address that ftrace patches, or 0.
 */
static unsigned long ku_syscall_find(const char *name)
{
	struct kprobe probe = { .symbol_name = name, .flags = KPROBE_FLAG_DISABLED };
	unsigned long fentry;

	if (register_kprobe(&probe))
		return 0;
	fentry = ku_fentry((unsigned long)probe.addr);
	unregister_kprobe(&probe);
	return fentry;
}

const char *ku_syscall_direct_init(void)
{
	u32 i, n;

	for (i = 0; i < ARRAY_SIZE(ku_syscall_functions); i++) {
		struct ku_syscall_function *function = &ku_syscall_functions[i];

		function->fentry = 0;
		for (n = 0; n < ARRAY_SIZE(function->names) && !function->fentry; n++)
			if (function->names[n])
				function->fentry = ku_syscall_find(function->names[n]);
		if (!function->fentry)
			return function->names[0];
		function->set_body((ku_syscall_body *)(function->fentry + KU_FENTRY_SIZE));
	}
	return NULL;
}

static const char *ku_syscall_why(int err)
{
	switch (err) {
	case -EBUSY:
		return "the functions are hooked already, by BPF or a live patch";
	case -EPERM:
		return "ftrace is switched off (kernel.ftrace_enabled)";
	default:
		return "ftrace does not hook them";
	}
}

const char *ku_syscall_direct_attach(void)
{
	u32 i;
	int err;

	for (i = 0; i < ARRAY_SIZE(ku_syscall_functions); i++) {
		err = ku_direct_attach(&ku_syscall_functions[i].direct,
				       ku_syscall_functions[i].fentry);
		if (err) {
			ku_syscall_direct_detach();
			return ku_syscall_why(err);
		}
	}
	return NULL;
}

/* Detaches the hook of calls first, so that no call is recorded without the other events. */
void ku_syscall_direct_detach(void)
{
	u32 i = ARRAY_SIZE(ku_syscall_functions);

	while (i--)
		ku_direct_detach(&ku_syscall_functions[i].direct);
}

void ku_syscall_direct_dual(bool dual)
{
	if (dual == static_key_enabled(&ku_syscall_dual.key))
		return;
	if (dual) {
		static_branch_enable(&ku_syscall_dual);
	} else {
		static_branch_disable(&ku_syscall_dual);
		synchronize_rcu();
	}
}
