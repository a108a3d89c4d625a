/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Tests triggers on events: spans that take too long, and marks. Gets the inspected events of a
 * session in a slot, and all events of other sessions, whether recorded or not. Must neither sleep
 * nor take a lock.
 *
 * While system calls are timed (KU_PATH_TIMED), gets only late returns of these, and context
 * switches, at which the start of a task's call is saved and restored.
 */
#ifndef KU_TRIGGER_WATCH_H
#define KU_TRIGGER_WATCH_H

#include "session/state.h"

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
