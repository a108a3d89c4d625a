/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * riscv64: the time counter is the CSR time, the machine's real-time clock, which user space
 * reads, too. ku_clock_by() is called from every context; it must stay a handful of
 * instructions. Included by arch/clock.h.
 */
#ifndef KU_RISCV_CLOCK_H
#define KU_RISCV_CLOCK_H

#include <linux/compiler.h>
#include <linux/stringify.h>
#include <linux/types.h>
#include <asm/csr.h>
#include <asm/delay.h>

#define KU_CLOCK_NAME "time"
/* It counts each 100 ns, or each microsecond: a call and its return may be in the same count. */
#define KU_COARSE_CLOCK 1
#define KU_CLOCK_ADVICE \
	"the device tree or the ACPI tables do not say how fast the CSR time counts"

/*
 * Time in counts of so many units of the counter.
 *
 * A hart may read a CSR before the loads that stand before the reading: to the order of memory it
 * is an input from a device. Then an entry could have an earlier time than what another
 * CPU did before it, and what woke a task would seem to come after the task ran. The fence, which
 * no other barrier is the pair of, keeps the reading behind these loads. Stores that come
 * behind the reading are behind it anyway: whether they are reached at all depends on the value
 * (the caller compares it with the CPU's state and branches).
 *
 * To the compiler it is no barrier, as RDTSC on x86 is none: it keeps its place among volatile
 * accesses, by which the CPU's state is read and exchanged, and the CPU's address stays known
 * across it (local.h).
 */
static __always_inline u64 ku_clock_by(u32 shift)
{
	u64 count;

	asm volatile("fence r, i\n\t"
		     "csrr %0, " __stringify(CSR_TIME)
		     : "=r" (count));
	return count >> (shift & 63);
}

/* Every reading is ordered: ku_clock_by(). */
static __always_inline void ku_clock_order(void)
{
}

/* Frequency of the unshifted counter, kHz; 0 = this machine has none to use. */
static inline u64 ku_arch_clock_khz(void)
{
	return riscv_timebase / 1000;
}

/*
 * True when all CPUs read the same time, as the trace takes for granted: the architecture
 * says that they do, within one count.
 */
static inline bool ku_arch_clock_synchronous(void)
{
	return true;
}

#endif
