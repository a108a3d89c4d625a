/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Merges the blocks of a raw trace by time: holds those that overlap at the
 * moment, and hands out the earliest entry of all. Blocks may come while others
 * are being handed out. Used by the raw reader only.
 */
#ifndef KP_RAW_HEAP_H
#define KP_RAW_HEAP_H

#include "rawtrace/raw.h"

/* A block whose entries are being handed out. */
struct kp_raw_source {
	struct kp_raw_block block;
	size_t next, count;		/* into entries */
	struct kp_raw_words *words;
	struct kp_raw_entry *entries;
};

/* All zero to begin with, but for raw. */
struct kp_raw_heap {
	struct kp_raw *raw;
	struct kp_raw_place *closed;	/* blocks to come, a heap by their first count */
	size_t closed_count, closed_room;
	uint64_t opened;
	struct kp_raw_source *heap;	/* earliest first */
	size_t heap_count, heap_room;
	struct kp_raw_source *spare;	/* memory of finished blocks */
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
 * Calls take for each entry in time order whose count is below until; the entry is
 * source->entries[source->next]. 0; -1 with raw->message; or what take
 * returned, if not 0.
 */
int kp_raw_heap_run(struct kp_raw_heap *heap, uint64_t until,
		    int (*take)(void *self, const struct kp_raw_source *source),
		    void *self);
void kp_raw_heap_free(struct kp_raw_heap *heap);

#endif
