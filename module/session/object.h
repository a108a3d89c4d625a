/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Making, referencing and freeing a session. A pointer to one is valid with a reference or under
 * ku_session_lock. It must not begin or end a recording. Called by record/ and ctl/.
 */
#ifndef KU_OBJECT_H
#define KU_OBJECT_H

#include "session/state.h"

/*
 * Returns a session of @mb MiB that belongs to @owner, with a reference, or ERR_PTR as of
 * ku_pool_alloc(). May sleep.
 */
struct ku_session *ku_session_new(unsigned int mb, kuid_t owner);
struct ku_session *ku_session_get(struct ku_session *session);
/* The last one frees it. May sleep. */
void ku_session_put(struct ku_session *session);

#endif
