/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * x86: variables of a CPU's own, read, written and exchanged by single instructions, which no
 * interrupt and no NMI can split, without lock prefix. @place is the address of a per-CPU
 * struct, and preemption is off. Included by core/env.h only.
 */
#ifndef KU_X86_LOCAL_H
#define KU_X86_LOCAL_H

#include <linux/percpu.h>
#include <linux/types.h>

/* A sum may be of one register and another one times a power of two, in one instruction. */
#define KU_ADDRESS_SCALES		1

#define ku_at_read(place, field)	this_cpu_read((place)->field)
#define ku_at_write(place, field, value)	this_cpu_write((place)->field, value)

/*
 * Its low byte replaced: by one instruction, where C would clear it, extend the byte and join
 * them.
 */
#define ku_set_low_byte(word, byte) asm("movb %b1, %b0" : "+q" (word) : "q" (byte))

/*
 * Its low 16 bits, which are zero, replaced by those of a word in memory: by one instruction and
 * in no other register, where C would load them and join the two. They come first in memory.
 */
#define ku_set_low_16(word, place) \
	asm("movw %1, %w0" : "+r" (word) : "m" (*(const u16 *)(place)))

/* Whether a field has this value. Compared in memory: one instruction and a register less. */
#define ku_at_is(place, field, value) \
({ \
	bool ku_same; \
	\
	asm volatile("cmpq %[value_], " __percpu_arg([var]) \
		     : "=@cce" (ku_same) \
		     : [var] "m" (ku_percpu_operand((place)->field)), [value_] "r" (value) \
		     : "memory"); \
	ku_same; \
})

#ifdef this_cpu_try_cmpxchg
#define ku_at_try_cmpxchg(place, field, old, new) \
	({ u64 ku_was = (old); this_cpu_try_cmpxchg((place)->field, &ku_was, new); })
#else
/* Before 6.5, so that the flag decides and not another compare. */
#define ku_at_try_cmpxchg(place, field, old, new) \
({ \
	u64 ku_was = (old); \
	bool ku_done; \
	\
	asm volatile("cmpxchgq %[new_], " __percpu_arg([var]) \
		     : "=@ccz" (ku_done), "+a" (ku_was), [var] "+m" ((place)->field) \
		     : [new_] "r" (new) : "memory"); \
	ku_done; \
})
#endif

#endif
