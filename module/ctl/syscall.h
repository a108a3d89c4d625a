/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Does the control system call of a patched kernel. Programs that were built with the original's
 * library use this call.
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
