/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Decodes the packed 8-byte entry of a trace: kutrace_events.h draws it. Checks nothing and
 * must never read a second word: any 64 bits are decoded, and whether they are an entry the
 * caller asks ku_event_words(). Used by the library and the filters.
 */
#ifndef KU_COMMON_ENTRY_H
#define KU_COMMON_ENTRY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "kutrace_events.h"

/* Ends the entries of a block that is not full; 0 stands for a word that was never stored. */
#define KU_ENTRY_END	(~0ULL)

/* Arguments of TSDELTA from here on are negative: minus 2^32. */
#define KU_TSDELTA_NEGATIVE	2000000000U

/* Base code of a name entry: the event without its length digit. */
#define KU_NAME_BASE(event)	((event) & 0xF0FU)

/* --- the fields ----------------------------------------------------------------- */

static inline uint32_t ku_entry_event(uint64_t word)
{
	return (uint32_t)(word >> KUTRACE_EVENT_SHIFT) & (uint32_t)KUTRACE_EVENT_MASK;
}

/* The low 20 bits of the count at which it was recorded. */
static inline uint32_t ku_entry_ts(uint64_t word)
{
	return (uint32_t)(word >> KUTRACE_TS_SHIFT);
}

/* The argument of a point event or a name. */
static inline uint32_t ku_entry_arg(uint64_t word)
{
	return (uint32_t)word;
}

/* The argument of a call. */
static inline uint32_t ku_entry_arg0(uint64_t word)
{
	return (uint32_t)(word & KUTRACE_ARG0_MASK);
}

/* A call that has its return in it: counts and value are not both 0. */
static inline bool ku_entry_returned(uint64_t word)
{
	return word >> KUTRACE_RETVAL_SHIFT & 0xFFFF;
}

/* A call with its return: counts from one to the other; 0 = in the same count. */
static inline uint32_t ku_entry_delta(uint64_t word)
{
	return (uint32_t)(word >> KUTRACE_DELTA_SHIFT) & KUTRACE_DELTA_MAX;
}

/* A call with its return: the value returned. In the same count -128 stands for 0. */
static inline int32_t ku_entry_retval(uint64_t word)
{
	int32_t value = (int8_t)(word >> KUTRACE_RETVAL_SHIFT);

	return value == -128 && !ku_entry_delta(word) ? 0 : value;
}

/* A return on its own: the value returned. */
static inline int32_t ku_entry_return_value(uint64_t word)
{
	return (int16_t)word;
}

/*
 * Returns the kind of the task that a name entry names (enum kutrace_task_kind). @text is the entry's
 * text of @room bytes.
 */
static inline uint8_t ku_entry_task_kind(const char *text, size_t room)
{
	const size_t at = strnlen(text, room) + 1;
	size_t i;

	if (at >= room || (unsigned char)text[at] >= KUTRACE_TASK_KINDS)
		return KUTRACE_TASK_UNKNOWN;
	for (i = at + 1; i < room; i++)
		if (text[i])
			return KUTRACE_TASK_UNKNOWN;
	return (uint8_t)text[at];
}

/* --- kinds of entries ----------------------------------------------------------- */

/* Has text or a payload behind it: 0x010..0x1FF with a length digit of 1..8. */
static inline bool ku_event_is_name(uint32_t event)
{
	uint32_t words = event >> KUTRACE_NAME_LEN_SHIFT & 15;

	return event <= 0x1FF && words >= 1 && words <= KUTRACE_NAME_MAX_WORDS;
}

/* A typed tracepoint: as long as a name, but an event. */
static inline bool ku_event_is_tpoint(uint32_t event)
{
	return ku_event_is_name(event) && KU_NAME_BASE(event) == KUTRACE_NAME_TPOINT;
}

/* A PC sample: the address is in the next word. */
static inline bool ku_event_is_pc(uint32_t event)
{
	return event == KUTRACE_PC_U || event == KUTRACE_PC_K || event == KUTRACE_PC_OLD;
}

static inline bool ku_event_is_call(uint32_t event)
{
	return event >= KUTRACE_CALL_TRAP && !(event & KUTRACE_RETURN_BIT);
}

static inline bool ku_event_is_return(uint32_t event)
{
	return event >= KUTRACE_CALL_TRAP && event & KUTRACE_RETURN_BIT;
}

/* Words of an entry with that event; 0: no entry has it. */
static inline uint32_t ku_event_words(uint32_t event)
{
	if (ku_event_is_name(event))
		return event >> KUTRACE_NAME_LEN_SHIFT & 15;
	if (ku_event_is_pc(event))
		return 2;
	return event >= 0x200;
}

/* --- full counts ---------------------------------------------------------------- */

/* By how many counts TSDELTA's argument moves on. */
static inline int64_t ku_tsdelta_step(uint32_t arg)
{
	return arg < KU_TSDELTA_NEGATIVE ? (int64_t)arg : (int64_t)arg - (1LL << 32);
}

/*
 * The full count of an entry from that of the one before it and the entry's 20 bits:
 * forward, unless that is more than KUTRACE_GAP_MAX; then it is a late store, up to
 * KUTRACE_LATE_MAX back.
 */
static inline uint64_t ku_entry_count(uint64_t before, uint64_t word)
{
	uint64_t forward = ((word >> KUTRACE_TS_SHIFT) - before) & KUTRACE_TS_MASK;

	if (forward > KUTRACE_GAP_MAX)
		return before + forward - (KUTRACE_TS_MASK + 1);
	return before + forward;
}

/*
 * The same of a TSDELTA: before plus its step; where the 20 bits disagree, they are right.
 * (In the blocks of names that the control system call hands out, TSDELTAs have no 20 bits:
 * there only the step counts.)
 */
static inline uint64_t ku_tsdelta_count(uint64_t before, uint64_t word)
{
	uint64_t target = before + (uint64_t)ku_tsdelta_step(ku_entry_arg(word));
	uint64_t forward = ((word >> KUTRACE_TS_SHIFT) - target) & KUTRACE_TS_MASK;

	if (forward > KUTRACE_TS_MASK / 2)
		return target + forward - (KUTRACE_TS_MASK + 1);
	return target + forward;
}

#endif
