// SPDX-License-Identifier: GPL-2.0-only
/*
 * Makes kutrace find at each resume that the time counter has restarted, as it does on many x86
 * machines and does not in QEMU. For guests that are discarded afterwards. Load it after kutrace.
 */
#include <linux/kprobes.h>
#include <linux/module.h>

static int ku_restart_answer(struct kretprobe_instance *instance, struct pt_regs *regs)
{
	regs_set_return_value(regs, false);
	return 0;
}

static struct kretprobe ku_restart_probe = {
	.kp.symbol_name = "kutrace:ku_clock_went_on",
	.handler = ku_restart_answer,
};

static int __init ku_restart_init(void)
{
	return register_kretprobe(&ku_restart_probe);
}

static void __exit ku_restart_exit(void)
{
	unregister_kretprobe(&ku_restart_probe);
}

module_init(ku_restart_init);
module_exit(ku_restart_exit);
MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("A time counter that begins anew while the machine is suspended");
