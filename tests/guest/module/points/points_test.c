// SPDX-License-Identifier: GPL-2.0-only
/*
 * Defines typed tracepoints in a kernel module, for test_points.sh. Loading the module makes hits
 * in a loop, as many as the parameter hits, and a hit on every CPU in an interrupt. Writing N to
 * the parameter more makes N further hits.
 */
#include <linux/module.h>
#include <linux/smp.h>

#include "kutrace_point.h"

static unsigned int hits = 10;
module_param(hits, uint, 0444);

KUTRACE_POINT(kmod_tick, "n=%u left=%lld comm=%s",
	      (u32, n), (s64, left), (const char *, comm));
KUTRACE_POINT(kmod_irq, "cpu=%u", (unsigned int, cpu));

static unsigned int made;

static void points_test_hit(unsigned int times)
{
	for (; times; times--, made++)
		kutrace_point_kmod_tick(made, -(s64)made, current->comm);
}

static int points_test_more(const char *text, const struct kernel_param *unused)
{
	unsigned int times;
	int err = kstrtouint(text, 0, &times);

	if (!err)
		points_test_hit(times);
	return err;
}

static const struct kernel_param_ops points_test_more_ops = {
	.set = points_test_more,
};
module_param_cb(more, &points_test_more_ops, NULL, 0200);

static void points_test_irq(void *unused)
{
	kutrace_point_kmod_irq(raw_smp_processor_id());
}

static int __init points_test_init(void)
{
	int err;

	/* The tracepoint is not defined yet, so nothing happens. */
	kutrace_point_kmod_tick(~0U, 0, "early");
	err = kutrace_point_define(kmod_tick) ?: kutrace_point_define(kmod_irq);
	if (err)
		return err;
	points_test_hit(hits);
	on_each_cpu(points_test_irq, NULL, 1);
	return 0;
}

static void __exit points_test_exit(void)
{
	kutrace_point_undefine(kmod_tick);
	kutrace_point_undefine(kmod_irq);
}

module_init(points_test_init);
module_exit(points_test_exit);
MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("Typed tracepoints of a kernel module, for a test");
