/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Assigns the slots to the sessions that record. A session that records alone is promoted: an
 * interrupt to each CPU moves the state of that CPU into ku_cpu, so that no event is lost or
 * recorded twice, except that an NMI in between may count a loss. With a filter, each slot is
 * unresolved at first, and the CPU's next event opens or hides it (dispatch.c). plan.h has the
 * sessions that get slots. ku_session_lock held.
 */
#ifndef KU_SLOT_H
#define KU_SLOT_H

#include "record/plan.h"
#include "session/state.h"

/* Categories of the events that user space may record. */
#define KU_USER_CATEGORIES \
	(KUTRACE_MASK_MARK | KUTRACE_MASK_LOCK | KUTRACE_MASK_NET)

/*
 * Returns a session's state of a CPU, in a slot or in its own memory. The result stays valid on
 * that CPU with interrupts off, or while that CPU is offline.
 */
struct ku_cpu *ku_session_cpu(struct ku_session *session, int cpu);
/* Returns the slot that may have more losses of the session on that CPU; NULL: none. */
const struct ku_cpu *ku_session_fast_losses(const struct ku_session *session, int cpu);
/* Empties and closes both slots; before the first recording. */
void ku_slot_init(void);
/* Returns whether each session in a slot has the same slot in @plan. If not, demote first. */
bool ku_slot_may_stay(const struct ku_plan *plan);
/* Moves the sessions of @plan into the slots. @plan->first is not NULL. */
void ku_slot_promote(const struct ku_plan *plan);
/* Closes both slots: all events go to ku_dispatch. May sleep. */
void ku_slot_demote(void);
/* Closes both slots if @session has one. May sleep. */
void ku_slot_leave(const struct ku_session *session);

#endif
