/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * One block of a raw trace: its header, its words, its entries in time order. Nothing here
 * knows the file. Called by the raw reader, once while indexing and once while handing out.
 */
#ifndef KP_RAWTRACE_BLOCK_H
#define KP_RAWTRACE_BLOCK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kutrace_events.h"

/* The last timer interrupt on a CPU, when nothing came after it; counts, 0 = none. */
struct kp_raw_timer {
	uint64_t call, end;
};

struct kp_raw_block {
	uint64_t number;	/* in the trace, from 0 */
	uint64_t offset;	/* bytes into the file */
	uint64_t count;		/* word 0: full count when the block was taken */
	uint64_t usec;		/* word 1: microseconds since 1970 */
	uint64_t last;		/* count of the latest entry kept */
	struct kp_raw_timer timer_in;	/* as the block begins */
	uint32_t pid, mhz;
	uint8_t cpu, flags;
	bool names_only;
	char name[17];
};

enum kp_raw_kind {
	KP_RAW_PC,		/* two words; sorts in front of what has its count */
	KP_RAW_HEADER,		/* not an entry: the block's pid, name, frequency */
	KP_RAW_NAME,
	KP_RAW_EVENT,
};

/* One entry of a block. */
struct kp_raw_entry {
	uint64_t count;
	uint16_t index;		/* of its first word in the block */
	uint8_t kind;		/* enum kp_raw_kind */
	uint8_t timer;		/* a PC sample that has its timer interrupt's count */
};

/* What was found wrong but can be read past; each is counted and reported. */
struct kp_raw_faults {
	uint64_t bad_words;	/* no entry has this event number */
	uint64_t cut_entries;	/* runs over the end of its block */
	uint64_t bad_times;	/* far outside the trace's time */
	char first[160];	/* where and what the first of these was; "" = none */
};

/* Counts that entries of the trace can have; both belong to it. */
struct kp_raw_range {
	uint64_t low, high;
};

/* A block's words, then its IPC bytes or zeros. */
struct kp_raw_words {
	uint64_t word[KUTRACE_BLOCK_WORDS];
	uint8_t ipc[KUTRACE_IPC_BYTES];
};

/*
 * The entries of a block, in time order, to out[KUTRACE_BLOCK_WORDS + 1], the
 * header included unless the block holds only names. Returns how many. Entries
 * outside of range are faults. faults
 * and late (or NULL) are added to; *timer is in and out.
 */
size_t kp_raw_decode(const struct kp_raw_range *range, const struct kp_raw_block *block,
		     const struct kp_raw_words *words, struct kp_raw_entry *out,
		     struct kp_raw_faults *faults, struct kp_raw_timer *timer,
		     uint64_t *late);

#endif
