/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The table of sessions, by id and name. Must know nothing of what they record. Called by
 * record/, which puts them in and takes them out, and by ctl/, which looks them up.
 */
#ifndef KU_TABLE_H
#define KU_TABLE_H

#include "session/state.h"

/* The one that is always there; no reference is taken. */
struct ku_session *ku_session_main(void);
/* With a reference, to be given back with put; NULL: there is none of that name. */
struct ku_session *ku_session_find(const char *name);
/* The one with the lowest id from @id on, with a reference, or NULL. */
struct ku_session *ku_session_next(u32 id);
/*
 * How many resets there had been after the last one of the session that has not been reset
 * for longest, of those that can hold events. May sleep.
 */
u64 ku_sessions_first_reset(void);
/* Marks the newest name of an object as unused in all sessions: no event has it. May sleep. */
void ku_sessions_forget(u16 base, u32 number);

/* A-Z a-z 0-9 . _ - and an end. */
bool ku_session_name_valid(const char *name, size_t size);
/* With a name of its own if it has none. 0, -EEXIST, -ENOSPC. The table has a reference then. */
int ku_table_enter(struct ku_session *session);
/* The table's reference is the caller's then. */
void ku_table_remove(struct ku_session *session);
/* Into what all of them have mapped: whether anything is recorded. ku_session_lock is held. */
void ku_table_set_active(u32 active);

#endif
