/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the ring core needs from its surroundings: a time counter, per-CPU
 * variables, an exchange that an interrupt cannot split, a lock, interrupts off and on.
 * In the kernel these are the kernel's own; in user space (unit tests,
 * benchmarks, sanitizers) a thread stands for a CPU, a signal or a call from
 * ku_step() for an interrupt. Nothing else in core/ring.c, names/aux.c and
 * names/readable.c may depend on either.
 */
#ifndef KU_ENV_H
#define KU_ENV_H

#ifdef __KERNEL__

#include <linux/atomic.h>
#include <linux/build_bug.h>
#include <linux/compiler.h>
#include <linux/cpumask.h>
#include <linux/errno.h>
#include <linux/irqflags.h>
#include <linux/jump_label.h>
#include <linux/kprobes.h>
#include <linux/percpu.h>
#include <linux/preempt.h>
#include <linux/sched.h>
#include <linux/smp.h>
#include <linux/spinlock.h>
#include <linux/static_call.h>
#include <linux/string.h>
#include <linux/types.h>
#include <asm/byteorder.h>

#include "arch/clock.h"
#include "arch/local.h"
#include "compat/version.h"

/* The resident's unit of time: what the fast path shifts the counter by. */
extern unsigned int ku_clock_shift;

/* Time in counts of the resident, of 10 to 20 ns; never 0 for a running machine. */
static __always_inline u64 ku_clock(void)
{
	return ku_clock_by(ku_clock_shift);
}

/* A value the compiler shall compute once, as written, and in this order. */
#define ku_opaque(value) ({ asm volatile("" : "+r" (value)); })

/*
 * A function that a higher part supplies later, and that is called as directly as any other:
 * an indirect call would cost each event that takes it.
 */
#define ku_late_declare(name, type, args) \
	type name##_prototype args; \
	DECLARE_STATIC_CALL(name, name##_prototype)
#define ku_late_define(name, type, args)	DEFINE_STATIC_CALL_NULL(name, name##_prototype)
#define ku_late_call(name, ...)			static_call(name)(__VA_ARGS__)
#define ku_late_ask(name, ...)			static_call(name)(__VA_ARGS__)
#define ku_late_set(name, function)		static_call_update(name, function)

/* A branch that costs a NOP until a higher part turns it on. */
#define ku_key_declare(name)	DECLARE_STATIC_KEY_FALSE(name)
#define ku_key_define(name)	DEFINE_STATIC_KEY_FALSE(name)
#define ku_key_on(name)		static_branch_unlikely(&(name))

/* Steps of the lock-free code: a test can interrupt at each of them. */
#define ku_step(letter) do { } while (0)

/* In loops that take long, where sleeping is allowed. */
#define ku_relax()			cond_resched()

/*
 * A field of this CPU's state in a fixed place, &ku_cpu or &ku_cpu2: ku_at_read(), ku_at_write(),
 * ku_at_is(), ku_at_try_cmpxchg() are in arch/local.h.
 */
#define KU_FIRST_PLACE			(&ku_cpu)
#define KU_SECOND_PLACE			(&ku_cpu2)
#define ku_cpu_read(field)		ku_at_read(KU_FIRST_PLACE, field)
#define ku_cpu_write(field, value)	ku_at_write(KU_FIRST_PLACE, field, value)
#define ku_cpu_inc(field)		this_cpu_inc(ku_cpu.field)
#define ku_cpu_xchg(field, value)	this_cpu_xchg(ku_cpu.field, value)
#ifdef __LITTLE_ENDIAN
#define KU_LITTLE_ENDIAN
#endif
#define ku_cpu_is(field, value)		ku_at_is(KU_FIRST_PLACE, field, value)
#define ku_cpu_try_cmpxchg(field, old, new) \
	ku_at_try_cmpxchg(KU_FIRST_PLACE, field, old, new)

/* This CPU's state in a place; interrupts off. */
#define ku_at_here(place)		this_cpu_ptr(place)
#define ku_cpu_here()			ku_at_here(KU_FIRST_PLACE)

/*
 * The first of several words, stored last: who sees it sees the others. Pairs with those who read a
 * block that is being written to: with the acquire of copy_block() in control/lib/trace/read.c, and
 * with the milliseconds between the two copies of a snapshot (snapshot.c).
 */
#define ku_store_last(at, word)		smp_store_release(at, word)

/* On memory of this CPU, interrupts off: atomic against an NMI. */
static __always_inline bool ku_local_try_cmpxchg(u64 *p, u64 old, u64 new)
{
	return cmpxchg_local(p, old, new) == old;
}

#define ku_local_xchg(p, value)		xchg(p, value)

typedef atomic64_t ku_atomic64;
#define ku_atomic64_read(v)		atomic64_read(v)
#define ku_atomic64_set(v, x)		atomic64_set(v, x)
#define ku_atomic64_fetch_inc(v)	((u64)atomic64_fetch_inc(v))
#define ku_atomic64_fetch_dec(v)	((u64)atomic64_fetch_dec(v))

/* With interrupts off; any context but NMI. */
typedef raw_spinlock_t ku_spinlock;
#define ku_spin_init(lock)		raw_spin_lock_init(lock)
#define ku_spin_lock(lock, flags)	raw_spin_lock_irqsave(lock, flags)
#define ku_spin_unlock(lock, flags)	raw_spin_unlock_irqrestore(lock, flags)

/* In long loops of what may sleep. */
#define ku_may_resched()		cond_resched()

#define ku_irq_save(flags)		local_irq_save(flags)
#define ku_irq_restore(flags)		local_irq_restore(flags)
#define ku_in_nmi()			(!!in_nmi())
#define ku_this_cpu_number()		((u32)raw_smp_processor_id())
#define ku_cpus_online()		((u32)num_online_cpus())

static __always_inline u32 ku_task_pid(void)
{
	return (u32)current->pid;
}

/* 16 bytes of the running task's name; the idle task's is the filters' own. */
static __always_inline void ku_task_comm(char comm[16])
{
	memset(comm, 0, 16);
	memcpy(comm, current->pid ? current->comm : "-idle-",
	       current->pid ? strnlen(current->comm, 15) : 6);
}

#else
#include "core/env_user.h"
#endif

#endif
