/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * riscv64: variables of a CPU's own. @place is the address of a per-CPU struct, and preemption is
 * off, so that its address stays this CPU's: this_cpu_*() would switch interrupts off and on
 * again around each access. Included by core/env.h only.
 *
 * A CPU's address comes of two loads, which the compiler does once for all accesses between two
 * barriers: fields are counted from it, and nothing in a path of recording is a barrier before the
 * exchange, reading the clock neither. Who switches preemption on and off again has barriers
 * there, so that no address is used on another CPU.
 *
 * The exchange is a loop of LR and SC. SC fails when another CPU has stored there, or when there
 * was another SC in between. A mere store by an interrupt on this CPU need not make it fail; but
 * every way out of an exception goes by the kernel's ret_from_exception, which has an SC of its
 * own for just that. So SC fails behind an interrupt, the loop reads again and sees what the
 * interrupt left. Relaxed: a CPU sees its own stores in the order of the program, and its
 * interrupts do, too. What other CPUs are to see in order is up to who publishes it
 * (core/block.c, ku_store_last()). Nothing here is as an NMI is on x86.
 */
#ifndef KU_RISCV_LOCAL_H
#define KU_RISCV_LOCAL_H

#include <linux/atomic.h>
#include <linux/compiler.h>
#include <linux/instrumented.h>
#include <linux/percpu.h>
#include <linux/smp.h>
#include <linux/types.h>

/*
 * How far a CPU's own variables are from where the linker has put them, as __my_cpu_offset. For
 * that the compiler would add up the address of the array and then that of its element; here
 * the load adds the low part. Not volatile, and without a clobber, so that it is done once where
 * it can be: only the CPU may change, whose number is read in C in front of it, and the array
 * is what it is since boot.
 */
static __always_inline unsigned long ku_riscv_offset(void)
{
#ifdef CONFIG_SMP
	unsigned long offset;

	asm("1:	auipc	%[offset], %%pcrel_hi(__per_cpu_offset)\n"
	    "	add	%[offset], %[offset], %[index]\n"
	    "	ld	%[offset], %%pcrel_lo(1b)(%[offset])\n"
	    : [offset] "=&r" (offset)
	    : [index] "r" ((unsigned long)raw_smp_processor_id() * sizeof(__per_cpu_offset[0])));
	return offset;
#else
	return 0;
#endif
}

#define ku_riscv_here(place)	SHIFT_PERCPU_PTR(place, ku_riscv_offset())

/*
 * As try_cmpxchg_relaxed(), which compares the word a second time to know whether it was exchanged;
 * here the place where it goes on says that. What the word was instead nobody asks. Between LR and
 * the branch back there is nothing but SC and another branch: for such a loop the architecture
 * promises that SC succeeds at last.
 */
static __always_inline bool ku_riscv_try_cmpxchg(u64 *at, u64 old, u64 new)
{
	instrument_atomic_read_write(at, sizeof(*at));
	asm goto("0:	lr.d	t0, %[at]\n"
		 "	bne	t0, %z[old], %l[differs]\n"
		 "	sc.d	t0, %z[new], %[at]\n"
		 "	bnez	t0, 0b\n"
		 : : [at] "A" (*at), [old] "rJ" (old), [new] "rJ" (new)
		 : "t0", "memory" : differs);
	return true;
differs:
	return false;
}

/* Scaling is an instruction. */
#define KU_ADDRESS_SCALES		0

#define ku_at_read(place, field)	READ_ONCE(ku_riscv_here(place)->field)
#define ku_at_write(place, field, value) \
	WRITE_ONCE(ku_riscv_here(place)->field, value)
#define ku_at_is(place, field, value)	(ku_at_read(place, field) == (value))
#define ku_at_try_cmpxchg(place, field, old, new) \
	ku_riscv_try_cmpxchg(&ku_riscv_here(place)->field, old, new)
#define ku_set_low_byte(word, byte)	((void)((word) = ((word) & ~0xFFU) | (u8)(byte)))
#define ku_set_low_16(word, place)	((void)((word) |= (u16)*(place)))

#endif
