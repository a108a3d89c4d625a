// SPDX-License-Identifier: GPL-2.0-only
/*
 * Makes the TSC unstable, for guests that are discarded afterwards. Without parameters it declares
 * the TSC unstable, as the clocksource watchdog does. With rate=1, it doubles the kernel's tsc_khz
 * while it is loaded, so that the counter seems to run at half of its rate.
 */
#include <linux/module.h>
#include <asm/tsc.h>

static bool rate;
module_param(rate, bool, 0444);
MODULE_PARM_DESC(rate, "double the known frequency, and do not call the TSC unstable");

static int __init ku_unstable_init(void)
{
	if (rate)
		tsc_khz *= 2;
	else
		mark_tsc_unstable("a test");
	return 0;
}

static void __exit ku_unstable_exit(void)
{
	if (rate)
		tsc_khz /= 2;
}

module_init(ku_unstable_init);
module_exit(ku_unstable_exit);
MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("A TSC that becomes unstable");
