/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Merges the blocks of a raw trace by time: holds those that overlap at the
 * moment, and hands out the earliest entry of all. Used by the raw reader only.
 */
#ifndef KP_RAW_HEAP_H
#define KP_RAW_HEAP_H

#include "kp_raw.h"

/* A block whose entries are being handed out. */
struct kp_raw_source {
	size_t block;
	size_t next, count;		/* into entries */
	struct kp_raw_words *words;
	struct kp_raw_entry *entries;
};

/* All zero to begin with. */
struct kp_raw_heap {
	struct kp_raw *raw;
	size_t *order;			/* blocks by their first count */
	size_t opened;
	struct kp_raw_source *heap;	/* earliest first */
	size_t heap_count, heap_room;
	struct kp_raw_source *spare;	/* memory of finished blocks */
	size_t spare_count, spare_room;
};

/*
 * Calls take for each entry of raw in time order; the entry is
 * source->entries[source->next]. 0; -1 with raw->message; or what take
 * returned, if not 0.
 */
int kp_raw_heap_run(struct kp_raw_heap *heap, struct kp_raw *raw,
		    int (*take)(void *self, const struct kp_raw_source *source),
		    void *self);
void kp_raw_heap_free(struct kp_raw_heap *heap);

#endif
