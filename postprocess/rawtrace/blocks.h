/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Merges the entries of blocks by time. Only blocks that overlap at the current time are in memory.
 * Blocks may be added between two entries. Only one thread at a time may use a merge.
 */
#ifndef KP_RAWTRACE_BLOCKS_H
#define KP_RAWTRACE_BLOCKS_H

#include "rawtrace/raw.h"

/* An open block. Its address stays the same until all its entries were consumed. */
struct kp_raw_source {
	struct kp_raw_source *next;	/* next unused block in kp_raw_heap.spare */
	struct kp_raw_block block;
	size_t count;			/* number of entries */
	struct kp_raw_words words;
	struct kp_raw_entry entries[KUTRACE_BLOCK_WORDS + 1];
};

/* An entry of an open block, with the fields that determine its order. */
struct kp_raw_item {
	uint64_t count;
	struct kp_raw_source *source;
	uint32_t number;		/* index of the block */
	uint16_t entry;			/* index in source->entries */
	uint8_t kind, cpu;
};

/* Returns whether @a comes before @b. Entries of two blocks are never equal. */
static inline bool kp_raw_item_earlier(const struct kp_raw_item *a, const struct kp_raw_item *b)
{
	if (a->count != b->count)
		return a->count < b->count;
	if (a->kind != b->kind)
		return a->kind < b->kind;
	return a->cpu != b->cpu ? a->cpu < b->cpu : a->number < b->number;
}

/* An entry with a copy of its first word, so that most consumers need not read the block. */
struct kp_raw_merged {
	struct kp_raw_item item;
	uint64_t word;			/* the first word of the entry */
	uint8_t ipc;
};

static inline const struct kp_raw_entry *kp_raw_entry_of(const struct kp_raw_item *item)
{
	return &item->source->entries[item->entry];
}

static inline struct kp_raw_merged kp_raw_merged(const struct kp_raw_item *item)
{
	const struct kp_raw_words *words = &item->source->words;
	const uint16_t index = kp_raw_entry_of(item)->index;

	return (struct kp_raw_merged){ *item, words->word[index], words->ipc[index] };
}

/* A function that consumes an entry. Returns 0, or another value to stop the reading. */
typedef int kp_raw_consume(void *self, const struct kp_raw_merged *taken);

/* A merge of blocks. All zero at the beginning, except raw. */
struct kp_raw_heap {
	struct kp_raw *raw;
	bool ahead;			/* true: do not show progress or check for interrupts */
	struct kp_raw_location *closed;	/* blocks not opened yet, a heap by first count */
	size_t closed_count, closed_room;
	uint64_t opened;
	struct kp_raw_item *heap;	/* the next entry of each open block, as a heap */
	size_t heap_count, heap_room;
	struct kp_raw_source *spare;	/* memory of finished blocks, for reuse */
	/* Called when all entries of a block were consumed; or NULL. */
	void (*done)(void *self, uint64_t offset);
	void *done_self;
};

/* Adds the block at @location. Returns 0, or -1 with raw->message. */
int kp_raw_heap_add(struct kp_raw_heap *heap, const struct kp_raw_location *location);
/* Adds all blocks of the trace. Takes over raw->locations, which is then NULL. */
void kp_raw_heap_add_all(struct kp_raw_heap *heap);

/*
 * Calls @take for each entry with a count below @until, in order of time. Returns 0; -1 with
 * raw->message; or the nonzero value of @take.
 */
int kp_raw_heap_run(struct kp_raw_heap *heap, uint64_t until, kp_raw_consume *take, void *self);

/*
 * Writes at most @room entries to @taken, in order of time, and their number to *count; 0 at the
 * end of the trace. Stops after the last entry of a block, and sets *finished to this block. The
 * caller must pass the block to kp_raw_heap_return() when it no longer needs the entries. If no
 * block ends, sets *finished to NULL. Returns 0, or -1 with raw->message.
 */
int kp_raw_heap_part(struct kp_raw_heap *heap, struct kp_raw_merged *taken, size_t room,
		     size_t *count, struct kp_raw_source **finished);
/* Takes back a finished block, to reuse its memory. The caller may free the block instead. */
void kp_raw_heap_return(struct kp_raw_heap *heap, struct kp_raw_source *source);
void kp_raw_heap_free(struct kp_raw_heap *heap);

/* ---- events.c: entries as events and names for a sink, in order of time ---- */

/* Numbers of output events and names, for the summary. */
struct kp_raw_summary {
	uint64_t by_kind[8];	/* number of events of each kind, by enum kp_raw_summary_kind */
	uint64_t points;	/* number of events of typed tracepoints */
	uint64_t unknown_points; /* number of events of undefined tracepoints, included in points */
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
 * Outputs the trace to @sink: comments, all names at time -1, then names and events in order of
 * time. May be called only once. @verbose: a comment before each entry shows its words. @summary
 * may be NULL. Returns 0; -1 with a message; or the value that the sink returned.
 */
int kp_raw_events(struct kp_raw *raw, const struct kp_event_sink *sink,
		  bool verbose, struct kp_raw_summary *summary);

/*
 * A function that calls @take for all entries in order of time. Returns 0; -1 with raw->message; or
 * the nonzero value of @take.
 */
typedef int kp_raw_reading(struct kp_raw *raw, kp_raw_consume *take, void *self);

/*
 * Does the same as kp_raw_events(), but @reading reads the entries, for example in a thread. NULL:
 * this thread reads them.
 */
int kp_raw_events_by(kp_raw_reading *reading, struct kp_raw *raw, const struct kp_event_sink *sink,
		     bool verbose, struct kp_raw_summary *summary);

/* ---- step by step, for rawtrace/follow.c ---- */

struct kp_raw_out;

/* Returns an output of @raw, or NULL with raw->message without memory. @summary may be NULL. */
struct kp_raw_out *kp_raw_out_new(struct kp_raw *raw, const struct kp_event_sink *sink,
				  bool verbose, struct kp_raw_summary *summary);
void kp_raw_out_free(struct kp_raw_out *out);

/*
 * Output of a followed trace, in this order:
 *  - kp_raw_out_begin() writes the first comments. @done, or NULL, is called with the offset of
 *    each block whose entries are all output.
 *  - kp_raw_out_add() adds a new block: writes its comment, and its names (raw->names, which is
 *    then emptied) at time -1.
 *  - kp_raw_out_until() outputs the entries with a count below @until.
 *  - kp_raw_out_step_back() allows earlier times again, for a block that begins before entries
 *    already output.
 *  - kp_raw_out_end() outputs the rest.
 *
 * They return 0; -1 with a message; or the value that the sink returned.
 */
int kp_raw_out_begin(struct kp_raw_out *out, void (*done)(void *self, uint64_t offset),
		     void *self);
int kp_raw_out_add(struct kp_raw_out *out, const struct kp_raw_block *block,
		   const struct kp_raw_location *location);
int kp_raw_out_until(struct kp_raw_out *out, uint64_t until);
void kp_raw_out_step_back(struct kp_raw_out *out);
int kp_raw_out_end(struct kp_raw_out *out);

/*
 * ---- follow.c ----
 *
 * Reads a raw trace that is still being written, to a file or a pipe. Outputs an event when its
 * order is certain: when each CPU has filled a block up to a later time. Memory contains only the
 * index of the blocks that wait, and the open blocks. The blocks of a pipe wait in a temporary
 * file, whose space is reused.
 */

struct kp_raw_follow {
	FILE *file;			/* closed by kp_raw_close() */
	const char *shown;		/* name of the file in messages */
	const char *path;		/* path of the file; NULL: the file has no name */
	/*
	 * time in microseconds: the output does not wait for a CPU whose last entry is older than
	 * the newest entry by more than this; 0: the output always waits
	 */
	uint64_t lag_usec;
	int (*flush)(void *self);	/* called while no input is available; returns 0 or -1 */
	void *self;
	/* members that are output: */
	/* number of blocks that arrived so late that entries are out of order */
	uint64_t late_blocks;
	const char *note;		/* message about the end, or NULL */
};

/*
 * Follows the trace to the end of its input: the end of a pipe, an interrupt (kp_take_interrupt()),
 * the end of the recording, or the replacement of a file by another one with the same name. All
 * entries so far have then been output, also before an error. Returns 0; -1 with raw->message; or
 * the nonzero value of the sink or of flush. The caller must call kp_raw_close() in any case.
 */
int kp_raw_follow(struct kp_raw *raw, struct kp_raw_follow *follow,
		  const struct kp_event_sink *sink, bool verbose,
		  struct kp_raw_summary *summary);

#endif
