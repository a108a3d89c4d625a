/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * x86: reads the TSC, and orders the reading. Also compiles in user space, where
 * tests/unit/test_clock_order.c runs it on two CPUs.
 */
#ifndef KU_X86_TSC_H
#define KU_X86_TSC_H

/*
 * Returns the same value as rdtsc(). Combines the halves in the register of the upper half, so that
 * RAX is free for the state that cmpxchg compares. The compiler would often move the halves first.
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
 * Orders all later readings of the TSC after all earlier loads.
 *
 * The processor may execute RDTSC before earlier loads: then a task seems to run before another CPU
 * woke it. The kernel's rdtsc_ordered() puts LFENCE before RDTSC for the same reason. The kernel
 * makes LFENCE wait for earlier instructions on each processor that has X86_FEATURE_LFENCE_RDTSC:
 * all with SSE2, so all 64-bit ones. RDTSCP costs as much, and overwrites ECX.
 *
 * Later stores need no fence: they leave the processor after RDTSC has retired.
 */
static __always_inline void ku_clock_order(void)
{
	asm volatile("lfence" : : : "memory");
}

#endif
