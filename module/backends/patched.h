/* SPDX-License-Identifier: GPL-2.0-only */
/* Back end for kernels with the hooks of <linux/kutrace.h>. */
#ifndef KU_PATCHED_H
#define KU_PATCHED_H

#include <linux/types.h>

struct ku_hooks;

extern const struct ku_hooks ku_hooks_static;
/* Who does the control system call; before ku_hooks_static.init(). ~0 = refused. */
void ku_static_set_control(u64 (*handler)(u64 command, u64 arg));

#endif
