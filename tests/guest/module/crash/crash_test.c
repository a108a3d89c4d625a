// SPDX-License-Identifier: GPL-2.0-only
/*
 * Panics in a softirq (how=softirq) or a hard interrupt (how=irq) when it is loaded. For
 * test_crash.sh.
 */
#include <linux/interrupt.h>
#include <linux/irq_work.h>
#include <linux/module.h>
#include <linux/panic.h>
#include <linux/string.h>

static char *how = "";
module_param(how, charp, 0);

static void crash_in_softirq(struct tasklet_struct *tasklet)
{
	panic("crash_test: in a softirq: %d", in_serving_softirq());
}

static void crash_in_irq(struct irq_work *work)
{
	panic("crash_test: in a hard interrupt: %d", !!in_hardirq());
}

static DECLARE_TASKLET(crash_tasklet, crash_in_softirq);
static struct irq_work crash_work = IRQ_WORK_INIT_HARD(crash_in_irq);

static int __init crash_init(void)
{
	if (!strcmp(how, "softirq"))
		tasklet_schedule(&crash_tasklet);
	else if (!strcmp(how, "irq"))
		irq_work_queue(&crash_work);
	else
		return -EINVAL;
	return 0;
}

module_init(crash_init);
MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("panics in a softirq or in a hard interrupt");
