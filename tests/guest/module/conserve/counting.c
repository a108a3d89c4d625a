// SPDX-License-Identifier: GPL-2.0-only
/*
 * kutrace_conserve.ko: counts by itself how often the tracepoints are hit that kutrace.ko
 * records, on each CPU, so that a test can ask whether every hit is an entry, merged, or counted
 * as lost. For guests that are thrown away, and stock kernels.
 *
 * Each tracepoint gets two probes, one that is called in front of kutrace's and one behind it.
 * Where a tracepoint can be preempted between its probes (system calls, from Linux 6.13 on), the
 * two counts differ by what was under way, and what kutrace saw lies between them; else they are
 * the same.
 *
 * /proc/kutrace_conserve, for root. A read stops all CPUs, marks that instant in each CPU's trace
 * by a frequency, which no CPU of a guest in QEMU ever changes (as exact/counters.c does), and
 * gives lines
 *
 *	- mark NUMBER
 *	CPU hits KIND IN_FRONT BEHIND	since this module was loaded
 *	CPU lost NUMBER COUNT		of kutrace's kind of that number, since its reset
 *
 * A write "hammer" has every CPU send interrupts to the others and nest them (hammer.c), "nmis"
 * sends NMIs, too, "rest" ends that.
 *
 * lost_at and kinds are where kutrace's state of a CPU has its losses by kind, as the same headers
 * say that kutrace.ko was built with (tests/stress/conserve.c prints both).
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

/* The first reading's mark, in MHz; each reading has one more. */
#define KU_CONSERVE_MARK	9001
#define KU_CONSERVE_KINDS	64
/* An NMI in the middle of a reading is in one of its parts and not in the other: then again. */
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

/* What kutrace makes of one hit: so many calls and returns, or points. */
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
	/* Comes when the handler has run, and becomes its call and its return. */
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

/* As they are counted, and as the last reading found them. */
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

/* A kernel need not have all of them; what it has must be counted. */
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

/* On every CPU, all of them with interrupts off. */
static int ku_conserve_zero(void *unused)
{
	memset(this_cpu_ptr(&ku_conserve_cpus), 0, sizeof(struct ku_conserve_cpu));
	return 0;
}

/* From when on both probes of each count: one was attached before the other. */
static int ku_conserve_begin(void)
{
	tracepoint_synchronize_unregister();
	return stop_machine(ku_conserve_zero, NULL, cpu_online_mask);
}

/* ---- a reading ---- */

/* On every CPU, all of them with interrupts off until the last is done. */
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
	/* Only an NMI can have come in between. */
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
	/* Of those that are offline what they had counted by then. */
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

/* Room for all of it, so that it is not taken a second time. */
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

/* A probe knows the address of what it is put on, exported or not. */
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

/* kutrace.ko must be loaded, and stay so. */
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
