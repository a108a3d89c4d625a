/* SPDX-License-Identifier: GPL-2.0-only */
/* Back end for stock kernels: probes on the tracepoints that the kernel has. */
#ifndef KU_TRACEPOINTS_H
#define KU_TRACEPOINTS_H

struct ku_hooks;

extern const struct ku_hooks ku_hooks_tp;

#endif
