/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Triggers on what is recorded: spans that take too long, marks. Sees every entry of a session
 * that has triggers, recorded or not; must not sleep nor take a lock. Called by record/route.c.
 *
 * While system calls are timed (KU_TIMED) it sees those only that take long, and context switches,
 * at which the time when a task's call began goes with the task.
 */
#ifndef KU_TRIGGER_WATCH_H
#define KU_TRIGGER_WATCH_H

#include "session/state.h"

void ku_trigger_watch(struct ku_session *session, u64 entry);

/*
 * Of a context switch no more than what timed system calls ask for; @now: in counts. Where no
 * trigger waits for switches that does. Interrupts off.
 */
void ku_trigger_switch(struct ku_session *session, u64 now);

/*
 * An entry, recorded or not, while the session records. Any context, interrupts off,
 * the CPU's own.
 */
static __always_inline void ku_trigger_see(struct ku_session *session, u64 entry)
{
	if (unlikely(READ_ONCE(session->watch)))
		ku_trigger_watch(session, entry);
}

#endif
