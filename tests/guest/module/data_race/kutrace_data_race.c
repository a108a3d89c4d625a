// SPDX-License-Identifier: GPL-2.0-only
/*
 * Two CPUs write the same word without marked accesses. A kernel with KCSAN must report this race,
 * so a test can distinguish a clean log from checks that do not work. Only for guests that are
 * discarded afterwards.
 *
 * The word is written from when the module is loaded until it is unloaded.
 */
#include <linux/compiler.h>
#include <linux/err.h>
#include <linux/kthread.h>
#include <linux/module.h>
#include <linux/sched.h>

#define KU_RACERS	2

static struct task_struct *ku_racers[KU_RACERS];
static unsigned long ku_raced;

static noinline void ku_racing_write(void)
{
	ku_raced++;
}

static int ku_racing_thread(void *unused)
{
	unsigned int i;

	while (!kthread_should_stop()) {
		for (i = 0; i < 1000; i++)
			ku_racing_write();
		cond_resched();
	}
	return 0;
}

static void ku_racing_stop(void)
{
	unsigned int i;

	for (i = 0; i < KU_RACERS; i++)
		if (ku_racers[i])
			kthread_stop(ku_racers[i]);
}

static int __init ku_racing_init(void)
{
	unsigned int i;

	for (i = 0; i < KU_RACERS; i++) {
		struct task_struct *racer = kthread_create(ku_racing_thread, NULL, "racer/%u", i);

		if (IS_ERR(racer)) {
			ku_racing_stop();
			return PTR_ERR(racer);
		}
		ku_racers[i] = racer;
		kthread_bind(racer, i);
		wake_up_process(racer);
	}
	return 0;
}

static void __exit ku_racing_exit(void)
{
	ku_racing_stop();
}

module_init(ku_racing_init);
module_exit(ku_racing_exit);
MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("A data race that a kernel which looks for them must find");
