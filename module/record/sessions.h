/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Making and ending sessions, the main one among them. Called by ctl/, and by main.c at load
 * and unload. Process context, may sleep.
 */
#ifndef KU_SESSIONS_H
#define KU_SESSIONS_H

#include "session/state.h"

struct ku_hooks;

int ku_sessions_init(unsigned int mb, const struct ku_hooks *hooks);
void ku_sessions_exit(void);

/* Returns a new session of @owner, with a reference for the caller, or ERR_PTR. */
struct ku_session *ku_session_create(const struct kutrace_session *wanted, kuid_t owner);
/* Stops it and takes it out of the table. 0, -EPERM: the main one; -ENOENT: gone. */
int ku_session_destroy(struct ku_session *session);

#endif
