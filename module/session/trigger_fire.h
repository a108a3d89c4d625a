/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A session's triggers, and what follows when one fires: its name in the recording, and after
 * a while the end of the recording or a notice. It must not end a recording by itself: record/
 * registers how. Called by trigger_watch.c and trigger_task.c, and by trigger.c.
 */
#ifndef KU_TRIGGER_FIRE_H
#define KU_TRIGGER_FIRE_H

#include <linux/sched.h>

#include "session/state.h"
#include "session/trigger_slots.h"

/* A trigger's number when any will do. */
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
	u64 kinds;			/* of events to look at */
	struct kutrace_trigger triggers[KUTRACE_TRIGGERS];
	u64 over[KUTRACE_TRIGGERS];	/* over_ns in counts */
	u64 mark_at[KUTRACE_TRIGGERS];
	bool timed;			/* system calls are, see trigger_watch.h */
	u32 timed_by;			/* the first trigger that is about them */
	struct ku_slots slots;		/* starts of spans of tasks, */
	struct ku_cpu_starts __percpu *starts;	/* and of those that end on their CPU */
	/*
	 * What has fired; firing is 0 when the next may. fired_count goes up then, ending
	 * follows when its end is due, ended when that is done with or called off.
	 */
	u32 firing;
	u32 fired_count;
	u32 fired_base;			/* what it was when triggers were taken away */
	u32 ending;
	u32 ended;			/* under the lock */
	unsigned long due;		/* jiffies; of ending */
	u32 done_count;
	struct kutrace_fired next;	/* fired, but what is to follow is not all there */
	struct kutrace_fired fired;	/* done; under the lock */
	struct irq_work work;
	struct delayed_work end;
};

/* Whether a trigger is about that task. Any context. */
static __always_inline bool ku_trigger_is_of(const struct kutrace_trigger *trigger,
					     const struct task_struct *task)
{
	return !trigger->pid || trigger->pid == (u32)task->pid ||
	       trigger->pid == (u32)task->tgid;
}

/* Called with ku_session_lock when a trigger's time is over and recording is to end. */
void ku_trigger_on_end(void (*end)(struct ku_session *session));

void ku_fire_init(struct ku_watch *watch);
/* Any context, interrupts off. @counts: how long it took; @number: of what. */
void ku_trigger_fire(struct ku_watch *watch, u32 trigger, u64 now, u64 counts, u32 number,
		     struct task_struct *task);
/* Cancels what has fired; nobody may fire meanwhile. ku_session_lock is held. */
void ku_fire_cancel(struct ku_watch *watch);
/* Recording begins: if the last has fired and ended, the next may. Likewise. */
void ku_fire_restart(struct ku_watch *watch);
/* Waits for what is under way. ku_session_lock is not held. */
void ku_fire_exit(struct ku_watch *watch);

#endif
