/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Triggers on signals and exits, which are no events of a recording: probes of their own on
 * the kernel's tracepoints, attached while a session that records waits for one. Called by
 * record/ under ku_session_lock.
 */
#ifndef KU_TRIGGER_TASK_H
#define KU_TRIGGER_TASK_H

#include <linux/types.h>

/* Whether the kernel has what a trigger of that kind needs. */
bool ku_trigger_task_has(u32 kind);
/* Attaches and detaches as what is recorded now wants it. 0 or -errno. */
int ku_trigger_task_attach(void);
void ku_trigger_task_init(void);
/* Nothing records any more. */
void ku_trigger_task_exit(void);

#endif
