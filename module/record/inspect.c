// SPDX-License-Identifier: GPL-2.0-only
/* Chooses the dispatch path of each event number: see inspect.h. */
#include <linux/jump_label.h>

#include "core/kinds.h"
#include "record/inspect.h"
#include "session/backend.h"
#include "session/filter.h"
#include "session/trigger.h"

/* Returns whether the mask excludes the event, or a filter by task depends on it. */
static bool ku_is_asked_about(const struct ku_session *session, u32 event)
{
	u32 kind = ku_kinds[event];

	if (!(session->kinds >> kind & 1))
		return true;
	return session->ring.filtered &&
	       (kind == KUTRACE_KIND_USERPID || kind == KUTRACE_KIND_RUNNABLE);
}

static bool ku_inspects(const struct ku_session *session, u32 event)
{
	return ku_is_asked_about(session, event) || ku_trigger_sees(session, event);
}

/*
 * Returns whether ku_follow handles the event of a session that records alone: context switches for
 * a filter by task or timed calls, wakeups for a filter by task. With a list of CPUs or counter
 * bits, ku_route handles them.
 */
static bool ku_is_followed(const struct ku_session *session, u32 event)
{
	u32 kind = ku_kinds[event];
	bool by_task = session->ring.filtered;

	if (session->ring.bytes || (session->filter && !session->filter->all_cpus) ||
	    ku_trigger_sees(session, event))
		return false;
	if (kind == KUTRACE_KIND_USERPID)
		return by_task || (ku_trigger_is_timed(session) && session->kinds >> kind & 1);
	return kind == KUTRACE_KIND_RUNNABLE && by_task && session->kinds >> kind & 1;
}

/* Returns the path of an event for a session that records alone, with timed system calls. */
static enum ku_way ku_way_timed(const struct ku_session *session, u32 event)
{
	u32 kind = ku_kinds[event];

	if (ku_is_asked_about(session, event) || kind == KUTRACE_KIND_USERPID)
		return KU_INSPECTED;
	if (!ku_trigger_sees(session, event))
		return KU_STRAIGHT;
	return kind == KUTRACE_KIND_CALL_SYSCALL64 || kind == KUTRACE_KIND_CALL_SYSCALL32 ?
	       KU_TIMED : KU_INSPECTED;
}

static bool ku_pair_is_active(const struct ku_pair *pair)
{
	return (pair->first && pair->first->ring.active) ||
	       (pair->second && pair->second->ring.active);
}

static enum ku_way ku_way_for(const struct ku_pair *pair, u32 event)
{
	/* Rings do not record names; the code that adds names checks the mask itself. */
	if (ku_kinds[event] == KUTRACE_KIND_NAME)
		return KU_STRAIGHT;
	if (!pair->second && ku_is_followed(pair->first, event))
		return KU_FOLLOWED;
	if (ku_trigger_is_timed(pair->first))
		return ku_way_timed(pair->first, event);
	if (ku_inspects(pair->first, event) || (pair->second && ku_inspects(pair->second, event)))
		return KU_INSPECTED;
	if (pair->first->ring.bytes)
		return KU_COUNTED;
	return pair->second ? KU_TWICE : KU_STRAIGHT;
}

enum ku_way ku_way_of_calls(const struct ku_pair *pair)
{
	enum ku_way all = pair->second ? KU_TWICE : KU_STRAIGHT;
	u32 i;

	for (i = 0; pair->first && i < KUTRACE_COUNT_SYSCALL64; i++)
		if (ku_way_for(pair, KUTRACE_CALL_SYSCALL64 + i) != all)
			return KU_INSPECTED;
	return all;
}

void ku_inspect_for(const struct ku_pair *pair)
{
	bool any = false, more = false;
	u32 event;

	lockdep_assert_held(&ku_session_lock);
	for (event = 0; pair->first && event <= KUTRACE_EVENT_MASK; event++) {
		enum ku_way way = ku_way_for(pair, event);

		any |= way != KU_STRAIGHT;
		more |= way != KU_STRAIGHT && way != ku_ways[event];
		WRITE_ONCE(ku_ways[event], way);
	}
	if (any == static_key_enabled(&ku_aside.key) && !more)
		return;
	if (any)
		static_branch_enable(&ku_aside);
	else
		static_branch_disable(&ku_aside);
	/* A CPU that has read an old path may not have recorded yet. */
	if (ku_pair_is_active(pair))
		ku_synchronize();
}
