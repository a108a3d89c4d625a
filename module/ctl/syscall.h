/* SPDX-License-Identifier: GPL-2.0-only */
/* The control system call of a patched kernel: who may do what by it. Handed to the back end. */
#ifndef KU_SYSCALL_H
#define KU_SYSCALL_H

#include <linux/types.h>

/* May sleep. ~0 = refused. */
u64 ku_syscall(u64 command, u64 arg);

#endif
