/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The end of page faults by a direct hook of ftrace on handle_mm_fault(); in kernels without a
 * tracepoint for it also the beginning. Costs much less than a kretprobe
 * (docs/reference/overhead.md).
 */
#ifndef KU_FAULT_DIRECT_H
#define KU_FAULT_DIRECT_H

#include <linux/types.h>

#include "compat/version.h"

/* Context of both: process, may sleep. Calls must not run concurrently. */
#if KU_DIRECT
/*
 * Returns false if that is not possible: no support, another user hooks the function, or ftrace is
 * disabled. Logs the reason once, except for disabled ftrace.
 */
bool ku_fault_direct_attach(void);
void ku_fault_direct_detach(void);
#else
static inline bool ku_fault_direct_attach(void)
{
	return false;
}

static inline void ku_fault_direct_detach(void)
{
}
#endif

#endif
