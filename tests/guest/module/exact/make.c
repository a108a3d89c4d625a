// SPDX-License-Identifier: GPL-2.0-only
/*
 * Makes a given number of softirqs, irq works, calls to another CPU or, by vector.c, interrupts to
 * this CPU. An idle guest has few or none of these.
 */
#include <linux/bottom_half.h>
#include <linux/delay.h>
#include <linux/errno.h>
#include <linux/interrupt.h>
#include <linux/irq_work.h>
#include <linux/kernel.h>
#include <linux/preempt.h>
#include <linux/smp.h>
#include <linux/string.h>

#include "exact.h"
#include "test_refused.h"

static void (*ku_exact_raise_softirq)(unsigned int kind);

static int __nocfi ku_exact_softirq(unsigned int kind, unsigned int count)
{
	unsigned int i;

	if (kind >= NR_SOFTIRQS)
		return -EINVAL;
	/*
	 * With PREEMPT_RT, RCU works in a thread, and its softirq has no handler, not even an empty
	 * one.
	 */
	if (IS_ENABLED(CONFIG_PREEMPT_RT) && kind == RCU_SOFTIRQ)
		return -EOPNOTSUPP;
	for (i = 0; i < count; i++) {
		/* The softirq runs when bottom halves are enabled again. */
		local_bh_disable();
		ku_exact_raise_softirq(kind);
		local_bh_enable();
	}
	return 0;
}

static void ku_exact_worked(struct irq_work *work)
{
}

static int ku_exact_irq_work(unsigned int unused, unsigned int count)
{
	struct irq_work work;
	unsigned int i;

	init_irq_work(&work, ku_exact_worked);
	for (i = 0; i < count; i++) {
		if (!irq_work_queue(&work))
			return -EIO;
		irq_work_sync(&work);
	}
	return 0;
}

static void ku_exact_called(void *calls)
{
	(*(unsigned int *)calls)++;
}

static int ku_exact_call(unsigned int cpu, unsigned int count)
{
	unsigned int i, calls = 0;
	int err = 0;

	for (i = 0; i < count && !err; i++)
		err = smp_call_function_single(cpu, ku_exact_called, &calls, 1);
	return err ?: calls == count ? 0 : -EIO;
}

static int ku_exact_make_idle(unsigned int on, unsigned int unused)
{
	return ku_exact_idle(on);
}

static const struct {
	const char *name;
	int (*make)(unsigned int number, unsigned int count);
} ku_exact_kinds[] = {
	{ "vector", ku_exact_vector },
	{ "softirq", ku_exact_softirq },
	{ "irq_work", ku_exact_irq_work },
	{ "call", ku_exact_call },
	{ "idle", ku_exact_make_idle },
	{ "refused", ku_test_refused },
};

int ku_exact_make(const char *what, unsigned int number, unsigned int count)
{
	int i;

	for (i = 0; i < ARRAY_SIZE(ku_exact_kinds); i++)
		if (!strcmp(what, ku_exact_kinds[i].name))
			return ku_exact_kinds[i].make(number, count);
	return -EINVAL;
}

int ku_exact_make_init(void)
{
	ku_exact_raise_softirq = ku_exact_symbol("raise_softirq");
	return ku_exact_raise_softirq ? ku_exact_vector_init() : -ENOENT;
}

void ku_exact_make_exit(void)
{
	ku_exact_vector_exit();
}
