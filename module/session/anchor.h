/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The anchor, by which a session is found in a memory dump of a machine that has crashed
 * (uapi/kutrace_anchor.h). Process context, may sleep.
 */
#ifndef KU_ANCHOR_H
#define KU_ANCHOR_H

#include "session/state.h"

/* Called after ku_pool_alloc(). Without memory there is no anchor, which the log reports. */
void ku_anchor_new(struct ku_session *session);
/*
 * Lists the memory of the counter bits, once it is allocated. Without memory for the list, a crash
 * dump does not show them. The session's content_lock is held, ku_session_lock is not: the list may
 * be long.
 */
void ku_anchor_new_bytes(struct ku_session *session);
/* Called before ku_pool_free(), so that a search does not find memory that was the session's. */
void ku_anchor_free(struct ku_session *session);
/* Saves the changed state of the session; ku_session_lock held. */
void ku_anchor_update(struct ku_session *session, const struct kutrace_info *info);

#endif
