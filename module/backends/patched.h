/* SPDX-License-Identifier: GPL-2.0-only */
/* Back end for kernels with the hooks of <linux/kutrace.h>. */
#ifndef KU_PATCHED_H
#define KU_PATCHED_H

struct ku_hooks;

extern const struct ku_hooks ku_hooks_static;

#endif
