/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Raw trace files, version 3: blocks of 8192 words, one CPU each, in the order
 * in which they were taken. kp_raw_open() checks and indexes a file;
 * kp_raw_events() hands out what is in it in time order. Memory is bounded by
 * the index (24 bytes a block), the names, and the blocks that overlap in time
 * (about 200 KiB each, one per CPU).
 *
 * Counts are those of the trace's time counter; times are 10 ns units since the
 * start minute.
 */
#ifndef KP_RAW_H
#define KP_RAW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "kp_event.h"
#include "kp_names.h"
#include "kutrace_events.h"

/* The last timer interrupt on a CPU, when nothing came after it; counts, 0 = none. */
struct kp_raw_timer {
	uint64_t call, end;
};

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

/* A name definition as found, for handing out in front of everything. */
struct kp_raw_name {
	uint64_t count;
	uint32_t event;		/* with its length digit */
	uint32_t number;
	uint32_t len;
	char text[60];		/* KUTRACE_NAME_MAX_BYTES at most */
};

/* What was found wrong but can be read past; each is counted and reported. */
struct kp_raw_faults {
	uint64_t bad_words;	/* no entry has this event number */
	uint64_t cut_entries;	/* runs over the end of its block */
	uint64_t bad_times;	/* far outside the trace's time */
	char first[160];	/* where and what the first of these was; "" = none */
};

struct kp_raw {
	FILE *file;
	const char *shown;	/* name for messages */
	bool spooled;		/* file is our own temporary copy */
	bool followed;		/* blocks come while others are handed out: kp_raw_follow.h */
	uint64_t bytes;
	char message[512];	/* after a failure: one line */

	struct kp_raw_place *places;	/* in the file's order until kp_raw_events() */
	size_t block_count, place_room;
	struct kp_raw_name *names;
	size_t name_count, name_room;

	uint8_t flags;		/* of word 1 of the first block, version included */
	bool wrapped;
	uint64_t start_count, start_usec, stop_count, stop_usec;
	uint64_t minute_usec;	/* start_usec rounded down to a minute */
	uint64_t base_count;	/* count at minute_usec; may be "negative" */
	uint64_t low_count, high_count;	/* entries outside are no entries */
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
	bool has_meta;
	struct kp_raw_faults faults;
};

/* Counts of what kp_raw_events() handed out, for the summary. */
struct kp_raw_summary {
	uint64_t by_kind[8];	/* enum kp_raw_summary_kind */
	uint64_t points;	/* events of typed tracepoints */
	uint64_t unknown_points; /* of these, of tracepoints that the trace does not define */
	uint64_t names;
};

enum kp_raw_summary_kind {
	KP_SUM_SYSCALL,
	KP_SUM_TRAP,
	KP_SUM_IRQ,
	KP_SUM_SCHED,
	KP_SUM_WAKEUP,
	KP_SUM_MARK,
	KP_SUM_PC,
	KP_SUM_OTHER,
};

/*
 * Indexes the trace in file, called shown in messages; what cannot be read twice
 * (a pipe) is copied to a temporary file in $TMPDIR or /tmp. Reads all of it
 * once. 0, or -1 with message: it cannot be read, is no version 3 trace, or its
 * structure is broken (size, blocks, clock). Faults inside blocks are counted,
 * not fatal. Call kp_raw_close() either way; file is closed by it.
 */
int kp_raw_open(struct kp_raw *raw, FILE *file, const char *shown);

/*
 * Hands everything to sink: names at time -1, comments, then names and events
 * in time order. To be called once. verbose: with a comment in front of each entry that holds its
 * words. summary may be NULL. 0; -1 with message; or what the sink returned.
 */
int kp_raw_events(struct kp_raw *raw, const struct kp_event_sink *sink,
		  bool verbose, struct kp_raw_summary *summary);

void kp_raw_close(struct kp_raw *raw);

/*
 * For mains, after the trace was read: KP_OK, or KP_BAD if there were faults inside
 * blocks, which it tells (kp_error): the rest was handed out, but this is no good trace.
 */
int kp_raw_exit_status(const struct kp_raw *raw);

/* 10 ns units since the start minute; counts before it give negative times. */
int64_t kp_raw_time(const struct kp_raw *raw, uint64_t count);

/* "2026-11-20_08:50:11.085246" in local time to out[32]. */
void kp_raw_date(uint64_t usec, char *out);

/* For the modules of the reader: one block's words, then its IPC bytes or zeros. */
struct kp_raw_words {
	uint64_t word[KUTRACE_BLOCK_WORDS];
	uint8_t ipc[KUTRACE_IPC_BYTES];
};

/* Reads the block at block->offset. 0, or -1 with message. */
int kp_raw_read(struct kp_raw *raw, const struct kp_raw_block *block,
		struct kp_raw_words *words);

/*
 * The entries of a block, in time order, to out[KUTRACE_BLOCK_WORDS + 1], the
 * header included unless the block holds only names. Returns how many. faults
 * and late (or NULL) are added to; *timer is in and out.
 */
size_t kp_raw_decode(const struct kp_raw *raw, const struct kp_raw_block *block,
		     const struct kp_raw_words *words, struct kp_raw_entry *out,
		     struct kp_raw_faults *faults, struct kp_raw_timer *timer,
		     uint64_t *late);

static inline uint32_t kp_word_event(uint64_t word)
{
	return (uint32_t)(word >> KUTRACE_EVENT_SHIFT) & (uint32_t)KUTRACE_EVENT_MASK;
}

/* A typed tracepoint's entry: as long as a name, but an event. */
static inline bool kp_is_point_event(uint32_t event)
{
	return kp_is_name_event(event) && KP_NAME_BASE(event) == KUTRACE_NAME_TPOINT;
}

#endif
