/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Raw trace files, version 3: blocks of 8192 words, one CPU each, in the order
 * in which they were taken. kp_raw_open() checks and indexes a file;
 * kp_raw_events() (rawtrace/events.h) hands out what is in it in time order. Memory is bounded by
 * the index (24 bytes a block), the names, the exits of threads, and the blocks that overlap in time
 * (about 200 KiB each, one per CPU).
 *
 * Counts are those of the trace's time counter; times are 10 ns units since the
 * start minute. Called by the mains that read raw traces, and by the files of this folder.
 */
#ifndef KP_RAW_H
#define KP_RAW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "kutrace_events.h"
#include "model/pause.h"
#include "rawtrace/block.h"

/* The index: where a block is, and what must be known of it before it is read again. */
struct kp_raw_place {
	uint64_t first;		/* count of the earliest entry kept */
	uint64_t offset : 63;	/* bytes into the file */
	uint64_t names_only : 1;
	uint32_t number;	/* in the trace, from 0 */
	uint32_t timer;		/* timer_in: counts from its call to word 0, 0 = none; KP_RAW_TIMER_ENDED */
};

#define KP_RAW_TIMER_ENDED	(1u << 31)
#define KP_RAW_OFFSET_MASK	(~0ull >> 1)

/* A name definition as found, for handing out in front of everything. */
struct kp_raw_name {
	uint64_t count;
	uint32_t event;		/* with its length digit */
	uint32_t number;
	uint8_t len;
	uint8_t kind;		/* of a task: enum kutrace_task_kind */
	char text[60];		/* KUTRACE_NAME_MAX_BYTES at most */
};

/* A thread exits. */
struct kp_raw_exit {
	uint64_t count;
	uint32_t pid;
};

#define KP_LOSSES	32	/* causes of losses; a trace of ours has fewer */
#define KP_LOSS_OUT	SIZE_MAX

/* A cause of losses, as said last. */
struct kp_raw_loss {
	char text[60];		/* KEY=VALUE, as said first */
	uint64_t events;
	size_t at;		/* in names[]; KP_LOSS_OUT: handed out */
};

struct kp_raw {
	FILE *file;
	const char *shown;	/* name for messages */
	bool spooled;		/* file is our own temporary copy */
	bool followed;		/* blocks come while others are handed out: rawtrace/follow.h */
	uint64_t bytes;
	char message[512];	/* after a failure: one line */

	struct kp_raw_place *places;	/* in the file's order until kp_raw_events() */
	size_t block_count, place_room;
	struct kp_raw_name *names;
	size_t name_count, name_room;
	struct kp_raw_exit *exits;	/* of threads, unordered; none if followed */
	size_t exit_count, exit_room;

	uint8_t flags;		/* of word 1 of the first block, version included */
	bool wrapped;
	uint64_t start_count, start_usec, stop_count, stop_usec;
	uint64_t minute_usec;	/* start_usec rounded down to a minute */
	uint64_t base_count;	/* count at minute_usec; may be "negative" */
	struct kp_raw_range range;	/* entries outside are no entries */
	uint64_t slope_int, slope_frac;	/* 10 ns units per count, 64.64 fixed point */

	int64_t first_time, last_time;	/* of all entries but names; 0 0 if none */
	uint64_t events;	/* entries but names, TSDELTAs and NOPs */
	uint64_t dropped_first_block;	/* stale entries of a wrapped trace */
	uint64_t late_entries;
	uint64_t cpu_events[256];
	uint64_t cpu_late[256];
	int64_t cpu_first[256], cpu_last[256];	/* valid if cpu_events */
	unsigned int cpu_most;	/* greatest number of a CPU with events, or sent an IPI */
	uint64_t lost;		/* sum of META lost_* values */
	struct kp_raw_loss losses[KP_LOSSES];
	size_t loss_count;
	bool has_meta;
	struct kp_pauses pauses;	/* counts */
	struct kp_raw_faults faults;
};

/*
 * Indexes the trace in file, called shown in messages; what cannot be read twice
 * (a pipe) is copied to a temporary file in $TMPDIR or /tmp. Reads all of it
 * once. 0, or -1 with message: it cannot be read, is no version 3 trace, or its
 * structure is broken (size, blocks, clock). Faults inside blocks are counted,
 * not fatal. Call kp_raw_close() either way; file is closed by it.
 */
int kp_raw_open(struct kp_raw *raw, FILE *file, const char *shown);

/* Opens the first @blocks blocks of the file alone, as if the file ended there. */
int kp_raw_open_first(struct kp_raw *raw, FILE *file, const char *shown, uint64_t blocks);

void kp_raw_close(struct kp_raw *raw);

/* 10 ns units since the start minute; counts before it give negative times. */
int64_t kp_raw_time(const struct kp_raw *raw, uint64_t count);

/*
 * Returns true if text is the fact of a pause. Sets *pause to its counts, or to {0, 0} if these are not times of the
 * trace.
 */
bool kp_raw_pause(const struct kp_raw *raw, const char *text, struct kp_pause *pause);

/* Replaces the counts in the text of a fact "pause" or "partial" by 10 ns units. Changes no other text. */
void kp_raw_fact_times(const struct kp_raw *raw, char text[KP_PAUSE_CHARS]);

/* "2026-11-20_08:50:11.085246" in local time to out[32]. */
void kp_raw_date(uint64_t usec, char *out);

/* Reads the block at block->offset. 0, or -1 with message. */
int kp_raw_read(struct kp_raw *raw, const struct kp_raw_block *block,
		struct kp_raw_words *words);

/* ---- for the files of this folder ---- */

/* Puts a line into raw->message. -1. */
int kp_raw_fail(struct kp_raw *raw, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

/* What indexing carries from block to block. */
struct kp_raw_indexer {
	struct kp_raw_entry *entries;	/* of one block */
	struct kp_raw_timer timers[256];
};

int kp_raw_indexer_open(struct kp_raw *raw, struct kp_raw_indexer *indexer);
void kp_raw_indexer_close(struct kp_raw_indexer *indexer);

/* How long the block with this head is, IPC bytes included. */
size_t kp_raw_block_bytes(const struct kp_raw_words *words);

/*
 * Indexes a block, the trace's first one when number is 0: clock, header, entries,
 * names (added to raw->names). What is found goes to *block and *place. 0, or -1
 * with message.
 */
int kp_raw_index_add(struct kp_raw *raw, struct kp_raw_indexer *indexer, uint64_t number,
		     uint64_t offset, const struct kp_raw_words *words,
		     struct kp_raw_block *block, struct kp_raw_place *place);

/* The header of the block at place, all but last. 0, or -1 with message. */
int kp_raw_read_header(struct kp_raw *raw, const struct kp_raw_place *place,
		       struct kp_raw_block *block);

#endif
