/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The end of page faults by a direct hook of ftrace on handle_mm_fault(), and their beginning where
 * no tracepoint tells of it, which costs a tenth of a kretprobe. Called by the tracepoint back end.
 */
#ifndef KU_FAULT_DIRECT_H
#define KU_FAULT_DIRECT_H

#include <linux/types.h>

#include "compat/version.h"

/* Both: process context, may sleep, one at a time. */
#if KU_DIRECT
/*
 * False: it cannot be seen so here, or somebody else has the function, of which the log says why,
 * the first time; or ftrace is switched off.
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
