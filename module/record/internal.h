/* SPDX-License-Identifier: GPL-2.0-only */
/* Functions that only the files of record/ use. ku_session_lock held, if not stated. */
#ifndef KU_RECORD_INTERNAL_H
#define KU_RECORD_INTERNAL_H

#include "record/plan.h"
#include "session/state.h"

/* ---- dispatch.c: events that leave the fast path ---- */

/* Must be called before the first event; no lock. */
void ku_dispatch_init(void);
/* Implements ku_ring.header for sessions with a filter by task. */
void ku_dispatch_header(const struct ku_ring *ring, u64 *words);

/* ---- slots.c: moves sessions into the slots and out ---- */

/*
 * Returns a session's state of a CPU, in a slot or in its own memory. The result stays valid on
 * that CPU with interrupts off, or while that CPU is offline.
 */
struct ku_cpu *ku_session_cpu(struct ku_session *session, int cpu);
/*
 * Returns the session's slot on a CPU, which may have further counts of its losses. NULL: no slot.
 */
const struct ku_cpu *ku_session_fast_losses(const struct ku_session *session, int cpu);
/* Empties and closes both slots; before the first recording. */
void ku_slot_init(void);
/*
 * Returns whether each session in a slot has the same slot in @plan. If not, the caller must demote
 * first.
 */
bool ku_slot_may_stay(const struct ku_plan *plan);
/* Moves the sessions of @plan into the slots. @plan->first is not NULL. */
void ku_slot_promote(const struct ku_plan *plan);
/* Closes both slots: all events go to ku_dispatch. May sleep. */
void ku_slot_demote(void);
/* Closes both slots if @session has one. May sleep. */
void ku_slot_leave(const struct ku_session *session);

/* ---- update.c: call after each change of a session ---- */

/* Applies a change of kinds, filter or triggers. Returns 0, or -errno from attaching hooks. */
int ku_sessions_update(void);
/* Makes the session record. Returns 0, or -errno if it does not. */
int ku_sessions_start(struct ku_session *session);
/* Ends recording by a closed, inactive session. On return nothing writes to it any more. */
void ku_sessions_stop(struct ku_session *session);
/* Updates what programs see: whether marks and typed tracepoints are recorded. */
void ku_sessions_notify(void);

/* ---- pace.c: checks the time counter ---- */

/* Starts the checks when a session begins to record; ku_session_lock held. */
void ku_pace_begin(void);
/* Ends the checks. Nothing may record any more. ku_session_lock not held. May sleep. */
void ku_pace_exit(void);

/* ---- suspend.c: suspend to memory or to disk ---- */

/* Process context. */
void ku_suspend_init(void);
/* Must be called before sessions end. May sleep. */
void ku_suspend_exit(void);

/* ---- measure.c: the cost of an event ---- */

/* Measures with a session that does not record. No hook may be attached yet. */
void ku_measure(struct ku_session *session);
/* Returns picoseconds per event. */
u64 ku_measured_ps(void);

#endif
