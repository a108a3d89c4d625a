// SPDX-License-Identifier: GPL-2.0-only
/*
 * Lets the N-th allocation of kutrace.ko fail, and no other allocation of the machine. Does the
 * same as failslab and fail_page_alloc, which no distribution's kernel has. Only for guests that
 * are discarded afterwards.
 *
 * The module puts a kprobe at the beginning of each function that allocates memory for a module, or
 * that registers something and needs memory for it. If the caller is in kutrace, the function
 * immediately returns its result for missing memory.
 *
 * /proc/kutrace_fail is for root. After N is written, the N-th such call fails, and only this one;
 * 0: none. Reading gives "CALLS FAILED FUNCTION": the number of calls since the write, whether a
 * call has failed, and in which function ("-": none).
 */
#include <linux/atomic.h>
#include <linux/err.h>
#include <linux/kprobes.h>
#include <linux/module.h>
#include <linux/proc_fs.h>
#include <linux/ptrace.h>
#include <linux/seq_file.h>
#include <linux/string.h>
#include <linux/uaccess.h>

struct ku_fail {
	const char *name;
	long result;
	struct kprobe probe;
	bool on;
};

/* No kernel has all of these functions: those in one line are from different releases. */
static struct ku_fail ku_fails[] = {
	{ "__kmalloc" }, { "__kmalloc_noprof" }, { "__kmalloc_node" }, { "__kmalloc_node_noprof" },
	{ "kmalloc_trace" }, { "__kmalloc_cache_noprof" },
	{ "kmalloc_large" }, { "__kmalloc_large_noprof" },
	{ "kmalloc_node_trace" }, { "__kmalloc_cache_node_noprof" },
	{ "kvmalloc_node" }, { "__kvmalloc_node_noprof" },
	{ "vmalloc" }, { "vmalloc_noprof" }, { "vzalloc" }, { "vzalloc_noprof" },
	{ "__vmalloc" }, { "__vmalloc_noprof" },
	{ "alloc_pages" }, { "__alloc_pages" },
	{ "alloc_pages_noprof" }, { "__alloc_pages_noprof" },
	{ "__get_free_pages" }, { "get_free_pages_noprof" },
	{ "__alloc_percpu" }, { "__alloc_percpu_gfp" }, { "pcpu_alloc_noprof" },
	{ "alloc_workqueue" }, { "alloc_workqueue_noprof" },
	{ "__class_create", -ENOMEM }, { "class_create", -ENOMEM },
	{ "device_create", -ENOMEM },
	{ "misc_register", -ENOMEM }, { "alloc_chrdev_region", -ENOMEM }, { "cdev_add", -ENOMEM },
	{ "__xa_alloc_cyclic", -ENOMEM },
	{ "tracepoint_probe_register", -ENOMEM }, { "tracepoint_probe_register_prio", -ENOMEM },
	{ "register_kprobe", -ENOMEM }, { "register_kretprobe", -ENOMEM },
	{ "proc_create" },
};

static atomic_t ku_fail_at = ATOMIC_INIT(0);
static atomic_t ku_fail_calls = ATOMIC_INIT(0);
static atomic_t ku_fail_failed = ATOMIC_INIT(0);
static const char *ku_fail_which;

/* __module_address(), which is not exported. */
static struct module *(*ku_fail_module_of)(unsigned long address);

/* The CPU continues here instead of executing a function. */
static noinline notrace void ku_fail_return(void)
{
	barrier();
}

static bool __kprobes ku_fail_of_kutrace(unsigned long address)
{
	struct module *module;
	bool is;

	preempt_disable_notrace();
	module = ku_fail_module_of(address);
	is = module && !strcmp(module->name, "kutrace");
	preempt_enable_notrace();
	return is;
}

static int __kprobes ku_fail_hit(struct kprobe *probe, struct pt_regs *regs)
{
	const struct ku_fail *one = container_of(probe, struct ku_fail, probe);
	unsigned long caller = *(const unsigned long *)regs->sp;

	if (!ku_fail_of_kutrace(caller))
		return 0;
	if (atomic_inc_return(&ku_fail_calls) != atomic_read(&ku_fail_at))
		return 0;
	WRITE_ONCE(ku_fail_which, one->name);
	atomic_inc(&ku_fail_failed);
	regs->ax = (unsigned long)one->result;
	regs->ip = (unsigned long)ku_fail_return;
	return 1;
}

/*
 * A post-handler that does nothing. With it, the kernel does not optimize the probe to a jump, and
 * only then can the pre-handler make the function return.
 */
static void __kprobes ku_fail_behind(struct kprobe *probe, struct pt_regs *regs,
				     unsigned long flags)
{
}

static ssize_t ku_fail_write(struct file *file, const char __user *buf, size_t len, loff_t *pos)
{
	unsigned int number;
	int err = kstrtouint_from_user(buf, len, 10, &number);

	if (err)
		return err;
	atomic_set(&ku_fail_at, 0);
	atomic_set(&ku_fail_calls, 0);
	atomic_set(&ku_fail_failed, 0);
	atomic_set(&ku_fail_at, number);
	return len;
}

static int ku_fail_show(struct seq_file *seq, void *unused)
{
	int failed = atomic_read(&ku_fail_failed);

	seq_printf(seq, "%d %d %s\n", atomic_read(&ku_fail_calls), failed,
		   failed ? READ_ONCE(ku_fail_which) : "-");
	return 0;
}

static int ku_fail_open(struct inode *inode, struct file *file)
{
	return single_open(file, ku_fail_show, NULL);
}

static const struct proc_ops ku_fail_ops = {
	.proc_open = ku_fail_open,
	.proc_read = seq_read,
	.proc_write = ku_fail_write,
	.proc_lseek = seq_lseek,
	.proc_release = single_release,
};

static void ku_fail_remove(void)
{
	int i;

	for (i = 0; i < ARRAY_SIZE(ku_fails); i++)
		if (ku_fails[i].on)
			unregister_kprobe(&ku_fails[i].probe);
}

/* Finds the address of __module_address() by a kprobe. */
static int ku_fail_find(void)
{
	struct kprobe probe = { .symbol_name = "__module_address" };
	int err = register_kprobe(&probe);

	if (err)
		return err;
	ku_fail_module_of = (void *)probe.addr;
	unregister_kprobe(&probe);
	return 0;
}

static int __init ku_fail_init(void)
{
	int i, err, found = 0;

	err = ku_fail_find();
	if (err)
		return err;
	for (i = 0; i < ARRAY_SIZE(ku_fails); i++) {
		struct ku_fail *one = &ku_fails[i];

		one->probe.symbol_name = one->name;
		one->probe.pre_handler = ku_fail_hit;
		one->probe.post_handler = ku_fail_behind;
		err = register_kprobe(&one->probe);
		one->on = !err;
		found += one->on;
		if (err)
			pr_info("kutrace_fail: not on %s (%d)\n", one->name, err);
	}
	if (found < 10 || !proc_create("kutrace_fail", 0600, NULL, &ku_fail_ops)) {
		ku_fail_remove();
		return found < 10 ? -ENOENT : -ENOMEM;
	}
	return 0;
}

static void __exit ku_fail_exit(void)
{
	remove_proc_entry("kutrace_fail", NULL);
	ku_fail_remove();
}

module_init(ku_fail_init);
module_exit(ku_fail_exit);
MODULE_DESCRIPTION("Has allocations of kutrace.ko fail, for its tests");
MODULE_LICENSE("GPL");
