/* SPDX-License-Identifier: GPL-2.0-only */
/* Creates and destroys sessions, including the main one. Process context; may sleep. */
#ifndef KU_SESSIONS_H
#define KU_SESSIONS_H

#include "session/state.h"

struct ku_hooks;

int ku_sessions_init(unsigned int mb, const struct ku_hooks *hooks);
void ku_sessions_exit(void);

/* Returns a new session of @owner, with a reference for the caller, or ERR_PTR. */
struct ku_session *ku_session_create(const struct kutrace_session *wanted, kuid_t owner);
/* Stops a session and removes it. Returns 0, -EPERM for the main one, or -ENOENT if it is gone. */
int ku_session_destroy(struct ku_session *session);

#endif
