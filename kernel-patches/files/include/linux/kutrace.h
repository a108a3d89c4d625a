/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Hooks of KUtrace: every transition between user and kernel execution.
 *
 * A hook is an inline behind a static key of its category: one NOP while the
 * category is off, nothing at all when it is compiled out. What it calls is a
 * static call that belongs to whoever has registered (kutrace_register()), else
 * to a stub.
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
};

/* Changes whenever struct kutrace_ops or the meaning of a member does. */
#define KUTRACE_OPS_VERSION	1

/**
 * struct kutrace_ops - what hooks call
 * @version: KUTRACE_OPS_VERSION
 * @size: sizeof(struct kutrace_ops)
 * @syscall_enter: 64-bit call with a number that the kernel knows
 * @syscall_enter_other: x32 call, or a number it does not know; -1 when a filter
 *	or a debugger has decided that the call shall not be made
 * @syscall_exit: either returns; the value is in @regs
 * @syscall32_enter: 32-bit call
 * @syscall32_exit: it returns
 * @trap_enter: exception by vector, with its error code or 0
 * @trap_exit: it has been dealt with
 * @irq_enter: interrupt that has a vector of its own, NMI included
 * @irq_exit: its handler is done
 * @device_enter: device interrupt
 * @device_exit: its handlers are done
 * @softirq_enter: softirq by kind
 * @softirq_exit: its action is done
 * @sched_enter: the scheduler is entered
 * @sched_exit: and left, maybe in another task
 * @sched_switch: the task that runs from here on
 * @wakeup: a task is being made runnable
 * @ipi: interrupt sent to a CPU
 * @ipi_mask: interrupt sent to these CPUs
 * @idle: idle state entered: mwait hint if there is one, else number of the
 *	state; 0 polling, 1 halt
 * @frequency: of a CPU, in kHz
 * @pc_sample: timer interrupt, registers of what it interrupted
 * @task_name: a task is new or changes its name; called before the change
 * @task_exec: a thread has taken over the pid of its group's leader
 * @packet_rx: TCP or UDP packet received, payload at that offset in skb->data
 * @packet_tx: TCP or UDP packet to be sent, likewise
 * @lock: enum kutrace_lock_step of a lock, by address
 * @control: the control system call
 */
struct kutrace_ops {
	u32 version;
	u32 size;
	void (*syscall_enter)(struct pt_regs *regs, unsigned int nr);
	void (*syscall_enter_other)(struct pt_regs *regs, unsigned int nr);
	void (*syscall_exit)(struct pt_regs *regs);
	void (*syscall32_enter)(struct pt_regs *regs, unsigned int nr);
	void (*syscall32_exit)(struct pt_regs *regs);
	void (*trap_enter)(unsigned int trap, unsigned long error_code);
	void (*trap_exit)(unsigned int trap);
	void (*irq_enter)(unsigned int vector);
	void (*irq_exit)(unsigned int vector);
	void (*device_enter)(unsigned int vector, struct irq_desc *desc);
	void (*device_exit)(unsigned int vector, struct irq_desc *desc);
	void (*softirq_enter)(unsigned int kind);
	void (*softirq_exit)(unsigned int kind);
	void (*sched_enter)(void);
	void (*sched_exit)(void);
	void (*sched_switch)(struct task_struct *next);
	void (*wakeup)(struct task_struct *task);
	void (*ipi)(unsigned int cpu);
	void (*ipi_mask)(const struct cpumask *mask);
	void (*idle)(unsigned int state);
	void (*frequency)(unsigned int cpu, unsigned int khz);
	void (*pc_sample)(struct pt_regs *regs);
	void (*task_name)(struct task_struct *task, const char *comm);
	void (*task_exec)(struct task_struct *task, pid_t old_pid);
	void (*packet_rx)(const struct sk_buff *skb, unsigned int offset);
	void (*packet_tx)(const struct sk_buff *skb, unsigned int offset);
	void (*lock)(const void *lock, unsigned int step);
	u64 (*control)(u64 command, u64 arg);
};

#ifdef CONFIG_KUTRACE

#include <linux/jump_label.h>
#include <linux/preempt.h>
#include <linux/static_call_types.h>
#include <asm/ptrace.h>
#include <asm/unistd.h>

u64 kutrace_control(u64 command, u64 arg);
int kutrace_register(const struct kutrace_ops *ops);
void kutrace_unregister(const struct kutrace_ops *ops);
u32 kutrace_compiled(void);
void kutrace_enable(u32 categories);

extern struct static_key_false kutrace_keys[KUTRACE_HOOK_CATEGORIES];

#define KUTRACE_HOOK(name, proto, args)						\
	void kutrace_stub_##name proto;						\
	DECLARE_STATIC_CALL(kutrace_call_##name, kutrace_stub_##name)
#include <linux/kutrace_hooks.h>
#undef KUTRACE_HOOK

#define kutrace_on(category)							\
	static_branch_unlikely(&kutrace_keys[KUTRACE_HOOK_##category])

/* The caller may be preemptible, or not. */
#define KUTRACE_DEFINE(category, name, proto, args)			\
	static __always_inline void kutrace_##name proto			\
	{									\
		if (kutrace_on(category)) {					\
			preempt_disable_notrace();				\
			static_call_mod(kutrace_call_##name) args;		\
			preempt_enable_notrace();				\
		}								\
	}

/* The caller is not preemptible. */
#define KUTRACE_DEFINE_ATOMIC(category, name, proto, args)			\
	static __always_inline void kutrace_##name proto			\
	{									\
		if (kutrace_on(category))					\
			static_call_mod(kutrace_call_##name) args;		\
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
			static_call_mod(kutrace_call_##name) args;		\
			preempt_enable_no_resched_notrace();			\
		}								\
	}
#endif

#endif /* CONFIG_KUTRACE */

/* Beyond all that architectures count up to, and the original's, too. */
#define __NR_kutrace_control	1023

/* A system call that is none: true when it was the control call, now done. */
static __always_inline bool kutrace_control_syscall(struct pt_regs *regs, int nr)
{
#ifdef CONFIG_KUTRACE
	if (nr == __NR_kutrace_control) {
		regs->ax = kutrace_control(regs->di, regs->si);
		return true;
	}
#endif
	return false;
}

#define KUTRACE_EMPTY(category, name, proto, args)				\
	static __always_inline void kutrace_##name proto { }

#ifdef CONFIG_KUTRACE_SYSCALL
#define KUTRACE_HOOK		KUTRACE_DEFINE
#define KUTRACE_HOOK_LAST	KUTRACE_DEFINE_LAST
#else
#define KUTRACE_HOOK		KUTRACE_EMPTY
#define KUTRACE_HOOK_LAST	KUTRACE_EMPTY
#endif
KUTRACE_HOOK(SYSCALL, syscall_enter_other, (struct pt_regs *regs, unsigned int nr),
	     (regs, nr))
KUTRACE_HOOK_LAST(SYSCALL, syscall_exit, (struct pt_regs *regs), (regs))
KUTRACE_HOOK(SYSCALL, syscall32_enter, (struct pt_regs *regs, unsigned int nr),
	     (regs, nr))
KUTRACE_HOOK_LAST(SYSCALL, syscall32_exit, (struct pt_regs *regs), (regs))
#undef KUTRACE_HOOK
#undef KUTRACE_HOOK_LAST

/*
 * The hooks of a 64-bit and of an x32 call that will be made. They return its
 * number, which then is what the registers say: taken from there again, so that
 * the path without the hook need not keep it.
 */
static __always_inline unsigned int kutrace_syscall_enter(struct pt_regs *regs,
							  unsigned int nr)
{
#ifdef CONFIG_KUTRACE_SYSCALL
	if (kutrace_on(SYSCALL)) {
		preempt_disable_notrace();
		static_call_mod(kutrace_call_syscall_enter)(regs, nr);
		nr = (unsigned int)regs->orig_ax;
		preempt_enable_notrace();
	}
#endif
	return nr;
}

static __always_inline unsigned int kutrace_syscall_enter_x32(struct pt_regs *regs,
							      unsigned int nr)
{
#ifdef CONFIG_KUTRACE_SYSCALL
	if (kutrace_on(SYSCALL)) {
		preempt_disable_notrace();
		static_call_mod(kutrace_call_syscall_enter_other)(regs, regs->orig_ax);
		nr = (unsigned int)regs->orig_ax - __X32_SYSCALL_BIT;
		preempt_enable_notrace();
	}
#endif
	return nr;
}

#ifdef CONFIG_KUTRACE_TRAP
#define KUTRACE_HOOK		KUTRACE_DEFINE_ATOMIC
#else
#define KUTRACE_HOOK		KUTRACE_EMPTY
#endif
KUTRACE_HOOK(TRAP, trap_enter, (unsigned int trap, unsigned long error_code),
	     (trap, error_code))
KUTRACE_HOOK(TRAP, trap_exit, (unsigned int trap), (trap))
#undef KUTRACE_HOOK

#ifdef CONFIG_KUTRACE_IRQ
#define KUTRACE_HOOK		KUTRACE_DEFINE_ATOMIC
#else
#define KUTRACE_HOOK		KUTRACE_EMPTY
#endif
KUTRACE_HOOK(IRQ, irq_enter, (unsigned int vector), (vector))
KUTRACE_HOOK(IRQ, irq_exit, (unsigned int vector), (vector))
KUTRACE_HOOK(IRQ, device_enter, (unsigned int vector, struct irq_desc *desc),
	     (vector, desc))
KUTRACE_HOOK(IRQ, device_exit, (unsigned int vector, struct irq_desc *desc),
	     (vector, desc))
#undef KUTRACE_HOOK

#ifdef CONFIG_KUTRACE_SOFTIRQ
#define KUTRACE_HOOK		KUTRACE_DEFINE
#else
#define KUTRACE_HOOK		KUTRACE_EMPTY
#endif
KUTRACE_HOOK(SOFTIRQ, softirq_enter, (unsigned int kind), (kind))
KUTRACE_HOOK(SOFTIRQ, softirq_exit, (unsigned int kind), (kind))
#undef KUTRACE_HOOK

#ifdef CONFIG_KUTRACE_SCHED
#define KUTRACE_HOOK		KUTRACE_DEFINE_ATOMIC
#else
#define KUTRACE_HOOK		KUTRACE_EMPTY
#endif
KUTRACE_HOOK(SCHED, sched_enter, (void), ())
KUTRACE_HOOK(SCHED, sched_exit, (void), ())
KUTRACE_HOOK(SCHED, sched_switch, (struct task_struct *next), (next))
#undef KUTRACE_HOOK

#ifdef CONFIG_KUTRACE_WAKEUP
#define KUTRACE_HOOK		KUTRACE_DEFINE_ATOMIC
#else
#define KUTRACE_HOOK		KUTRACE_EMPTY
#endif
KUTRACE_HOOK(WAKEUP, wakeup, (struct task_struct *task), (task))
#undef KUTRACE_HOOK

#ifdef CONFIG_KUTRACE_IPI
#define KUTRACE_HOOK		KUTRACE_DEFINE
#else
#define KUTRACE_HOOK		KUTRACE_EMPTY
#endif
KUTRACE_HOOK(IPI, ipi, (unsigned int cpu), (cpu))
KUTRACE_HOOK(IPI, ipi_mask, (const struct cpumask *mask), (mask))
#undef KUTRACE_HOOK

#ifdef CONFIG_KUTRACE_IDLE
#define KUTRACE_HOOK		KUTRACE_DEFINE_ATOMIC
#else
#define KUTRACE_HOOK		KUTRACE_EMPTY
#endif
KUTRACE_HOOK(IDLE, idle, (unsigned int state), (state))
#undef KUTRACE_HOOK

#ifdef CONFIG_KUTRACE_FREQ
#define KUTRACE_HOOK		KUTRACE_DEFINE
#else
#define KUTRACE_HOOK		KUTRACE_EMPTY
#endif
KUTRACE_HOOK(FREQ, frequency, (unsigned int cpu, unsigned int khz), (cpu, khz))
#undef KUTRACE_HOOK

/* Whether to look for CPUs to tell it of. */
static __always_inline bool kutrace_frequency_enabled(void)
{
#ifdef CONFIG_KUTRACE_FREQ
	return kutrace_on(FREQ);
#else
	return false;
#endif
}

#ifdef CONFIG_KUTRACE_PCSAMPLE
#define KUTRACE_HOOK		KUTRACE_DEFINE_ATOMIC
#else
#define KUTRACE_HOOK		KUTRACE_EMPTY
#endif
KUTRACE_HOOK(PCSAMPLE, pc_sample, (struct pt_regs *regs), (regs))
#undef KUTRACE_HOOK

#ifdef CONFIG_KUTRACE_PROCESS
#define KUTRACE_HOOK		KUTRACE_DEFINE
#else
#define KUTRACE_HOOK		KUTRACE_EMPTY
#endif
KUTRACE_HOOK(PROCESS, task_name, (struct task_struct *task, const char *comm),
	     (task, comm))
KUTRACE_HOOK(PROCESS, task_exec, (struct task_struct *task, pid_t old_pid),
	     (task, old_pid))
#undef KUTRACE_HOOK

#ifdef CONFIG_KUTRACE_NET
#define KUTRACE_HOOK		KUTRACE_DEFINE
#else
#define KUTRACE_HOOK		KUTRACE_EMPTY
#endif
KUTRACE_HOOK(NET, packet_rx, (const struct sk_buff *skb, unsigned int offset),
	     (skb, offset))
KUTRACE_HOOK(NET, packet_tx, (const struct sk_buff *skb, unsigned int offset),
	     (skb, offset))
#undef KUTRACE_HOOK

#ifdef CONFIG_KUTRACE_LOCK
#define KUTRACE_HOOK		KUTRACE_DEFINE
#else
#define KUTRACE_HOOK		KUTRACE_EMPTY
#endif
KUTRACE_HOOK(LOCK, lock, (const void *lock, unsigned int step), (lock, step))
#undef KUTRACE_HOOK

static __always_inline void kutrace_lock_begin(const void *lock)
{
	kutrace_lock(lock, KUTRACE_LOCK_CONTENDED);
}

static __always_inline void kutrace_lock_end(const void *lock, int ret)
{
	kutrace_lock(lock, ret ? KUTRACE_LOCK_GIVEN_UP : KUTRACE_LOCK_ACQUIRED);
}

#endif /* _LINUX_KUTRACE_H */
