// SPDX-License-Identifier: GPL-2.0-only
/*
 * Registers a device class with the name of one of kutrace.ko's, so that loading kutrace.ko fails
 * after most of its steps. For test_load_fails.sh.
 */
#include <linux/device.h>
#include <linux/err.h>
#include <linux/module.h>
#include <linux/version.h>

static struct class *class;

static int __init device_class_init(void)
{
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 4, 0)
	class = class_create(THIS_MODULE, "kutrace");
#else
	class = class_create("kutrace");
#endif
	return PTR_ERR_OR_ZERO(class);
}

static void __exit device_class_exit(void)
{
	class_destroy(class);
}

module_init(device_class_init);
module_exit(device_class_exit);
MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("a device class called kutrace");
