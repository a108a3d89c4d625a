/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The anchor by which a session is found in a memory dump of a machine that has crashed
 * (uapi/kutrace_anchor.h). Made and freed by object.c; record/ tells it what has changed. Process
 * context, may sleep.
 */
#ifndef KU_ANCHOR_H
#define KU_ANCHOR_H

#include "session/state.h"

/* After ku_pool_alloc(). Without memory there is none, which is said in the log. */
void ku_anchor_new(struct ku_session *session);
/*
 * Lists where the counters' bytes are, once they are allocated. Without memory a crash dump does
 * not show them. The session's content_lock is held, ku_session_lock is not: the list may be long.
 */
void ku_anchor_new_bytes(struct ku_session *session);
/* Before ku_pool_free(): whoever searches the memory that was its does not find it. */
void ku_anchor_free(struct ku_session *session);
/* What is known of the session has changed; ku_session_lock is held. */
void ku_anchor_update(struct ku_session *session, const struct kutrace_info *info);

#endif
