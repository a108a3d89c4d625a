// SPDX-License-Identifier: GPL-2.0-only
/* Hands the control system call to the registered handler: see <linux/kutrace_control.h>. */
#include <linux/atomic.h>
#include <linux/compiler.h>
#include <linux/export.h>
#include <linux/kutrace_control.h>
#include <linux/srcu.h>

static u64 (*kutrace_control_handler)(u64 command, u64 arg);
DEFINE_STATIC_SRCU(kutrace_control_srcu);

/**
 * kutrace_set_control() - register or unregister the handler of the control call
 * @handler: does the call, in process context, may sleep; NULL: every call is refused
 *
 * When it returns, no other handler runs or will be called. Process context, sleeps.
 */
void kutrace_set_control(u64 (*handler)(u64 command, u64 arg))
{
	if (xchg(&kutrace_control_handler, handler))
		synchronize_srcu(&kutrace_control_srcu);
}
EXPORT_SYMBOL_GPL(kutrace_set_control);

/**
 * kutrace_control() - do the control system call
 * @command: of enum kutrace_command
 * @arg: the command's argument
 *
 * Return: the handler's answer; ~0 when it refuses, or no handler is registered
 */
u64 kutrace_control(u64 command, u64 arg)
{
	u64 (*handler)(u64 command, u64 arg);
	u64 result = ~0ULL;
	int idx;

	idx = srcu_read_lock(&kutrace_control_srcu);
	handler = READ_ONCE(kutrace_control_handler);
	if (handler)
		result = handler(command, arg);
	srcu_read_unlock(&kutrace_control_srcu, idx);
	return result;
}
