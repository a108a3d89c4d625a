/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Triggers of sessions: see struct kutrace_trigger. Spans are timed by what is
 * emitted, so a session with triggers is never the resident.
 */
#ifndef KU_TRIGGER_H
#define KU_TRIGGER_H

#include "ku_session.h"

struct ku_watch;

void ku_trigger_watch(struct ku_session *session, u64 entry);

/*
 * An entry, recorded or not, while the session records. Any context, interrupts off,
 * the CPU's own.
 */
static __always_inline void ku_trigger_see(struct ku_session *session, u64 entry)
{
	if (unlikely(READ_ONCE(session->watch)))
		ku_trigger_watch(session, entry);
}

/* ku_session_lock is not held. 0 or -errno; sets index. */
int ku_trigger_add(struct ku_session *session, struct kutrace_trigger *wanted);
/* What fired last; returns as ku_trigger_done(). */
u32 ku_trigger_fired(struct ku_session *session, struct kutrace_fired *fired);
/* Goes up with each that has fired and is done. Any context. */
u32 ku_trigger_done(const struct ku_session *session);

/*
 * ku_session_lock is held: before recording starts, at a reset, for INFO. Clearing waits
 * for what is under way.
 */
void ku_trigger_start(struct ku_session *session);
void ku_trigger_clear(struct ku_session *session);
void ku_trigger_info(struct ku_session *session, struct kutrace_info *info);
/* Kinds of events that the triggers need to see. */
u64 ku_trigger_kinds(const struct ku_session *session);
/* Is anybody waiting for something? */
bool ku_trigger_any(const struct ku_session *session);
/* Waits for what is under way and frees. ku_session_lock is not held. */
void ku_trigger_free(struct ku_session *session);

/* Probes of what has tracepoints only; ku_session_lock is held. */
int ku_trigger_attach(void);
void ku_trigger_init(void);
void ku_trigger_exit(void);

#endif
