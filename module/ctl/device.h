/* SPDX-License-Identifier: GPL-2.0-only */
/* The device /dev/kutrace/control. Its interface is in uapi/kutrace_abi.h. */
#ifndef KU_DEV_H
#define KU_DEV_H

/* @mode: permission bits of the node, ignored if everyone may mark. Returns 0 or -errno. */
int ku_dev_init(unsigned int mode);
void ku_dev_exit(void);

#endif
