/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * x86: the time counter is the TSC. ku_clock_by() is used in any context, including NMI, and must
 * stay a handful of instructions.
 */
#ifndef KU_X86_CLOCK_H
#define KU_X86_CLOCK_H

#include <asm/msr.h>
#include <asm/tsc.h>
#include <asm/cpufeature.h>

#include "arch/x86/tsc.h"

#define KU_CLOCK_NAME "tsc"
/* A call and its return never have the same count. */
#define KU_COARSE_CLOCK 0
#define KU_CLOCK_ADVICE \
	"the kernel calls the TSC unstable; tsc=reliable on the command line overrules it"

/*
 * Returns the time in counts, each of 2^@shift ticks of the counter. The processor uses only six
 * bits of the shift. The mask states this at no cost, and avoids a check in kernels with UBSAN.
 *
 * The reading is ordered only after ku_clock_order(): see ku_emit_ordered().
 */
static __always_inline u64 ku_clock_by(u32 shift)
{
	return ku_rdtsc() >> (shift & 63);
}

/* Returns the frequency of the unshifted counter in kHz; 0 if the machine has no usable counter. */
static inline u64 ku_arch_clock_khz(void)
{
	return boot_cpu_has(X86_FEATURE_TSC) ? READ_ONCE(tsc_khz) : 0;
}

/* Returns true if all CPUs read the same time. */
static inline bool ku_arch_clock_synchronous(void)
{
	return !check_tsc_unstable();
}

#endif
