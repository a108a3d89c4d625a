/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The environment of the ring core in user space (see env.h). The test or benchmark that includes
 * it supplies the variables and functions that are declared extern here.
 */
#ifndef KU_ENV_USER_H
#define KU_ENV_USER_H

#include <assert.h>
#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

typedef uint64_t u64;
typedef int64_t s64;
typedef uint32_t u32;
typedef int32_t s32;
typedef uint16_t u16;
typedef uint8_t u8;
typedef int8_t s8;

static inline void *memset64(u64 *p, u64 value, size_t count)
{
	u64 *end = p + count;

	while (p < end)
		*p++ = value;
	return end - count;
}

#undef __always_inline
#define __always_inline inline __attribute__((always_inline))
#define noinline	__attribute__((noinline))
#define __kprobes
#define notrace
#define likely(x)	__builtin_expect(!!(x), 1)
#define unlikely(x)	__builtin_expect(!!(x), 0)
#define READ_ONCE(x)	(*(const volatile __typeof__(x) *)&(x))
#define data_race(x)	(x)
#define WRITE_ONCE(x, v) (*(volatile __typeof__(x) *)&(x) = (v))
#define barrier()	__asm__ __volatile__("" ::: "memory")
#define ku_opaque(value) __asm__ __volatile__("" : "+r" (value))
#define ku_set_low_byte(word, byte) ((void)((word) = ((word) & ~0xFFU) | (u8)(byte)))
#define ku_set_low_16(word, from) ((void)((word) |= (u16)*(from)))
#define __percpu
#define smp_wmb()	__atomic_thread_fence(__ATOMIC_RELEASE)
#define smp_rmb()	__atomic_thread_fence(__ATOMIC_ACQUIRE)
#define smp_store_release(p, v) __atomic_store_n(p, v, __ATOMIC_RELEASE)
#define cmpxchg(p, o, n) __sync_val_compare_and_swap(p, o, n)

#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
#define KU_LITTLE_ENDIAN
#endif

struct ku_cpu;
extern __thread struct ku_cpu *ku_env_cpu;	/* primary slot of the "CPU" that this thread is */
extern __thread struct ku_cpu *ku_env_cpu2;	/* its secondary slot */
extern u64 (*ku_env_clock)(void);		/* not called if the real counter is used */
extern void (*ku_env_step)(char letter);	/* NULL: nothing interrupts */
extern __thread bool ku_env_nmi;
extern __thread u32 ku_env_pid;

#if defined(KU_ENV_STEPS)
#define ku_step(letter) do { if (ku_env_step) ku_env_step(letter); } while (0)
#else
#define ku_step(letter) do { } while (0)
#endif

#define ku_relax() do { } while (0)

/* A function that is not supplied is not called. */
#define ku_late_declare(name, type, args)	extern type (*name) args
#define ku_late_define(name, type, args)	type (*name) args
#define ku_late_call(name, ...)	do { if (name) name(__VA_ARGS__); } while (0)
#define ku_late_ask(name, ...)	((name) ? (name)(__VA_ARGS__) : 0)

#define ku_key_declare(name)	extern bool name
#define ku_key_define(name)	bool name
#define ku_key_on(name)		unlikely(READ_ONCE(name))

#define KU_PRIMARY_SLOT			ku_env_cpu
#define KU_SECONDARY_SLOT			ku_env_cpu2
#define ku_at_read(slot, field)	READ_ONCE((slot)->field)
#define ku_at_try_cmpxchg(slot, field, old, new) \
	ku_env_try_cmpxchg(&(slot)->field, old, new)
#define ku_cpu_read(field)		READ_ONCE(ku_env_cpu->field)
#define ku_at_write(slot, field, value) WRITE_ONCE((slot)->field, value)
#define ku_cpu_write(field, value)	WRITE_ONCE(ku_env_cpu->field, value)
#define ku_at_is(slot, field, value)	(ku_at_read(slot, field) == (value))
#define ku_cpu_is(field, value)		ku_at_is(ku_env_cpu, field, value)

/* One instruction, no lock prefix: atomic against signals, not against other CPUs. */
static __always_inline bool ku_env_try_cmpxchg(u64 *p, u64 old, u64 new)
{
#ifdef __x86_64__
	bool done;

	__asm__ __volatile__("cmpxchgq %3, %1"
			     : "=@ccz"(done), "+m"(*p), "+a"(old)
			     : "r"(new) : "memory");
	return done;
#else
	return __atomic_compare_exchange_n(p, &old, new, false, __ATOMIC_RELAXED,
					   __ATOMIC_RELAXED);
#endif
}

static __always_inline u64 ku_env_xchg(u64 *p, u64 new)
{
	return __atomic_exchange_n(p, new, __ATOMIC_RELAXED);
}

#define ku_at_here(slot)		(slot)
#define ku_cpu_here()			ku_env_cpu
#define ku_local_try_cmpxchg(p, old, new) ku_env_try_cmpxchg(p, old, new)
#define ku_local_xchg(p, value)		ku_env_xchg(p, value)

/* A spinlock: 1 while it is held, with simulated interrupts off. Tests read it. */
typedef u32 ku_spinlock;
#define ku_spin_init(lock)	((void)__atomic_store_n(lock, 0, __ATOMIC_RELAXED))
#define ku_spin_lock(lock, flags)	ku_env_spin_lock(lock, &(flags))
#define ku_spin_unlock(lock, flags)	ku_env_spin_unlock(lock, flags)

void ku_env_irq_save(unsigned long *flags);
void ku_env_irq_restore(unsigned long flags);

static inline void ku_env_spin_lock(ku_spinlock *lock, unsigned long *flags)
{
	ku_env_irq_save(flags);
	while (__atomic_exchange_n(lock, 1, __ATOMIC_ACQUIRE))
		;
}

static inline void ku_env_spin_unlock(ku_spinlock *lock, unsigned long flags)
{
	__atomic_store_n(lock, 0, __ATOMIC_RELEASE);
	ku_env_irq_restore(flags);
}

/* As on x86, unless a test defines them. */
#if !defined(KU_ADDRESS_SCALES)
#define KU_ADDRESS_SCALES 1
#endif
#if !defined(KU_COARSE_CLOCK)
#define KU_COARSE_CLOCK 0
#endif

#define ku_store_last(at, word)	__atomic_store_n(at, word, __ATOMIC_RELEASE)
#define smp_load_acquire(p) __atomic_load_n(p, __ATOMIC_ACQUIRE)

typedef u64 ku_atomic64;
#define ku_atomic64_read(v)	__atomic_load_n(v, __ATOMIC_RELAXED)
#define ku_atomic64_set(v, x)	__atomic_store_n(v, x, __ATOMIC_RELAXED)
#define ku_atomic64_fetch_inc(v) __atomic_fetch_add(v, 1, __ATOMIC_SEQ_CST)

#define ku_irq_save(flags)	ku_env_irq_save(&(flags))
#define ku_irq_restore(flags)	ku_env_irq_restore(flags)
#define ku_in_nmi()		ku_env_nmi

u32 ku_this_cpu_number(void);
#if !defined(KU_ENV_CPUS)
#define KU_ENV_CPUS	1
#endif
#define ku_cpus_online()	((u32)KU_ENV_CPUS)

static inline u32 ku_task_pid(void)
{
	return ku_env_pid;
}

static inline void ku_task_comm(char comm[16])
{
	memset(comm, 0, 16);
	memcpy(comm, "test", 4);
}

extern unsigned int ku_clock_shift;

#if defined(__x86_64__) && !defined(KU_ENV_STEPS)
#include "arch/x86/tsc.h"

static __always_inline u64 ku_clock_by(u32 shift)
{
	return ku_rdtsc() >> shift;
}
#else
static __always_inline u64 ku_clock_by(u32 shift)
{
	(void)shift;
	return ku_env_clock();
}

static __always_inline void ku_clock_order(void)
{
}
#endif

static __always_inline u64 ku_clock(void)
{
	return ku_clock_by(ku_clock_shift);
}

#endif
