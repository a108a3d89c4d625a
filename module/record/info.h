/* SPDX-License-Identifier: GPL-2.0-only */
/* Information about a session and its recording. May sleep. */
#ifndef KU_INFO_H
#define KU_INFO_H

#include "session/state.h"

void ku_session_info(struct ku_session *session, struct kutrace_info *info);
/* Adds up the losses of each kind, into kinds[KUTRACE_KINDS]. */
void ku_session_lost(struct ku_session *session, u64 *kinds);
/* Updates what a crash dump has about the session. After each change; ku_session_lock held. */
void ku_session_anchor(struct ku_session *session);
/*
 * Sets clock_bad, until the next reset, if the counter is unusable or has not kept pace since the
 * recording began. ku_session_lock held.
 */
void ku_session_check_clock(struct ku_session *session);
/* Returns the clock pair with which the recording would end now. */
void ku_session_read_stop(struct ku_session *session, struct kutrace_pair *stop);
void ku_session_describe(struct ku_session *session, struct kutrace_session *what);

#endif
