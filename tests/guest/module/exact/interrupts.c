// SPDX-License-Identifier: GPL-2.0-only
/* x86: reads the kernel's counters of interrupts by vector; see counters.c. */
#include <linux/errno.h>
#include <linux/hardirq.h>
#include <linux/percpu.h>
#include <linux/seq_file.h>

#include "exact.h"

static DEFINE_PER_CPU(irq_cpustat_t, ku_exact_stats);
static irq_cpustat_t __percpu *ku_exact_irq_stat;

int ku_exact_interrupts_init(void)
{
	/* The conversion by a number avoids a warning about different address spaces. */
	ku_exact_irq_stat = (irq_cpustat_t __percpu *)(unsigned long)ku_exact_symbol("irq_stat");
	return ku_exact_irq_stat ? 0 : -ENOENT;
}

void ku_exact_interrupts_read(int cpu)
{
	per_cpu(ku_exact_stats, cpu) = *per_cpu_ptr(ku_exact_irq_stat, cpu);
}

bool ku_exact_interrupts_own(unsigned int irq)
{
	return false;
}

#ifdef KU_EXACT_STAT_ARRAY
#define KU_EXACT_STAT(name, member, index)					\
	seq_printf(seq, "%d %s %u\n", cpu, name, stat->counts[IRQ_COUNT_##index])
#else
#define KU_EXACT_STAT(name, member, index)					\
	seq_printf(seq, "%d %s %u\n", cpu, name, stat->member)
#endif

void ku_exact_interrupts_show(struct seq_file *seq, int cpu)
{
	const irq_cpustat_t *stat = &per_cpu(ku_exact_stats, cpu);

	KU_EXACT_STAT("NMI", __nmi_count, NMI);
	KU_EXACT_STAT("LOC", apic_timer_irqs, APIC_TIMER);
	KU_EXACT_STAT("SPU", irq_spurious_count, SPURIOUS);
	KU_EXACT_STAT("IWI", apic_irq_work_irqs, IRQ_WORK);
	KU_EXACT_STAT("PLT", x86_platform_ipis, X86_PLATFORM_IPI);
	KU_EXACT_STAT("RES", irq_resched_count, RESCHEDULE);
	KU_EXACT_STAT("CAL", irq_call_count, CALL_FUNCTION);
#ifdef CONFIG_X86_THERMAL_VECTOR
	KU_EXACT_STAT("TRM", irq_thermal_count, THERMAL_APIC);
#endif
#ifdef CONFIG_X86_MCE_THRESHOLD
	KU_EXACT_STAT("THR", irq_threshold_count, THRESHOLD_APIC);
#endif
#ifdef CONFIG_X86_MCE_AMD
	KU_EXACT_STAT("DFR", irq_deferred_error_count, DEFERRED_ERROR);
#endif
}
