/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Brings the machine into line with what is to be recorded: which hooks are attached, which
 * session is the resident, whether returns are merged, what counters count. Must be called
 * under ku_session_lock after any change of that; by session.c and sessions.c.
 */
#ifndef KU_UPDATE_H
#define KU_UPDATE_H

#include "session/state.h"

/*
 * After a change of kinds, filter or triggers. 0, or -errno from attaching: then who made
 * the change takes it back.
 */
int ku_sessions_update(void);
/* The session records from now on: 0, or -errno, and it does not. */
int ku_sessions_start(struct ku_session *session);
/* It is closed and not active any more. On return nobody writes to it. */
void ku_sessions_stop(struct ku_session *session);
/* Marks and typed tracepoints are to be made, or no longer: programs see it. */
void ku_sessions_notify(void);

#endif
