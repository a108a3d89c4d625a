/* SPDX-License-Identifier: BSD-3-Clause */
/* A session in a dump. */
#ifndef KU_CRASH_SESSION_H
#define KU_CRASH_SESSION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "crash/anchor.h"
#include "crash/block.h"
#include "crash/region.h"

/* Missing and damaged data. */
struct kc_damage {
	uint64_t entries;	/* impossible entries of the block table */
	uint64_t unreadable;	/* blocks that are not in the dump */
	uint64_t headers;	/* blocks whose header contradicts the table, or has a wrong time */
	uint64_t cut;		/* blocks that were cut at a damaged word */
	bool names;		/* the bounds of the name buffer are impossible */
	uint64_t incomplete;	/* entries that were claimed and not stored completely */
};

struct kc_block {
	uint64_t seq;
	uint64_t counts;	/* time in its header */
	uint32_t index;
	uint32_t cpu;
	struct kc_checked checked;
};

/* State of a CPU, from the session's ring or a slot. */
struct kc_cpu {
	bool open;
	uint32_t block;
	uint32_t index;
	uint64_t last;		/* low 50 bits of the time of its last entry */
};

struct kc_session {
	struct kc_memory *memory;
	struct kc_anchor anchor;
	struct kutrace_info info;	/* as of the crash */
	bool recording;			/* the recording was on; info shows it as ended */
	struct kc_region region[KUTRACE_ANCHOR_CPUS];
	struct kc_region bytes;		/* pages of the counter bytes */
	struct kutrace_meta_page *meta;	/* followed by the table, with valid blocks only */
	struct kutrace_block *table;
	struct kc_block *blocks;	/* the valid blocks, sorted by number */
	size_t nblocks;
	size_t numbered;		/* blocks with a valid number; some may be damaged */
	uint32_t *of;			/* by table index: index in blocks + 1; 0: none */
	struct kc_cpu cpus[KUTRACE_CPUS];
	struct kc_damage damage;
};

/*
 * Opens the session and takes over @anchor. Returns NULL, or the cause of the error. The caller
 * must free the session in every case. kc_session_load() reads the content of the blocks.
 */
const char *kc_session_open(struct kc_session *session, struct kc_memory *memory,
			    struct kc_anchor *anchor);
/* Reads and checks all blocks. Returns NULL, or the cause of the error. */
const char *kc_session_load(struct kc_session *session,
			    void (*progress)(uint64_t done, uint64_t total));
void kc_session_free(struct kc_session *session);
/* Reads the words of a valid block. Words that are not entries are zero. */
bool kc_session_block(struct kc_session *session, uint32_t index, uint64_t *words);

#endif
