/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Kinds of events (enum kutrace_kind): the kind of each event number, and the category and name of
 * each kind, from kutrace_events.def. ku_kinds_init() must run before the first event.
 */
#ifndef KU_KINDS_H
#define KU_KINDS_H

#include "core/env.h"
#include "uapi/kutrace_disk.h"
#include "uapi/kutrace_events.h"
#include "uapi/kutrace_timer.h"

extern u8 ku_kinds[KUTRACE_EVENT_MASK + 1];

/* Returns the kind of an entry, with or without its timestamp. Context: any. */
static __always_inline u32 ku_kind_of(u64 entry)
{
	return ku_kinds[entry >> KUTRACE_EVENT_SHIFT & KUTRACE_EVENT_MASK];
}

/*
 * Returns the words of an entry of @event: more than one for names, typed points, disks, timers and
 * PC samples.
 */
static inline u32 ku_entry_words(u32 event)
{
	u32 words = event >> KUTRACE_NAME_LEN_SHIFT & 15;

	if (event < KUTRACE_USERPID && words && event != KUTRACE_PC_OLD)
		return words < KUTRACE_NAME_MAX_WORDS ? words : KUTRACE_NAME_MAX_WORDS;
	if (event >= KUTRACE_DISK_QUEUED && event <= KUTRACE_DISK_MERGED)
		return KUTRACE_DISK_WORDS;
	if (event == KUTRACE_TIMER)
		return KUTRACE_TIMER_WORDS;
	return event == KUTRACE_PC_U || event == KUTRACE_PC_K || event == KUTRACE_PC_OLD ? 2 : 1;
}

/*
 * A walk through the entries of a block, in counts. To begin, set @now to the time in the block's
 * header, and @at to KUTRACE_FIRST_WORD.
 */
struct ku_walk {
	const u64 *words;
	u64 now;		/* time of the entry */
	u64 word;		/* first word of the entry */
	u32 event;
	u32 at;			/* index of the next word */
};

/* Moves to the next entry that is no NOP. A CPU may be writing to the block. */
static inline bool ku_walk_next(struct ku_walk *walk)
{
	u64 forward;

	do {
		if (walk->at >= KUTRACE_BLOCK_WORDS)
			return false;
		walk->word = READ_ONCE(walk->words[walk->at]);
		walk->event = walk->word >> KUTRACE_EVENT_SHIFT & KUTRACE_EVENT_MASK;
		walk->at += walk->word ? ku_entry_words(walk->event) : 1;
	} while (!walk->word);
	forward = ((walk->word >> KUTRACE_TS_SHIFT) - walk->now) & KUTRACE_TS_MASK;
	if (walk->event == KUTRACE_TSDELTA)
		walk->now += (u32)walk->word < 2000000000U ? (u32)walk->word :
							     (u64)(s64)(s32)(u32)walk->word;
	else
		walk->now += forward > KUTRACE_GAP_MAX ? forward - (KUTRACE_TS_MASK + 1) : forward;
	return true;
}

void ku_kinds_init(void);
/* Return the name of a kind and of a category. The number must be in range. */
const char *ku_kind_name(u32 kind);
const char *ku_category_name(u32 category);
/* Return the category of a kind, the kinds of categories, and the categories of kinds. */
u32 ku_kind_category(u32 kind);
u64 ku_kinds_of_categories(u32 categories);
u32 ku_categories_of_kinds(u64 kinds);

#endif
