/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * riscv64: the time counter is the CSR time, the machine's real-time clock, which user space can
 * also read. ku_clock_by() is used in any context and must stay a handful of instructions.
 */
#ifndef KU_RISCV_CLOCK_H
#define KU_RISCV_CLOCK_H

#include <linux/compiler.h>
#include <linux/stringify.h>
#include <linux/types.h>
#include <asm/csr.h>
#include <asm/delay.h>

#define KU_CLOCK_NAME "time"
/* A count takes 100 ns or a microsecond, so a call and its return may have the same count. */
#define KU_COARSE_CLOCK 1
#define KU_CLOCK_ADVICE \
	"the device tree or the ACPI tables do not say how fast the CSR time counts"

/*
 * Returns the time in counts, each of 2^@shift ticks of the counter.
 *
 * A hart may read a CSR before earlier loads: in the memory order the CSR is an input from a
 * device. Then an entry could get an earlier time than its cause on another CPU, and a task would
 * seem to run before it was woken. The fence, which pairs with no other barrier, orders the reading
 * after these loads. Later stores are ordered anyway: the caller compares the value with the CPU's
 * state, and branches.
 *
 * Like RDTSC on x86, the asm is volatile but no barrier for the compiler. The compiler keeps its
 * order among volatile accesses, which read and exchange the CPU's state, and keeps the CPU's
 * address across it (local.h).
 */
static __always_inline u64 ku_clock_by(u32 shift)
{
	u64 count;

	asm volatile("fence r, i\n\t"
		     "csrr %0, " __stringify(CSR_TIME)
		     : "=r" (count));
	return count >> (shift & 63);
}

/* Empty: ku_clock_by() orders each reading. */
static __always_inline void ku_clock_order(void)
{
}

/* Returns the frequency of the unshifted counter in kHz; 0 if the machine has no usable counter. */
static inline u64 ku_arch_clock_khz(void)
{
	return riscv_timebase / 1000;
}

/* Returns true if all CPUs read the same time. The architecture allows one count of error. */
static inline bool ku_arch_clock_synchronous(void)
{
	return true;
}

#endif
