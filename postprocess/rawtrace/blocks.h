/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Merges the blocks of a raw trace by time: keeps the blocks that overlap at the current time, and
 * returns the earliest of their entries. Blocks may be added while entries are taken. Only one
 * thread may use it at a time.
 */
#ifndef KP_RAW_HEAP_H
#define KP_RAW_HEAP_H

#include "rawtrace/raw.h"

/* An open block, whose entries are being taken. It does not move until then. */
struct kp_raw_source {
	struct kp_raw_block block;
	size_t count;			/* entries */
	struct kp_raw_words *words;
	struct kp_raw_entry *entries;
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

/* An entry with its first word, so that most consumers need not read the block. */
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
	const struct kp_raw_words *words = item->source->words;
	const uint16_t index = kp_raw_entry_of(item)->index;

	return (struct kp_raw_merged){ *item, words->word[index], words->ipc[index] };
}

/* Consumes an entry. Returns 0; any other value stops the reading. */
typedef int kp_raw_consume(void *self, const struct kp_raw_merged *taken);

/* All zero at the beginning, except raw. */
struct kp_raw_heap {
	struct kp_raw *raw;
	bool ahead;			/* do not show progress or check for interrupts */
	struct kp_raw_location *closed;	/* blocks not opened yet, a heap by first count */
	size_t closed_count, closed_room;
	uint64_t opened;
	struct kp_raw_item *heap;	/* the next entry of each open block, as a heap */
	size_t heap_count, heap_room;
	struct kp_raw_source **spare;	/* memory of finished blocks, for reuse */
	size_t spare_count, spare_room;
	/* Called when all entries of a block were taken; or NULL. */
	void (*done)(void *self, uint64_t offset);
	void *done_self;
};

/* Adds the block at @place. Returns 0, or -1 with raw->message. */
int kp_raw_heap_add(struct kp_raw_heap *heap, const struct kp_raw_location *location);
/* Adds all blocks of the trace. Takes over raw->places, which is NULL then. */
void kp_raw_heap_add_all(struct kp_raw_heap *heap);

/*
 * Calls @take for each entry with a count below @until, in order of time. Returns 0; -1 with
 * raw->message; or the nonzero value of @take.
 */
int kp_raw_heap_run(struct kp_raw_heap *heap, uint64_t until, kp_raw_consume *take, void *self);

/*
 * Writes the next entries in order of time to @taken, at most @room, and their number to *count; 0
 * at the end of the trace. The part ends after the last entry of a block: then *finished is that
 * block, which the caller must give back when its entries are no longer needed. Otherwise *finished
 * is NULL. Returns 0, or -1 with raw->message.
 */
int kp_raw_heap_part(struct kp_raw_heap *heap, struct kp_raw_merged *taken, size_t room,
		     size_t *count, struct kp_raw_source **finished);
/* Takes back a finished block, whose memory is used again. Returns 0, or -1 with raw->message. */
int kp_raw_heap_return(struct kp_raw_heap *heap, struct kp_raw_source *source);
/* Frees a block that cannot be returned. */
void kp_raw_source_free(struct kp_raw_source *source);
void kp_raw_heap_free(struct kp_raw_heap *heap);

#endif
