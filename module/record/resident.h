/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Which session has the fast path. One alone, without counters, is promoted to resident: its
 * state of each CPU is moved into ku_cpu, by an interrupt to that CPU, so that not one event is
 * lost or recorded twice on the way. With a filter each CPU is unsettled at first: its next event
 * opens or hides it (route.c). Else the session is demoted, and each CPU routes its events. Must
 * be called under ku_session_lock, by update.c.
 */
#ifndef KU_RESIDENT_H
#define KU_RESIDENT_H

#include "session/state.h"

/* What marks can be: events that user space may record. */
#define KU_USER_CATEGORIES \
	(KUTRACE_MASK_MARK | KUTRACE_MASK_LOCK | KUTRACE_MASK_NET)

/*
 * A session's state of a CPU, in ku_cpu or its own. Stays what it is on that CPU with
 * interrupts off, or while it is offline.
 */
struct ku_cpu *ku_session_cpu(struct ku_session *session, int cpu);
/* Where the resident's losses on that CPU are, besides its own; NULL: it is not the resident. */
const struct ku_cpu *ku_session_fast_losses(const struct ku_session *session, int cpu);
/* The session that can have the fast path for itself, or NULL. */
struct ku_session *ku_resident_candidate(void);
void ku_resident_promote(struct ku_session *session);
/* The resident is none any more: events are routed. */
void ku_resident_demote(void);
/* While that session is the resident, the same. */
void ku_resident_leave(struct ku_session *session);

#endif
