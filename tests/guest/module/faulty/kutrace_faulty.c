// SPDX-License-Identifier: GPL-2.0-only
/*
 * Makes one mistake for each check of a debug kernel, so that a test can distinguish a clean log
 * from checks that do not work. Only for guests that are discarded afterwards.
 *
 * Loading the module makes all mistakes, in an order in which no report suppresses the next one:
 * the first report of lockdep or KASAN disables further reports. The log has "kutrace_faulty: NAME"
 * before the report of each mistake.
 */
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/preempt.h>
#include <linux/rcupdate.h>
#include <linux/slab.h>
#include <linux/smp.h>

static DEFINE_MUTEX(ku_faulty_one);
static DEFINE_MUTEX(ku_faulty_other);
static int ku_faulty_value;
static int __rcu *ku_faulty_pointer = (int __force __rcu *)&ku_faulty_value;

/* Reads RCU-protected memory outside of a read section: PROVE_RCU. */
static void ku_faulty_reader(void)
{
	pr_info("kutrace_faulty: reader\n");
	WRITE_ONCE(ku_faulty_value, *rcu_dereference(ku_faulty_pointer) + 1);
}

/* Takes two locks in both orders: PROVE_LOCKING. */
static void ku_faulty_order(void)
{
	pr_info("kutrace_faulty: order\n");
	mutex_lock(&ku_faulty_one);
	mutex_lock(&ku_faulty_other);
	mutex_unlock(&ku_faulty_other);
	mutex_unlock(&ku_faulty_one);
	mutex_lock(&ku_faulty_other);
	mutex_lock(&ku_faulty_one);
	mutex_unlock(&ku_faulty_one);
	mutex_unlock(&ku_faulty_other);
}

/* Calls a function that may sleep where sleeping is not allowed: DEBUG_ATOMIC_SLEEP. */
static void ku_faulty_sleep(void)
{
	pr_info("kutrace_faulty: sleep\n");
	preempt_disable();
	might_sleep();
	preempt_enable();
}

/* Gets its CPU number while it can be preempted: DEBUG_PREEMPT. */
static void ku_faulty_moved(void)
{
	pr_info("kutrace_faulty: moved\n");
	WRITE_ONCE(ku_faulty_value, smp_processor_id());
}

/* Reads freed memory: KASAN. */
static void ku_faulty_freed(void)
{
	int *memory = kmalloc(64, GFP_KERNEL);

	pr_info("kutrace_faulty: freed\n");
	if (!memory)
		return;
	kfree(memory);
	/* Hide from the compiler that this memory was freed. */
	OPTIMIZER_HIDE_VAR(memory);
	WRITE_ONCE(ku_faulty_value, READ_ONCE(memory[3]));
}

static int __init ku_faulty_init(void)
{
	ku_faulty_reader();
	ku_faulty_order();
	ku_faulty_sleep();
	ku_faulty_moved();
	ku_faulty_freed();
	return 0;
}

static void __exit ku_faulty_exit(void)
{
}

module_init(ku_faulty_init);
module_exit(ku_faulty_exit);
MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("Mistakes that a kernel which checks itself must find");
