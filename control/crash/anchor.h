/* SPDX-License-Identifier: BSD-3-Clause */
/* The anchors of sessions in a dump. */
#ifndef KU_CRASH_ANCHOR_H
#define KU_CRASH_ANCHOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "crash/memory.h"
#include "kutrace_anchor.h"

/* The words of a list: of all its pieces that could be read, joined. */
struct kc_list {
	uint64_t *words;
	size_t count;
	size_t room;
	uint64_t limit;		/* maximum number of words */
	bool cut;		/* a piece is missing, and all words after it */
	bool changed;		/* the sum of a piece is wrong: a word may be wrong too */
};

struct kc_anchor {
	uint64_t at;		/* physical address */
	struct kutrace_anchor head;
	struct kutrace_anchor_state state;	/* the newest valid copy */
	bool older_state;	/* the newer copy is not valid */
	struct kc_list list;
	struct kc_list bytes;	/* pages of the counter bytes */
};

enum kc_found {
	KC_NO_ANCHOR,		/* no anchor at this address */
	KC_ANCHOR,
	KC_DAMAGED,		/* a damaged anchor; *why has the cause */
};

/* Reads the anchor at the address. The caller must free @anchor in every case. */
enum kc_found kc_anchor_read(struct kc_memory *memory, uint64_t at, struct kc_anchor *anchor,
			     const char **why);
void kc_anchor_free(struct kc_anchor *anchor);
/* Finds the next anchor from *@at on. Returns false if there is none. */
bool kc_anchor_next(struct kc_memory *memory, uint64_t *at,
		    void (*progress)(uint64_t done, uint64_t total));
/*
 * Returns the words of a section of the list, as far as they could be read, and their number in
 * *@count.
 */
const uint64_t *kc_anchor_section(const struct kc_anchor *anchor, unsigned int section,
				  size_t *count);

#endif
