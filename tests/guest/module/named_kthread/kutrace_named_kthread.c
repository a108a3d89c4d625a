// SPDX-License-Identifier: GPL-2.0-only
/*
 * Runs a kernel thread whose name looks like a program's name. The thread computes half of the
 * time. For test_kernel_threads.sh.
 */
#include <linux/delay.h>
#include <linux/err.h>
#include <linux/kthread.h>
#include <linux/module.h>
#include <linux/moduleparam.h>

static char *name = "program";
module_param(name, charp, 0444);

static struct task_struct *thread;

static int named_kthread_run(void *unused)
{
	while (!kthread_should_stop()) {
		udelay(500);
		usleep_range(500, 600);
	}
	return 0;
}

static int __init named_kthread_init(void)
{
	thread = kthread_run(named_kthread_run, NULL, "%s", name);
	return PTR_ERR_OR_ZERO(thread);
}

static void __exit named_kthread_exit(void)
{
	kthread_stop(thread);
}

module_init(named_kthread_init);
module_exit(named_kthread_exit);
MODULE_DESCRIPTION("Runs a kernel thread with a misleading name");
MODULE_LICENSE("GPL");
