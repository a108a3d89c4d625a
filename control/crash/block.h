/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What of a block was really written, see block.c.
 */
#ifndef KU_CRASH_BLOCK_H
#define KU_CRASH_BLOCK_H

#include <stdbool.h>
#include <stdint.h>

#include "kutrace_abi.h"
#include "kutrace_events.h"

/* What its CPU said of a block that it wrote to when the machine stopped. */
struct kc_claimed {
	uint64_t last;		/* time of the last entry claimed, full count */
	uint32_t index;		/* of the next word */
};

struct kc_checked {
	uint64_t last;		/* time of the last entry, or of the header */
	uint32_t end;		/* words from here on are not entries: to be left out */
	uint32_t hole_from;	/* and those between these two: of an entry that was begun */
	uint32_t hole_to;
	bool incomplete;	/* an entry was claimed and not stored, or not all of it */
	bool damaged;		/* words in it are no entries, or of a time that cannot be */
};

/*
 * Looks at a block whose header is good. limit: no entry is later; claimed: NULL if no CPU writes
 * to it any more.
 */
struct kc_checked kc_block_check(const uint64_t *words, uint64_t limit,
				 const struct kc_claimed *claimed);
/* Leaves out what is to be left out: zeros, which are no entries. */
void kc_block_clear(uint64_t *words, const struct kc_checked *checked);

#endif
