// SPDX-License-Identifier: GPL-2.0-only
/*
 * arm64 and riscv64: reads the counters of interrupts between CPUs; see counters.c. These
 * interrupts have consecutive irq numbers, in the order in which the kernel lists their purposes.
 * On arm64, and on riscv64 with 6.12, the name of their action is IPI; on riscv64 with 7.2 it is
 * the purpose.
 */
#include <linux/errno.h>
#include <linux/interrupt.h>
#include <linux/irqdesc.h>
#include <linux/kernel.h>
#include <linux/percpu.h>
#include <linux/seq_file.h>
#include <linux/string.h>

#include "exact.h"

#define KU_EXACT_IPIS	6

static const char * const ku_exact_ipi_names[KU_EXACT_IPIS] = {
	[0] = "RES", [1] = "CAL",
#ifdef CONFIG_RISCV
	[4] = "IWI", [5] = "TBC",
#else
	[4] = "TBC", [5] = "IWI",
#endif
};

static DEFINE_PER_CPU(unsigned int [KU_EXACT_IPIS], ku_exact_ipis);
static unsigned int ku_exact_first;
static unsigned int (*ku_exact_kstat)(unsigned int irq, int cpu);

/* The names in /proc/interrupts of riscv64. */
static bool ku_exact_says_what_for(const char *name)
{
	static const char * const names[] = {
		"Rescheduling interrupts", "Function call interrupts", "CPU stop interrupts",
		"CPU stop (for crash dump) interrupts", "IRQ work interrupts",
		"Timer broadcast interrupts", "CPU backtrace interrupts",
		"KGDB roundup interrupts",
	};

	return match_string(names, ARRAY_SIZE(names), name) >= 0;
}

bool ku_exact_interrupts_own(unsigned int irq)
{
	struct irq_data *data = irq_get_irq_data(irq);
	struct irqaction *action = data ? irq_data_to_desc(data)->action : NULL;

	return action && action->name &&
		(!strcmp(action->name, "IPI") ||
		 (IS_ENABLED(CONFIG_RISCV) && ku_exact_says_what_for(action->name)));
}

int ku_exact_interrupts_init(void)
{
	unsigned int irq;

	ku_exact_kstat = ku_exact_symbol("kstat_irqs_cpu");
	for (irq = 0; irq < 256; irq++) {
		if (!ku_exact_interrupts_own(irq))
			continue;
		ku_exact_first = irq;
		return ku_exact_kstat ? 0 : -ENOENT;
	}
	return -ENOENT;
}

void __nocfi ku_exact_interrupts_read(int cpu)
{
	unsigned int i;

	for (i = 0; i < KU_EXACT_IPIS; i++)
		per_cpu(ku_exact_ipis, cpu)[i] = ku_exact_kstat(ku_exact_first + i, cpu);
}

void ku_exact_interrupts_show(struct seq_file *seq, int cpu)
{
	unsigned int i;

	for (i = 0; i < KU_EXACT_IPIS; i++)
		if (ku_exact_ipi_names[i])
			seq_printf(seq, "%d %s %u\n", cpu, ku_exact_ipi_names[i],
				   per_cpu(ku_exact_ipis, cpu)[i]);
}
