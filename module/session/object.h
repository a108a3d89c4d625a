/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Creates, references and frees sessions. A pointer to a session is valid with a reference or under
 * ku_session_lock. This file must not begin or end a recording.
 */
#ifndef KU_OBJECT_H
#define KU_OBJECT_H

#include "session/state.h"

/*
 * Returns a session of @mb MiB that belongs to @owner, with a reference; or ERR_PTR with an error
 * of ku_pool_alloc(). May sleep.
 */
struct ku_session *ku_session_new(unsigned int mb, kuid_t owner);
struct ku_session *ku_session_get(struct ku_session *session);
/* Releases a reference; the last one frees the session. May sleep. */
void ku_session_put(struct ku_session *session);

#endif
