/* SPDX-License-Identifier: GPL-2.0-only */
/* The control system call of a patched kernel, for programs that were built for KUtrace 3. */
#ifndef KU_SYSCALL_H
#define KU_SYSCALL_H

#include <linux/types.h>

/* Registers the handler of the call, or unregisters it and waits for running calls. Sleeps. */
void ku_syscall_allow(bool allow);

#endif
