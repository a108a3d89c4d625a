/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Direct hooks of ftrace. A hooked function first calls the hook. The hook calls the function's
 * body, records its end, and returns to the function's caller. So a task that sleeps in the
 * function has this module's code on its stack. Such tasks are counted, and the module stays loaded
 * until they have returned. The hooks are written in assembler.
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
	/* Set by the user of the hook. */
	const char *what;	/* plural noun for messages, such as "page faults" */
	const char *name;	/* name of the hook */
	void (*hook)(void);
	void (*end)(void);	/* address after its last instruction */
	u32 number;		/* KU_DIRECT_* */
	bool lasting;		/* tasks may stay in it for days: pins the module */
	/* Private to direct.c. */
	struct ftrace_ops ops;
	bool hooked;
};

/*
 * Numbers of tasks that have entered and left hooked functions, indexed by KU_DIRECT_*. The hooks
 * increment them. For each task, the store to ku_direct_entered comes before the store to
 * ku_direct_left in memory order.
 */
DECLARE_PER_CPU(u64 [KU_DIRECTS], ku_direct_entered);
DECLARE_PER_CPU(u64 [KU_DIRECTS], ku_direct_left);

/*
 * Context of all: process, may sleep. Calls must not run concurrently.
 *
 * Hooks a function. @function: its address, or the address of the call that ftrace patches. Returns
 * 0, -EBUSY if another direct hook has the function, -EPERM if ftrace is disabled, or another error
 * of ftrace.
 */
int ku_direct_attach(struct ku_direct *direct, unsigned long function);
/* Detaches the hook, if it is attached. ftrace waits for tasks on their way to the hook. */
void ku_direct_detach(struct ku_direct *direct);
/* Before the module is unloaded: waits for tasks in hooked functions. */
void ku_direct_exit(void);

#else

static inline void ku_direct_exit(void)
{
}

#endif

#endif
