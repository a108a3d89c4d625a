/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Kinds of events (enum kutrace_kind): which one an event is of, its category, its name. Made
 * from kutrace_events.def; ku_kinds_init() fills the tables before anything is recorded.
 * Called by whatever asks which events a session wants.
 */
#ifndef KU_KINDS_H
#define KU_KINDS_H

#include "core/env.h"
#include "uapi/kutrace_events.h"

extern u8 ku_kinds[KUTRACE_EVENT_MASK + 1];

/* Of an entry, with or without its timestamp. Any context. */
static __always_inline u32 ku_kind_of(u64 entry)
{
	return ku_kinds[entry >> KUTRACE_EVENT_SHIFT & KUTRACE_EVENT_MASK];
}

/* Words of an entry by its event: those of names, points and PC samples are several. */
static inline u32 ku_entry_words(u32 event)
{
	u32 words = event >> KUTRACE_NAME_LEN_SHIFT & 15;

	if (event < KUTRACE_USERPID && words && event != KUTRACE_PC_OLD)
		return words < KUTRACE_NAME_MAX_WORDS ? words : KUTRACE_NAME_MAX_WORDS;
	return event == KUTRACE_PC_U || event == KUTRACE_PC_K || event == KUTRACE_PC_OLD ? 2 : 1;
}

void ku_kinds_init(void);
/* The name of a kind, of a category; their numbers must be in range. */
const char *ku_kind_name(u32 kind);
const char *ku_category_name(u32 category);
/* Category of a kind, all kinds of a mask of categories, categories that have one. */
u32 ku_kind_category(u32 kind);
u64 ku_kinds_of_categories(u32 categories);
u32 ku_categories_of_kinds(u64 kinds);

#endif
