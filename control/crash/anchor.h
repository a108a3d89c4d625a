/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Anchors of sessions in a dump, see anchor.c.
 */
#ifndef KU_CRASH_ANCHOR_H
#define KU_CRASH_ANCHOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "crash/memory.h"
#include "kutrace_anchor.h"

/* The words of a list: all of its pieces that could be read, one after the other. */
struct kc_list {
	uint64_t *words;
	size_t count;
	size_t room;
	uint64_t limit;		/* as many as there can be */
	bool cut;		/* a piece is missing: so are the words from there on */
	bool changed;		/* some piece's sum is wrong: a word may be, too */
};

struct kc_anchor {
	uint64_t at;		/* physical address */
	struct kutrace_anchor head;
	struct kutrace_anchor_state state;	/* the newest one that is whole */
	bool older_state;	/* the newer one is not */
	struct kc_list list;
	struct kc_list bytes;	/* of the counters */
};

enum kc_found {
	KC_NO_ANCHOR,		/* there is none */
	KC_ANCHOR,
	KC_DAMAGED,		/* there is one that is of no use; *why says it */
};

/* What is at that address. A kc_anchor is to be freed in any case. */
enum kc_found kc_anchor_read(struct kc_memory *memory, uint64_t at, struct kc_anchor *anchor,
			     const char **why);
void kc_anchor_free(struct kc_anchor *anchor);
/* The next address from *at on where one begins; false: none is left. */
bool kc_anchor_next(struct kc_memory *memory, uint64_t *at,
		    void (*progress)(uint64_t done, uint64_t total));
/* The words of a section of its list, as many as there are; *count. */
const uint64_t *kc_anchor_section(const struct kc_anchor *anchor, unsigned int section,
				  size_t *count);

#endif
