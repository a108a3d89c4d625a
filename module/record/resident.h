/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Which sessions have the fixed places. One alone is promoted to resident: its
 * state of each CPU is moved into ku_cpu, by an interrupt to that CPU, so that not one event is
 * lost or recorded twice on the way. With a filter each CPU is unsettled at first: its next event
 * opens or hides it (route.c). A second one has ku_cpu2 likewise, where neither has a filter or
 * counters. Else they are demoted, and each CPU routes its events. Must be called under
 * ku_session_lock, by update.c.
 */
#ifndef KU_RESIDENT_H
#define KU_RESIDENT_H

#include "session/state.h"

/* What marks can be: events that user space may record. */
#define KU_USER_CATEGORIES \
	(KUTRACE_MASK_MARK | KUTRACE_MASK_LOCK | KUTRACE_MASK_NET)

/* Who can have the first place, and the second: one may be missing, or both. */
struct ku_pair {
	struct ku_session *first;
	struct ku_session *second;
};

/*
 * A session's state of a CPU, in its place or its own. Stays what it is on that CPU with
 * interrupts off, or while it is offline.
 */
struct ku_cpu *ku_session_cpu(struct ku_session *session, int cpu);
/* Where its losses on that CPU are, besides its own; NULL: nowhere. */
const struct ku_cpu *ku_session_fast_losses(const struct ku_session *session, int cpu);
/* Both places, empty: before anything is recorded. */
void ku_resident_init(void);
struct ku_pair ku_resident_candidates(void);
/* Whether who has a place now has the same one in this pair: else they are demoted first. */
bool ku_resident_may_stay(const struct ku_pair *pair);
/* Its first is not NULL. */
void ku_resident_promote(const struct ku_pair *pair);
/* Nobody has a place any more: events are routed. May sleep. */
void ku_resident_demote(void);
/* While that session has one, the same. */
void ku_resident_leave(const struct ku_session *session);

#endif
