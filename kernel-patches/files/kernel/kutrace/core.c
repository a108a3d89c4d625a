// SPDX-License-Identifier: GPL-2.0-only
/*
 * KUtrace, the part that is always in the kernel: static keys, static calls and
 * the registration of the one who wants to be called. See <linux/kutrace.h>.
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

/* What hooks in modules call by: where there are no trampolines, by the key itself. */
#ifdef CONFIG_HAVE_STATIC_CALL
#define KUTRACE_EXPORT(name)	EXPORT_STATIC_CALL_TRAMP_GPL(name)
#else
#define KUTRACE_EXPORT(name)	EXPORT_STATIC_CALL_GPL(name)
#endif

/*
 * What hooks call while nobody has registered. Like all that hooks call it cannot
 * be probed: the breakpoint of a probe is an exception, and that calls a hook.
 */
#define KUTRACE_HOOK(name, proto, ...)						\
	void __kprobes kutrace_stub_##name proto { }				\
	KUTRACE_EXPORT(kutrace_call_##name);					\
	DEFINE_STATIC_CALL(kutrace_call_##name, kutrace_stub_##name)
#include <linux/kutrace_hooks.h>
#undef KUTRACE_HOOK

#if defined(CONFIG_KUTRACE_SYSCALL) && defined(CONFIG_X86)
/*
 * A new task's return from the call that has made it, of which it has the registers. Kernel
 * threads, workers of a task's in the kernel, and what the kernel itself will exec come
 * from no call: they have none of user mode, or no address in it.
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
 * kutrace_compiled() - the categories whose hooks this kernel has
 *
 * Return: a mask, bit by enum kutrace_hook_category
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
	/* Hooks run with preemption off: none is left of what was on. */
	synchronize_rcu();
}

/**
 * kutrace_enable() - turn hooks on and off
 * @categories: mask of those to be on; others are off
 *
 * To be called by whoever has registered. When it returns, no hook of a category
 * that is off is running. Process context, sleeps.
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
 * kutrace_register() - have hooks call @ops
 * @ops: every member set; must stay until kutrace_unregister()
 *
 * All hooks stay off. Process context, sleeps.
 *
 * Return: 0; -EPROTO when @ops is of another version than the hooks, which is
 * said in the log; -EBUSY when somebody else has registered.
 */
int kutrace_register(const struct kutrace_ops *ops)
{
	int err = 0;

	if (ops->version != KUTRACE_OPS_VERSION || ops->size != sizeof(*ops)) {
		pr_err("kutrace: the module is for hooks of version %u (%u bytes), this kernel has version %u (%zu bytes): build it for this kernel\n",
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
 * kutrace_exchange() - have hooks call others of the one who has registered
 * @from: as registered
 * @to: every member set; is what is registered from then on
 *
 * Hooks stay on or off as they are. While they change over, some call members of @from and some of
 * @to; when it returns, no hook is running nor will be called that @to does not have, too.
 * Process context, sleeps.
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
 * kutrace_unregister() - end what kutrace_register() began
 * @ops: as given there
 *
 * When it returns, nothing of @ops is running nor will be called. Process
 * context, sleeps.
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
