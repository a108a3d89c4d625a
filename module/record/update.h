/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Adapts hooks, slots, dispatch paths, merging and counters to the sessions that record, their
 * masks, filters and triggers. Must be called under ku_session_lock after any change of these.
 */
#ifndef KU_UPDATE_H
#define KU_UPDATE_H

#include "session/state.h"

/* Applies a change of kinds, filter or triggers. Returns 0, or -errno from attaching hooks. */
int ku_sessions_update(void);
/* Makes the session record. Returns 0, or -errno if it does not. */
int ku_sessions_start(struct ku_session *session);
/* Ends recording by a closed, inactive session. On return nothing writes to it any more. */
void ku_sessions_stop(struct ku_session *session);
/* Updates what programs see: whether marks and typed tracepoints are recorded. */
void ku_sessions_notify(void);

#endif
