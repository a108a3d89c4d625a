/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Kinds of events (enum kutrace_kind): the kind of each event number, and the category and name of
 * each kind. kutrace_events.def defines them. ku_kinds_init() must fill the table before the first
 * event.
 */
#ifndef KU_KINDS_H
#define KU_KINDS_H

#include "core/env.h"
#include "uapi/kutrace_events.h"

extern u8 ku_kinds[KUTRACE_EVENT_MASK + 1];

/* Returns the kind of an entry, with or without its timestamp. Context: any. */
static __always_inline u32 ku_kind_of(u64 entry)
{
	return ku_kinds[entry >> KUTRACE_EVENT_SHIFT & KUTRACE_EVENT_MASK];
}

/* Returns the words of an entry of @event: more than one for names, points and PC samples. */
static inline u32 ku_entry_words(u32 event)
{
	u32 words = event >> KUTRACE_NAME_LEN_SHIFT & 15;

	if (event < KUTRACE_USERPID && words && event != KUTRACE_PC_OLD)
		return words < KUTRACE_NAME_MAX_WORDS ? words : KUTRACE_NAME_MAX_WORDS;
	return event == KUTRACE_PC_U || event == KUTRACE_PC_K || event == KUTRACE_PC_OLD ? 2 : 1;
}

void ku_kinds_init(void);
/* Return the name of a kind and of a category. The number must be in range. */
const char *ku_kind_name(u32 kind);
const char *ku_category_name(u32 category);
/*
 * Return the category of a kind, the kinds of a mask of categories, and the categories of a mask.
 */
u32 ku_kind_category(u32 kind);
u64 ku_kinds_of_categories(u32 categories);
u32 ku_categories_of_kinds(u64 kinds);

#endif
