/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * x86: per-CPU variables, read, written and exchanged by single instructions without lock prefix,
 * which no interrupt and no NMI can split. @slot is the address of a per-CPU struct. Preemption is
 * disabled.
 */
#ifndef KU_X86_LOCAL_H
#define KU_X86_LOCAL_H

#include <linux/percpu.h>
#include <linux/types.h>

/* One instruction can add a register to another register times a power of two. */
#define KU_ADDRESS_SCALES		1

#define ku_at_read(slot, field)	this_cpu_read((slot)->field)
#define ku_at_write(slot, field, value)	this_cpu_write((slot)->field, value)

/*
 * Replaces the low byte of @word in one instruction. The compiler would use several: clear the
 * byte, extend @byte and combine both.
 */
#define ku_set_low_byte(word, byte) asm("movb %b1, %b0" : "+q" (word) : "q" (byte))

/*
 * Sets the low 16 bits of @word, which must be zero, to the first 16 bits in memory at @from. Takes
 * one instruction and no further register; the compiler would load and then combine.
 */
#define ku_set_low_16(word, from) \
	asm("movw %1, %w0" : "+r" (word) : "m" (*(const u16 *)(from)))

/* Compares a field in memory with a value: saves an instruction and a register. */
#define ku_at_is(slot, field, value) \
({ \
	bool ku_same; \
	\
	asm volatile("cmpq %[value_], " __percpu_arg([var]) \
		     : "=@cce" (ku_same) \
		     : [var] "m" (ku_percpu_operand((slot)->field)), [value_] "r" (value) \
		     : "memory"); \
	ku_same; \
})

#ifdef this_cpu_try_cmpxchg
#define ku_at_try_cmpxchg(slot, field, old, new) \
	({ u64 ku_was = (old); this_cpu_try_cmpxchg((slot)->field, &ku_was, new); })
#else
/* For kernels before 6.5. The CPU's zero flag shows the result, without another comparison. */
#define ku_at_try_cmpxchg(slot, field, old, new) \
({ \
	u64 ku_was = (old); \
	bool ku_done; \
	\
	asm volatile("cmpxchgq %[new_], " __percpu_arg([var]) \
		     : "=@ccz" (ku_done), "+a" (ku_was), [var] "+m" ((slot)->field) \
		     : [new_] "r" (new) : "memory"); \
	ku_done; \
})
#endif

#endif
