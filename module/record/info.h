/* SPDX-License-Identifier: GPL-2.0-only */
/* What is known of a session and its recording. Called by ctl/. May sleep. */
#ifndef KU_INFO_H
#define KU_INFO_H

#include "session/state.h"

void ku_session_info(struct ku_session *session, struct kutrace_info *info);
/* Adds up what was lost of each kind, to kinds[KUTRACE_KINDS]. */
void ku_session_lost(struct ku_session *session, u64 *kinds);
/* What a crash dump will say of it: after a change; ku_session_lock is held. */
void ku_session_anchor(struct ku_session *session);
/*
 * Notes, until the next reset, that the counter is no longer usable or has not kept pace since the
 * recording began, if that is so. ku_session_lock is held.
 */
void ku_session_check_clock(struct ku_session *session);
/* The pair that the recording would end with now. */
void ku_session_read_stop(struct ku_session *session, struct kutrace_pair *stop);
void ku_session_describe(struct ku_session *session, struct kutrace_session *what);

#endif
