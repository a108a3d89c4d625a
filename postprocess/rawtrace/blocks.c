// SPDX-License-Identifier: BSD-3-Clause
/*
 * A binary heap of open blocks, the one with the earliest entry on top. A block
 * is opened when its first entry is due, so only blocks that overlap in time
 * are held: one per CPU, and those that hold names. Called by rawtrace/events.c.
 */
#include <stdlib.h>
#include <string.h>

#include "base/heap.h"
#include "base/progress.h"
#include "base/tool.h"
#include "base/vector.h"
#include "rawtrace/block.h"
#include "rawtrace/blocks.h"
#include "rawtrace/raw.h"

static int kp_heap_no_memory(struct kp_raw_heap *heap)
{
	snprintf(heap->raw->message, sizeof(heap->raw->message), "no memory");
	return -1;
}

static inline bool kp_earlier(void *unused, const struct kp_raw_source *a,
			      const struct kp_raw_source *b)
{
	const struct kp_raw_entry *x = &a->entries[a->next], *y = &b->entries[b->next];
	const struct kp_raw_block *m, *n;

	(void)unused;
	if (x->count != y->count)
		return x->count < y->count;
	if (x->kind != y->kind)
		return x->kind < y->kind;
	m = &a->block;
	n = &b->block;
	return m->cpu != n->cpu ? m->cpu < n->cpu : m->number < n->number;
}

KP_HEAP(kp_sources, struct kp_raw_source, void *, kp_earlier)

/* Memory of a block's worth, used before or new. */
static int kp_source_get(struct kp_raw_heap *heap, struct kp_raw_source *source)
{
	if (heap->spare_count) {
		*source = heap->spare[--heap->spare_count];
		return 0;
	}
	memset(source, 0, sizeof(*source));
	source->words = malloc(sizeof(*source->words));
	source->entries = malloc((KUTRACE_BLOCK_WORDS + 1) * sizeof(*source->entries));
	if (source->words && source->entries)
		return 0;
	free(source->words);
	free(source->entries);
	return kp_heap_no_memory(heap);
}

static void kp_source_free(struct kp_raw_source *source)
{
	free(source->words);
	free(source->entries);
}

/* It has been handed out to its end. */
static int kp_source_put(struct kp_raw_heap *heap, struct kp_raw_source *source)
{
	if (heap->done)
		heap->done(heap->done_self, source->block.offset);
	if (KP_ROOM(heap->spare, heap->spare_count, heap->spare_room)) {
		kp_source_free(source);
		return kp_heap_no_memory(heap);
	}
	heap->spare[heap->spare_count++] = *source;
	return 0;
}

static int kp_open_block(struct kp_raw_heap *heap, const struct kp_raw_place *place)
{
	struct kp_raw_source source;

	if (KP_ROOM(heap->heap, heap->heap_count, heap->heap_room))
		return kp_heap_no_memory(heap);
	if (kp_source_get(heap, &source))
		return -1;
	if (kp_raw_read_header(heap->raw, place, &source.block) ||
	    kp_raw_read(heap->raw, &source.block, source.words)) {
		kp_source_free(&source);
		return -1;
	}
	source.next = 0;
	source.count = kp_raw_decode(&heap->raw->range, &source.block, source.words, source.entries,
				     NULL, &source.block.timer_in, NULL);
	if (!source.count)
		return kp_source_put(heap, &source);
	heap->heap[heap->heap_count++] = source;
	kp_sources_up(NULL, heap->heap, heap->heap_count - 1);
	return 0;
}

/* The top of the heap has handed out its entry. */
static int kp_advance(struct kp_raw_heap *heap)
{
	struct kp_raw_source *top = &heap->heap[0];

	if (++top->next == top->count) {
		struct kp_raw_source done = *top;

		*top = heap->heap[--heap->heap_count];
		if (kp_source_put(heap, &done))
			return -1;
	}
	if (heap->heap_count > 1)
		kp_sources_down(NULL, heap->heap, heap->heap_count, 0);
	return 0;
}

/* ---- blocks to come ---- */

static inline bool kp_place_earlier(void *unused, const struct kp_raw_place *a,
				    const struct kp_raw_place *b)
{
	(void)unused;
	return a->first != b->first ? a->first < b->first : a->number < b->number;
}

KP_HEAP(kp_places, struct kp_raw_place, void *, kp_place_earlier)

int kp_raw_heap_add(struct kp_raw_heap *heap, const struct kp_raw_place *place)
{
	if (KP_ROOM(heap->closed, heap->closed_count, heap->closed_room))
		return kp_heap_no_memory(heap);
	heap->closed[heap->closed_count++] = *place;
	kp_places_up(NULL, heap->closed, heap->closed_count - 1);
	return 0;
}

void kp_raw_heap_take_all(struct kp_raw_heap *heap)
{
	struct kp_raw *raw = heap->raw;
	size_t i;

	free(heap->closed);
	heap->closed = raw->places;
	heap->closed_count = raw->block_count;
	heap->closed_room = raw->place_room;
	raw->places = NULL;
	for (i = heap->closed_count / 2; i--;)
		kp_places_down(NULL, heap->closed, heap->closed_count, i);
}

static struct kp_raw_place kp_take_place(struct kp_raw_heap *heap)
{
	const struct kp_raw_place first = heap->closed[0];

	heap->closed[0] = heap->closed[--heap->closed_count];
	kp_places_down(NULL, heap->closed, heap->closed_count, 0);
	return first;
}

/* Opens what is due before until, and before or with the top of the heap. */
static int kp_open_due(struct kp_raw_heap *heap, uint64_t until)
{
	struct kp_raw *raw = heap->raw;
	struct kp_raw_place place;

	while (heap->closed_count && heap->closed[0].first < until) {
		if (heap->heap_count) {
			const struct kp_raw_source *top = &heap->heap[0];

			if (heap->closed[0].first > top->entries[top->next].count)
				return 0;
		}
		heap->opened++;
		place = kp_take_place(heap);
		if (kp_open_block(heap, &place))
			return -1;
		if (raw->followed)
			continue;
		kp_progress(heap->opened * KUTRACE_BLOCK_BYTES, raw->bytes);
		if (kp_interrupted()) {
			snprintf(raw->message, sizeof(raw->message), "interrupted");
			return -1;
		}
	}
	return 0;
}

int kp_raw_heap_run(struct kp_raw_heap *heap, uint64_t until,
		    int (*take)(void *self, const struct kp_raw_source *source),
		    void *self)
{
	for (;;) {
		const struct kp_raw_source *top;
		int err;

		if (kp_open_due(heap, until))
			return -1;
		top = &heap->heap[0];
		if (!heap->heap_count || top->entries[top->next].count >= until)
			return 0;
		err = take(self, top);
		if (err)
			return err;
		if (kp_advance(heap))
			return -1;
	}
}

void kp_raw_heap_free(struct kp_raw_heap *heap)
{
	size_t i;

	for (i = 0; i < heap->heap_count; i++)
		kp_source_free(&heap->heap[i]);
	for (i = 0; i < heap->spare_count; i++)
		kp_source_free(&heap->spare[i]);
	free(heap->heap);
	free(heap->spare);
	free(heap->closed);
}
