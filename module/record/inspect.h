/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Chooses the dispatch path of each event number (enum ku_way). For the sessions in the slots, an
 * event is inspected if a mask excludes it, a filter by task depends on it, or a trigger waits for
 * it. All others take the fast path; the dual path, if two sessions have slots; or the path with
 * counter bits, if the session has them. ku_session_lock held.
 */
#ifndef KU_INSPECT_H
#define KU_INSPECT_H

#include "record/resident.h"

/*
 * Sets the dispatch paths for the sessions in @pair, before they get the slots. On return no event
 * takes an old path any more: each is inspected that must be, and none is recorded in only one of
 * two rings. May sleep.
 */
void ku_inspect_for(const struct ku_pair *pair);
/*
 * Returns the path of 64-bit system calls: KU_STRAIGHT or KU_TWICE if all of them take it,
 * otherwise KU_INSPECTED. Checks only the calls, not their returns.
 */
enum ku_way ku_way_of_calls(const struct ku_pair *pair);

#endif
