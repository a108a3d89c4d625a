/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Merges the blocks of a raw trace by time: holds those that overlap at the
 * moment, and hands out the earliest entry of all. Blocks may come while others
 * are being handed out. Used by the raw reader only; by one thread at a time.
 */
#ifndef KP_RAW_HEAP_H
#define KP_RAW_HEAP_H

#include "rawtrace/raw.h"

/* A block whose entries are being handed out; it stays where it is until that is done. */
struct kp_raw_source {
	struct kp_raw_block block;
	size_t count;			/* entries */
	struct kp_raw_words *words;
	struct kp_raw_entry *entries;
};

/* An entry, with what says which of two comes first. */
struct kp_raw_item {
	uint64_t count;
	struct kp_raw_source *source;
	uint32_t number;		/* of the block */
	uint16_t entry;			/* in the source's entries */
	uint8_t kind, cpu;
};

/* Whether a comes before b. Of two blocks no entries are alike. */
static inline bool kp_raw_item_earlier(const struct kp_raw_item *a, const struct kp_raw_item *b)
{
	if (a->count != b->count)
		return a->count < b->count;
	if (a->kind != b->kind)
		return a->kind < b->kind;
	return a->cpu != b->cpu ? a->cpu < b->cpu : a->number < b->number;
}

/* An entry on its way out: most need no more than this of their block. */
struct kp_raw_taken {
	struct kp_raw_item item;
	uint64_t word;			/* its first one */
	uint8_t ipc;
};

static inline const struct kp_raw_entry *kp_raw_entry_of(const struct kp_raw_item *item)
{
	return &item->source->entries[item->entry];
}

static inline struct kp_raw_taken kp_raw_taken(const struct kp_raw_item *item)
{
	const struct kp_raw_words *words = item->source->words;
	const uint16_t index = kp_raw_entry_of(item)->index;

	return (struct kp_raw_taken){ *item, words->word[index], words->ipc[index] };
}

/* Takes an entry. 0; anything else ends the handing out. */
typedef int kp_raw_take(void *self, const struct kp_raw_taken *taken);

/* All zero to begin with, but for raw. */
struct kp_raw_heap {
	struct kp_raw *raw;
	bool ahead;			/* says no progress, and looks for no interrupt: others do */
	struct kp_raw_place *closed;	/* blocks to come, a heap by their first count */
	size_t closed_count, closed_room;
	uint64_t opened;
	struct kp_raw_item *heap;	/* the next entry of each open block, earliest first */
	size_t heap_count, heap_room;
	struct kp_raw_source **spare;	/* finished blocks, whose memory is used again */
	size_t spare_count, spare_room;
	/* A block has been handed out to its end; or NULL. */
	void (*done)(void *self, uint64_t offset);
	void *done_self;
};

/* The block at place is to be handed out. 0, or -1 with raw->message. */
int kp_raw_heap_add(struct kp_raw_heap *heap, const struct kp_raw_place *place);
/* All blocks of the trace are: takes raw->places, which is gone then. */
void kp_raw_heap_take_all(struct kp_raw_heap *heap);

/*
 * Calls take for each entry in time order whose count is below until. 0; -1 with
 * raw->message; or what take returned, if not 0.
 */
int kp_raw_heap_run(struct kp_raw_heap *heap, uint64_t until, kp_raw_take *take, void *self);

/*
 * The next entries in time order, room at the most, to taken; *count says how many, 0
 * when there are no more. They end with the last entry of a block, if one comes: *finished is
 * then that block, else NULL. It is for the caller to give back when nobody needs its
 * entries any more. 0, or -1 with raw->message.
 */
int kp_raw_heap_part(struct kp_raw_heap *heap, struct kp_raw_taken *taken, size_t room,
		     size_t *count, struct kp_raw_source **finished);
int kp_raw_heap_give_back(struct kp_raw_heap *heap, struct kp_raw_source *source);
/* The same without a heap: frees it. */
void kp_raw_source_free(struct kp_raw_source *source);
void kp_raw_heap_free(struct kp_raw_heap *heap);

#endif
