// SPDX-License-Identifier: GPL-2.0-only
/*
 * kutrace_test.ko for stock kernels, and for patched kernels of other architectures than x86-64.
 * Corresponds to test_counters.c of the patched kernel, but uses only functions of a stock kernel.
 * Reads the kernel's own counters while every CPU stands still with interrupts off, and marks that
 * instant in the trace of each CPU. Between two marks, the trace must show exactly what the
 * counters grew by. For guests that are discarded afterwards. The module must count nothing itself,
 * except page faults that the kernel refuses, which the kernel does not count.
 *
 * The mark is the event of a frequency change: no CPU of a guest in QEMU ever changes its
 * frequency.
 *
 * /proc/kutrace_test is for root. Writing "WHAT NUMBER COUNT" makes COUNT events of the kind WHAT,
 * and fails if that is impossible. Reading gives the counters in lines CPU WHAT VALUE; CPU is "-"
 * for counters of the whole machine.
 */
#include <linux/cpu.h>
#include <linux/interrupt.h>
#include <linux/irq.h>
#include <linux/irqdesc.h>
#include <linux/kernel_stat.h>
#include <linux/kprobes.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/proc_fs.h>
#include <linux/sched.h>
#include <linux/seq_file.h>
#include <linux/stop_machine.h>
#include <linux/string.h>
#include <linux/tracepoint.h>
#include <linux/uaccess.h>
#include <linux/vmstat.h>
#ifdef CONFIG_KUTRACE
#include <linux/kutrace.h>
#endif
#include <trace/events/power.h>

#include "exact.h"
#include "test_refused.h"

#define KU_EXACT_IRQS	256
/* The mark of the first reading, in MHz. Each further reading adds one. */
#define KU_EXACT_MARK	7001

struct ku_exact_cpu {
	unsigned int softirqs[NR_SOFTIRQS];
	unsigned long idle[KU_EXACT_IDLE_STATES];
};

static DEFINE_PER_CPU(struct ku_exact_cpu, ku_exact_cpus);

static struct {
	unsigned int irqs[KU_EXACT_IRQS];
	unsigned int actions[KU_EXACT_IRQS];
	unsigned long long switches;
	unsigned long faults, refused, task_refused;
	unsigned long nvcsw, nivcsw, min_flt, maj_flt;
} ku_exact_now;

static DEFINE_MUTEX(ku_exact_lock);
static unsigned int ku_exact_mark = KU_EXACT_MARK;

static unsigned long (*ku_exact_lookup)(const char *name);
static unsigned long long (*ku_exact_nr_context_switches)(void);
static unsigned int (*ku_exact_kstat_irqs_cpu)(unsigned int irq, int cpu);

__nocfi void *ku_exact_symbol(const char *name)
{
	return (void *)ku_exact_lookup(name);
}

/*
 * Uses a kprobe, which finds the function's address even though the function is not exported.
 * riscv64 before 7.2 accepts no probe on the first eight bytes, which ftrace patches.
 */
static int ku_exact_find_lookup(void)
{
	unsigned int behind;
	int err = -EINVAL;

	for (behind = 0; behind <= 8 && err; behind += 8) {
		struct kprobe probe = { .symbol_name = "kallsyms_lookup_name", .offset = behind };

		err = register_kprobe(&probe);
		if (err)
			continue;
		ku_exact_lookup = (void *)probe.addr - behind;
		unregister_kprobe(&probe);
	}
	return err;
}

/* ---- how the kernel shows interrupts ---- */

/* True if tracepoints show a device interrupt, or an NMI, as a whole. */
static bool ku_exact_whole_irqs, ku_exact_whole_nmis;

static void ku_exact_match(struct tracepoint *tp, void *unused)
{
	ku_exact_whole_irqs |= !strcmp(tp->name, "device_interrupt_entry");
	ku_exact_whole_nmis |= !strcmp(tp->name, "nmi_entry");
}

/* ---- all counters at one instant ---- */

/* Returns how often an interrupt of this line is shown: once for each of its handlers, or once as a whole. */
static unsigned int ku_exact_actions(unsigned int irq)
{
	struct irq_data *data = irq_get_irq_data(irq);
	struct irqaction *action = data ? irq_data_to_desc(data)->action : NULL;
	unsigned int n = 0;

	if (IS_ENABLED(CONFIG_KUTRACE) || ku_exact_whole_irqs)
		return 1;
	for (; action; action = action->next)
		n++;
	return n;
}

/* Reads the counters that belong to no CPU. Called on one CPU. */
static void __nocfi ku_exact_read_common(struct task_struct *task)
{
	int cpu, irq;

	memset(&ku_exact_now, 0, sizeof(ku_exact_now));
	ku_exact_now.switches = ku_exact_nr_context_switches();
	for_each_possible_cpu(cpu) {
		ku_exact_now.faults += per_cpu(vm_event_states, cpu).event[PGFAULT];
		for (irq = 0; irq < KU_EXACT_IRQS; irq++)
			ku_exact_now.irqs[irq] += ku_exact_kstat_irqs_cpu(irq, cpu);
	}
	for (irq = 0; irq < KU_EXACT_IRQS; irq++)
		ku_exact_now.actions[irq] = ku_exact_actions(irq);
	ku_test_refused_read(&ku_exact_now.refused, &ku_exact_now.task_refused);
	ku_exact_now.nvcsw = task->nvcsw;
	ku_exact_now.nivcsw = task->nivcsw;
	ku_exact_now.min_flt = task->min_flt;
	ku_exact_now.maj_flt = task->maj_flt;
}

/* A patched kernel has a hook after the tracepoint, and its module uses that hook. */
static void ku_exact_mark_cpu(int cpu)
{
#ifdef CONFIG_KUTRACE
	kutrace_frequency(cpu, ku_exact_mark * 1000);
#else
	trace_cpu_frequency(ku_exact_mark * 1000, cpu);
#endif
}

/* Called on every CPU at the same time, with interrupts off until the last CPU has finished. */
static int ku_exact_read(void *task)
{
	int cpu = smp_processor_id(), i;
	struct ku_exact_cpu *now = &per_cpu(ku_exact_cpus, cpu);

	ku_exact_mark_cpu(cpu);
	for (i = 0; i < NR_SOFTIRQS; i++)
		now->softirqs[i] = kstat_softirqs_cpu(i, cpu);
	ku_exact_interrupts_read(cpu);
	for (i = 0; i < KU_EXACT_IDLE_STATES; i++)
		now->idle[i] = ku_exact_idle_usage(cpu, i);
	if (cpu == cpumask_first(cpu_online_mask))
		ku_exact_read_common(task);
	return 0;
}

static void ku_exact_show_cpu(struct seq_file *seq, int cpu)
{
	const struct ku_exact_cpu *now = &per_cpu(ku_exact_cpus, cpu);
	int i;

	for (i = 0; i < NR_SOFTIRQS; i++)
		seq_printf(seq, "%d softirq.%d %u\n", cpu, i, now->softirqs[i]);
	for (i = 0; i < KU_EXACT_IDLE_STATES; i++)
		seq_printf(seq, "%d idle.%d %lu\n", cpu, i, now->idle[i]);
	ku_exact_interrupts_show(seq, cpu);
}

static void ku_exact_show_all(struct seq_file *seq)
{
	int cpu, irq;

	seq_printf(seq, "- mark %u\n- mark.freq 1\n", ku_exact_mark++);
	seq_printf(seq, "- preempt_rt %d\n", IS_ENABLED(CONFIG_PREEMPT_RT));
	seq_printf(seq, "- nmi.whole %d\n", ku_exact_whole_nmis);
	for_each_online_cpu(cpu)
		ku_exact_show_cpu(seq, cpu);
	seq_printf(seq, "- ctxt %llu\n- pgfault %lu\n- refused %lu\n", ku_exact_now.switches,
		   ku_exact_now.faults, ku_exact_now.refused);
	seq_printf(seq, "- task.nvcsw %lu\n- task.nivcsw %lu\n", ku_exact_now.nvcsw,
		   ku_exact_now.nivcsw);
	seq_printf(seq, "- task.minflt %lu\n- task.majflt %lu\n- task.refused %lu\n",
		   ku_exact_now.min_flt, ku_exact_now.maj_flt, ku_exact_now.task_refused);
	for (irq = 0; irq < KU_EXACT_IRQS; irq++)
		if (ku_exact_now.irqs[irq] && !ku_exact_interrupts_own(irq))
			seq_printf(seq, "- irq.%d %u\n- actions.%d %u\n", irq,
				   ku_exact_now.irqs[irq], irq, ku_exact_now.actions[irq]);
}

static int ku_exact_show(struct seq_file *seq, void *unused)
{
	int err;

	mutex_lock(&ku_exact_lock);
	ku_test_refused_task(current);
	err = stop_machine(ku_exact_read, current, cpu_online_mask);
	if (!err)
		ku_exact_show_all(seq);
	mutex_unlock(&ku_exact_lock);
	return err;
}

/* ---- the file ---- */

static ssize_t ku_exact_write(struct file *file, const char __user *buf, size_t len,
			      loff_t *pos)
{
	unsigned int number, count;
	char text[64], what[16];
	int err;

	if (len >= sizeof(text))
		return -EINVAL;
	if (copy_from_user(text, buf, len))
		return -EFAULT;
	text[len] = 0;
	if (sscanf(text, "%15s %u %u", what, &number, &count) != 3)
		return -EINVAL;
	mutex_lock(&ku_exact_lock);
	err = ku_exact_make(what, number, count);
	mutex_unlock(&ku_exact_lock);
	return err ?: (ssize_t)len;
}

/* Reserve enough room for the whole output, so that the counters are not read a second time. */
static int ku_exact_open(struct inode *inode, struct file *file)
{
	return single_open_size(file, ku_exact_show, NULL, 65536);
}

static const struct proc_ops ku_exact_ops = {
	.proc_open = ku_exact_open,
	.proc_read = seq_read,
	.proc_lseek = seq_lseek,
	.proc_release = single_release,
	.proc_write = ku_exact_write,
};

static int __init ku_exact_init(void)
{
	int err = ku_exact_find_lookup();

	if (err)
		return err;
	for_each_kernel_tracepoint(ku_exact_match, NULL);
	ku_exact_nr_context_switches = ku_exact_symbol("nr_context_switches");
	ku_exact_kstat_irqs_cpu = ku_exact_symbol("kstat_irqs_cpu");
	if (!ku_exact_nr_context_switches || !ku_exact_kstat_irqs_cpu)
		return -ENOENT;
	err = ku_exact_interrupts_init();
	if (!err)
		err = ku_exact_make_init();
	if (!err && !proc_create("kutrace_test", 0600, NULL, &ku_exact_ops)) {
		ku_exact_make_exit();
		err = -ENOMEM;
	}
	return err;
}

static void __exit ku_exact_exit(void)
{
	remove_proc_entry("kutrace_test", NULL);
	ku_exact_idle(0);
	ku_exact_make_exit();
	ku_test_refused(0, 0);
}

module_init(ku_exact_init);
module_exit(ku_exact_exit);
MODULE_DESCRIPTION("The kernel's counters at one instant, for tests of KUtrace");
MODULE_LICENSE("GPL");
