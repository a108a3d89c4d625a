// SPDX-License-Identifier: GPL-2.0-only
/*
 * Makes mistakes, one of each kind that a kernel which checks itself must find, so that a test
 * can tell a clean log from one of checks that do not work. For guests that are thrown away;
 * it is of no use for anything else.
 *
 * All is done when it is loaded, in an order in which no report silences the next: what lockdep
 * finds ends lockdep, and what KASAN finds does, too. Each kind is named in the log in front of its
 * report, by "kutrace_faulty: NAME".
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

/* Reads what RCU protects without being a reader: PROVE_RCU. */
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

/* May sleep where it must not: DEBUG_ATOMIC_SLEEP. */
static void ku_faulty_sleep(void)
{
	pr_info("kutrace_faulty: sleep\n");
	preempt_disable();
	might_sleep();
	preempt_enable();
}

/* Asks on which CPU it is while it may be moved to another one: DEBUG_PREEMPT. */
static void ku_faulty_moved(void)
{
	pr_info("kutrace_faulty: moved\n");
	WRITE_ONCE(ku_faulty_value, smp_processor_id());
}

/* Reads memory that it has given back: KASAN. */
static void ku_faulty_freed(void)
{
	int *memory = kmalloc(64, GFP_KERNEL);

	pr_info("kutrace_faulty: freed\n");
	if (!memory)
		return;
	kfree(memory);
	/* The compiler shall not see that it is the same memory. */
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
