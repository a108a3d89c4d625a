/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Events that do not go straight into the resident: into two rings, each in its fixed place, by
 * one reading of the clock (twice.c); with what counters say (counted.c); timed (timed.c); or to
 * be inspected. Called by core/emit.h while the key ku_aside is on.
 */
#ifndef KU_ASIDE_H
#define KU_ASIDE_H

#include "core/ring.h"
#include "core/word.h"

/* An entry of one word, without timestamp, that goes twice. Context: any; nobody may migrate. */
void ku_emit_twice(u64 entry);
/* One that is in the first ring already. Likewise. */
void ku_emit_second(u64 entry);
/* Likewise, a call that is timed, and its return. */
void ku_timed_call(u64 entry);
void ku_timed_return(u64 entry);
/* Several words, or of the past, either way: as of ku_ring_put(). Likewise. */
void ku_emit_words_aside(const u64 *words, u32 nwords, u32 room, u64 past);
/* The return of a call that goes twice, as ku_emit_return(). Likewise. */
void ku_return_twice(u32 call, s64 retval);
/* An entry of one word that is counted, and the return of a call, merged or not. Likewise. */
void ku_emit_counted(u64 entry);
void ku_return_counted(u32 call, s64 retval);

/* Whether the return of a call goes a way of its own, and has been recorded there. */
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

/* @is_return: of a call or a return, which of them; only they are timed. */
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
