/* SPDX-License-Identifier: BSD-3-Clause */
/* Finds the words of a block that are entries. */
#ifndef KU_CRASH_BLOCK_H
#define KU_CRASH_BLOCK_H

#include <stdbool.h>
#include <stdint.h>

#include "kutrace_abi.h"
#include "kutrace_events.h"

/* State of the CPU that wrote to the block when the machine stopped. */
struct kc_claimed {
	uint64_t last;		/* full time of the last claimed entry */
	uint32_t index;		/* of the next word */
};

struct kc_checked {
	uint64_t last;		/* time of the last entry, or of the header */
	uint32_t end;		/* words from here on are not entries, and are dropped */
	/* words between these two are of an unfinished entry, and are dropped */
	uint32_t hole_from;
	uint32_t hole_to;
	bool incomplete;	/* an entry was claimed but not stored, or only in part */
	bool damaged;		/* some words are not entries, or have an impossible time */
};

/*
 * Checks a block with a valid header. No entry is later than @limit. @claimed: NULL if no CPU
 * writes to the block.
 */
struct kc_checked kc_block_check(const uint64_t *words, uint64_t limit,
				 const struct kc_claimed *claimed);
/* Replaces the words to drop by zeros, which are not entries. */
void kc_block_clear(uint64_t *words, const struct kc_checked *checked);

#endif
