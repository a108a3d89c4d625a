/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A session as a dump has it, see session.c.
 */
#ifndef KU_CRASH_SESSION_H
#define KU_CRASH_SESSION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "crash/anchor.h"
#include "crash/block.h"
#include "crash/region.h"

/* What could not be had, or not whole. */
struct kc_damage {
	uint64_t entries;	/* of the block table that cannot be */
	uint64_t unreadable;	/* blocks that the dump does not have */
	uint64_t headers;	/* blocks whose header is not that of their entry, or of a wrong time */
	uint64_t cut;		/* blocks of which what is behind a damaged word is left out */
	bool names;		/* the bounds of the buffer of names cannot be */
	uint64_t incomplete;	/* entries that were claimed and not stored whole */
};

struct kc_block {
	uint64_t seq;
	uint64_t counts;	/* of its header */
	uint32_t index;
	uint32_t cpu;
	struct kc_checked checked;
};

/* A CPU's state in the place where it was. */
struct kc_cpu {
	bool open;
	uint32_t block;
	uint32_t index;
	uint64_t last;		/* 50 bits of the count of its last entry */
};

struct kc_session {
	struct kc_memory *memory;
	struct kc_anchor anchor;
	struct kutrace_info info;	/* of the moment when the machine stopped */
	bool recording;			/* it was: in info it is over */
	struct kc_region region[KUTRACE_ANCHOR_CPUS];
	struct kc_region bytes;		/* of the counters */
	struct kutrace_meta_page *meta;	/* with the table behind it, in which are only good blocks */
	struct kutrace_block *table;
	struct kc_block *blocks;	/* those, by their numbers */
	size_t nblocks;
	size_t numbered;		/* blocks with a valid number; some may be damaged */
	uint32_t *of;			/* by index in the table: in blocks + 1; 0: none */
	struct kc_cpu cpus[KUTRACE_CPUS];
	struct kc_damage damage;
};

/*
 * Takes the anchor over. NULL, or what is wrong; the session is to be freed in any case. Without
 * the blocks' content: kc_session_load().
 */
const char *kc_session_open(struct kc_session *session, struct kc_memory *memory,
			    struct kc_anchor *anchor);
/* Looks at all blocks. NULL, or what is wrong. */
const char *kc_session_load(struct kc_session *session,
			    void (*progress)(uint64_t done, uint64_t total));
void kc_session_free(struct kc_session *session);
/* The words of a good block, without what is no entry. */
bool kc_session_block(struct kc_session *session, uint32_t index, uint64_t *words);

#endif
