/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * x86: system calls by direct hooks of ftrace on the functions that dispatch them, which spares
 * each call the way by the kernel's work at entry and exit that tracepoints take it. Called by the
 * tracepoint back end.
 */
#ifndef KU_SYSCALL_DIRECT_H
#define KU_SYSCALL_DIRECT_H

#include <linux/types.h>

#include "compat/version.h"

/* All of these: process context, may sleep, one at a time. */
#if KU_SYSCALL_DIRECT
/* Finds the functions. NULL, or the name of the one that cannot be hooked in this kernel. */
const char *ku_syscall_direct_init(void);
/* NULL: system calls are recorded, and no tracepoint is needed. Else why not; after init. */
const char *ku_syscall_direct_attach(void);
void ku_syscall_direct_detach(void);
/*
 * Whether all 64-bit calls go twice (KU_TWICE). When false, on return none is running that
 * takes them for such.
 */
void ku_syscall_direct_twice(bool twice);
#else
static inline const char *ku_syscall_direct_init(void)
{
	return "x64_sys_call";
}

static inline const char *ku_syscall_direct_attach(void)
{
	return "";
}

static inline void ku_syscall_direct_detach(void)
{
}

static inline void ku_syscall_direct_twice(bool twice)
{
}
#endif

#endif
