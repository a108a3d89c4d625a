/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The control system call of KUtrace. The registered handler does the call. No
 * architecture may give this number to a call of its own.
 */
#ifndef _LINUX_KUTRACE_CONTROL_H
#define _LINUX_KUTRACE_CONTROL_H

#include <linux/types.h>

/* Above the system call tables of x86 and arm64. The original KUtrace uses the same number. */
#define __NR_kutrace_control	1023

/* Returns true if @nr, which belongs to no other call, is the number of the control call. */
#define kutrace_is_control(nr)	\
	(IS_ENABLED(CONFIG_KUTRACE_CONTROL) && (nr) == __NR_kutrace_control)

u64 kutrace_control(u64 command, u64 arg);
void kutrace_set_control(u64 (*handler)(u64 command, u64 arg));

#endif /* _LINUX_KUTRACE_CONTROL_H */
