// SPDX-License-Identifier: GPL-2.0-only
/*
 * Triggers of sessions: sets, clears and describes them. trigger_watch.c and
 * trigger_task.c test their conditions, and trigger_fire.c acts when one fires.
 */
#include <linux/nospec.h>
#include <linux/percpu.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "core/clock.h"
#include "core/kinds.h"
#include "session/backend.h"
#include "session/triggers.h"

void ku_watch_free(struct ku_watch *watch)
{
	if (!watch)
		return;
	ku_slots_free(&watch->slots);
	free_percpu(watch->starts);
	kfree(watch);
}

struct ku_watch *ku_watch_new(struct ku_session *session)
{
	struct ku_watch *watch = kzalloc(sizeof(*watch), GFP_KERNEL_ACCOUNT);

	if (!watch)
		return NULL;
	watch->session = session;
	watch->starts = alloc_percpu(struct ku_cpu_starts);
	ku_fire_init(watch);
	if (watch->starts && !ku_slots_alloc(&watch->slots))
		return watch;
	ku_watch_free(watch);
	return NULL;
}

static const u64 ku_trigger_needs[KUTRACE_TRIGGER_KINDS] = {
	[KUTRACE_TRIGGER_SYSCALL] = 1ULL << KUTRACE_KIND_CALL_SYSCALL64 |
				    1ULL << KUTRACE_KIND_CALL_SYSCALL32,
	[KUTRACE_TRIGGER_SOFTIRQ] = 1ULL << KUTRACE_KIND_CALL_BH,
	[KUTRACE_TRIGGER_IRQ] = 1ULL << KUTRACE_KIND_CALL_IRQ |
				1ULL << KUTRACE_KIND_CALL_IPI,
	[KUTRACE_TRIGGER_TRAP] = 1ULL << KUTRACE_KIND_CALL_TRAP,
	[KUTRACE_TRIGGER_RUNQ] = 1ULL << KUTRACE_KIND_RUNNABLE |
				 1ULL << KUTRACE_KIND_USERPID,
	[KUTRACE_TRIGGER_MARKS] = 1ULL << KUTRACE_KIND_MARKA | 1ULL << KUTRACE_KIND_MARKB |
				  1ULL << KUTRACE_KIND_MARKC,
	[KUTRACE_TRIGGER_MARK] = 1ULL << KUTRACE_KIND_MARKA | 1ULL << KUTRACE_KIND_MARKB |
				 1ULL << KUTRACE_KIND_MARKC,
};

int ku_trigger_valid(const struct kutrace_trigger *wanted)
{
	if (wanted->kind >= KUTRACE_TRIGGER_KINDS ||
	    wanted->flags & ~(u32)KUTRACE_TRIGGER_NOTIFY ||
	    wanted->after_ms > 24 * 3600 * 1000 ||
	    memchr_inv(wanted->reserved, 0, sizeof(wanted->reserved)))
		return -EINVAL;
	return ku_trigger_task_has(wanted->kind) ? 0 : -EOPNOTSUPP;
}

int ku_trigger_append(struct ku_session *session, struct kutrace_trigger *wanted,
		      struct ku_watch **fresh)
{
	u32 kind = array_index_nospec(wanted->kind, KUTRACE_TRIGGER_KINDS);
	struct ku_watch *watch;
	u32 i;

	lockdep_assert_held(&ku_session_lock);
	if (!session->watch) {
		if (!*fresh)
			return -ENOMEM;
		/*
		 * Publishes the content. Readers need no barrier: their loads depend on this
		 * address.
		 */
		smp_store_release(&session->watch, *fresh);
		*fresh = NULL;
	}
	watch = session->watch;
	i = watch->count;
	if (i == KUTRACE_TRIGGERS)
		return -ENOSPC;
	wanted->index = i;
	watch->triggers[i] = *wanted;
	watch->over[i] = ku_ns_to_counts(wanted->over_ns, session->ring.shift);
	watch->mark_at[i] = 0;
	WRITE_ONCE(watch->kinds, watch->kinds | ku_trigger_needs[kind]);
	/* Publishes the trigger. Pairs with the acquires of the code that tests triggers. */
	smp_store_release(&watch->count, i + 1);
	return 0;
}

void ku_trigger_remove_last(struct ku_session *session)
{
	struct ku_watch *watch = session->watch;
	u32 count = watch->count - 1, i;
	u64 kinds = 0;
	int cpu;

	lockdep_assert_held(&ku_session_lock);
	for (i = 0; i < count; i++)
		kinds |= ku_trigger_needs[watch->triggers[i].kind];
	WRITE_ONCE(watch->count, count);
	WRITE_ONCE(watch->kinds, kinds);
	/* Wait until no code uses the trigger: the next one gets its memory. */
	if (session->on)
		ku_synchronize();
	ku_slots_clear_trigger(&watch->slots, count);
	for_each_possible_cpu(cpu)
		per_cpu_ptr(watch->starts, cpu)->at[count] = (struct ku_span_start){ };
}

void ku_trigger_clear(struct ku_session *session)
{
	struct ku_watch *watch = session->watch;
	int cpu;

	if (!watch)
		return;
	WRITE_ONCE(watch->count, 0);
	WRITE_ONCE(watch->kinds, 0);
	/* Wait until no code uses the triggers, then cancel firings. */
	if (session->on)
		ku_synchronize();
	ku_fire_cancel(watch);
	ku_slots_clear(&watch->slots);
	ku_slots_clear_missed(&watch->slots);
	for_each_possible_cpu(cpu)
		memset(per_cpu_ptr(watch->starts, cpu), 0, sizeof(struct ku_cpu_starts));
}

void ku_trigger_start(struct ku_session *session)
{
	struct ku_watch *watch = session->watch;
	u32 i;

	if (!watch)
		return;
	ku_slots_clear(&watch->slots);
	for (i = 0; i < watch->count; i++) {
		watch->over[i] = ku_ns_to_counts(watch->triggers[i].over_ns,
						 session->ring.shift);
		watch->mark_at[i] = 0;
	}
	ku_fire_restart(watch);
}

void ku_trigger_free(struct ku_session *session)
{
	struct ku_watch *watch = session->watch;

	if (!watch)
		return;
	ku_fire_exit(watch);
	ku_watch_free(watch);
	session->watch = NULL;
}

u32 ku_trigger_fired(struct ku_session *session, struct kutrace_fired *fired)
{
	struct ku_watch *watch;
	u32 done;

	mutex_lock(&ku_session_lock);
	watch = session->watch;
	memset(fired, 0, sizeof(*fired));
	if (watch) {
		*fired = watch->fired;
		fired->fired = READ_ONCE(watch->fired_count) - watch->fired_base;
		fired->missed = ku_slots_missed(&watch->slots);
	}
	fired->length = sizeof(*fired);
	done = ku_trigger_done(session);
	mutex_unlock(&ku_session_lock);
	return done;
}

u32 ku_trigger_done(const struct ku_session *session)
{
	const struct ku_watch *watch = READ_ONCE(session->watch);

	return watch ? READ_ONCE(watch->done_count) : 0;
}

void ku_trigger_info(struct ku_session *session, struct kutrace_info *info)
{
	const struct ku_watch *watch = session->watch;

	info->triggers = watch ? watch->count : 0;
	info->fired = watch ? READ_ONCE(watch->fired_count) - watch->fired_base : 0;
}

u64 ku_trigger_kinds(const struct ku_session *session)
{
	return session->watch ? session->watch->kinds : 0;
}

bool ku_trigger_sees(const struct ku_session *session, u32 event)
{
	const struct ku_watch *watch = session->watch;
	u32 call = event & ~KUTRACE_RETURN_BIT;
	u32 i;

	for (i = 0; watch && i < watch->count; i++) {
		const struct kutrace_trigger *trigger = &watch->triggers[i];
		u32 first = 0;

		if (!(ku_trigger_needs[trigger->kind] >> ku_kinds[event] & 1))
			continue;
		if (trigger->kind == KUTRACE_TRIGGER_TRAP)
			first = KUTRACE_CALL_TRAP;
		else if (trigger->kind == KUTRACE_TRIGGER_IRQ)
			first = KUTRACE_CALL_IRQ;
		else if (trigger->kind != KUTRACE_TRIGGER_SYSCALL)
			return true;
		if (trigger->number == KU_ANY || trigger->number == call - first)
			return true;
	}
	return false;
}

/*
 * Returns whether there is a trigger on system calls. Sets *@first to the first such trigger, and
 * *@limit to the lowest limit of these triggers.
 */
static bool ku_watch_calls(const struct ku_watch *watch, u32 *first, u64 *limit)
{
	bool any = false;
	u32 i;

	*limit = ~0ULL >> 1;
	for (i = 0; i < watch->count; i++) {
		if (watch->triggers[i].kind != KUTRACE_TRIGGER_SYSCALL)
			continue;
		if (!any)
			*first = i;
		any = true;
		*limit = min(*limit, watch->over[i]);
	}
	return any;
}

bool ku_trigger_may_time(const struct ku_session *session)
{
	const struct ku_watch *watch = session->watch;
	u64 limit;
	u32 first;

	return watch && ku_watch_calls(watch, &first, &limit) && limit >= KUTRACE_DELTA_MAX;
}

void ku_trigger_set_timed(struct ku_session *session, bool timed)
{
	struct ku_watch *watch = session->watch;
	u64 limit;
	u32 first;
	int cpu;

	if (!watch)
		return;
	if (timed && ku_watch_calls(watch, &first, &limit)) {
		WRITE_ONCE(watch->timed_by, first);
		WRITE_ONCE(ku_timed_limit, limit);
	}
	if (timed && !watch->timed)
		for_each_possible_cpu(cpu)
			WRITE_ONCE(per_cpu_ptr(&ku_cpu, cpu)->hook.began, 0);
	WRITE_ONCE(watch->timed, timed);
}

bool ku_trigger_is_timed(const struct ku_session *session)
{
	return session->watch && session->watch->timed;
}
