// SPDX-License-Identifier: GPL-2.0-only
/*
 * Frees an interrupt on one CPU while the hook on another CPU builds its name. A probe in the
 * function that builds the name stops that CPU, until the interrupt is freed or some time has
 * passed. The interrupt must not be freed while the name is built.
 */
#include <linux/interrupt.h>
#include <linux/irq.h>
#include <linux/kprobes.h>
#include <linux/sched.h>
#include <linux/smp.h>

#include "test.h"

#define KU_TEST_NAME	"freed meanwhile"
#define KU_TEST_HOLD_MS	3000

static bool ku_test_inside, ku_test_freed, ku_test_freed_inside;

/* Waits in scnprintf(buffer, size, "%s%s", separator, name) in hard interrupt context. */
static int ku_test_hold(struct kprobe *probe, struct pt_regs *regs)
{
	const char *format = (const char *)regs_get_kernel_argument(regs, 2);
	const char *name = (const char *)regs_get_kernel_argument(regs, 4);
	int i;

	if (!in_hardirq() || strcmp(format, "%s%s") || strcmp(name, KU_TEST_NAME))
		return 0;
	WRITE_ONCE(ku_test_inside, true);
	for (i = 0; i < KU_TEST_HOLD_MS && !READ_ONCE(ku_test_freed); i++)
		ku_test_delay_ms(1);
	ku_test_freed_inside = READ_ONCE(ku_test_freed);
	return 0;
}

static irqreturn_t ku_test_handler(int irq, void *unused)
{
	return IRQ_HANDLED;
}

/* Frees the interrupt. The task runs on CPU 1, and the interrupt goes to CPU 0. */
static int ku_test_free_on(unsigned int irq)
{
	struct irq_data *data = irq_get_irq_data(irq);
	int i, err;

	if (!data || !data->chip || !data->chip->irq_retrigger)
		return -ENODEV;
	err = request_irq(irq, ku_test_handler, 0, KU_TEST_NAME, &ku_test_inside);
	if (err)
		return err;
	err = irq_set_affinity(irq, cpumask_of(0));
	if (!err && !data->chip->irq_retrigger(data))
		err = -EIO;
	for (i = 0; !err && i < 10 * KU_TEST_HOLD_MS && !READ_ONCE(ku_test_inside); i++)
		ku_test_delay_ms(1);
	if (!err && !READ_ONCE(ku_test_inside))
		err = -ETIMEDOUT;
	free_irq(irq, &ku_test_inside);
	WRITE_ONCE(ku_test_freed, true);
	return err;
}

/* Returns -EFAULT if the interrupt was freed while the hook used it. */
int ku_test_free_irq(unsigned int irq, unsigned int unused)
{
	struct kprobe probe = { .symbol_name = "scnprintf", .pre_handler = ku_test_hold };
	int err;

	ku_test_inside = false;
	ku_test_freed = false;
	ku_test_freed_inside = false;
	err = set_cpus_allowed_ptr(current, cpumask_of(1));
	if (err)
		return err;
	err = register_kprobe(&probe);
	if (!err) {
		err = ku_test_free_on(irq);
		/* Waits until no CPU is in the probe. */
		unregister_kprobe(&probe);
	}
	set_cpus_allowed_ptr(current, cpu_possible_mask);
	return err ?: ku_test_freed_inside ? -EFAULT : 0;
}
