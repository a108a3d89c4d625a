/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Passes names, entries from user space and losses to all sessions that record. Must neither sleep
 * nor wait, because probes call it.
 *
 * Context of all functions: any but NMI, preemption off.
 */
#ifndef KU_ALL_H
#define KU_ALL_H

#include <linux/types.h>

struct task_struct;

/* Adds a name to the table of each session whose mask selects it. */
void ku_sessions_name(u16 base, u32 number, const char *name, size_t len);
/* Adds the name @comm of a task. If @comm is task->comm itself, the task is new: identifies it. */
void ku_sessions_name_task(struct task_struct *task, const char *comm);
/* Adds the policy and the priority that @task has now, if it has others than before. */
void ku_sessions_priority(const struct task_struct *task);
/* Adds the identity of a task. @reason: KUTRACE_TASK_*. @before: pid before exec; 0: the same. */
void ku_sessions_identify(struct task_struct *task, char reason, u32 before);
/* Records an entry of up to 8 words, the first without timestamp. */
void ku_sessions_emit(const u64 *words, u32 nwords);
/* Counts an event of @kind that was not recorded because its user exceeds the rate. */
void ku_sessions_rate_lost(u32 kind);

#endif
