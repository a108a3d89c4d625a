// SPDX-License-Identifier: GPL-2.0-only
/*
 * Logs, when it is loaded, which tracepoints have a probe of kutrace.
 */
#include <linux/kernel.h>
#include <linux/module.h>
#include <linux/rcupdate.h>
#include <linux/string.h>
#include <linux/tracepoint.h>

static int ku_attached_count;

static void ku_attached_look(struct tracepoint *tp, void *unused)
{
	struct tracepoint_func *probe;
	char name[128];

	rcu_read_lock();
	for (probe = rcu_dereference(tp->funcs); probe && probe->func; probe++) {
		snprintf(name, sizeof(name), "%ps", probe->func);
		if (!strstr(name, "[kutrace]"))
			continue;
		pr_info("attached: %s: %s\n", tp->name, name);
		ku_attached_count++;
	}
	rcu_read_unlock();
}

static int __init ku_attached_init(void)
{
	for_each_kernel_tracepoint(ku_attached_look, NULL);
	pr_info("attached: %d in all\n", ku_attached_count);
	return 0;
}

static void __exit ku_attached_exit(void)
{
}

module_init(ku_attached_init);
module_exit(ku_attached_exit);
MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("Which tracepoints have a probe of kutrace");
