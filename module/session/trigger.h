/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Triggers of sessions: see struct kutrace_trigger. They measure spans by the events that begin and
 * end them, so these events are inspected. This file declares setting, clearing and queries; after
 * a change, the caller updates hooks and slots (record/). ku_session_lock held, except where
 * stated.
 */
#ifndef KU_TRIGGER_H
#define KU_TRIGGER_H

#include "session/state.h"

/* Returns 0, -EINVAL or -EOPNOTSUPP. No lock. */
int ku_trigger_valid(const struct kutrace_trigger *wanted);
/*
 * Appends a valid trigger, and sets its index. Takes *@fresh if the session has no memory for
 * triggers yet; the caller frees what remains there. Returns 0, -ENOSPC, or -ENOMEM.
 */
int ku_trigger_append(struct ku_session *session, struct kutrace_trigger *wanted,
		      struct ku_watch **fresh);
/* Returns memory for a session's triggers, or NULL. No lock. May sleep. */
struct ku_watch *ku_watch_new(struct ku_session *session);
/* @watch may be NULL. */
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
 * Returns whether system calls can be timed (KU_PATH_TIMED): there are triggers on them, and no
 * limit is so short that a return beyond it could be merged.
 */
bool ku_trigger_may_time(const struct ku_session *session);
/*
 * Sets whether system calls are timed, before their events change the dispatch path. At most one
 * session may have this. Calls in progress may be missed.
 */
void ku_trigger_set_timed(struct ku_session *session, bool timed);
bool ku_trigger_is_timed(const struct ku_session *session);
/* Waits for work in progress, and frees the triggers. ku_session_lock not held. */
void ku_trigger_free(struct ku_session *session);

#endif
