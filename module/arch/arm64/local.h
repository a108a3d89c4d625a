/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * arm64: variables of a CPU's own. @place is the address of a per-CPU struct, and preemption is
 * off, so that its address stays this CPU's: this_cpu_*() would switch preemption off and on
 * again around each access. Included by core/env.h only.
 *
 * The exchange is CAS where the processor has it (LSE), else a loop of LDXR and STXR: an
 * interrupt in between clears the monitor on its way back, so STXR fails, the loop reads again
 * and sees what the interrupt left. Relaxed in both forms: a CPU sees its own stores in
 * the order of the program, and its interrupts do, too. What other CPUs are to see in order
 * is up to who publishes it (core/block.c, ku_store_last()).
 */
#ifndef KU_ARM64_LOCAL_H
#define KU_ARM64_LOCAL_H

#include <linux/atomic.h>
#include <linux/compiler.h>
#include <linux/percpu.h>
#include <linux/types.h>

/* A sum may be of one register and another one times a power of two, in one instruction. */
#define KU_ADDRESS_SCALES		1

#define ku_at_read(place, field)	READ_ONCE(*raw_cpu_ptr(&(place)->field))
#define ku_at_write(place, field, value) \
	WRITE_ONCE(*raw_cpu_ptr(&(place)->field), value)
#define ku_at_is(place, field, value)	(ku_at_read(place, field) == (value))
#define ku_at_try_cmpxchg(place, field, old, new) \
	({ u64 ku_was = (old); \
	   try_cmpxchg_relaxed(raw_cpu_ptr(&(place)->field), &ku_was, new); })
#define ku_set_low_byte(word, byte)	((void)((word) = ((word) & ~0xFFU) | (u8)(byte)))
#define ku_set_low_16(word, place)	((void)((word) |= (u16)*(place)))

#endif
