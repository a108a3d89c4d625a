/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The environment of the ring core: a time counter, per-CPU variables, an exchange that an
 * interrupt cannot split, a lock, disabling interrupts. In the kernel, the kernel's own functions
 * provide it. In user space (unit tests, benchmarks, sanitizers), a thread stands for a CPU, and a
 * signal or a call from ku_step() for an interrupt. Code that compiles in both, such as
 * core/emit.c, names/aux.c and names/readable.c, must not depend on anything else of the kernel or
 * of user space.
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
#include "compat/version.h"

/* Clock shift of the ring in the primary slot: the fast path shifts the counter by it. */
extern unsigned int ku_clock_shift;

/* Returns the time in counts of the ring in the primary slot; never 0 on a running machine. */
static __always_inline u64 ku_clock(void)
{
	return ku_clock_by(ku_clock_shift);
}

/* Makes the compiler compute @value here, as it is written, and keeps the order of such places. */
#define ku_opaque(value) ({ asm volatile("" : "+r" (value)); })

/*
 * A function that a higher folder provides. It is called by a static call, because an indirect call
 * would make each event slower.
 */
#define ku_late_declare(name, type, args) \
	type name##_prototype args; \
	DECLARE_STATIC_CALL(name, name##_prototype)
#define ku_late_define(name, type, args)	DEFINE_STATIC_CALL_NULL(name, name##_prototype)
#define ku_late_call(name, ...)			static_call(name)(__VA_ARGS__)
#define ku_late_ask(name, ...)			static_call(name)(__VA_ARGS__)
#define ku_late_set(name, function)		static_call_update(name, function)

/* A branch that is a NOP until a higher folder turns it on. */
#define ku_key_declare(name)	DECLARE_STATIC_KEY_FALSE(name)
#define ku_key_define(name)	DEFINE_STATIC_KEY_FALSE(name)
#define ku_key_on(name)		static_branch_unlikely(&(name))

/* A step of the lock-free code, at which a test can interrupt it. */
#define ku_step(letter) do { } while (0)

/* Used in long loops; may sleep. */
#define ku_relax()			cond_resched()

/*
 * A field of this CPU's state in a slot, &ku_cpu or &ku_cpu2. The architecture's local.h
 * has ku_at_read(), ku_at_write(), ku_at_is() and ku_at_try_cmpxchg().
 */
#define KU_PRIMARY_SLOT			(&ku_cpu)
#define KU_SECONDARY_SLOT			(&ku_cpu2)
#define ku_cpu_read(field)		ku_at_read(KU_PRIMARY_SLOT, field)
#define ku_cpu_write(field, value)	ku_at_write(KU_PRIMARY_SLOT, field, value)
#ifdef __LITTLE_ENDIAN
#define KU_LITTLE_ENDIAN
#endif
#define ku_cpu_is(field, value)		ku_at_is(KU_PRIMARY_SLOT, field, value)

/* This CPU's state in a slot; interrupts off. */
#define ku_at_here(slot)		this_cpu_ptr(slot)
#define ku_cpu_here()			ku_at_here(KU_PRIMARY_SLOT)

/*
 * Stores the first of several words last: a reader that sees it also sees the others. Pairs with
 * readers of a block in use: the acquire of copy_block() in control/lib/trace/read.c, and the
 * milliseconds between the two copies of a snapshot (snapshot.c).
 */
#define ku_store_last(at, word)		smp_store_release(at, word)

/* Exchanges memory of this CPU, with interrupts off: atomic against an NMI. */
static __always_inline bool ku_local_try_cmpxchg(u64 *p, u64 old, u64 new)
{
	return cmpxchg_local(p, old, new) == old;
}

#define ku_local_xchg(p, value)		xchg(p, value)

typedef atomic64_t ku_atomic64;
#define ku_atomic64_read(v)		atomic64_read(v)
#define ku_atomic64_set(v, x)		atomic64_set(v, x)
#define ku_atomic64_fetch_inc(v)	((u64)atomic64_fetch_inc(v))

/*
 * A lock that disables interrupts. Context: any but NMI. ku_spinning is true on a CPU that waits
 * for such a lock or holds it. If the wait is contended, the kernel calls the probe of contended
 * locks, which must not take a ku_spinlock then.
 */
DECLARE_PER_CPU(bool, ku_spinning);

typedef raw_spinlock_t ku_spinlock;
#define ku_spin_init(lock)		raw_spin_lock_init(lock)
#define ku_spin_lock(lock, flags)			\
	do {						\
		local_irq_save(flags);			\
		__this_cpu_write(ku_spinning, true);	\
		raw_spin_lock(lock);			\
	} while (0)
#define ku_spin_unlock(lock, flags)			\
	do {						\
		raw_spin_unlock(lock);			\
		__this_cpu_write(ku_spinning, false);	\
		local_irq_restore(flags);		\
	} while (0)

#define ku_irq_save(flags)		local_irq_save(flags)
#define ku_irq_restore(flags)		local_irq_restore(flags)
#define ku_in_nmi()			(!!in_nmi())
#define ku_this_cpu_number()		((u32)raw_smp_processor_id())
#define ku_cpus_online()		((u32)num_online_cpus())

static __always_inline u32 ku_task_pid(void)
{
	return (u32)current->pid;
}

/* Copies 16 bytes of the running task's name. In traces, the idle task is "-idle-". */
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
