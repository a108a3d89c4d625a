/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Hooks of KUtrace: every transition between user and kernel execution.
 *
 * A hook is an inline behind a static key of its category: one NOP while the
 * category is off, nothing at all when it is compiled out. What it calls is a
 * static call that belongs to whoever has registered (kutrace_register()), else
 * to a stub. On an architecture without static calls (arm64) it is an indirect one,
 * and its target is loaded from memory each time.
 *
 * Hooks are for instrumentable code in which RCU is watching. What is called
 * runs with preemption off, in any context up to NMI; it must not sleep, nor
 * take a lock that the hooked code may hold.
 */
#ifndef _LINUX_KUTRACE_H
#define _LINUX_KUTRACE_H

#include <linux/types.h>

struct cpumask;
struct irq_desc;
struct pt_regs;
struct sk_buff;
struct task_struct;

/* Kinds of events; the bits of a mask of them. */
enum kutrace_hook_category {
	KUTRACE_HOOK_SYSCALL,
	KUTRACE_HOOK_TRAP,
	KUTRACE_HOOK_IRQ,
	KUTRACE_HOOK_SOFTIRQ,
	KUTRACE_HOOK_SCHED,
	KUTRACE_HOOK_WAKEUP,
	KUTRACE_HOOK_IPI,
	KUTRACE_HOOK_IDLE,
	KUTRACE_HOOK_FREQ,
	KUTRACE_HOOK_PCSAMPLE,
	KUTRACE_HOOK_PROCESS,
	KUTRACE_HOOK_NET,
	KUTRACE_HOOK_LOCK,
	KUTRACE_HOOK_CATEGORIES
};

/* What a lock hook has seen. */
enum kutrace_lock_step {
	KUTRACE_LOCK_CONTENDED,		/* not to be had, will wait */
	KUTRACE_LOCK_ACQUIRED,		/* got it after waiting */
	KUTRACE_LOCK_GIVEN_UP,		/* stopped waiting without it */
	KUTRACE_LOCK_FREED,		/* its holder frees it, somebody waits */
};

/* Changes whenever struct kutrace_ops or the meaning of a member does. */
#define KUTRACE_OPS_VERSION	4

/**
 * struct kutrace_ops - what hooks call
 * @version: KUTRACE_OPS_VERSION
 * @size: sizeof(struct kutrace_ops)
 * @on_syscall_enter: 64-bit call with a number that the kernel knows
 * @on_syscall_enter_other: x32 call, or a number it does not know
 * @on_syscall_exit: either returns; the value is in @regs
 * @on_syscall_uncalled: a return, likewise, before which no call has been told: of a call that
 *	a filter, a debugger or user dispatch has refused; of one by the number -1, which looks
 *	the same here, but the number is in @regs; on x86 of a new task, from its parent's call
 * @on_syscall32_enter: 32-bit call
 * @on_syscall32_exit: it returns
 * @on_syscall32_uncalled: as @on_syscall_uncalled
 * @on_trap_enter: exception by vector, with its error code or 0; on arm64 both are its
 *	syndrome (ESR_EL1)
 * @on_trap_exit: it has been dealt with
 * @on_irq_enter: interrupt that has a vector of its own, NMI included; on arm64 one from
 *	another CPU, by enum kutrace_arm64_ipi
 * @on_irq_exit: its handler is done
 * @on_device_enter: device interrupt; no descriptor when nothing belongs to the vector
 * @on_device_exit: its handlers are done
 * @on_softirq_enter: softirq by kind
 * @on_softirq_exit: its action is done
 * @on_sched_enter: the scheduler is entered
 * @on_sched_exit: and left, maybe in another task
 * @on_sched_switch: the task that runs from here on
 * @on_wakeup: a task is being made runnable
 * @on_ipi: interrupt sent to a CPU
 * @on_ipi_mask: interrupt sent to these CPUs
 * @on_idle: idle state entered: mwait hint if there is one, else number of the
 *	state; 0 polling, 1 halt
 * @on_idle_exit: idle state left
 * @on_frequency: of a CPU, in kHz
 * @on_pc_sample: timer interrupt, registers of what it interrupted; not called on arm64,
 *	where the timer's interrupt is as a device's, with registers by get_irq_regs()
 * @on_task_name: a task is new or changes its name; called before the change
 * @on_task_exit: a task ends, for whatever reason
 * @on_task_exec: a thread has taken over the pid of its group's leader
 * @on_packet_rx: TCP or UDP packet received, payload at that offset in skb->data
 * @on_packet_tx: TCP or UDP packet to be sent, likewise
 * @on_lock: enum kutrace_lock_step of a lock, by address
 */
struct kutrace_ops {
	u32 version;
	u32 size;
	void (*on_syscall_enter)(struct pt_regs *regs, unsigned int nr);
	void (*on_syscall_enter_other)(struct pt_regs *regs, unsigned int nr);
	void (*on_syscall_exit)(struct pt_regs *regs);
	void (*on_syscall_uncalled)(struct pt_regs *regs);
	void (*on_syscall32_enter)(struct pt_regs *regs, unsigned int nr);
	void (*on_syscall32_exit)(struct pt_regs *regs);
	void (*on_syscall32_uncalled)(struct pt_regs *regs);
	void (*on_trap_enter)(unsigned int trap, unsigned long error_code);
	void (*on_trap_exit)(unsigned int trap);
	void (*on_irq_enter)(unsigned int vector);
	void (*on_irq_exit)(unsigned int vector);
	void (*on_device_enter)(unsigned int vector, struct irq_desc *desc);
	void (*on_device_exit)(unsigned int vector, struct irq_desc *desc);
	void (*on_softirq_enter)(unsigned int kind);
	void (*on_softirq_exit)(unsigned int kind);
	void (*on_sched_enter)(void);
	void (*on_sched_exit)(void);
	void (*on_sched_switch)(struct task_struct *next);
	void (*on_wakeup)(struct task_struct *task);
	void (*on_ipi)(unsigned int cpu);
	void (*on_ipi_mask)(const struct cpumask *mask);
	void (*on_idle)(unsigned int state);
	void (*on_idle_exit)(unsigned int state);
	void (*on_frequency)(unsigned int cpu, unsigned int khz);
	void (*on_pc_sample)(struct pt_regs *regs);
	void (*on_task_name)(struct task_struct *task, const char *comm);
	void (*on_task_exec)(struct task_struct *task, pid_t old_pid);
	void (*on_task_exit)(struct task_struct *task);
	void (*on_packet_rx)(const struct sk_buff *skb, unsigned int offset);
	void (*on_packet_tx)(const struct sk_buff *skb, unsigned int offset);
	void (*on_lock)(const void *lock, unsigned int step);
};

#ifdef CONFIG_KUTRACE

#include <linux/jump_label.h>
#include <linux/preempt.h>
#include <linux/static_call_types.h>
#include <asm/ptrace.h>
#include <asm/unistd.h>

int kutrace_register(const struct kutrace_ops *ops);
void kutrace_unregister(const struct kutrace_ops *ops);
void kutrace_exchange(const struct kutrace_ops *from, const struct kutrace_ops *to);
u32 kutrace_compiled(void);
void kutrace_enable(u32 categories);
void kutrace_child_returns(void);

extern struct static_key_false kutrace_keys[KUTRACE_HOOK_CATEGORIES];

#define KUTRACE_HOOK(name, proto, ...)						\
	void kutrace_stub_##name proto;						\
	DECLARE_STATIC_CALL(kutrace_call_##name, kutrace_stub_##name)
#include <linux/kutrace_hooks.h>
#undef KUTRACE_HOOK

#define kutrace_on(category)							\
	static_branch_unlikely(&kutrace_keys[KUTRACE_HOOK_##category])

/* What the hook of that name calls. */
#ifdef CONFIG_HAVE_STATIC_CALL
#define kutrace_call(name)	static_call_mod(kutrace_call_##name)
#else
#define kutrace_call(name)	static_call(kutrace_call_##name)
#endif

/* The caller may be preemptible, or not. */
#define KUTRACE_DEFINE(category, name, proto, args)			\
	static __always_inline void kutrace_##name proto			\
	{									\
		if (kutrace_on(category)) {					\
			preempt_disable_notrace();				\
			kutrace_call(name) args;				\
			preempt_enable_notrace();				\
		}								\
	}

/* The caller is not preemptible. */
#define KUTRACE_DEFINE_ATOMIC(category, name, proto, args)			\
	static __always_inline void kutrace_##name proto			\
	{									\
		if (kutrace_on(category))					\
			kutrace_call(name) args;				\
	}

#ifdef MODULE
#define KUTRACE_DEFINE_LAST	KUTRACE_DEFINE
#else
/*
 * The caller may be preemptible, and what follows looks for work, as the return
 * to user mode does: no need to look here, too.
 */
#define KUTRACE_DEFINE_LAST(category, name, proto, args)			\
	static __always_inline void kutrace_##name proto			\
	{									\
		if (kutrace_on(category)) {					\
			preempt_disable_notrace();				\
			kutrace_call(name) args;				\
			preempt_enable_no_resched_notrace();			\
		}								\
	}
#endif

#endif /* CONFIG_KUTRACE */

/*
 * A category that is compiled out has macros that expand to nothing, not even to
 * an empty inline function: that could still change how registers are given out.
 */
#define kutrace_nothing()	do { } while (0)

#ifdef CONFIG_KUTRACE_SYSCALL
KUTRACE_DEFINE(SYSCALL, syscall_enter,
	       (struct pt_regs *regs, unsigned int nr), (regs, nr))
KUTRACE_DEFINE(SYSCALL, syscall_enter_other,
	       (struct pt_regs *regs, unsigned int nr), (regs, nr))
KUTRACE_DEFINE_LAST(SYSCALL, syscall_exit, (struct pt_regs *regs), (regs))
KUTRACE_DEFINE_LAST(SYSCALL, syscall_uncalled, (struct pt_regs *regs), (regs))
KUTRACE_DEFINE(SYSCALL, syscall32_enter,
	       (struct pt_regs *regs, unsigned int nr), (regs, nr))
KUTRACE_DEFINE_LAST(SYSCALL, syscall32_exit, (struct pt_regs *regs), (regs))
KUTRACE_DEFINE_LAST(SYSCALL, syscall32_uncalled, (struct pt_regs *regs), (regs))

#ifdef CONFIG_X86
/*
 * The first thing that a task does, on its way out of the call by which its parent has made
 * it. Process context, preemptible.
 */
static __always_inline void kutrace_child(void)
{
	if (kutrace_on(SYSCALL))
		kutrace_child_returns();
}
#else
/* The way out of a fork passes nothing that sees the calls of others, as sys_exit. */
#define kutrace_child()	kutrace_nothing()
#endif /* CONFIG_X86 */
#else
#define kutrace_syscall_enter(...)	kutrace_nothing()
#define kutrace_syscall_enter_other(...)	kutrace_nothing()
#define kutrace_syscall_exit(...)	kutrace_nothing()
#define kutrace_syscall_uncalled(...)	kutrace_nothing()
#define kutrace_syscall32_enter(...)	kutrace_nothing()
#define kutrace_syscall32_exit(...)	kutrace_nothing()
#define kutrace_syscall32_uncalled(...)	kutrace_nothing()
#define kutrace_child()		kutrace_nothing()
#endif

#ifdef CONFIG_KUTRACE_TRAP
KUTRACE_DEFINE_ATOMIC(TRAP, trap_enter,
		      (unsigned int trap, unsigned long error_code), (trap, error_code))
KUTRACE_DEFINE_ATOMIC(TRAP, trap_exit, (unsigned int trap), (trap))
#else
#define kutrace_trap_enter(...)		kutrace_nothing()
#define kutrace_trap_exit(...)		kutrace_nothing()
#endif

#ifdef CONFIG_KUTRACE_IRQ
KUTRACE_DEFINE_ATOMIC(IRQ, irq_enter, (unsigned int vector), (vector))
KUTRACE_DEFINE_ATOMIC(IRQ, irq_exit, (unsigned int vector), (vector))
KUTRACE_DEFINE_ATOMIC(IRQ, device_enter,
		      (unsigned int vector, struct irq_desc *desc), (vector, desc))
KUTRACE_DEFINE_ATOMIC(IRQ, device_exit,
		      (unsigned int vector, struct irq_desc *desc), (vector, desc))
#else
#define kutrace_irq_enter(...)		kutrace_nothing()
#define kutrace_irq_exit(...)		kutrace_nothing()
#define kutrace_device_enter(...)	kutrace_nothing()
#define kutrace_device_exit(...)	kutrace_nothing()
#endif

#ifdef CONFIG_KUTRACE_SOFTIRQ
KUTRACE_DEFINE(SOFTIRQ, softirq_enter, (unsigned int kind), (kind))
KUTRACE_DEFINE(SOFTIRQ, softirq_exit, (unsigned int kind), (kind))
#else
#define kutrace_softirq_enter(...)	kutrace_nothing()
#define kutrace_softirq_exit(...)	kutrace_nothing()
#endif

#ifdef CONFIG_KUTRACE_SCHED
KUTRACE_DEFINE_ATOMIC(SCHED, sched_enter, (void), ())
KUTRACE_DEFINE_ATOMIC(SCHED, sched_exit, (void), ())
KUTRACE_DEFINE_ATOMIC(SCHED, sched_switch, (struct task_struct *next), (next))
#else
#define kutrace_sched_enter()	kutrace_nothing()
#define kutrace_sched_exit()	kutrace_nothing()
#define kutrace_sched_switch(...)	kutrace_nothing()
#endif

#ifdef CONFIG_KUTRACE_WAKEUP
KUTRACE_DEFINE_ATOMIC(WAKEUP, wakeup, (struct task_struct *task), (task))
#else
#define kutrace_wakeup(...)		kutrace_nothing()
#endif

#ifdef CONFIG_KUTRACE_IPI
KUTRACE_DEFINE(IPI, ipi, (unsigned int cpu), (cpu))
KUTRACE_DEFINE(IPI, ipi_mask, (const struct cpumask *mask), (mask))
#else
#define kutrace_ipi(...)		kutrace_nothing()
#define kutrace_ipi_mask(...)		kutrace_nothing()
#endif

#ifdef CONFIG_KUTRACE_IDLE
KUTRACE_DEFINE_ATOMIC(IDLE, idle, (unsigned int state), (state))
KUTRACE_DEFINE_ATOMIC(IDLE, idle_exit, (unsigned int state), (state))
#else
#define kutrace_idle(...)		kutrace_nothing()
#define kutrace_idle_exit(...)		kutrace_nothing()
#endif

#ifdef CONFIG_KUTRACE_FREQ
KUTRACE_DEFINE(FREQ, frequency, (unsigned int cpu, unsigned int khz),
	       (cpu, khz))

/* Whether to look for CPUs to tell it of. */
static __always_inline bool kutrace_frequency_enabled(void)
{
	return kutrace_on(FREQ);
}
#else
#define kutrace_frequency(...)		kutrace_nothing()
#define kutrace_frequency_enabled()	false
#endif

#ifdef CONFIG_KUTRACE_PCSAMPLE
KUTRACE_DEFINE_ATOMIC(PCSAMPLE, pc_sample, (struct pt_regs *regs), (regs))
#else
#define kutrace_pc_sample(...)		kutrace_nothing()
#endif

#ifdef CONFIG_KUTRACE_PROCESS
KUTRACE_DEFINE(PROCESS, task_name, (struct task_struct *task, const char *comm),
	       (task, comm))
KUTRACE_DEFINE(PROCESS, task_exec, (struct task_struct *task, pid_t old_pid),
	       (task, old_pid))
KUTRACE_DEFINE(PROCESS, task_exit, (struct task_struct *task), (task))
#else
#define kutrace_task_name(...)		kutrace_nothing()
#define kutrace_task_exec(...)		kutrace_nothing()
#define kutrace_task_exit(...)		kutrace_nothing()
#endif

#ifdef CONFIG_KUTRACE_NET
KUTRACE_DEFINE(NET, packet_rx, (const struct sk_buff *skb, unsigned int offset),
	       (skb, offset))
KUTRACE_DEFINE(NET, packet_tx, (const struct sk_buff *skb, unsigned int offset),
	       (skb, offset))
#else
#define kutrace_packet_rx(...)		kutrace_nothing()
#define kutrace_packet_tx(...)		kutrace_nothing()
#endif

#ifdef CONFIG_KUTRACE_LOCK
KUTRACE_DEFINE(LOCK, lock, (const void *lock, unsigned int step), (lock, step))

#define kutrace_lock_begin(lock)	kutrace_lock(lock, KUTRACE_LOCK_CONTENDED)
#define kutrace_lock_end(lock, ret)	\
	kutrace_lock(lock, (ret) ? KUTRACE_LOCK_GIVEN_UP : KUTRACE_LOCK_ACQUIRED)
#define kutrace_lock_freed(lock)	kutrace_lock(lock, KUTRACE_LOCK_FREED)
#else
#define kutrace_lock(...)		kutrace_nothing()
#define kutrace_lock_begin(...)		kutrace_nothing()
#define kutrace_lock_end(...)		kutrace_nothing()
#define kutrace_lock_freed(...)		kutrace_nothing()
#endif

#endif /* _LINUX_KUTRACE_H */
