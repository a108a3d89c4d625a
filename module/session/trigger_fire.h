/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The triggers of a session, and the effects of a firing: a name in the recording, and after a
 * delay the end of the recording or a notification. Must not end a recording itself: record/
 * registers a function for that.
 */
#ifndef KU_TRIGGER_FIRE_H
#define KU_TRIGGER_FIRE_H

#include <linux/sched.h>

#include "session/state.h"
#include "session/trigger_slots.h"

/* trigger->number: any number. */
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
	u64 kinds;			/* of events that the triggers need */
	struct kutrace_trigger triggers[KUTRACE_TRIGGERS];
	u64 over[KUTRACE_TRIGGERS];	/* over_ns in counts */
	u64 mark_at[KUTRACE_TRIGGERS];
	bool timed;			/* system calls are timed, see trigger_watch.h */
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

/* Registers how a recording is ended when a trigger's time is over; called with ku_session_lock. */
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
/*
 * Prepares for a recording: triggers may fire if the last firing is complete. ku_session_lock held.
 */
void ku_fire_restart(struct ku_watch *watch);
/* Waits for work in progress. ku_session_lock not held. */
void ku_fire_exit(struct ku_watch *watch);

#endif
