/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * arm64: per-CPU variables. @slot is the address of a per-CPU struct. Preemption is disabled, so
 * the variable's address stays that of this CPU. this_cpu_*() would disable and enable preemption
 * around each access.
 *
 * The exchange is CAS if the processor has it (LSE), otherwise a loop of LDXR and STXR. An
 * interrupt in between clears the monitor on its return. Then STXR fails, and the loop reads again
 * what the interrupt has left. Both forms are relaxed: a CPU and its interrupts see the CPU's own
 * stores in program order. If other CPUs must see an order, the publisher provides it
 * (core/block.c, ku_store_last()).
 */
#ifndef KU_ARM64_LOCAL_H
#define KU_ARM64_LOCAL_H

#include <linux/atomic.h>
#include <linux/compiler.h>
#include <linux/percpu.h>
#include <linux/types.h>

/* One instruction can add a register to another register times a power of two. */
#define KU_ADDRESS_SCALES		1

#define ku_at_read(slot, field)	READ_ONCE(*raw_cpu_ptr(&(slot)->field))
#define ku_at_write(slot, field, value) \
	WRITE_ONCE(*raw_cpu_ptr(&(slot)->field), value)
#define ku_at_is(slot, field, value)	(ku_at_read(slot, field) == (value))
#define ku_at_try_cmpxchg(slot, field, old, new) \
	({ u64 ku_was = (old); \
	   try_cmpxchg_relaxed(raw_cpu_ptr(&(slot)->field), &ku_was, new); })
#define ku_set_low_byte(word, byte)	((void)((word) = ((word) & ~0xFFU) | (u8)(byte)))
#define ku_set_low_16(word, from)	((void)((word) |= (u16)*(from)))

#endif
