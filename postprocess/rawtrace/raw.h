/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Raw trace files, version 3: blocks of 8192 words, each of one CPU, in the order in which they
 * were claimed. kp_raw_open() checks and indexes a file. kp_raw_events() (rawtrace/blocks.h)
 * outputs its content in order of time.
 *
 * Memory use: the index (24 bytes per block), the names, the exits of threads, and one open block
 * per CPU (about 200 KiB each).
 *
 * Counts are the counts of the trace's time counter. Times are in units of 10 ns since the start
 * minute.
 */
#ifndef KP_RAWTRACE_RAW_H
#define KP_RAWTRACE_RAW_H

#include <stdio.h>

#include "model/span.h"
#include "rawtrace/block.h"

/*
 * Entry of the index: the location of a block, and the data that is needed before the block is read
 * again.
 */
struct kp_raw_location {
	uint64_t first;		/* count of the earliest valid entry */
	uint64_t offset : 63;	/* offset in the file, in bytes */
	uint64_t names_only : 1;
	uint32_t number;	/* index of the block in the trace, from 0 */
	/* packed kp_raw_block.timer_in: age in counts, and KP_RAW_TIMER_ENDED; 0: none */
	uint32_t timer;
};

#define KP_RAW_TIMER_ENDED	(1u << 31)
#define KP_RAW_OFFSET_MASK	(~0ull >> 1)

/* The definition of a name in the trace. All definitions are output before the events. */
struct kp_raw_name {
	uint64_t count;
	uint32_t event;		/* event number with its length digit */
	uint32_t number;
	uint8_t len;
	uint8_t kind;		/* enum kutrace_task_kind of a task */
	char text[60];		/* text of the name, at most KUTRACE_NAME_MAX_BYTES */
};

struct kp_raw_exit {
	uint64_t count;
	uint32_t pid;
};

#define KP_LOSSES	32	/* maximum number of causes of losses; the module records fewer */
#define KP_LOSS_OUT	SIZE_MAX

/* A cause of losses with its latest value. */
struct kp_raw_loss {
	char text[60];		/* KEY=VALUE with the first value */
	uint64_t events;
	size_t at;		/* index of the name in names[]; KP_LOSS_OUT: already output */
};

struct kp_raw {
	FILE *file;
	const char *shown;	/* file name for messages */
	bool spooled;		/* true if file is a temporary copy */
	bool followed;		/* true if blocks arrive during the output: rawtrace/blocks.h */
	uint64_t bytes;
	char message[512];	/* after an error: one line */

	/* locations in the file's order, until kp_raw_events() */
	struct kp_raw_location *locations;
	size_t block_count, location_room;
	struct kp_raw_name *names;
	size_t name_count, name_room;
	struct kp_raw_exit *exits;	/* exits of threads, not sorted; none if followed */
	size_t exit_count, exit_room;

	uint8_t flags;		/* flags in word 1 of the first block, with the version */
	bool wrapped;
	uint64_t start_count, start_usec, stop_count, stop_usec;
	uint64_t minute_usec;	/* start_usec rounded down to a minute */
	uint64_t base_count;	/* count at minute_usec; wraps around below 0 */
	struct kp_raw_range range;	/* smallest and largest valid count */
	/* units of 10 ns per count, integer part and fraction of 64 bits each */
	uint64_t slope_int, slope_frac;

	/* times of the first and last entry, without names; 0 0 if there is none */
	int64_t first_time, last_time;
	uint64_t events;	/* number of entries except names, TSDELTAs and NOPs */
	/* number of old entries in block 0 of a wrapped trace, which are left out */
	uint64_t dropped_first_block;
	uint64_t late_entries;
	uint64_t cpu_events[256];
	uint64_t cpu_late[256];
	unsigned int cpu_most;	/* largest number of a CPU with events or a received IPI */
	uint64_t lost;		/* sum of META lost_* values */
	struct kp_raw_loss losses[KP_LOSSES];
	size_t loss_count;
	bool has_meta;
	struct kp_pauses pauses;	/* pauses, in counts */
	struct kp_raw_faults faults;
};

/*
 * Indexes the trace in @file (@shown in messages). Copies a pipe to a temporary file. Returns 0, or
 * -1 with a message: the file cannot be read, is not a version 3 trace, or has a damaged structure.
 * Faults inside blocks are only counted. kp_raw_close() must be called in any case; it closes
 * @file.
 */
int kp_raw_open(struct kp_raw *raw, FILE *file, const char *shown);

/* Opens only the first @blocks blocks of the file, as if the file ended there. */
int kp_raw_open_first(struct kp_raw *raw, FILE *file, const char *shown, uint64_t blocks);

void kp_raw_close(struct kp_raw *raw);

/* Returns the time in units of 10 ns since the start minute. It may be negative. */
int64_t kp_raw_time(const struct kp_raw *raw, uint64_t count);

/*
 * Converts the counts of a fact "pause" or "partial" to units of 10 ns. Does not change other
 * texts.
 */
void kp_raw_fact_times(const struct kp_raw *raw, char text[KP_PAUSE_CHARS]);

/* Writes a local time such as "2026-11-20_08:50:11.085246" to out[32]. */
void kp_raw_date(uint64_t usec, char *out);

/* Reads the block at block->offset. Returns 0, or -1 with a message. */
int kp_raw_read(struct kp_raw *raw, const struct kp_raw_block *block,
		struct kp_raw_words *words);

/* ---- for the files of this folder ---- */

/* Writes a message to raw->message. Returns -1. */
int kp_raw_fail(struct kp_raw *raw, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

/* State of indexing between blocks. All zero at the beginning. */
struct kp_raw_indexer {
	struct kp_raw_entry entries[KUTRACE_BLOCK_WORDS + 1];	/* entries of the block that is indexed */
	struct kp_raw_timer timers[256];
};

/* Returns the size in bytes of the block with this header, including its IPC bytes. */
size_t kp_raw_block_bytes(const struct kp_raw_words *words);

/*
 * Indexes block @number: for block 0 the clock, for all blocks the header, the entries and the
 * names (appended to raw->names). Sets *block and *location. Returns 0, or -1 with a message.
 */
int kp_raw_index_add(struct kp_raw *raw, struct kp_raw_indexer *indexer, uint64_t number,
		     uint64_t offset, const struct kp_raw_words *words,
		     struct kp_raw_block *block, struct kp_raw_location *location);

/* Reads a block's header; does not set block->last. Returns 0, or -1 with a message. */
int kp_raw_read_header(struct kp_raw *raw, const struct kp_raw_location *location,
		       struct kp_raw_block *block);

/* Reports faults in the blocks that were read. Returns the exit status: KP_OK, or KP_BAD. */
int kp_raw_exit_status(const struct kp_raw *raw);

/* ---- about.c: start time, id, host, kernel and CPU of a trace; its comments in event text ---- */

struct kp_raw_source;

#define KP_TRACE_ID_CHARS	36	/* 8-4-4-4-12 hex digits */

struct kp_raw_about {
	int64_t start_s;	/* start minute, which is time 0, in seconds since 1970, UTC */
	char trace_id[KP_TRACE_ID_CHARS + 1];
	uint8_t trace_uuid[16];	/* the same id in bytes */
	/* any bytes, as in the trace; "": not recorded */
	char host[64], kernel[64], cpu_model[64], arch[64], boot_id[64];
};

/*
 * Sets *about from an open trace, before kp_raw_events(), but not from a followed one, whose stop
 * time is unknown. The id is a UUID (version 8), a hash of the clock pairs, host and boot id.
 */
void kp_raw_about(const struct kp_raw *raw, struct kp_raw_about *about);

/* Returns the value of the next META name with @key, or NULL. *at must be 0 in the first call. */
const char *kp_raw_meta(const struct kp_raw *raw, const char *key, size_t *at);

/*
 * Returns the largest step of the wall clock against the counter during the recording, in
 * microseconds (META clock_step_us); negative: back; 0: none, or not a number.
 */
int64_t kp_raw_clock_step_us(const struct kp_raw *raw);

/* Returns true if the counter jumped or became unstable while recording (META caveat=clock). */
bool kp_raw_clock_is_bad(const struct kp_raw *raw);

/* Size of the text "back by 3600.000000 s" for any step, with the NUL. */
#define KP_CLOCK_STEP_CHARS	48

/* Writes a nonzero step of the wall clock as text, for a report. */
void kp_clock_step_text(int64_t us, char text[KP_CLOCK_STEP_CHARS]);

/* The functions that follow write comments. They return 0, or the value that the sink returned. */

/* Writes all comments before the events of a complete trace. Also returns -1 with a message. */
int kp_raw_write_front(struct kp_raw *raw, const struct kp_event_sink *sink);

/*
 * Write some of these comments for a followed trace: the format and the title first, a comment for
 * each block, and the dropped entries at the end.
 */
int kp_raw_write_format(const struct kp_raw *raw, const struct kp_event_sink *sink);
int kp_raw_write_title(const struct kp_event_sink *sink);
int kp_raw_write_block(const struct kp_event_sink *sink, const struct kp_raw_block *block);
int kp_raw_write_dropped(const struct kp_raw *raw, const struct kp_event_sink *sink);

/* Writes the words of an entry in hexadecimal. */
int kp_raw_write_words(const struct kp_event_sink *sink, const struct kp_raw_source *source,
		       const struct kp_raw_entry *entry);

#endif
