/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * x86: the time counter is the TSC. ku_clock_by() is called from every context, NMI
 * included; it must stay a handful of instructions. Included by arch/clock.h.
 */
#ifndef KU_X86_CLOCK_H
#define KU_X86_CLOCK_H

#include <asm/msr.h>
#include <asm/tsc.h>
#include <asm/cpufeature.h>

#include "arch/x86/tsc.h"

#define KU_CLOCK_NAME "tsc"
/* No call and return are in the same count. */
#define KU_COARSE_CLOCK 0
#define KU_CLOCK_ADVICE \
	"the kernel calls the TSC unstable; tsc=reliable on the command line overrules it"

/*
 * Time in counts of so many units of the counter. The processor looks at six bits of the shift
 * anyway: saying so costs nothing, and spares a check where the kernel has UBSAN.
 *
 * The reading is ordered only after ku_clock_order(): see ku_emit_ordered().
 */
static __always_inline u64 ku_clock_by(u32 shift)
{
	return ku_rdtsc() >> (shift & 63);
}

/* Frequency of the unshifted counter, kHz; 0 = this machine has none to use. */
static inline u64 ku_arch_clock_khz(void)
{
	return boot_cpu_has(X86_FEATURE_TSC) ? READ_ONCE(tsc_khz) : 0;
}

/* True when all CPUs read the same time, as the trace takes for granted. */
static inline bool ku_arch_clock_synchronous(void)
{
	return !check_tsc_unstable();
}

#endif
