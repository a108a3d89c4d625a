/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The control system call of a patched kernel. Programs built with the library of KUtrace 3 use it.
 */
#ifndef KU_SYSCALL_H
#define KU_SYSCALL_H

#include <linux/types.h>

/*
 * Registers the handler of the call, or unregisters it and waits until running calls have ended.
 * Sleeps.
 */
void ku_syscall_allow(bool allow);

#endif
