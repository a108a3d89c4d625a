/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A back end: attaches and detaches hooks, and reports which events they cover. backends/ has two
 * back ends, and main.c chooses one of them.
 */
#ifndef KU_BACKEND_H
#define KU_BACKEND_H

#include <linux/types.h>

#include "core/ring.h"

struct ku_hooks {
	u32 backend;			/* enum kutrace_backend */
	/* Finds the hooks of this kernel. Returns 0, or -errno if it has too few. */
	int (*init)(void);
	void (*exit)(void);
	/* A recording begins: numbered objects, such as interrupts, must be named again. */
	void (*name_again)(void);
	/*
	 * Attaches the hooks of these categories (KUTRACE_MASK_*), and detaches all others. May
	 * sleep. Returns 0 or -errno. After an error, the hooks are attached as before.
	 */
	int (*attach)(u32 categories);
	/*
	 * Sets the dispatch path of all 64-bit system calls. The back end may use special hooks for
	 * KU_PATH_FAST (the initial path) and KU_PATH_DUAL. With KU_PATH_INSPECTED, hooks look up
	 * the path of each call. On return from a change to KU_PATH_INSPECTED, no special hook runs
	 * or will be called. May sleep. NULL: no special hooks.
	 */
	void (*calls_path)(enum ku_path path);
	/*
	 * Waits for hooks that run where RCU watches and with preemption on. ku_synchronize() waits
	 * for all other hooks. May sleep.
	 */
	void (*synchronize)(void);
	u32 (*categories)(void);	/* KUTRACE_MASK_* attached or attachable */
	u32 (*caveats)(void);		/* KUTRACE_CAVEAT_* */
	u32 (*added_tracepoints)(void);	/* KUTRACE_TRACEPOINT_*. NULL: none */
	/* Whether changes of priorities are recorded. Valid after attach(). NULL: they are not. */
	bool (*priorities)(void);
	u64 (*missed)(void);		/* return probes missed so far, for lack of an instance */
};

/* The back end in use; set once, by ku_sessions_init(). */
extern const struct ku_hooks *ku_hooks;

/*
 * Waits for every probe and mark that runs now, in any context. This includes code where RCU does
 * not watch, such as the idle loop with interrupts off or a CPU that goes offline. May sleep.
 */
void ku_synchronize(void);

#endif
