/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Decodes one 8-byte entry of a trace. kutrace_events.h draws its fields.
 *
 * These functions accept any 64 bits and check nothing. The caller checks by ku_event_words()
 * whether a word is an entry. Must never read a second word.
 */
#ifndef KU_COMMON_ENTRY_H
#define KU_COMMON_ENTRY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "kutrace_disk.h"
#include "kutrace_events.h"
#include "kutrace_timer.h"

/* Word that ends a block: readers ignore all words after it. (A word of 0 is only skipped.) */
#define KU_ENTRY_END	(~0ULL)

/* Arguments of TSDELTA from this value on are negative: subtract 2^32. */
#define KU_TSDELTA_NEGATIVE	2000000000U

/* Base code of a name entry: its event number without the length digit. */
#define KU_NAME_BASE(event)	((event) & 0xF0FU)

/* --- the fields ----------------------------------------------------------------- */

static inline uint32_t ku_entry_event(uint64_t word)
{
	return (uint32_t)(word >> KUTRACE_EVENT_SHIFT) & (uint32_t)KUTRACE_EVENT_MASK;
}

/* Returns the timestamp: the low 20 bits of the time in counts. */
static inline uint32_t ku_entry_ts(uint64_t word)
{
	return (uint32_t)(word >> KUTRACE_TS_SHIFT);
}

/* Returns the argument of a point event or of a name. */
static inline uint32_t ku_entry_arg(uint64_t word)
{
	return (uint32_t)word;
}

/* Returns the argument of a call. */
static inline uint32_t ku_entry_arg0(uint64_t word)
{
	return (uint32_t)(word & KUTRACE_ARG0_MASK);
}

/* Returns whether the entry of a call also holds its return: duration or value is then not 0. */
static inline bool ku_entry_returned(uint64_t word)
{
	return word >> KUTRACE_RETVAL_SHIFT & 0xFFFF;
}

/* Returns the duration in counts of a call that holds its return. 0: less than one count. */
static inline uint32_t ku_entry_delta(uint64_t word)
{
	return (uint32_t)(word >> KUTRACE_DELTA_SHIFT) & KUTRACE_DELTA_MAX;
}

/*
 * Returns the value of a call that holds its return. If the duration is 0, the value 0 is stored as
 * -128, because the stored return must not be 0.
 */
static inline int32_t ku_entry_retval(uint64_t word)
{
	int32_t value = (int8_t)(word >> KUTRACE_RETVAL_SHIFT);

	return value == -128 && !ku_entry_delta(word) ? 0 : value;
}

/* Returns the value of a return that has its own entry. */
static inline int32_t ku_entry_return_value(uint64_t word)
{
	return (int16_t)word;
}

/*
 * Returns the kind of the task that a name entry names (enum kutrace_task_kind). @text is the
 * entry's text of @room bytes.
 */
static inline uint8_t ku_entry_task_kind(const char *text, size_t room)
{
	const size_t at = strnlen(text, room) + 1;

	if (at >= room || (unsigned char)text[at] >= KUTRACE_TASK_KINDS)
		return KUTRACE_TASK_UNKNOWN;
	for (size_t i = at + 1; i < room; i++)
		if (text[i])
			return KUTRACE_TASK_UNKNOWN;
	return (uint8_t)text[at];
}

/* --- classes of events --------------------------------------------------------- */

/*
 * Returns whether the number has the form of a name's number: 0x010..0x1FF with a length digit of
 * 1..8. Words of text or payload follow the first word.
 */
static inline bool ku_event_is_name(uint32_t event)
{
	uint32_t words = event >> KUTRACE_NAME_LEN_SHIFT & 15;

	return event <= 0x1FF && words >= 1 && words <= KUTRACE_NAME_MAX_WORDS;
}

/* Returns whether the event is a typed tracepoint, whose number has the form of a name's number. */
static inline bool ku_event_is_tpoint(uint32_t event)
{
	return ku_event_is_name(event) && KU_NAME_BASE(event) == KUTRACE_NAME_TPOINT;
}

/* Returns whether the event is a PC sample. The address is in the second word. */
static inline bool ku_event_is_pc(uint32_t event)
{
	return event == KUTRACE_PC_U || event == KUTRACE_PC_K || event == KUTRACE_PC_OLD;
}

/* Returns whether the event is about a request of a disk. More of it is in two more words. */
static inline bool ku_event_is_disk(uint32_t event)
{
	return event >= KUTRACE_DISK_QUEUED && event <= KUTRACE_DISK_MERGED;
}

/* Returns whether the event is the timer of a wakeup. More of it is in three more words. */
static inline bool ku_event_is_timer(uint32_t event)
{
	return event == KUTRACE_TIMER;
}

static inline bool ku_event_is_call(uint32_t event)
{
	return event >= KUTRACE_CALL_TRAP && !(event & KUTRACE_RETURN_BIT);
}

static inline bool ku_event_is_return(uint32_t event)
{
	return event >= KUTRACE_CALL_TRAP && event & KUTRACE_RETURN_BIT;
}

/* Returns the number of words of an entry with this event number. 0: no entry has this number. */
static inline uint32_t ku_event_words(uint32_t event)
{
	if (ku_event_is_name(event))
		return event >> KUTRACE_NAME_LEN_SHIFT & 15;
	if (ku_event_is_pc(event))
		return 2;
	if (ku_event_is_disk(event))
		return KUTRACE_DISK_WORDS;
	if (ku_event_is_timer(event))
		return KUTRACE_TIMER_WORDS;
	return event >= 0x200;
}

/* --- full counts ---------------------------------------------------------------- */

/* Returns the number of counts by which a TSDELTA with this argument moves the time. */
static inline int64_t ku_tsdelta_step(uint32_t arg)
{
	return arg < KU_TSDELTA_NEGATIVE ? (int64_t)arg : (int64_t)arg - (1LL << 32);
}

/*
 * Returns the full time of an entry in counts. @before is the full time of the previous entry,
 * and @word has the low 20 bits of the result.
 *
 * The 20 bits give a step forward from @before. If the step is larger than KUTRACE_GAP_MAX, the
 * word was stored late: the result is then up to KUTRACE_LATE_MAX before @before.
 */
static inline uint64_t ku_entry_count(uint64_t before, uint64_t word)
{
	uint64_t forward = ((word >> KUTRACE_TS_SHIFT) - before) & KUTRACE_TS_MASK;

	if (forward > KUTRACE_GAP_MAX)
		return before + forward - (KUTRACE_TS_MASK + 1);
	return before + forward;
}

/*
 * Returns the full time of a TSDELTA in counts: @before plus its step, rounded to the nearest time
 * whose low 20 bits are the timestamp in @word.
 *
 * Must not be used for the name blocks that the control system call returns: their TSDELTAs lack
 * these 20 bits.
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
