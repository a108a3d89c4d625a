/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Records events on the dispatch paths other than the fast path: in both slots, with counter
 * bits, timed, or inspected. Used only while the key ku_aside is on.
 *
 * Context of all functions: any; the caller must not migrate.
 */
#ifndef KU_PATHS_H
#define KU_PATHS_H

#include "core/ring.h"
#include "core/word.h"

/* Records an entry of one word, without timestamp, in both slots. */
void ku_emit_twice(u64 entry);
/* Records an entry in the second ring that is already in the first. */
void ku_emit_second(u64 entry);
/* Record a timed call and the return of one. */
void ku_timed_call(u64 entry);
void ku_timed_return(u64 entry);
/*
 * Records an entry of several words, or of the past, that is not on the fast path. See
 * ku_ring_put().
 */
void ku_emit_words_aside(const u64 *words, u32 nwords, u32 room, u64 past);
/* Records the return of a call in both slots; merges it if possible. */
void ku_return_twice(u32 call, s64 retval);
/* Record an entry of one word, and the return of a call, with counter bits. */
void ku_emit_counted(u64 entry);
void ku_return_counted(u32 call, s64 retval);

/* Records a return on the dual path or with counter bits. Returns false for any other path. */
static __always_inline bool ku_return_aside(enum ku_way way, u32 call, s64 retval)
{
	if (way == KU_TWICE)
		ku_return_twice(call, retval);
	else if (way == KU_COUNTED)
		ku_return_counted(call, retval);
	else
		return false;
	return true;
}

/* Records an entry of one word on @way. @is_return: of a timed event, whether it is the return. */
static __always_inline void ku_emit_aside(enum ku_way way, u64 entry, bool is_return)
{
	if (way == KU_TIMED && is_return)
		ku_timed_return(entry);
	else if (way == KU_TIMED)
		ku_timed_call(entry);
	else if (way == KU_TWICE)
		ku_emit_twice(entry);
	else if (way == KU_COUNTED)
		ku_emit_counted(entry);
	else
		ku_emit_inspected_one(entry);
}

#endif
