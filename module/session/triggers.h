/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Triggers of sessions: see struct kutrace_trigger. They measure spans by the events that begin and
 * end them, so these events are inspected. ku_session_lock held, except where stated.
 */
#ifndef KU_TRIGGERS_H
#define KU_TRIGGERS_H

#include <linux/sched.h>

#include "session/state.h"

/* ---- trigger_slots.c: start times of spans of tasks; any context ---- */

struct ku_slots {
	u64 *at;
	u64 __percpu *missed;
};

/* Saves @now, in counts, as the start of a task's span for a trigger. */
void ku_slot_begin(struct ku_slots *slots, u32 pid, u32 trigger, u64 now);
/* Like ku_slot_begin(), but faster: requires that the pid and trigger have no entry. */
void ku_slot_add(struct ku_slots *slots, u32 pid, u32 trigger, u64 now);
/* Removes an entry. Returns the counts since its start; 0: there was no entry. */
u64 ku_slot_end(struct ku_slots *slots, u32 pid, u32 trigger, u64 now);

/* Returns 0, or -ENOMEM. Then ku_slots_free() frees the allocated part. May sleep. */
int ku_slots_alloc(struct ku_slots *slots);
void ku_slots_free(struct ku_slots *slots);
/* Removes the starts of a trigger that no code uses. Other triggers may use the table meanwhile. */
void ku_slots_clear_trigger(struct ku_slots *slots, u32 trigger);
/* Nothing may use the table meanwhile, unless its results do not matter. */
void ku_slots_clear(struct ku_slots *slots);
u64 ku_slots_missed(const struct ku_slots *slots);
void ku_slots_clear_missed(struct ku_slots *slots);

/* ---- trigger_fire.c: effects of a firing ---- */

/* Value of trigger->number that matches any number. */
#define KU_ANY		(~0U)

struct ku_span_start {
	u64 counts;
	u32 event;
};

struct ku_cpu_starts {
	struct ku_span_start at[KUTRACE_TRIGGERS];
};

struct ku_watch {
	struct ku_session *session;
	u32 count;
	u64 kinds;			/* kinds of events that the triggers need */
	struct kutrace_trigger triggers[KUTRACE_TRIGGERS];
	u64 over[KUTRACE_TRIGGERS];	/* limit of each trigger (over_ns), in counts */
	u64 mark_at[KUTRACE_TRIGGERS];
	bool timed;			/* system calls are timed, see trigger_watch.c */
	u32 timed_by;			/* index of the first trigger on system calls */
	struct ku_slots slots;		/* starts of spans of tasks */
	struct ku_cpu_starts __percpu *starts;	/* starts of spans that end on their CPU */
	/*
	 * State of the firings. firing: 0 if the next trigger may fire. fired_count: incremented by
	 * each firing. ending: set to fired_count when the end is scheduled, at due. ended: set to
	 * ending when the end is complete or cancelled.
	 */
	u32 firing;
	u32 fired_count;
	u32 fired_base;			/* fired_count when the triggers were last cleared */
	u32 ending;
	u32 ended;			/* under ku_session_lock */
	unsigned long due;		/* jiffies; end of the firing @ending */
	u32 done_count;
	struct kutrace_fired next;	/* last firing; may not be complete */
	struct kutrace_fired fired;	/* last completed firing; under ku_session_lock */
	struct irq_work work;
	struct delayed_work end;
};

/* Returns whether a trigger concerns the task. Any context. */
static __always_inline bool ku_trigger_is_of(const struct kutrace_trigger *trigger,
					     const struct task_struct *task)
{
	return !trigger->pid || trigger->pid == (u32)task->pid ||
	       trigger->pid == (u32)task->tgid;
}

/*
 * Registers the function that ends a recording when a trigger's post-trigger interval is over. @end
 * is called with ku_session_lock held.
 */
void ku_trigger_on_end(void (*end)(struct ku_session *session));
void ku_fire_init(struct ku_watch *watch);
/*
 * Fires a trigger, unless a firing is in progress. @now: time, @counts: duration, both in counts;
 * @number: number or label of the event. Any context, interrupts off.
 */
void ku_trigger_fire(struct ku_watch *watch, u32 trigger, u64 now, u64 counts, u32 number,
		     struct task_struct *task);
/* Cancels firings. No trigger may fire meanwhile. ku_session_lock held. */
void ku_fire_cancel(struct ku_watch *watch);
/* Prepares a recording: allows firing if the last firing is complete. ku_session_lock held. */
void ku_fire_restart(struct ku_watch *watch);
/* Waits for work in progress. ku_session_lock not held. */
void ku_fire_exit(struct ku_watch *watch);

/* ---- trigger.c: after a change, the caller updates hooks and slots (record/) ---- */

/* Returns 0, -EINVAL or -EOPNOTSUPP. No lock. */
int ku_trigger_valid(const struct kutrace_trigger *wanted);
/*
 * Appends a valid trigger, and sets its index. If the session has no memory for triggers yet, uses
 * *@fresh and sets it to NULL; the caller frees *@fresh. Returns 0, -ENOSPC, or -ENOMEM.
 */
int ku_trigger_append(struct ku_session *session, struct kutrace_trigger *wanted,
		      struct ku_watch **fresh);
/*
 * Removes the trigger that was appended last. A firing of this trigger, or of another one, stays in
 * progress. ku_session_lock held.
 */
void ku_trigger_remove_last(struct ku_session *session);
/* Returns memory for a session's triggers, or NULL. No lock. May sleep. */
struct ku_watch *ku_watch_new(struct ku_session *session);
/* Frees @watch, which may be NULL. */
void ku_watch_free(struct ku_watch *watch);
/* Removes all triggers, and waits for the code that uses them. */
void ku_trigger_clear(struct ku_session *session);
/* Prepares the triggers for the start of a recording. */
void ku_trigger_start(struct ku_session *session);

/* Returns the last completed firing, and ku_trigger_done(). ku_session_lock not held. */
u32 ku_trigger_fired(struct ku_session *session, struct kutrace_fired *fired);
/* Returns the number of completed firings. Any context. */
u32 ku_trigger_done(const struct ku_session *session);
void ku_trigger_info(struct ku_session *session, struct kutrace_info *info);
/* Returns the kinds of events that the triggers need. */
u64 ku_trigger_kinds(const struct ku_session *session);
/* Returns whether a trigger depends on events of this number. */
bool ku_trigger_sees(const struct ku_session *session, u32 event);
/*
 * Returns whether system calls can be timed (KU_PATH_TIMED). There must be triggers on system
 * calls, and no limit may be so short that a return after the limit could be merged.
 */
bool ku_trigger_may_time(const struct ku_session *session);
/*
 * Sets whether system calls are timed, before their events change the dispatch path. Only one
 * session may have timed calls. Calls in progress may be missed.
 */
void ku_trigger_set_timed(struct ku_session *session, bool timed);
bool ku_trigger_is_timed(const struct ku_session *session);
/* Waits for work in progress, and frees the triggers. ku_session_lock not held. */
void ku_trigger_free(struct ku_session *session);

/* ---- trigger_task.c: triggers on signals and exits ---- */

/* Returns whether the kernel has the tracepoint that a trigger of @kind needs. */
bool ku_trigger_task_has(u32 kind);
/* Attaches and detaches the probes as triggers need. Returns 0 or -errno. ku_session_lock held. */
int ku_trigger_task_attach(void);
void ku_trigger_task_init(void);
/* Detaches the probes. Nothing may record any more. */
void ku_trigger_task_exit(void);

/* ---- trigger_watch.c: triggers on events ---- */

void ku_trigger_watch(struct ku_session *session, u64 entry);

/*
 * Handles a context switch for timed system calls only, if no trigger depends on context switches.
 * @now: in counts. Interrupts off.
 */
void ku_trigger_switch(struct ku_session *session, u64 now);

/*
 * Passes an entry of this CPU, whether recorded or not, to the triggers of a session that records.
 * Any context, interrupts off.
 */
static __always_inline void ku_trigger_see(struct ku_session *session, u64 entry)
{
	if (unlikely(READ_ONCE(session->watch)))
		ku_trigger_watch(session, entry);
}

#endif
