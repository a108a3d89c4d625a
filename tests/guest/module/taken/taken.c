// SPDX-License-Identifier: GPL-2.0-only
/*
 * Takes the name of one of kutrace.ko's device classes, so that loading kutrace.ko fails after most
 * of it is done. For test_load_fails.sh.
 */
#include <linux/device.h>
#include <linux/err.h>
#include <linux/module.h>
#include <linux/version.h>

static struct class *taken;

static int __init taken_init(void)
{
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 4, 0)
	taken = class_create(THIS_MODULE, "kutrace");
#else
	taken = class_create("kutrace");
#endif
	return PTR_ERR_OR_ZERO(taken);
}

static void __exit taken_exit(void)
{
	class_destroy(taken);
}

module_init(taken_init);
module_exit(taken_exit);
MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("a device class called kutrace");
