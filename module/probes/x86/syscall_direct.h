/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * x86: system calls by direct hooks of ftrace, on the functions that dispatch the calls. With
 * tracepoints each call would take the slow path of the kernel's entry and exit work.
 */
#ifndef KU_SYSCALL_DIRECT_H
#define KU_SYSCALL_DIRECT_H

#include <linux/types.h>

#include "compat/version.h"

/* Context of all: process, may sleep. Calls must not run concurrently. */
#if KU_SYSCALL_DIRECT
/* Finds the functions. Returns NULL, or the name of a function that cannot be hooked. */
const char *ku_syscall_direct_init(void);
/*
 * Returns NULL if system calls are recorded, so that no tracepoint is needed; otherwise the reason.
 * Needs ku_syscall_direct_init().
 */
const char *ku_syscall_direct_attach(void);
void ku_syscall_direct_detach(void);
/*
 * Selects whether all 64-bit calls take the dual path (KU_PATH_DUAL). If @dual is false, on return
 * no running hook takes the dual path any more.
 */
void ku_syscall_direct_dual(bool dual);
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

static inline void ku_syscall_direct_dual(bool dual)
{
}
#endif

#endif
