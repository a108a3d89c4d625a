/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Triggers on signals and exits. These are not recorded as events, so this file attaches its own
 * probes to the kernel's tracepoints, while a session that records has such a trigger.
 */
#ifndef KU_TRIGGER_TASK_H
#define KU_TRIGGER_TASK_H

#include <linux/types.h>

/* Returns whether the kernel has the tracepoint that a trigger of @kind needs. */
bool ku_trigger_task_has(u32 kind);
/* Attaches and detaches the probes as needed now. Returns 0 or -errno. ku_session_lock held. */
int ku_trigger_task_attach(void);
void ku_trigger_task_init(void);
/* Detaches the probes. Nothing may record any more. */
void ku_trigger_task_exit(void);

#endif
