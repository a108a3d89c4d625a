/* SPDX-License-Identifier: GPL-2.0-only */
/* /dev/kutrace/control: see uapi/kutrace_abi.h for what it offers. */
#ifndef KU_DEV_H
#define KU_DEV_H

#include <linux/types.h>

/* marks_rate: read at every mark of a user who may only mark. */
int ku_dev_init(unsigned int mode, unsigned int gid, bool marks_all,
		const unsigned int *marks_rate);
void ku_dev_exit(void);
/* Device files may be opened from now on: nothing that can fail comes any more. */
void ku_dev_allow(void);
bool ku_dev_allowed(void);

struct ku_session;
/* May control and read whatever files say; a session may be the caller's to choose. */
bool ku_dev_capable(void);
bool ku_dev_owns(struct ku_session *session);
/* The kernel is locked down so far that nobody may trace it, root neither. */
bool ku_dev_locked_down(void);

/* The control system call: may sleep. ~0 = refused. */
u64 ku_dev_syscall(u64 command, u64 arg);

#endif
