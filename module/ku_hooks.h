/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What a hook back end is to the rest of the module: something that can be
 * attached and detached, and says what it covers.
 */
#ifndef KU_HOOKS_H
#define KU_HOOKS_H

#include <linux/types.h>
#include "ku_compat.h"

struct ku_hooks {
	u32 backend;			/* enum kutrace_backend */
	/* Find what this kernel has. 0, or -errno when it has too little. */
	int (*init)(void);
	void (*exit)(void);
	/*
	 * Hooks of these categories (KUTRACE_MASK_*) and no others. Process context, may
	 * sleep. 0 or -errno; what was attached before is so still then.
	 */
	int (*attach)(u32 categories);
	/*
	 * On return no hook is running that was where RCU looks, but for those with
	 * preemption off: ku_synchronize() waits for them. May sleep.
	 */
	void (*synchronize)(void);
	u32 (*categories)(void);	/* KUTRACE_MASK_* attached or attachable */
	u32 (*caveats)(void);		/* KUTRACE_CAVEAT_* */
	u64 (*missed)(void);		/* return probes without an instance, so far */
};

extern const struct ku_hooks ku_hooks_tp;
#if KU_HAVE_HOOKS
extern const struct ku_hooks ku_hooks_static;
#endif

/* A thread other than the leader execs: it goes on under the leader's pid. */
struct task_struct;
void ku_hook_exec(struct task_struct *task, pid_t old_pid);

/* ku_lock_number.c: by what number locks are known. Any context, once initialised. */
void ku_lock_number_init(void);
u32 ku_lock_number(const void *lock);

/* ku_irq.c: event numbers for Linux interrupts. */
int ku_irq_init(void);
void ku_irq_exit(void);
void ku_irq_reset(void);
struct irqaction;
struct irq_desc;
u32 ku_irq_event(int irq, const struct irqaction *action);
u32 ku_irq_event_of(struct irq_desc *desc);

#endif
