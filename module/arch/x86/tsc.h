/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * x86: reads the TSC, and orders the reading. Compiles in user space, where
 * tests/unit/test_clock_order.c runs it on two CPUs.
 */
#ifndef KU_X86_TSC_H
#define KU_X86_TSC_H

/*
 * As rdtsc(), but the halves are joined where the upper one is, and the lower one's register is
 * free then: a state is read into that one, for cmpxchg. The compiler would often move them.
 */
static __always_inline u64 ku_rdtsc(void)
{
	u64 tsc;

	asm volatile("rdtsc\n\t"
		     "shlq $32, %%rdx\n\t"
		     "orq %%rax, %%rdx" : "=d" (tsc) : : "rax", "cc");
	return tsc;
}

/*
 * Keeps all later readings of the TSC after all loads before.
 *
 * The processor may execute RDTSC before earlier loads: then a task seems to run before another
 * CPU woke it. The kernel's rdtsc_ordered() puts LFENCE before RDTSC for the same reason. The
 * kernel makes LFENCE wait on all processors that it calls X86_FEATURE_LFENCE_RDTSC, which are
 * all with SSE2, so all of 64 bits. RDTSCP costs as much, and takes ECX.
 *
 * Later stores need no fence: they leave the processor when RDTSC has retired.
 */
static __always_inline void ku_clock_order(void)
{
	asm volatile("lfence" : : : "memory");
}

#endif
