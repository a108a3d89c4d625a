// SPDX-License-Identifier: GPL-2.0-only
/* Plans the dispatch of events: see plan.h. Also compiles in user space (core/env.h). */
#include "record/plan.h"

static bool ku_is_plain(const struct ku_settings *settings)
{
	return !settings->by_task && !settings->by_cpu && !settings->counted;
}

struct ku_plan ku_plan_for(const struct ku_settings *all, u32 n, const struct ku_session *primary)
{
	struct ku_plan plan = { };

	if (n == 1) {
		plan.first = all;
		plan.timed = all->may_time && !all->counted;
	} else if (n == 2 && all[0].shift == all[1].shift && ku_is_plain(&all[0]) &&
		   ku_is_plain(&all[1])) {
		plan.first = &all[primary == all[1].session];
		plan.second = &all[primary != all[1].session];
	}
	return plan;
}

/* Returns whether the mask excludes the kind, or a filter by task depends on it. */
static bool ku_must_check(const struct ku_settings *settings, u32 kind)
{
	if (!(settings->kinds >> kind & 1))
		return true;
	return settings->by_task &&
	       (kind == KUTRACE_KIND_USERPID || kind == KUTRACE_KIND_RUNNABLE ||
		kind == KUTRACE_KIND_TIMER);
}

/* Returns whether ku_on_switch can handle a kind that no trigger waits for. */
static bool ku_plan_on_switch(const struct ku_plan *plan, u32 kind)
{
	const struct ku_settings *settings = plan->first;
	bool recorded = settings->kinds >> kind & 1;

	if (settings->counted || settings->by_cpu)
		return false;
	if (kind == KUTRACE_KIND_USERPID)
		return settings->by_task || (plan->timed && recorded);
	return kind == KUTRACE_KIND_RUNNABLE && settings->by_task && recorded;
}

enum ku_path ku_plan_path(const struct ku_plan *plan, u32 kind, bool triggered)
{
	bool call = kind == KUTRACE_KIND_CALL_SYSCALL64 || kind == KUTRACE_KIND_CALL_SYSCALL32;

	/* Rings do not record names; the code that adds names checks the mask itself. */
	if (kind == KUTRACE_KIND_NAME)
		return KU_PATH_FAST;
	if (!triggered && ku_plan_on_switch(plan, kind))
		return KU_PATH_SWITCH;
	if ((plan->timed && kind == KUTRACE_KIND_USERPID) || ku_must_check(plan->first, kind) ||
	    (plan->second && ku_must_check(plan->second, kind)))
		return KU_PATH_INSPECTED;
	if (triggered)
		return plan->timed && call ? KU_PATH_TIMED : KU_PATH_INSPECTED;
	if (plan->first->counted)
		return KU_PATH_COUNTED;
	return plan->second ? KU_PATH_DUAL : KU_PATH_FAST;
}
