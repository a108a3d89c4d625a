// SPDX-License-Identifier: GPL-2.0-only
/*
 * kutrace_conserve.ko: counts the hits of the tracepoints that kutrace.ko records, on each CPU. A
 * test compares these counts with the entries, merged returns and losses of a trace. For guests
 * that are discarded afterwards, on stock kernels.
 *
 * Each tracepoint gets two probes, one called before kutrace's probe and one after it. A system
 * call can be preempted between the probes from Linux 6.13 on; then the two counts differ by the
 * calls in progress, and kutrace's count lies between them. Otherwise they are equal.
 *
 * /proc/kutrace_conserve is for root. A read stops all CPUs and marks that instant in each CPU's
 * trace by a frequency event. No CPU of a guest in QEMU ever changes its frequency
 * (exact/counters.c uses the same mark). The read gives lines
 *
 *	- mark NUMBER
 *	CPU hits KIND BEFORE AFTER	since this module was loaded
 *	CPU lost NUMBER COUNT		losses of kutrace's kind NUMBER, since its reset
 *
 * Writing "hammer" makes every CPU send nested interrupts to the others (hammer.c). "nmis" also
 * sends NMIs. "rest" ends both.
 *
 * lost_at and kinds describe where kutrace's per-CPU state has its losses by kind. They come from
 * the headers that kutrace.ko was built with (tests/stress/conserve.c prints both).
 */
#include <linux/cpu.h>
#include <linux/kprobes.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/percpu.h>
#include <linux/proc_fs.h>
#include <linux/seq_file.h>
#include <linux/stop_machine.h>
#include <linux/string.h>
#include <linux/tracepoint.h>
#include <linux/uaccess.h>
#include <trace/events/power.h>

#include "conserve.h"

/* The frequency in each mark is above this, in MHz. Each attempt of a reading adds 1. */
#define KU_CONSERVE_MARK	9001
#define KU_CONSERVE_KINDS	64
/* Maximum number of attempts: a reading is repeated if an NMI is counted during the reading. */
#define KU_CONSERVE_TRIES	100

static unsigned int lost_at;
module_param(lost_at, uint, 0400);
static unsigned int kinds;
module_param(kinds, uint, 0400);

enum ku_slot {
	KU_SLOT_SYSCALL,
	KU_SLOT_SOFTIRQ,
	KU_SLOT_IRQ,
	KU_SLOT_IPI,
	KU_SLOT_SWITCH,
	KU_SLOT_WAKEUP,
	KU_SLOT_EXIT,
	KU_SLOTS
};

static const char * const ku_slot_names[KU_SLOTS] = {
	"syscall", "softirq", "irq", "ipi", "switch", "wakeup", "exit",
};

/* The entries that kutrace makes of one hit: calls and returns, or point events. */
static struct ku_counted {
	const char *name;
	enum ku_slot slot;
	u32 entries;
	struct tracepoint *tp;
	bool in_front, behind;
} ku_counted[] = {
	{ "sys_enter", KU_SLOT_SYSCALL, 1 },
	{ "sys_exit", KU_SLOT_SYSCALL, 1 },
	{ "softirq_entry", KU_SLOT_SOFTIRQ, 1 },
	{ "softirq_exit", KU_SLOT_SOFTIRQ, 1 },
	{ "irq_handler_entry", KU_SLOT_IRQ, 1 },
	{ "irq_handler_exit", KU_SLOT_IRQ, 1 },
	{ "local_timer_entry", KU_SLOT_IRQ, 1 },
	{ "local_timer_exit", KU_SLOT_IRQ, 1 },
	{ "spurious_apic_entry", KU_SLOT_IRQ, 1 },
	{ "spurious_apic_exit", KU_SLOT_IRQ, 1 },
	{ "error_apic_entry", KU_SLOT_IRQ, 1 },
	{ "error_apic_exit", KU_SLOT_IRQ, 1 },
	{ "thermal_apic_entry", KU_SLOT_IRQ, 1 },
	{ "thermal_apic_exit", KU_SLOT_IRQ, 1 },
	{ "threshold_apic_entry", KU_SLOT_IRQ, 1 },
	{ "threshold_apic_exit", KU_SLOT_IRQ, 1 },
	{ "deferred_error_apic_entry", KU_SLOT_IRQ, 1 },
	{ "deferred_error_apic_exit", KU_SLOT_IRQ, 1 },
	/* kutrace records call and return at this tracepoint, which comes after the handler. */
	{ "nmi_handler", KU_SLOT_IRQ, 2 },
	{ "x86_platform_ipi_entry", KU_SLOT_IPI, 1 },
	{ "x86_platform_ipi_exit", KU_SLOT_IPI, 1 },
	{ "irq_work_entry", KU_SLOT_IPI, 1 },
	{ "irq_work_exit", KU_SLOT_IPI, 1 },
	{ "reschedule_entry", KU_SLOT_IPI, 1 },
	{ "reschedule_exit", KU_SLOT_IPI, 1 },
	{ "call_function_entry", KU_SLOT_IPI, 1 },
	{ "call_function_exit", KU_SLOT_IPI, 1 },
	{ "call_function_single_entry", KU_SLOT_IPI, 1 },
	{ "call_function_single_exit", KU_SLOT_IPI, 1 },
	{ "sched_switch", KU_SLOT_SWITCH, 1 },
	{ "sched_waking", KU_SLOT_WAKEUP, 1 },
	{ "sched_wakeup_new", KU_SLOT_WAKEUP, 1 },
	{ "sched_process_exit", KU_SLOT_EXIT, 1 },
};

struct ku_conserve_cpu {
	u64 in_front[KU_SLOTS], behind[KU_SLOTS];
};

/* The present counts, and the counts at the last reading. */
static DEFINE_PER_CPU(struct ku_conserve_cpu, ku_conserve_cpus);
static DEFINE_PER_CPU(struct ku_conserve_cpu, ku_conserve_read);
static DEFINE_PER_CPU(u64 [KU_CONSERVE_KINDS], ku_conserve_lost);

static DEFINE_MUTEX(ku_conserve_lock);
static unsigned int ku_conserve_mark = KU_CONSERVE_MARK;
static atomic_t ku_conserve_torn;
static unsigned long (*ku_conserve_lookup)(const char *name);
static void __percpu *ku_conserve_state;

/* ---- the probes: any context, NMI included ---- */

static void __kprobes ku_conserve_in_front(void *data)
{
	const struct ku_counted *one = data;

	this_cpu_add(ku_conserve_cpus.in_front[one->slot], one->entries);
}

static void __kprobes ku_conserve_behind(void *data)
{
	const struct ku_counted *one = data;

	this_cpu_add(ku_conserve_cpus.behind[one->slot], one->entries);
}

static void ku_conserve_find(struct tracepoint *tp, void *unused)
{
	int i;

	for (i = 0; i < ARRAY_SIZE(ku_counted); i++)
		if (!strcmp(tp->name, ku_counted[i].name))
			ku_counted[i].tp = tp;
}

static void ku_conserve_detach(void)
{
	int i;

	for (i = 0; i < ARRAY_SIZE(ku_counted); i++) {
		struct ku_counted *one = &ku_counted[i];

		if (one->behind)
			tracepoint_probe_unregister(one->tp, ku_conserve_behind, one);
		if (one->in_front)
			tracepoint_probe_unregister(one->tp, ku_conserve_in_front, one);
		one->in_front = false;
		one->behind = false;
	}
	tracepoint_synchronize_unregister();
}

/* A kernel may lack some of the tracepoints; all that it has must be counted. */
static int ku_conserve_attach(void)
{
	int i, err;

	for (i = 0; i < ARRAY_SIZE(ku_counted); i++) {
		struct ku_counted *one = &ku_counted[i];

		if (!one->tp)
			continue;
		err = tracepoint_probe_register_prio(one->tp, ku_conserve_in_front, one,
						     TRACEPOINT_DEFAULT_PRIO + 1);
		one->in_front = !err;
		if (!err) {
			err = tracepoint_probe_register_prio(one->tp, ku_conserve_behind, one,
							     TRACEPOINT_DEFAULT_PRIO - 1);
			one->behind = !err;
		}
		if (err) {
			ku_conserve_detach();
			return err;
		}
	}
	return 0;
}

/* Called on every CPU at the same time, with interrupts off. */
static int ku_conserve_zero(void *unused)
{
	memset(this_cpu_ptr(&ku_conserve_cpus), 0, sizeof(struct ku_conserve_cpu));
	return 0;
}

/* Sets the counts to 0, because one probe of each pair was attached before the other. */
static int ku_conserve_begin(void)
{
	tracepoint_synchronize_unregister();
	return stop_machine(ku_conserve_zero, NULL, cpu_online_mask);
}

/* ---- a reading ---- */

/* Called on every CPU at the same time, with interrupts off until the last CPU has finished. */
static int ku_conserve_stopped(void *unused)
{
	const struct ku_conserve_cpu *counts = this_cpu_ptr(&ku_conserve_cpus);
	struct ku_conserve_cpu *read = this_cpu_ptr(&ku_conserve_read);

	*read = *counts;
	barrier();
	memcpy(this_cpu_ptr(&ku_conserve_lost), this_cpu_ptr(ku_conserve_state) + lost_at,
	       kinds * sizeof(u64));
	barrier();
	trace_cpu_frequency(ku_conserve_mark * 1000, smp_processor_id());
	barrier();
	/* Only an NMI can have counted in between. */
	if (memcmp(read, counts, sizeof(*read)))
		atomic_inc(&ku_conserve_torn);
	return 0;
}

static int ku_conserve_take(void)
{
	int tries, err;

	for (tries = 0; tries < KU_CONSERVE_TRIES; tries++) {
		atomic_set(&ku_conserve_torn, 0);
		ku_conserve_mark++;
		err = stop_machine(ku_conserve_stopped, NULL, cpu_online_mask);
		if (err)
			return err;
		if (!atomic_read(&ku_conserve_torn))
			return 0;
	}
	return -EAGAIN;
}

static int ku_conserve_show(struct seq_file *seq, void *unused)
{
	int err, cpu, i;

	mutex_lock(&ku_conserve_lock);
	err = ku_conserve_take();
	if (!err)
		seq_printf(seq, "- mark %u\n", ku_conserve_mark);
	/* Offline CPUs show their counts up to when they went offline. */
	for_each_possible_cpu(cpu) {
		const struct ku_conserve_cpu *read = per_cpu_ptr(&ku_conserve_read, cpu);

		if (err)
			break;
		for (i = 0; i < KU_SLOTS; i++)
			seq_printf(seq, "%d hits %s %llu %llu\n", cpu, ku_slot_names[i],
				   read->in_front[i], read->behind[i]);
		for (i = 0; i < kinds; i++)
			seq_printf(seq, "%d lost %d %llu\n", cpu, i,
				   (*per_cpu_ptr(&ku_conserve_lost, cpu))[i]);
	}
	mutex_unlock(&ku_conserve_lock);
	return err;
}

/* ---- the file ---- */

static ssize_t ku_conserve_write(struct file *file, const char __user *buf, size_t len,
				 loff_t *pos)
{
	char text[16];
	int err = 0;

	if (!len || len >= sizeof(text))
		return -EINVAL;
	if (copy_from_user(text, buf, len))
		return -EFAULT;
	text[len] = 0;
	strim(text);
	mutex_lock(&ku_conserve_lock);
	if (!strcmp(text, "hammer"))
		err = ku_conserve_hammer_start(false);
	else if (!strcmp(text, "nmis"))
		err = ku_conserve_hammer_start(true);
	else if (!strcmp(text, "rest"))
		ku_conserve_hammer_stop();
	else
		err = -EINVAL;
	mutex_unlock(&ku_conserve_lock);
	return err ?: (ssize_t)len;
}

/* Reserve enough room for the whole output, so that the function is not called a second time. */
static int ku_conserve_open(struct inode *inode, struct file *file)
{
	return single_open_size(file, ku_conserve_show, NULL,
				(size_t)(num_possible_cpus() + 1) * 4096);
}

static const struct proc_ops ku_conserve_ops = {
	.proc_open = ku_conserve_open,
	.proc_read = seq_read,
	.proc_lseek = seq_lseek,
	.proc_release = single_release,
	.proc_write = ku_conserve_write,
};

/* Uses a kprobe, which finds the function's address even though the function is not exported. */
static int ku_conserve_find_lookup(void)
{
	struct kprobe probe = { .symbol_name = "kallsyms_lookup_name" };
	int err = register_kprobe(&probe);

	if (err)
		return err;
	ku_conserve_lookup = (void *)probe.addr;
	unregister_kprobe(&probe);
	return 0;
}

static void *ku_conserve_symbol(const char *name)
{
	return (void *)ku_conserve_lookup(name);
}

/* kutrace.ko must be loaded before this module, and stay loaded. */
static int __init ku_conserve_init(void)
{
	int err;

	if (!lost_at || !kinds || kinds > KU_CONSERVE_KINDS)
		return -EINVAL;
	err = ku_conserve_find_lookup();
	if (err)
		return err;
	ku_conserve_state = (void __percpu *)ku_conserve_lookup("ku_cpu");
	if (!ku_conserve_state)
		return -ENOENT;
	err = ku_conserve_hammer_init(ku_conserve_symbol);
	if (err)
		return err;
	for_each_kernel_tracepoint(ku_conserve_find, NULL);
	err = ku_conserve_attach();
	if (!err) {
		err = ku_conserve_begin();
		if (err)
			ku_conserve_detach();
	}
	if (!err && !proc_create("kutrace_conserve", 0600, NULL, &ku_conserve_ops)) {
		ku_conserve_detach();
		err = -ENOMEM;
	}
	if (err)
		ku_conserve_hammer_exit();
	return err;
}

static void __exit ku_conserve_exit(void)
{
	remove_proc_entry("kutrace_conserve", NULL);
	ku_conserve_hammer_stop();
	ku_conserve_detach();
	ku_conserve_hammer_exit();
}

module_init(ku_conserve_init);
module_exit(ku_conserve_exit);
MODULE_DESCRIPTION("Counts what kutrace.ko has to record, for its tests");
MODULE_LICENSE("GPL");
