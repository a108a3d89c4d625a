// SPDX-License-Identifier: GPL-2.0-only
/*
 * Attaches an empty direct hook of ftrace to a function, as a BPF program may do. A function can
 * have only one: loading fails if it has one already. For test_fault_end.sh and test_direct.sh.
 */
#include <linux/ftrace.h>
#include <linux/module.h>
#include <linux/moduleparam.h>
#include <linux/string.h>
#include <linux/version.h>

void hooked_nothing(void);

/* The direct hook: returns to the function. */
asm(".pushsection .text\n"
    ".type hooked_nothing, @function\n"
    ".globl hooked_nothing\n"
    "hooked_nothing:\n"
#ifdef CONFIG_X86_KERNEL_IBT
    "	endbr64\n"
#endif
#ifdef CONFIG_ARM64
    /* x9 has the address where the function's caller continues. */
    "	hint	34\n"
    "	mov	x10, x30\n"
    "	mov	x30, x9\n"
    "	ret	x10\n"
#elif defined(CONFIG_RISCV)
    /* t0 has the address where the function continues. */
    "	jr	t0\n"
#else
    ASM_RET
#endif
    ".size hooked_nothing, . - hooked_nothing\n"
    ".popsection\n");

static char *function = "handle_mm_fault";
module_param(function, charp, 0444);

static struct ftrace_ops ops;

static int __init hooked_init(void)
{
	int err = ftrace_set_filter(&ops, (unsigned char *)function, strlen(function), 0);

	if (err)
		return err;
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 4, 0)
	err = register_ftrace_direct_multi(&ops, (unsigned long)hooked_nothing);
#else
	err = register_ftrace_direct(&ops, (unsigned long)hooked_nothing);
#endif
	if (err)
		ftrace_free_filter(&ops);
	return err;
}

static void __exit hooked_exit(void)
{
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 4, 0)
	unregister_ftrace_direct_multi(&ops, (unsigned long)hooked_nothing);
	ftrace_free_filter(&ops);
#else
	unregister_ftrace_direct(&ops, (unsigned long)hooked_nothing, true);
#endif
}

module_init(hooked_init);
module_exit(hooked_exit);
MODULE_LICENSE("GPL");
