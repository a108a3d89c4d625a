/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Plans the dispatch of events: which sessions get the slots, and which dispatch path each event
 * takes. The functions are pure: tests/unit/test_plan.c compares all combinations with the tables
 * below. update.c carries out the plan.
 */
#ifndef KU_PLAN_H
#define KU_PLAN_H

#include "core/ring.h"

struct ku_session;

/* The properties of a recording session on which dispatch depends. */
struct ku_settings {
	struct ku_session *session;
	u64 kinds;		/* recorded kinds: a bit for each enum kutrace_kind */
	u32 shift;		/* clock shift */
	bool by_task;		/* a filter selects tasks */
	bool by_cpu;		/* a filter selects CPUs */
	bool counted;		/* counter bits */
	bool may_time;		/* ku_trigger_may_time() */
};

/* If @first is NULL, both slots are closed, and ku_dispatch offers each event to each session. */
struct ku_plan {
	const struct ku_settings *first;	/* in the primary slot */
	const struct ku_settings *second;	/* in the secondary slot, or NULL */
	bool timed;			/* system calls of @first are timed */
};

/*
 * Returns the plan for @n sessions. @primary: the session in the primary slot, or NULL; it keeps
 * its slot.
 *
 *	sessions  filter or counter bits  clock shifts  primary slot  secondary slot
 *	0         -                       -             -             -
 *	1         any                     -             the session   -
 *	2         none in both            equal         one           the other
 *	2         any other case                        -             -
 *	3 or more -                       -             -             -
 *
 * System calls are timed for a session that records alone, without counter bits, and may time them.
 */
struct ku_plan ku_plan_for(const struct ku_settings *all, u32 n, const struct ku_session *primary);

/*
 * Returns the path of an event of @kind. @triggered: a trigger of a session in a slot waits for the
 * event. The plan's first session is not NULL. The first row that fits decides:
 *
 *	event				sessions in the slots		path
 *	name				any					KU_PATH_FAST
 *	switch or wakeup, no trigger	one, filter by task only, no counter	KU_PATH_SWITCH
 *					bits; wakeup: in the mask
 *	switch, no trigger		one, timed, no list of CPUs, in mask	KU_PATH_SWITCH
 *	switch				one, timed				KU_PATH_INSPECTED
 *	switch, wakeup or timer		one with a filter by task		KU_PATH_INSPECTED
 *	not in a mask			any					KU_PATH_INSPECTED
 *	system call, trigger		one, timed				KU_PATH_TIMED
 *	any, trigger			any					KU_PATH_INSPECTED
 *	any				one with counter bits			KU_PATH_COUNTED
 *	any				two					KU_PATH_DUAL
 *	any				one					KU_PATH_FAST
 */
enum ku_path ku_plan_path(const struct ku_plan *plan, u32 kind, bool triggered);

/*
 * Returns the verdict for a slot. The slot's own verdict belongs to another session, so it must not
 * be used. @cpu: the filter selects this CPU. @decided: the present filter has decided about the
 * running task. @task: the filter selects the task.
 *
 *	cpu	decided	task	verdict
 *	no	any	any	KU_EXCLUDED
 *	yes	no	any	KU_UNRESOLVED
 *	yes	yes	no	KU_EXCLUDED
 *	yes	yes	yes	KU_SELECTED
 */
static __always_inline enum ku_verdict ku_plan_verdict(bool cpu, bool decided, bool task)
{
	if (cpu && !decided)
		return KU_UNRESOLVED;
	return cpu && task ? KU_SELECTED : KU_EXCLUDED;
}

#endif
