/* SPDX-License-Identifier: GPL-2.0-only */
/* /dev/kutrace/control: see uapi/kutrace_abi.h for what it offers. Called by main.c. */
#ifndef KU_DEV_H
#define KU_DEV_H

/* @mode: permission bits of the node, unless everyone may mark. 0 or -errno. */
int ku_dev_init(unsigned int mode);
void ku_dev_exit(void);

#endif
