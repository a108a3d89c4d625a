/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Direct hooks of ftrace. A function calls the hook first; the hook calls the function's body,
 * and what records its end behind that, and returns to the function's caller. So tasks that
 * sleep in the function have this module's code on their stacks: they are counted, and the module
 * stays until they are out. Used by the back end's fault_direct.c and x86's
 * syscall_direct.c; the hooks are in assembler.
 */
#ifndef KU_DIRECT_H
#define KU_DIRECT_H

#include <linux/ftrace.h>
#include <linux/percpu.h>
#include <linux/types.h>

#include "compat/version.h"
#include "probes/direct_number.h"

#if KU_DIRECT

struct ku_direct {
	/* Set by who uses it. */
	const char *what;	/* that lasts while a task is in the function, as "page faults" */
	const char *name;	/* of the hook */
	void (*hook)(void);
	void (*end)(void);	/* behind its last instruction */
	u32 number;		/* KU_DIRECT_* */
	bool lasting;		/* tasks may be in it for days: never waited for */
	/* direct.c's own. */
	struct ftrace_ops ops;
	bool hooked;
};

/*
 * Tasks that have entered and left functions by hooks, by number: hooks count. Who is counted
 * as having left was counted as having entered in an earlier store, in the order of memory.
 */
DECLARE_PER_CPU(u64 [KU_DIRECTS], ku_direct_entered);
DECLARE_PER_CPU(u64 [KU_DIRECTS], ku_direct_left);

/*
 * All of these: process context, may sleep, one at a time.
 *
 * Hooks a function, given by its address or by that of the call in it that ftrace patches. 0,
 * or -EBUSY: another has the function; -EPERM: ftrace is switched off; another -errno: ftrace
 * does not do it.
 */
int ku_direct_attach(struct ku_direct *direct, unsigned long function);
/* Nothing, if it is not attached. ftrace waits for tasks on their way to the hook. */
void ku_direct_detach(struct ku_direct *direct);
/*
 * Before the module goes: waits for tasks that are in functions which they entered while
 * hooked.
 */
void ku_direct_exit(void);

#else

static inline void ku_direct_exit(void)
{
}

#endif

#endif
