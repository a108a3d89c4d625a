/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The filter of a session: see struct kutrace_filter. The CPU's state stores the decision about the
 * running task. Context switches and changes of the filter make a new decision.
 */
#ifndef KU_FILTER_H
#define KU_FILTER_H

#include "session/state.h"

/* The filter's decision about the running task (ku_cpu.filter.wanted). */
#define KU_WANTED_UNKNOWN	0
#define KU_WANTED_YES		1
#define KU_WANTED_NO		2

struct ku_filter {
	u32 number;		/* differs between filters; never 0 */
	struct kutrace_filter wanted;
	bool all_tasks;
	bool all_cpus;
};

/* Returns the filter's number; 0 without a filter. */
static __always_inline u32 ku_filter_number(const struct ku_filter *filter)
{
	return filter ? filter->number : 0;
}

/* Context of these functions: any, interrupts off. @cpu: the session's state of this CPU. */

/* Returns whether the filter selects this CPU. */
bool ku_filter_cpu(const struct ku_filter *filter);
/* Returns whether the filter selects the task. */
bool ku_filter_task(const struct ku_filter *filter, struct task_struct *task);
/*
 * Decides about the running task. Called if @cpu has the number of another filter. Returns the
 * context switch to record if another pid is shown from now on, otherwise 0.
 */
u64 ku_filter_changed(const struct ku_filter *filter, struct ku_cpu *cpu);
/*
 * Returns whether the entry is recorded. @task: the task of a context switch or wakeup. May replace
 * a context switch by one to "-other-".
 */
bool ku_filter_pass(const struct ku_filter *filter, struct ku_cpu *cpu, u64 *entry,
		    struct task_struct *task);

/* Adds the name "-other-", if the filter can show it. ku_session_lock held. */
void ku_filter_name(struct ku_session *session, u64 counts);
/* Returns the filter for @wanted, NULL if it would select everything, or ERR_PTR. May sleep. */
struct ku_filter *ku_filter_new(const struct kutrace_filter *wanted);
/*
 * Replaces the session's filter; NULL: no filter. Returns the old one, which the caller frees after
 * ku_synchronize(). The caller also updates slots and hooks. ku_session_lock held.
 */
struct ku_filter *ku_filter_replace(struct ku_session *session, struct ku_filter *filter);

#endif
