/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * arm64: the time counter is CNTVCT_EL0, the virtual count of the generic timer, which user
 * space reads, too. ku_clock_by() is called from every context; it must stay a handful
 * of instructions. Included by arch/clock.h.
 */
#ifndef KU_ARM64_CLOCK_H
#define KU_ARM64_CLOCK_H

#include <linux/cpumask.h>
#include <linux/percpu.h>
#include <linux/types.h>
#include <asm/alternative.h>
#include <asm/arch_timer.h>
#include <asm/cpufeature.h>
#include <asm/sysreg.h>

#define KU_CLOCK_NAME "cntvct"
/* It may count each 100 ns only: a call and its return may be in the same count. */
#define KU_COARSE_CLOCK 1
#define KU_CLOCK_ADVICE \
	"the firmware does not say how fast CNTVCT_EL0 counts, or the kernel works around an erratum of it"

/*
 * Time in counts of so many units of the counter.
 *
 * The processor may read the counter ahead of the instructions before. Then an entry could have
 * an earlier time than what another CPU did before it, and what woke a task would seem to come
 * after the task ran. The ISB, which no other barrier is the pair of, keeps the reading behind
 * what is before it; where the processor has CNTVCTSS_EL0 (ECV), that does by itself. What comes
 * behind need not be kept there: the entry depends on the value, and the CPU's state, should
 * it have been read before the time, is what an interrupt in between would have changed.
 */
static __always_inline u64 ku_clock_by(u32 shift)
{
	u64 count;

	asm volatile(ALTERNATIVE("isb\n mrs %0, cntvct_el0",
				 "nop\n" __mrs_s("%0", SYS_CNTVCTSS_EL0),
				 ARM64_HAS_ECV)
		     : "=r" (count) : : "memory");
	return count >> (shift & 63);
}

/* Every reading is ordered: ku_clock_by(). */
static __always_inline void ku_clock_order(void)
{
}

/* Frequency of the unshifted counter, kHz; 0 = this machine has none to use. */
static inline u64 ku_arch_clock_khz(void)
{
	return arch_timer_get_cntfrq() / 1000;
}

/*
 * True when all CPUs read the same time, as the trace takes for granted: the architecture
 * says that they do. Not where reading it wants a workaround, as the module has none.
 */
static inline bool ku_arch_clock_synchronous(void)
{
#ifdef CONFIG_ARM_ARCH_TIMER_OOL_WORKAROUND
	int cpu;

	for_each_possible_cpu(cpu) {
		const struct arch_timer_erratum_workaround *wa =
			per_cpu(timer_unstable_counter_workaround, cpu);

		if (wa && wa->read_cntvct_el0)
			return false;
	}
#endif
	return true;
}

#endif
