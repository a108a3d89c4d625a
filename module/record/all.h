/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * To all that record: names, entries of user space, losses. Must not sleep nor wait: probes
 * call it. Called by probes/, point/ and ctl/.
 */
#ifndef KU_ALL_H
#define KU_ALL_H

#include <linux/types.h>

struct task_struct;

/* Any context but NMI, preemption off. */
void ku_sessions_name(u16 base, u32 number, const char *name, size_t len);
/*
 * Adds @comm as the name of a task. If @comm is task->comm itself, the task is new. Any context but
 * NMI, preemption off.
 */
void ku_sessions_name_task(const struct task_struct *task, const char *comm);
/* An entry of up to 8 words, the first without timestamp. Likewise. */
void ku_sessions_emit(const u64 *words, u32 nwords);
/* A mark was not recorded because its user makes too many. Preemption off. */
void ku_sessions_rate_lost(u32 kind);

#endif
