/* SPDX-License-Identifier: GPL-2.0-only */
/* The table of sessions, by id and name. Must not depend on what sessions record. */
#ifndef KU_SESSIONS_H
#define KU_SESSIONS_H

#include "session/state.h"

/* Returns the main session, which always exists. Takes no reference. */
struct ku_session *ku_session_main(void);
/* Returns the session with this name, with a reference, or NULL. */
struct ku_session *ku_session_find(const char *name);
/* Returns the session with the lowest id from @id on, with a reference, or NULL. */
struct ku_session *ku_session_next(u32 id);
/* Returns the lowest ku_session.reset of sessions with events, or U64_MAX. May sleep. */
u64 ku_sessions_first_reset(void);
/* Marks the newest name of an object as unused by events in all sessions. May sleep. */
void ku_sessions_forget(u16 base, u32 number);

/* Returns whether a name ends within @size bytes and has only A-Z a-z 0-9 . _ and -. */
bool ku_session_name_valid(const char *name, size_t size);
/*
 * Adds a session to the table, with a reference. Names it if its name is empty. Returns 0, -EEXIST
 * if the name is in use, or -ENOSPC.
 */
int ku_table_enter(struct ku_session *session);
/* Removes a session from the table. The caller gets the table's reference. */
void ku_table_remove(struct ku_session *session);
/* Sets active in the mapped page of each session. ku_session_lock held. */
void ku_table_set_active(u32 active);

/* ---- object.c: a pointer is valid with a reference or under ku_session_lock ---- */

/*
 * Returns a session of @mb MiB that belongs to @owner, with a reference; or ERR_PTR with an error
 * of ku_pool_alloc(). May sleep.
 */
struct ku_session *ku_session_new(unsigned int mb, kuid_t owner);
struct ku_session *ku_session_get(struct ku_session *session);
/* Releases a reference; the last one frees the session. May sleep. */
void ku_session_put(struct ku_session *session);

#endif
