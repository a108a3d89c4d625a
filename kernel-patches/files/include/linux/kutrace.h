/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Hooks of KUtrace at every transition between user and kernel execution.
 *
 * A hook is an inline function with the static key of its category: one NOP while the category is
 * off, and nothing when it is compiled out. A hook makes a static call, whose target is a function
 * of the registered tracer (kutrace_register()) or a stub. On an architecture without static calls
 * (arm64) it makes an indirect call, and loads the target from memory each time.
 *
 * Hooks must be in instrumentable code in which RCU is watching. Their targets run with preemption
 * off, in any context up to NMI. Targets must not sleep, nor take a lock that the hooked code may
 * hold.
 */
#ifndef _LINUX_KUTRACE_H
#define _LINUX_KUTRACE_H

#include <linux/types.h>

struct cpumask;
struct irq_desc;
struct pt_regs;
struct sk_buff;
struct task_struct;

/* Categories of hooks, and the bits of a mask of categories. */
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

/* The steps that a lock hook reports. */
enum kutrace_lock_step {
	KUTRACE_LOCK_CONTENDED,		/* the lock is held, and the task begins to wait */
	KUTRACE_LOCK_ACQUIRED,		/* the task waited and got the lock */
	KUTRACE_LOCK_GIVEN_UP,		/* the task waited and did not get the lock */
	KUTRACE_LOCK_FREED,		/* the holder releases the lock, and a task waits */
};

/* Must change when struct kutrace_ops or the meaning of a member changes. */
#define KUTRACE_OPS_VERSION	4

/**
 * struct kutrace_ops - the functions of a tracer that the hooks call
 * @version: KUTRACE_OPS_VERSION
 * @size: sizeof(struct kutrace_ops)
 * @on_syscall_enter: begin of a 64-bit call whose number the kernel has
 * @on_syscall_enter_other: begin of an x32 call, or of a call with an unknown number
 * @on_syscall_exit: return of either; the value is in @regs
 * @on_syscall_uncalled: return of a call whose begin was not reported, because a filter, a
 *	debugger or user dispatch refused it, or because its number is -1; @regs has the
 *	number; on x86 also the return of a new task from its parent's call
 * @on_syscall32_enter: begin of a 32-bit call
 * @on_syscall32_exit: return of a 32-bit call
 * @on_syscall32_uncalled: as @on_syscall_uncalled, for 32-bit calls
 * @on_trap_enter: begin of an exception: vector, and error code or 0; on arm64 both are the
 *	syndrome (ESR_EL1)
 * @on_trap_exit: end of an exception
 * @on_irq_enter: begin of an interrupt with a vector of its own, or of an NMI; on arm64 of an
 *	interrupt from another CPU, by enum kutrace_arm64_ipi
 * @on_irq_exit: end of such an interrupt
 * @on_device_enter: begin of a device interrupt; @desc is NULL if the vector is unused
 * @on_device_exit: end of a device interrupt, after all of its handlers
 * @on_softirq_enter: begin of a softirq's action
 * @on_softirq_exit: end of a softirq's action
 * @on_sched_enter: the scheduler is entered
 * @on_sched_exit: the scheduler is left, possibly in another task
 * @on_sched_switch: the task that runs next
 * @on_wakeup: a task is made runnable
 * @on_ipi: an interrupt is sent to a CPU
 * @on_ipi_mask: an interrupt is sent to the CPUs of the mask
 * @on_idle: an idle state is entered: the mwait hint if there is one, otherwise the number of
 *	the state (0 polling, 1 halt)
 * @on_idle_exit: an idle state is left
 * @on_frequency: new frequency of a CPU in kHz
 * @on_pc_sample: timer interrupt, with the registers of the interrupted code; not called on
 *	arm64, where the timer has a device interrupt, and get_irq_regs() has the registers
 * @on_task_name: a task is new or changes its name; called before the change
 * @on_task_exit: a task ends, for any reason
 * @on_task_exec: a thread that called exec has got the pid of its group's leader
 * @on_packet_rx: a TCP or UDP packet was received; its payload is at @offset in skb->data
 * @on_packet_tx: a TCP or UDP packet will be sent; its payload is at @offset in skb->data
 * @on_lock: a step of waiting for the lock at this address, by enum kutrace_lock_step
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

/* The call that the hook of this name makes. */
#ifdef CONFIG_HAVE_STATIC_CALL
#define kutrace_call(name)	static_call_mod(kutrace_call_##name)
#else
#define kutrace_call(name)	static_call(kutrace_call_##name)
#endif

/* Defines a hook for callers that may be preemptible. */
#define KUTRACE_DEFINE(category, name, proto, args)			\
	static __always_inline void kutrace_##name proto			\
	{									\
		if (kutrace_on(category)) {					\
			preempt_disable_notrace();				\
			kutrace_call(name) args;				\
			preempt_enable_notrace();				\
		}								\
	}

/* Defines a hook for callers that are not preemptible. */
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
 * Defines a hook for callers that may be preemptible, if the code after the hook checks for
 * rescheduling, as the return to user mode does. So the hook need not check.
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
 * A category that is compiled out has macros that expand to nothing. An empty inline function could
 * still change the compiler's allocation of registers.
 */
#define kutrace_nothing()	do { } while (0)

#ifdef CONFIG_KUTRACE_SYSCALL
#ifdef CONFIG_X86
/*
 * Defines a hook that returns the number of the call, @nr. While tracing is on, the hook reads the
 * number from @regs again after the static call. So the compiler need not keep @nr in a register
 * across that call, and the path on which tracing is off saves no register.
 */
#define KUTRACE_DEFINE_NUMBER(name, call)					\
	static __always_inline unsigned int					\
	kutrace_##name(struct pt_regs *regs, unsigned int nr)			\
	{									\
		if (kutrace_on(SYSCALL)) {					\
			preempt_disable_notrace();				\
			kutrace_call(call)(regs, nr);				\
			preempt_enable_notrace();				\
			nr = regs->orig_ax;					\
		}								\
		return nr;							\
	}

KUTRACE_DEFINE_NUMBER(syscall_enter, syscall_enter)
KUTRACE_DEFINE_NUMBER(syscall_enter_x32, syscall_enter_other)
#else
KUTRACE_DEFINE(SYSCALL, syscall_enter,
	       (struct pt_regs *regs, unsigned int nr), (regs, nr))
#endif /* CONFIG_X86 */
KUTRACE_DEFINE(SYSCALL, syscall_enter_other,
	       (struct pt_regs *regs, unsigned int nr), (regs, nr))
KUTRACE_DEFINE_LAST(SYSCALL, syscall_exit, (struct pt_regs *regs), (regs))
KUTRACE_DEFINE_LAST(SYSCALL, syscall_uncalled, (struct pt_regs *regs), (regs))
KUTRACE_DEFINE(SYSCALL, syscall32_enter,
	       (struct pt_regs *regs, unsigned int nr), (regs, nr))
KUTRACE_DEFINE_LAST(SYSCALL, syscall32_exit, (struct pt_regs *regs), (regs))
KUTRACE_DEFINE_LAST(SYSCALL, syscall32_uncalled, (struct pt_regs *regs), (regs))

#ifdef CONFIG_X86
/* A new task returns from its parent's call that created it. Process context, preemptible. */
static __always_inline void kutrace_child(void)
{
	if (kutrace_on(SYSCALL))
		kutrace_child_returns();
}
#else
/* A new task does not pass the place at which sys_exit would report the return. */
#define kutrace_child()	kutrace_nothing()
#endif /* CONFIG_X86 */
#else
#ifdef CONFIG_X86
#define kutrace_syscall_enter(regs, nr)	(nr)
#define kutrace_syscall_enter_x32(regs, nr)	(nr)
#else
#define kutrace_syscall_enter(...)	kutrace_nothing()
#endif /* CONFIG_X86 */
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

/* Returns true if the caller should search the CPUs whose frequency changes. */
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
