// SPDX-License-Identifier: GPL-2.0-only
/*
 * The core of KUtrace, which is always built in: the static keys and static calls of the
 * hooks, and the registration of a tracer. See <linux/kutrace.h>.
 */
#include <linux/bug.h>
#include <linux/export.h>
#include <linux/kprobes.h>
#include <linux/kutrace.h>
#include <linux/mutex.h>
#include <linux/printk.h>
#include <linux/ptrace.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/sched/task_stack.h>
#include <linux/static_call.h>
#include <linux/thread_info.h>

/* Exported for hooks in modules (drivers, protocols). */
struct static_key_false kutrace_keys[KUTRACE_HOOK_CATEGORIES] = {
	[0 ... KUTRACE_HOOK_CATEGORIES - 1] = STATIC_KEY_FALSE_INIT,
};
EXPORT_SYMBOL_GPL(kutrace_keys);

/* Hooks in modules need the trampoline of a static call, or its key if there are no trampolines. */
#ifdef CONFIG_HAVE_STATIC_CALL
#define KUTRACE_EXPORT(name)	EXPORT_STATIC_CALL_TRAMP_GPL(name)
#else
#define KUTRACE_EXPORT(name)	EXPORT_STATIC_CALL_GPL(name)
#endif

/*
 * Hooks call these stubs while no tracer is registered. No target of a hook can be probed: the
 * breakpoint of a probe is an exception, which calls a hook.
 */
#define KUTRACE_HOOK(name, proto, ...)						\
	void __kprobes kutrace_stub_##name proto { }				\
	KUTRACE_EXPORT(kutrace_call_##name);					\
	DEFINE_STATIC_CALL(kutrace_call_##name, kutrace_stub_##name)
#include <linux/kutrace_hooks.h>
#undef KUTRACE_HOOK

#if defined(CONFIG_KUTRACE_SYSCALL) && defined(CONFIG_X86)
/*
 * Records a new task's return from the system call that created it. The task has a copy of that
 * call's registers. Does nothing for kernel threads, a task's workers in the kernel, and tasks in
 * which the kernel will exec a program: their registers have no user mode, or no address.
 */
void kutrace_child_returns(void)
{
	struct pt_regs *regs = task_pt_regs(current);

	if (!user_mode(regs) || !instruction_pointer(regs))
		return;
	preempt_disable_notrace();
	if (in_ia32_syscall())
		kutrace_call(syscall32_uncalled)(regs);
	else
		kutrace_call(syscall_uncalled)(regs);
	preempt_enable_notrace();
}
#endif

static DEFINE_MUTEX(kutrace_lock_ops);
static const struct kutrace_ops __rcu *kutrace_ops;
static u32 kutrace_enabled;

/**
 * kutrace_compiled() - return the categories whose hooks are compiled in
 *
 * Return: a mask with a bit for each enum kutrace_hook_category
 */
u32 kutrace_compiled(void)
{
	u32 mask = 0;

#define KUTRACE_COMPILED(category)						\
	(mask |= IS_ENABLED(CONFIG_KUTRACE_##category) ?			\
		 1U << KUTRACE_HOOK_##category : 0)
	KUTRACE_COMPILED(SYSCALL);
	KUTRACE_COMPILED(TRAP);
	KUTRACE_COMPILED(IRQ);
	KUTRACE_COMPILED(SOFTIRQ);
	KUTRACE_COMPILED(SCHED);
	KUTRACE_COMPILED(WAKEUP);
	KUTRACE_COMPILED(IPI);
	KUTRACE_COMPILED(IDLE);
	KUTRACE_COMPILED(FREQ);
	KUTRACE_COMPILED(PCSAMPLE);
	KUTRACE_COMPILED(PROCESS);
	KUTRACE_COMPILED(NET);
	KUTRACE_COMPILED(LOCK);
#undef KUTRACE_COMPILED
	return mask;
}
EXPORT_SYMBOL_GPL(kutrace_compiled);

static void kutrace_enable_locked(u32 categories)
{
	u32 changed = kutrace_enabled ^ categories;
	int i;

	for (i = 0; i < KUTRACE_HOOK_CATEGORIES; i++) {
		if (!(changed & (1U << i)))
			continue;
		if (categories & (1U << i))
			static_branch_enable(&kutrace_keys[i]);
		else
			static_branch_disable(&kutrace_keys[i]);
	}
	kutrace_enabled = categories;
	/* Hooks run with preemption off, so this waits for all that were on. */
	synchronize_rcu();
}

/**
 * kutrace_enable() - turn hooks on and off
 * @categories: mask of the categories to turn on; all others are turned off
 *
 * The caller must have registered. After the return, no hook of a category that is off is
 * running. Process context, sleeps.
 */
void kutrace_enable(u32 categories)
{
	mutex_lock(&kutrace_lock_ops);
	if (!WARN_ON_ONCE(categories && !rcu_access_pointer(kutrace_ops)))
		kutrace_enable_locked(categories & kutrace_compiled());
	mutex_unlock(&kutrace_lock_ops);
}
EXPORT_SYMBOL_GPL(kutrace_enable);

static void kutrace_set_ops(const struct kutrace_ops *ops)
{
#define KUTRACE_HOOK(name, ...)							\
	static_call_update(kutrace_call_##name, ops->on_##name)
#include <linux/kutrace_hooks.h>
#undef KUTRACE_HOOK
	rcu_assign_pointer(kutrace_ops, ops);
}

/**
 * kutrace_register() - register a tracer, whose functions the hooks call
 * @ops: has all members set, and must exist until kutrace_unregister()
 *
 * All hooks stay off. Process context, sleeps.
 *
 * Return: 0; -EPROTO, with a line in the log, if the version of @ops differs from that of the
 * hooks; -EBUSY if another tracer is registered
 */
int kutrace_register(const struct kutrace_ops *ops)
{
	int err = 0;

	if (ops->version != KUTRACE_OPS_VERSION || ops->size != sizeof(*ops)) {
		pr_err("kutrace: the module is for hooks of version %u (%u bytes), but this kernel has version %u (%zu bytes); build the module for this kernel\n",
		       ops->version, ops->size, KUTRACE_OPS_VERSION, sizeof(*ops));
		return -EPROTO;
	}
	mutex_lock(&kutrace_lock_ops);
	if (rcu_access_pointer(kutrace_ops))
		err = -EBUSY;
	else
		kutrace_set_ops(ops);
	mutex_unlock(&kutrace_lock_ops);
	return err;
}
EXPORT_SYMBOL_GPL(kutrace_register);

/**
 * kutrace_exchange() - replace the functions of the registered tracer
 * @from: the registered functions
 * @to: the new functions, with all members set
 *
 * Hooks stay on or off. During the exchange, some hooks call functions of @from and some those of
 * @to. After the return, no function that only @from has is running or will be called. Process
 * context, sleeps.
 */
void kutrace_exchange(const struct kutrace_ops *from, const struct kutrace_ops *to)
{
	mutex_lock(&kutrace_lock_ops);
	if (!WARN_ON_ONCE(rcu_access_pointer(kutrace_ops) != from))
		kutrace_set_ops(to);
	mutex_unlock(&kutrace_lock_ops);
	synchronize_rcu();
}
EXPORT_SYMBOL_GPL(kutrace_exchange);

/**
 * kutrace_unregister() - unregister a tracer, and turn all hooks off
 * @ops: the registered functions
 *
 * After the return, no function of @ops is running or will be called. Process context, sleeps.
 */
void kutrace_unregister(const struct kutrace_ops *ops)
{
	mutex_lock(&kutrace_lock_ops);
	if (!WARN_ON_ONCE(rcu_access_pointer(kutrace_ops) != ops)) {
		kutrace_enable_locked(0);
		rcu_assign_pointer(kutrace_ops, NULL);
#define KUTRACE_HOOK(name, ...)							\
		static_call_update(kutrace_call_##name, kutrace_stub_##name)
#include <linux/kutrace_hooks.h>
#undef KUTRACE_HOOK
	}
	mutex_unlock(&kutrace_lock_ops);
	synchronize_rcu();
}
EXPORT_SYMBOL_GPL(kutrace_unregister);
