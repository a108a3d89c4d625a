/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Whose events a session records: see struct kutrace_filter. What a filter says of
 * a task is kept with the CPU and asked for again at context switches, and when the
 * filter changes. Called by record/ for every event of a session that has one.
 */
#ifndef KU_FILTER_H
#define KU_FILTER_H

#include "session/state.h"

/* What a CPU's state says of the running task (ku_cpu.wanted). */
#define KU_WANTED_UNKNOWN	0
#define KU_WANTED_YES		1
#define KU_WANTED_NO		2

struct ku_filter {
	u32 number;		/* another one, another number; never 0 */
	struct kutrace_filter wanted;
	bool all_tasks;
	bool all_cpus;
};

/* Its number; 0 without one. */
static __always_inline u32 ku_filter_number(const struct ku_filter *filter)
{
	return filter ? filter->number : 0;
}

/* All of these: any context, interrupts off; @cpu: its state of this CPU. */

bool ku_filter_cpu(const struct ku_filter *filter);
/* Whether the task is wanted. */
bool ku_filter_task(const struct ku_filter *filter, struct task_struct *task);
/*
 * To be called when the number is not @cpu's: asks it of the running task, and returns
 * the context switch to record because another pid is to be shown from here on, or 0.
 */
u64 ku_filter_changed(const struct ku_filter *filter, struct ku_cpu *cpu);
/*
 * Whether the entry is to be recorded. @task: of whom a context switch or wakeup
 * is. May turn it into one of "-other-".
 */
bool ku_filter_pass(const struct ku_filter *filter, struct ku_cpu *cpu, u64 *entry,
		    struct task_struct *task);

/* Names "-other-", if it can be shown. ku_session_lock is held. */
void ku_filter_name(struct ku_session *session, u64 counts);
/* A filter as it is wanted; NULL: none is needed for that; ERR_PTR. May sleep. */
struct ku_filter *ku_filter_new(const struct kutrace_filter *wanted);
/*
 * The session has that filter from now on, or none. ku_session_lock is held, and the caller
 * brings everything else into line with it. Returns the one before, for the caller to free
 * once ku_synchronize() has waited for who still sees it.
 */
struct ku_filter *ku_filter_replace(struct ku_session *session, struct ku_filter *filter);

#endif
