// SPDX-License-Identifier: GPL-2.0-only
/*
 * Live-patches the function of the parameter function=NAME, which has at most two arguments,
 * without a change of its behaviour. test_direct_others.sh patches a function that has our hook,
 * and a function without a hook. The kernel completes the second patch only when it has unwound the
 * stacks of all tasks reliably.
 */
#include <linux/kernel.h>
#include <linux/kprobes.h>
#include <linux/livepatch.h>
#include <linux/module.h>
#include <linux/moduleparam.h>
#include <linux/static_call.h>
#include <linux/string.h>

/*
 * The instruction at the function's beginning that ftrace patches, and the instruction that may
 * precede it.
 */
#define FENTRY_SIZE	5
#define ENDBR64		0xfa1e0ff3u

static char *function = "x64_sys_call";
module_param(function, charp, 0444);

long livepatched_prototype(long a, long b);
DEFINE_STATIC_CALL_NULL(livepatched_body, livepatched_prototype);

/* Replaces the function: continues after the patched instruction. */
static long livepatched_call(long a, long b)
{
	return static_call(livepatched_body)(a, b);
}

static struct klp_func funcs[] = {
	{ .new_func = livepatched_call },
	{ }
};

/* An object without a name is the kernel itself. */
static struct klp_object objects[] = {
	{ .funcs = funcs },
	{ }
};

static struct klp_patch patch = { .mod = THIS_MODULE, .objs = objects };

static int __init livepatched_init(void)
{
	struct kprobe probe = { .symbol_name = function, .flags = KPROBE_FLAG_DISABLED };
	unsigned long body;
	int err = register_kprobe(&probe);

	if (err)
		return err;
	body = (unsigned long)probe.addr;
	unregister_kprobe(&probe);
	/* The probe's address may be before or after ENDBR. */
	if (*(u32 *)body == ENDBR64)
		body += sizeof(u32);
	static_call_update(livepatched_body, (void *)(body + FENTRY_SIZE));
	funcs[0].old_name = function;
	return klp_enable_patch(&patch);
}

static void __exit livepatched_exit(void)
{
}

module_init(livepatched_init);
module_exit(livepatched_exit);
MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("A live patch of a function, by one that does the same");
MODULE_INFO(livepatch, "Y");
