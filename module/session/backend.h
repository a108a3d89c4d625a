/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What a hook back end is to sessions: something that can be attached and detached, and says
 * what it covers. probes/ has two of them; which one is used is main.c's to choose.
 */
#ifndef KU_BACKEND_H
#define KU_BACKEND_H

#include <linux/types.h>

#include "core/ring.h"

struct ku_hooks {
	u32 backend;			/* enum kutrace_backend */
	/* Find what this kernel has. 0, or -errno when it has too little. */
	int (*init)(void);
	void (*exit)(void);
	/* A recording begins: things that go by numbers are to be named again. */
	void (*name_again)(void);
	/*
	 * Hooks of these categories (KUTRACE_MASK_*) and no others. Process context, may
	 * sleep. 0 or -errno; what was attached before is so still then.
	 */
	int (*attach)(u32 categories);
	/*
	 * The way of all 64-bit system calls, KU_STRAIGHT or KU_TWICE, so that hooks made for that
	 * may be used, or KU_INSPECTED, when each has to be asked about. At first they go straight.
	 * On return from the change to KU_INSPECTED no hook made for one way is running, nor will
	 * be called. May sleep. NULL: there are none.
	 */
	void (*calls_go)(enum ku_way way);
	/*
	 * On return no hook is running that was where RCU looks, but for those with
	 * preemption off: ku_synchronize() waits for them. May sleep.
	 */
	void (*synchronize)(void);
	u32 (*categories)(void);	/* KUTRACE_MASK_* attached or attachable */
	u32 (*caveats)(void);		/* KUTRACE_CAVEAT_* */
	u32 (*added_tracepoints)(void);	/* KUTRACE_TRACEPOINT_*. NULL: none */
	u64 (*missed)(void);		/* return probes without an instance, so far */
};

/* The one that is in use; set once, by ku_sessions_init(). */
extern const struct ku_hooks *ku_hooks;

/*
 * Waits for every probe and mark that runs now, in whatever context: also where RCU does not
 * watch, in the idle loop with interrupts off and on a CPU that goes offline. May sleep.
 */
void ku_synchronize(void);

#endif
