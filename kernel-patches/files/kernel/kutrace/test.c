// SPDX-License-Identifier: GPL-2.0-only
/*
 * kutrace_test.ko does what the tests of the hooks cannot do from user space. It causes a
 * given number of exceptions, interrupts, softirqs, lock contentions, idle states and
 * frequency changes, and reads the kernel's own counters of all CPUs at one instant. Must be
 * used only in disposable virtual machines.
 *
 * /proc/kutrace_test is for root. A write of "WHAT NUMBER COUNT" causes COUNT events of the
 * kind WHAT, and fails if it cannot. A read returns a line for each counter: CPU WHAT VALUE.
 * CPU is "-" if the counter belongs to no CPU.
 */
#include <linux/kprobes.h>
#include <linux/ktime.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/proc_fs.h>
#include <linux/seq_file.h>
#include <linux/uaccess.h>

#include "test.h"
#include "test_refused.h"

static unsigned long (*ku_test_lookup)(const char *name);
static DEFINE_MUTEX(ku_test_mutex);

static const struct {
	const char *name;
	int (*make)(unsigned int number, unsigned int count);
} ku_test_kinds[] = {
	{ "exception", ku_test_exception },
	{ "vector", ku_test_vector },
	{ "softirq", ku_test_softirq },
	{ "irq_work", ku_test_irq_work },
	{ "call", ku_test_call },
	{ "idle", ku_test_idle },
	{ "freq", ku_test_freq },
	{ "free_irq", ku_test_free_irq },
	{ "refused", ku_test_refused },
};

__nocfi void *ku_test_symbol(const char *name)
{
	return (void *)ku_test_lookup(name);
}

void ku_test_delay_ms(unsigned int ms)
{
	u64 end = ktime_get_mono_fast_ns() + (u64)ms * NSEC_PER_MSEC;

	while (ktime_get_mono_fast_ns() < end)
		cpu_relax();
}

/* Returns 0 while kutrace.ko, which has the key of the hash, is not loaded. */
u32 __nocfi ku_test_lock_number(const void *lock)
{
	u32 (*number)(const void *lock) = ku_test_symbol("ku_lock_number");

	return number ? number(lock) : 0;
}

/* A probe has the address of its function, after ENDBR, even if the function is not exported. */
static int ku_test_find_lookup(void)
{
	struct kprobe probe = { .symbol_name = "kallsyms_lookup_name" };
	int err = register_kprobe(&probe);

	if (err)
		return err;
	ku_test_lookup = (void *)probe.addr;
	unregister_kprobe(&probe);
	return 0;
}

static int ku_test_make(const char *what, unsigned int number, unsigned int count)
{
	int i;

	for (i = 0; i < ARRAY_SIZE(ku_test_kinds); i++)
		if (!strcmp(what, ku_test_kinds[i].name))
			return ku_test_kinds[i].make(number, count);
	return ku_test_lock(what, count);
}

static ssize_t ku_test_write(struct file *file, const char __user *buf, size_t len,
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
	mutex_lock(&ku_test_mutex);
	err = ku_test_make(what, number, count);
	mutex_unlock(&ku_test_mutex);
	return err ?: len;
}

static int ku_test_show(struct seq_file *seq, void *unused)
{
	int err;

	mutex_lock(&ku_test_mutex);
	err = ku_test_counters_show(seq);
	ku_test_lock_show(seq);
	ku_test_power_show(seq);
	mutex_unlock(&ku_test_mutex);
	return err;
}

/* The buffer is large enough for all lines: otherwise the counters would be read twice. */
static int ku_test_open(struct inode *inode, struct file *file)
{
	return single_open_size(file, ku_test_show, NULL, 65536);
}

static const struct proc_ops ku_test_proc = {
	.proc_open = ku_test_open,
	.proc_read = seq_read,
	.proc_lseek = seq_lseek,
	.proc_release = single_release,
	.proc_write = ku_test_write,
};

static int __init ku_test_init(void)
{
	int err = ku_test_find_lookup();

	if (!err)
		err = ku_test_counters_init();
	if (!err)
		err = ku_test_fire_init();
	if (err)
		return err;
	if (!proc_create("kutrace_test", 0600, NULL, &ku_test_proc)) {
		ku_test_fire_exit();
		return -ENOMEM;
	}
	return 0;
}

static void __exit ku_test_exit(void)
{
	remove_proc_entry("kutrace_test", NULL);
	ku_test_refused(0, 0);
	ku_test_power_exit();
	ku_test_fire_exit();
}

module_init(ku_test_init);
module_exit(ku_test_exit);
MODULE_DESCRIPTION("Tests of KUtrace's hooks");
MODULE_LICENSE("GPL");
