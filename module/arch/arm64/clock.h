/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * arm64: the time counter is CNTVCT_EL0, the virtual count of the generic timer, which user space
 * can also read. ku_clock_by() is used in any context and must stay a handful of instructions.
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
/* A count may take 100 ns, so a call and its return may have the same count. */
#define KU_COARSE_CLOCK 1
#define KU_CLOCK_ADVICE \
	"the firmware does not say how fast CNTVCT_EL0 counts, or the kernel works around an erratum of it"

/*
 * Returns the time in counts, each of 2^@shift ticks of the counter.
 *
 * The processor may read the counter before earlier instructions. Then an entry could get an
 * earlier time than its cause on another CPU, and a task would seem to run before it was woken. The
 * ISB, which pairs with no other barrier, orders the reading after the instructions before it.
 * Processors with CNTVCTSS_EL0 (ECV) do this without ISB. Later instructions need no ordering: the
 * entry depends on the value. If the CPU's state is read earlier than the time, an interrupt in
 * between changes the state, and the exchange fails.
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

/* Empty: ku_clock_by() orders each reading. */
static __always_inline void ku_clock_order(void)
{
}

/* Returns the frequency of the unshifted counter in kHz; 0 if the machine has no usable counter. */
static inline u64 ku_arch_clock_khz(void)
{
	return arch_timer_get_cntfrq() / 1000;
}

/*
 * Returns true if all CPUs read the same time. The architecture guarantees this, but some
 * processors have errata of the counter, for which the module has no workarounds.
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
