// SPDX-License-Identifier: GPL-2.0-only
/*
 * kutrace_test_probe.ko puts kprobes on any number of functions by their names. Must be used
 * only in disposable virtual machines. Does not depend on kutrace, and can be built for any
 * kernel.
 *
 * /proc/kutrace_test_probe is for root. A write of "MODULE:FUNCTION" puts a probe there, or
 * fails with the kernel's error (EINVAL if no probe may be there). A read returns "PROBES
 * HITS". Unloading the module removes the probes.
 */
#include <linux/atomic.h>
#include <linux/kprobes.h>
#include <linux/list.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/proc_fs.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/uaccess.h>

struct ku_test_probe {
	struct list_head list;
	struct kprobe probe;
	char name[KSYM_NAME_LEN];
};

static LIST_HEAD(ku_test_probes);
static DEFINE_MUTEX(ku_test_probes_lock);
static unsigned int ku_test_probe_count;
static atomic_long_t ku_test_hits;

static int ku_test_hit(struct kprobe *probe, struct pt_regs *regs)
{
	atomic_long_inc(&ku_test_hits);
	return 0;
}

NOKPROBE_SYMBOL(ku_test_hit);

static int ku_test_add(const char *name)
{
	struct ku_test_probe *one = kzalloc(sizeof(*one), GFP_KERNEL);
	int err;

	if (!one)
		return -ENOMEM;
	strscpy(one->name, name, sizeof(one->name));
	one->probe.symbol_name = one->name;
	one->probe.pre_handler = ku_test_hit;
	err = register_kprobe(&one->probe);
	if (err) {
		kfree(one);
		return err;
	}
	list_add(&one->list, &ku_test_probes);
	ku_test_probe_count++;
	return 0;
}

static ssize_t ku_test_write(struct file *file, const char __user *buf, size_t len,
			     loff_t *pos)
{
	char name[KSYM_NAME_LEN];
	int err;

	if (!len || len >= sizeof(name))
		return -EINVAL;
	if (copy_from_user(name, buf, len))
		return -EFAULT;
	name[len] = 0;
	mutex_lock(&ku_test_probes_lock);
	err = ku_test_add(strim(name));
	mutex_unlock(&ku_test_probes_lock);
	return err ?: (ssize_t)len;
}

static int ku_test_show(struct seq_file *seq, void *unused)
{
	seq_printf(seq, "%u %ld\n", READ_ONCE(ku_test_probe_count),
		   atomic_long_read(&ku_test_hits));
	return 0;
}

static int ku_test_open(struct inode *inode, struct file *file)
{
	return single_open(file, ku_test_show, NULL);
}

static const struct proc_ops ku_test_ops = {
	.proc_open = ku_test_open,
	.proc_read = seq_read,
	.proc_write = ku_test_write,
	.proc_lseek = seq_lseek,
	.proc_release = single_release,
};

static int __init ku_test_init(void)
{
	return proc_create("kutrace_test_probe", 0600, NULL, &ku_test_ops) ? 0 : -ENOMEM;
}

static void __exit ku_test_exit(void)
{
	struct ku_test_probe *one, *next;

	remove_proc_entry("kutrace_test_probe", NULL);
	list_for_each_entry_safe(one, next, &ku_test_probes, list) {
		unregister_kprobe(&one->probe);
		kfree(one);
	}
}

module_init(ku_test_init);
module_exit(ku_test_exit);
MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("Test of KUtrace: kprobes by name");
