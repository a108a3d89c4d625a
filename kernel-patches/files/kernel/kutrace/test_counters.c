// SPDX-License-Identifier: GPL-2.0-only
/*
 * Reads the kernel's own counters while all CPUs are stopped with interrupts off, and at the
 * same instant puts a mark into the trace of each CPU. The trace must have as many events
 * between two marks as the counter grew between the two readings. Must not count anything
 * itself, except refused page faults, which the kernel does not count.
 *
 * The mark is the event "lock acquired" of a lock that does not exist.
 */
#include <linux/cpu.h>
#include <linux/hardirq.h>
#include <linux/interrupt.h>
#include <linux/irqnr.h>
#include <linux/kernel_stat.h>
#include <linux/kutrace.h>
#include <linux/mm.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include <linux/stop_machine.h>
#include <linux/vmstat.h>

#include "test.h"
#include "test_refused.h"

#define KU_TEST_IRQS	256

struct ku_test_cpu {
	unsigned int softirqs[NR_SOFTIRQS];
	irq_cpustat_t stat;
	unsigned long idle[KU_TEST_IDLE_STATES];
};

static struct {
	struct ku_test_cpu cpus[NR_CPUS];
	unsigned int irqs[KU_TEST_IRQS];
	unsigned long long switches;
	unsigned long faults, refused, task_refused;
	unsigned long nvcsw, nivcsw, min_flt, maj_flt;
} ku_test_now;

/* Addresses that no lock has, one for each reading. */
static char ku_test_marks[1024];
static unsigned int ku_test_readings;

static unsigned long long (*ku_test_nr_context_switches)(void);
static unsigned int (*ku_test_kstat_irqs_cpu)(unsigned int irq, int cpu);

/* Reads the counters that belong to no CPU. One CPU does this for all. */
static void __nocfi ku_test_read_common(struct task_struct *task)
{
	int cpu, irq;

	ku_test_now.switches = ku_test_nr_context_switches();
	ku_test_now.faults = 0;
	memset(ku_test_now.irqs, 0, sizeof(ku_test_now.irqs));
	for_each_possible_cpu(cpu) {
		ku_test_now.faults += per_cpu(vm_event_states, cpu).event[PGFAULT];
		/* Returns 0 for an interrupt that does not exist. */
		for (irq = 0; irq < KU_TEST_IRQS; irq++)
			ku_test_now.irqs[irq] += ku_test_kstat_irqs_cpu(irq, cpu);
	}
	ku_test_refused_read(&ku_test_now.refused, &ku_test_now.task_refused);
	ku_test_now.nvcsw = task->nvcsw;
	ku_test_now.nivcsw = task->nivcsw;
	ku_test_now.min_flt = task->min_flt;
	ku_test_now.maj_flt = task->maj_flt;
}

/* Runs on all CPUs, with interrupts off until the last CPU is done. */
static int ku_test_read(void *task)
{
	int cpu = smp_processor_id(), i;
	struct ku_test_cpu *now = &ku_test_now.cpus[cpu];

	kutrace_lock(&ku_test_marks[ku_test_readings], KUTRACE_LOCK_ACQUIRED);
	for (i = 0; i < NR_SOFTIRQS; i++)
		now->softirqs[i] = kstat_softirqs_cpu(i, cpu);
	now->stat = per_cpu(irq_stat, cpu);
	for (i = 0; i < KU_TEST_IDLE_STATES; i++)
		now->idle[i] = ku_test_idle_usage(cpu, i);
	if (cpu == cpumask_first(cpu_online_mask))
		ku_test_read_common(task);
	return 0;
}

/* The kernel has a member for each counter, or in later releases an array: see Makefile. */
#ifdef KU_TEST_IRQ_COUNTS
#define KU_TEST_COUNT(index)			counts[IRQ_COUNT_##index]
#else
#define KU_TEST_COUNT(index)			KU_TEST_COUNT_##index
#define KU_TEST_COUNT_NMI			__nmi_count
#define KU_TEST_COUNT_APIC_TIMER		apic_timer_irqs
#define KU_TEST_COUNT_SPURIOUS			irq_spurious_count
#define KU_TEST_COUNT_IRQ_WORK			apic_irq_work_irqs
#define KU_TEST_COUNT_X86_PLATFORM_IPI		x86_platform_ipis
#define KU_TEST_COUNT_RESCHEDULE		irq_resched_count
#define KU_TEST_COUNT_CALL_FUNCTION		irq_call_count
#define KU_TEST_COUNT_THERMAL_APIC		irq_thermal_count
#define KU_TEST_COUNT_THRESHOLD_APIC		irq_threshold_count
#define KU_TEST_COUNT_DEFERRED_ERROR		irq_deferred_error_count
#define KU_TEST_COUNT_POSTED_INTR		kvm_posted_intr_ipis
#define KU_TEST_COUNT_POSTED_INTR_NESTED	kvm_posted_intr_nested_ipis
#define KU_TEST_COUNT_POSTED_INTR_WAKEUP	kvm_posted_intr_wakeup_ipis
#endif

static void ku_test_show_cpu(struct seq_file *seq, int cpu)
{
	const struct ku_test_cpu *now = &ku_test_now.cpus[cpu];
	int i;

	for (i = 0; i < NR_SOFTIRQS; i++)
		seq_printf(seq, "%d softirq.%d %u\n", cpu, i, now->softirqs[i]);
	for (i = 0; i < KU_TEST_IDLE_STATES; i++)
		seq_printf(seq, "%d idle.%u %lu\n", cpu, KU_TEST_IDLE_HINT(i), now->idle[i]);
#define KU_TEST_STAT(name, index)						\
	seq_printf(seq, "%d %s %u\n", cpu, name, now->stat.KU_TEST_COUNT(index))

	KU_TEST_STAT("NMI", NMI);
	KU_TEST_STAT("LOC", APIC_TIMER);
	KU_TEST_STAT("SPU", SPURIOUS);
	KU_TEST_STAT("IWI", IRQ_WORK);
	KU_TEST_STAT("PLT", X86_PLATFORM_IPI);
	KU_TEST_STAT("RES", RESCHEDULE);
	KU_TEST_STAT("CAL", CALL_FUNCTION);
#ifdef CONFIG_X86_THERMAL_VECTOR
	KU_TEST_STAT("TRM", THERMAL_APIC);
#endif
#ifdef CONFIG_X86_MCE_THRESHOLD
	KU_TEST_STAT("THR", THRESHOLD_APIC);
#endif
#ifdef CONFIG_X86_MCE_AMD
	KU_TEST_STAT("DFR", DEFERRED_ERROR);
#endif
#if defined(CONFIG_HAVE_KVM) || IS_ENABLED(CONFIG_KVM)
	KU_TEST_STAT("PIN", POSTED_INTR);
	KU_TEST_STAT("NPI", POSTED_INTR_NESTED);
	KU_TEST_STAT("PIW", POSTED_INTR_WAKEUP);
#endif
#undef KU_TEST_STAT
}

int ku_test_counters_show(struct seq_file *seq)
{
	int cpu, irq, err;

	if (ku_test_readings == ARRAY_SIZE(ku_test_marks))
		return -ENOSPC;
	ku_test_refused_task(current);
	err = stop_machine(ku_test_read, current, cpu_online_mask);
	if (err)
		return err;
	seq_printf(seq, "- mark %u\n", ku_test_lock_number(&ku_test_marks[ku_test_readings++]));
	for_each_online_cpu(cpu)
		ku_test_show_cpu(seq, cpu);
	seq_printf(seq, "- ctxt %llu\n- pgfault %lu\n- refused %lu\n", ku_test_now.switches,
		   ku_test_now.faults, ku_test_now.refused);
	seq_printf(seq, "- task.nvcsw %lu\n- task.nivcsw %lu\n", ku_test_now.nvcsw,
		   ku_test_now.nivcsw);
	seq_printf(seq, "- task.minflt %lu\n- task.majflt %lu\n- task.refused %lu\n",
		   ku_test_now.min_flt, ku_test_now.maj_flt, ku_test_now.task_refused);
	for (irq = 0; irq < KU_TEST_IRQS; irq++)
		if (ku_test_now.irqs[irq])
			seq_printf(seq, "- irq.%d %u\n", irq, ku_test_now.irqs[irq]);
	return 0;
}

int ku_test_counters_init(void)
{
	ku_test_nr_context_switches = ku_test_symbol("nr_context_switches");
	ku_test_kstat_irqs_cpu = ku_test_symbol("kstat_irqs_cpu");
	return ku_test_nr_context_switches && ku_test_kstat_irqs_cpu ? 0 : -ENOENT;
}
