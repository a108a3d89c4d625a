/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * riscv64: per-CPU variables. @slot is the address of a per-CPU struct. Preemption is disabled, so
 * the variable's address stays that of this CPU. this_cpu_*() would disable and enable interrupts
 * around each access.
 *
 * Computing a CPU's address takes two loads. The compiler does this once for all accesses between
 * two barriers. No part of a recording path is a barrier before the exchange, not even the clock.
 * Disabling and enabling preemption are barriers, so an address is not used on another CPU.
 *
 * The exchange is a loop of LR and SC. SC fails if another CPU has stored to the word, or after
 * another SC. A plain store by an interrupt on this CPU need not make SC fail. But each return from
 * an exception passes the kernel's ret_from_exception, which has an SC for this purpose. So SC
 * fails after an interrupt, and the loop reads again what the interrupt has stored. The exchange is
 * relaxed: a CPU and its interrupts see the CPU's own stores in program order. If other CPUs must
 * see an order, the publisher provides it (core/block.c, ku_store_last()). riscv64 has no NMI as on
 * x86.
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
 * Returns the offset of a CPU's variables from their linked addresses, as __my_cpu_offset does. The
 * compiler would compute the address of the array and then of the element. This asm adds the low
 * part of the address in the load. The asm is not volatile and has no clobber, so that the compiler
 * can merge uses. That is correct: the CPU's number is an input that C code reads before, and the
 * array does not change after boot.
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

#define ku_riscv_here(slot)	SHIFT_PERCPU_PTR(slot, ku_riscv_offset())

/*
 * Like try_cmpxchg_relaxed(), but shorter. That function compares the word a second time to find
 * out whether it was exchanged, and returns the old word, which no caller needs. Between LR and the
 * branch back there are only SC and another branch. For such loops the architecture guarantees that
 * SC finally succeeds.
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

/* Scaling an index takes another instruction. */
#define KU_ADDRESS_SCALES		0

#define ku_at_read(slot, field)	READ_ONCE(ku_riscv_here(slot)->field)
#define ku_at_write(slot, field, value) \
	WRITE_ONCE(ku_riscv_here(slot)->field, value)
#define ku_at_is(slot, field, value)	(ku_at_read(slot, field) == (value))
#define ku_at_try_cmpxchg(slot, field, old, new) \
	ku_riscv_try_cmpxchg(&ku_riscv_here(slot)->field, old, new)
#define ku_set_low_byte(word, byte)	((void)((word) = ((word) & ~0xFFU) | (u8)(byte)))
#define ku_set_low_16(word, from)	((void)((word) |= (u16)*(from)))

#endif
