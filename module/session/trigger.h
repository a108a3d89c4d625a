/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Triggers of sessions: see struct kutrace_trigger. Spans are timed by what is emitted, so the
 * events that begin and end them are inspected. This is setting, clearing and asking; who changes
 * them brings hooks and the resident into line (record/). Called under ku_session_lock.
 */
#ifndef KU_TRIGGER_H
#define KU_TRIGGER_H

#include "session/state.h"

/* 0, or what is wrong with it: -EINVAL, -EOPNOTSUPP. No lock. */
int ku_trigger_valid(const struct kutrace_trigger *wanted);
/*
 * Appends a valid trigger, and sets its index. Takes *fresh if the session has no memory for
 * triggers yet; the caller frees what is left there. Returns 0, -ENOSPC, or -ENOMEM.
 */
int ku_trigger_append(struct ku_session *session, struct kutrace_trigger *wanted,
		      struct ku_watch **fresh);
/* Memory for a session's triggers, or NULL. No lock. May sleep. */
struct ku_watch *ku_watch_new(struct ku_session *session);
/* @watch may be NULL. */
void ku_watch_free(struct ku_watch *watch);
/* Takes all away, and waits for what is under way. */
void ku_trigger_clear(struct ku_session *session);
/* Recording starts. */
void ku_trigger_start(struct ku_session *session);

/* What fired last; the lock is not held. Returns as ku_trigger_done(). */
u32 ku_trigger_fired(struct ku_session *session, struct kutrace_fired *fired);
/* Goes up with each that has fired and is done. Any context. */
u32 ku_trigger_done(const struct ku_session *session);
void ku_trigger_info(struct ku_session *session, struct kutrace_info *info);
/* Kinds of events that the triggers need to see. */
u64 ku_trigger_kinds(const struct ku_session *session);
/* Whether any of them looks at events of that number. */
bool ku_trigger_sees(const struct ku_session *session, u32 event);
/*
 * Whether its system calls can be timed (KU_TIMED): it has triggers on them, none of which fires
 * so soon that the return may be merged.
 */
bool ku_trigger_may_time(const struct ku_session *session);
/*
 * Whether they are, from now on: before their events go that way, or go it no longer. Those of one
 * session at most. What a task does meanwhile on a CPU may be missed.
 */
void ku_trigger_set_timed(struct ku_session *session, bool timed);
bool ku_trigger_is_timed(const struct ku_session *session);
/* Waits for what is under way and frees. The lock is not held. */
void ku_trigger_free(struct ku_session *session);

#endif
