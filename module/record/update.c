// SPDX-License-Identifier: GPL-2.0-only
/*
 * Adapts hooks, slots, dispatch paths, merging and counters to the sessions that record, their
 * masks, filters and triggers. Must be called under ku_session_lock after any change of these.
 */
#include <linux/delay.h>
#include <linux/jump_label.h>
#include <linux/math.h>

#include "core/clock.h"
#include "core/kinds.h"
#include "record/internal.h"
#include "record/plan.h"
#include "record/record.h"
#include "session/backend.h"
#include "session/counters.h"
#include "session/filter.h"
#include "session/sessions.h"
#include "session/triggers.h"

static u32 ku_attached;			/* attached categories */

/* Calls that may return after other tasks have run. The fast path merges them without a test. */
#define KU_MERGED_CATEGORIES \
	(KUTRACE_MASK_SYSCALL | KUTRACE_MASK_TRAP | KUTRACE_MASK_SOFTIRQ)

static u32 ku_session_categories(const struct ku_session *session, bool in_slot)
{
	u64 kinds = session->kinds | ku_trigger_kinds(session);
	u32 categories = ku_categories_of_kinds(kinds);

	/* A filter by task needs context switches and wakeups. */
	if (session->ring.filtered)
		categories |= KUTRACE_MASK_SCHED | KUTRACE_MASK_WAKEUP;
	if (categories & KU_MERGED_CATEGORIES && in_slot)
		categories |= KUTRACE_MASK_SCHED;
	return categories;
}

static u32 ku_needed_categories(const struct ku_plan *plan)
{
	struct ku_session *session;
	u32 categories = 0;
	int i;

	ku_each_recording(session, i)
		categories |= ku_session_categories(session, plan->first);
	return categories & ku_hooks->categories();
}

static int ku_attach(u32 categories)
{
	int err;

	if (categories == ku_attached)
		return 0;
	err = ku_hooks->attach(categories);
	if (!err)
		ku_attached = categories;
	return err;
}

/* Starts the counters that any session records, on every CPU, and stops other counters. */
static int ku_update_counters(void)
{
	struct ku_session *session;
	u64 flags = 0;
	int i;

	ku_each_recording(session, i)
		flags |= session->flags & KU_RESET_COUNTED;
	return ku_counters_want(flags);
}

/* Returns whether the session records all context switches once the hooks are attached. */
static bool ku_may_merge(const struct ku_session *session)
{
	return session->kinds >> KUTRACE_KIND_USERPID & 1 &&
	       ku_hooks->categories() & KUTRACE_MASK_SCHED;
}

/*
 * Ends merging, before hooks are detached. Events in progress no longer merge either: they test
 * session->kinds, which no longer includes switches.
 */
static void ku_end_merging(void)
{
	struct ku_session *session;
	int i;

	ku_each_recording(session, i)
		if (!ku_may_merge(session))
			WRITE_ONCE(session->ring.merge, false);
}

/*
 * Allows merging after the hooks of switches were attached. After a call that was recorded earlier,
 * a switch may be missing: then the next return belongs to another task. So this function waits
 * until such calls are too old for merging.
 */
static void ku_begin_merging(bool switches_new)
{
	struct ku_session *session;
	u64 ns = 0;
	int i;

	ku_each_recording(session, i)
		if (session->ring.active &&
		    (switches_new || (ku_may_merge(session) && !session->ring.merge)))
			ns = max(ns, ku_counts_to_ns(KUTRACE_DELTA_MAX + 2,
						     session->ring.shift));
	if (ns) {
		ku_synchronize();
		fsleep((unsigned long)DIV_ROUND_UP_ULL(ns, NSEC_PER_USEC));
	}
	ku_each_recording(session, i)
		if (ku_may_merge(session))
			WRITE_ONCE(session->ring.merge, true);
}

void ku_sessions_notify(void)
{
	bool active = false, points = false;
	struct ku_session *session;
	int i;

	ku_each_recording(session, i) {
		if (!session->ring.active)
			continue;
		active = true;
		points |= session->kinds >> KUTRACE_KIND_TPOINT & 1;
	}
	ku_table_set_active(active);
	ku_notify_changed(points);
}

/* Attaches the hooks of switches first, because merging needs them, then more hooks. */
static int ku_attach_more(u32 wanted)
{
	u32 switches = wanted & KUTRACE_MASK_SCHED;
	bool new = switches & ~ku_attached;
	int err = ku_attach(ku_attached | switches);

	if (err)
		return err;
	ku_begin_merging(new);
	err = ku_attach(ku_attached | wanted);
	return err ?: ku_trigger_task_attach();
}

/* Detaches the hooks of switches last, because returns that are being merged need them. */
static int ku_attach_fewer(u32 wanted)
{
	int err = 0;

	if (ku_attached & ~wanted & KUTRACE_MASK_SCHED && ku_sessions_recording()) {
		err = ku_attach(wanted | KUTRACE_MASK_SCHED);
		ku_synchronize();
	}
	return err ?: ku_attach(wanted);
}

static struct ku_plan ku_plan_now(struct ku_settings *all)
{
	const struct ku_ring *primary = ku_primary;
	struct ku_session *session;
	u32 n = 0;
	int i;

	ku_each_recording(session, i) {
		const struct ku_filter *filter = session->filter;

		all[n++] = (struct ku_settings){
			.session = session,
			.kinds = session->kinds,
			.shift = session->ring.shift,
			.by_task = filter && !filter->all_tasks,
			.by_cpu = filter && !filter->all_cpus,
			.counted = session->ring.bytes,
			.may_time = ku_trigger_may_time(session),
		};
	}
	return ku_plan_for(all, n, primary ? container_of(primary, struct ku_session, ring) :
						NULL);
}

static enum ku_path ku_path_for(const struct ku_plan *plan, u32 event)
{
	return ku_plan_path(plan, ku_kinds[event],
			    ku_trigger_sees(plan->first->session, event) ||
			   (plan->second && ku_trigger_sees(plan->second->session, event)));
}

/*
 * Returns the path of 64-bit system calls: KU_PATH_FAST or KU_PATH_DUAL if all of them take it,
 * otherwise KU_PATH_INSPECTED. Checks only the calls, not their returns.
 */
static enum ku_path ku_path_of_calls(const struct ku_plan *plan)
{
	enum ku_path all = plan->second ? KU_PATH_DUAL : KU_PATH_FAST;
	u32 i;

	for (i = 0; plan->first && i < KUTRACE_COUNT_SYSCALL64; i++)
		if (ku_path_for(plan, KUTRACE_CALL_SYSCALL64 + i) != all)
			return KU_PATH_INSPECTED;
	return all;
}

/*
 * Sets the dispatch paths before the sessions get the slots. On return, no CPU uses an old path any
 * more. An old path could skip an inspection, or record in only one of two rings.
 */
static void ku_set_paths(const struct ku_plan *plan)
{
	bool any = false, more = false;
	u32 event;

	for (event = 0; plan->first && event <= KUTRACE_EVENT_MASK; event++) {
		enum ku_path path = ku_path_for(plan, event);

		any |= path != KU_PATH_FAST;
		more |= path != KU_PATH_FAST && path != ku_paths[event];
		WRITE_ONCE(ku_paths[event], path);
	}
	if (any == static_key_enabled(&ku_other_paths.key) && !more)
		return;
	if (any)
		static_branch_enable(&ku_other_paths);
	else
		static_branch_disable(&ku_other_paths);
	/* A CPU that has read an old path may not have recorded yet. */
	if ((plan->first && plan->first->session->ring.active) ||
	    (plan->second && plan->second->session->ring.active))
		ku_synchronize();
}

/* Sets whether system calls are timed. */
static void ku_time_calls(const struct ku_plan *plan)
{
	struct ku_session *session;
	int i;

	ku_each_recording(session, i)
		ku_trigger_set_timed(session, plan->timed);
}

static enum ku_path ku_calls_path = KU_PATH_FAST;

static void ku_set_calls_path(enum ku_path path)
{
	if (path != ku_calls_path && ku_hooks->calls_path)
		ku_hooks->calls_path(path);
	ku_calls_path = path;
}

/* First attaches more hooks, then changes the dispatch paths, then detaches hooks. */
int ku_sessions_update(void)
{
	struct ku_settings all[KUTRACE_SESSIONS];
	struct ku_plan plan = ku_plan_now(all);
	u32 wanted = ku_needed_categories(&plan);
	enum ku_path calls;
	int err;

	lockdep_assert_held(&ku_session_lock);
	ku_time_calls(&plan);
	calls = ku_path_of_calls(&plan);
	ku_end_merging();
	if (ku_sessions_recording() && (!plan.first || !ku_slot_may_stay(&plan)))
		ku_slot_demote();
	/* While the paths change, hooks read the path of each call from ku_paths. */
	if (calls != ku_calls_path)
		ku_set_calls_path(KU_PATH_INSPECTED);
	err = ku_attach_more(wanted);
	if (!err) {
		ku_set_paths(&plan);
		if (plan.first)
			ku_slot_promote(&plan);
		ku_set_calls_path(calls);
		err = ku_attach_fewer(wanted);
	}
	ku_sessions_notify();
	return err;
}

static void ku_record(struct ku_session *session, bool on)
{
	u32 bit = 1U << session->id;

	WRITE_ONCE(ku_recording[session->id], on ? session : NULL);
	WRITE_ONCE(ku_recording_set, on ? ku_recording_set | bit : ku_recording_set & ~bit);
}

void ku_sessions_stop(struct ku_session *session)
{
	/* Move the session's CPU states back into its own memory. */
	ku_slot_leave(session);
	ku_record(session, false);
	ku_trigger_set_timed(session, false);
	ku_sessions_update();
	ku_synchronize();
	ku_update_counters();
}

int ku_sessions_start(struct ku_session *session)
{
	int err;

	ku_record(session, true);
	ku_pace_begin();
	err = ku_update_counters();
	if (!err)
		err = ku_sessions_update();
	if (err)
		ku_sessions_stop(session);
	return err;
}

static LIST_HEAD(ku_listeners);

void ku_notify_register(struct ku_listener *listener)
{
	list_add_tail(&listener->node, &ku_listeners);
}

void ku_notify_unregister(struct ku_listener *listener)
{
	list_del(&listener->node);
}

void ku_notify_changed(bool points)
{
	struct ku_listener *listener;

	list_for_each_entry(listener, &ku_listeners, node)
		listener->changed(points);
}

void ku_notify_name_all(struct ku_aux *aux, u64 counts)
{
	struct ku_listener *listener;

	list_for_each_entry(listener, &ku_listeners, node)
		listener->name_all(aux, counts);
}
