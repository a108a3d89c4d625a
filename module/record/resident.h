/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Which session has the fast path. One alone that records all that the back end shows, without
 * filter, trigger or counters, is promoted to resident: its state of each CPU is moved into
 * ku_cpu, by an interrupt to that CPU, so that not one event is lost or recorded twice on the
 * way. Else it is demoted, and each CPU routes its events (route.c). Must be called under
 * ku_session_lock, by update.c.
 */
#ifndef KU_RESIDENT_H
#define KU_RESIDENT_H

#include "session/state.h"

/* What marks can be: events that user space may record. */
#define KU_USER_CATEGORIES \
	(KUTRACE_MASK_MARK | KUTRACE_MASK_LOCK | KUTRACE_MASK_NET)

/* A session's state of a CPU, the resident's or its own; also by who has a reference. */
struct ku_cpu *ku_session_cpu(struct ku_session *session, int cpu);
/* The session that can have the fast path for itself, or NULL. */
struct ku_session *ku_resident_candidate(void);
void ku_resident_promote(struct ku_session *session);
/* The resident is none any more: events are routed. */
void ku_resident_demote(void);
/* While that session is the resident, the same. */
void ku_resident_leave(struct ku_session *session);

#endif
