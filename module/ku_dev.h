/* SPDX-License-Identifier: GPL-2.0-only */
/* /dev/kutrace/control: see uapi/kutrace_abi.h for what it offers. */
#ifndef KU_DEV_H
#define KU_DEV_H

#include <linux/types.h>
#include <linux/uidgid.h>

int ku_dev_init(unsigned int mode, unsigned int gid, bool marks_all);
void ku_dev_exit(void);

/* The control system call: may sleep. ~0 = refused. */
u64 ku_dev_syscall(u64 command, u64 arg);

/* A block is full. Any context but NMI. */
void ku_dev_filled(void);
/* Recording has stopped. Process context. */
void ku_dev_wake(void);

#endif
