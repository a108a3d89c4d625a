/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * x86: the time counter is the TSC. ku_clock() is called from every context
 * including NMI; it must stay a handful of instructions.
 */
#ifndef KU_ARCH_H
#define KU_ARCH_H

#include <asm/msr.h>
#include <asm/tsc.h>
#include <asm/cpufeature.h>

#define KU_CLOCK_NAME "tsc"

extern unsigned int ku_clock_shift;

/* Time in counts of so many units of the counter. */
static __always_inline u64 ku_clock_by(u32 shift)
{
	return rdtsc() >> shift;
}

/* Those of the resident, of 10 to 20 ns; never 0 for a running machine. */
static __always_inline u64 ku_clock(void)
{
	return ku_clock_by(ku_clock_shift);
}

/* Frequency of the unshifted counter, kHz; 0 = this machine has none to use. */
static inline u64 ku_arch_clock_khz(void)
{
	return boot_cpu_has(X86_FEATURE_TSC) ? tsc_khz : 0;
}

/* True when all CPUs read the same time, as the trace takes for granted. */
static inline bool ku_arch_clock_synchronous(void)
{
	return !check_tsc_unstable();
}

#endif
