// SPDX-License-Identifier: BSD-3-Clause
/*
 * A heap has the next entry of each open block. A block is opened when its first entry is due, so
 * only blocks that overlap in time are in memory: one per CPU, and the blocks with names.
 */

#include "base/memory.h"
#include "base/progress.h"
#include "base/tool.h"
#include "rawtrace/blocks.h"

static inline bool kp_earlier(void *unused, const struct kp_raw_item *a,
			      const struct kp_raw_item *b)
{
	(void)unused;
	return kp_raw_item_earlier(a, b);
}

KP_HEAP(kp_items, struct kp_raw_item, void *, kp_earlier)

/* Returns memory for a block, reused or new. Returns NULL with raw->message without memory. */
static struct kp_raw_source *kp_source_get(struct kp_raw_heap *heap)
{
	struct kp_raw_source *source = heap->spare;

	if (source) {
		heap->spare = source->next;
		return source;
	}
	source = malloc(sizeof(*source));
	if (!source)
		kp_raw_fail(heap->raw, "no memory");
	return source;
}

void kp_raw_heap_return(struct kp_raw_heap *heap, struct kp_raw_source *source)
{
	if (heap->done)
		heap->done(heap->done_self, source->block.offset);
	source->next = heap->spare;
	heap->spare = source;
}

/* Returns the item for the entry of @source with this index. */
static inline struct kp_raw_item kp_item(struct kp_raw_source *source, uint16_t entry)
{
	return (struct kp_raw_item){
		.count = source->entries[entry].count, .source = source,
		.number = (uint32_t)source->block.number, .entry = entry,
		.kind = source->entries[entry].kind, .cpu = source->block.cpu,
	};
}

static int kp_open_block(struct kp_raw_heap *heap, const struct kp_raw_location *location)
{
	struct kp_raw_source *source;

	if (KP_ROOM(heap->heap, heap->heap_count, heap->heap_room))
		return kp_raw_fail(heap->raw, "no memory");
	source = kp_source_get(heap);
	if (!source)
		return -1;
	if (kp_raw_read_header(heap->raw, location, &source->block) ||
	    kp_raw_read(heap->raw, &source->block, &source->words)) {
		free(source);
		return -1;
	}
	source->count = kp_raw_decode(&heap->raw->range, &source->block, &source->words,
				      source->entries, NULL, &source->block.timer_in, NULL);
	if (!source->count) {
		kp_raw_heap_return(heap, source);
		return 0;
	}
	heap->heap[heap->heap_count++] = kp_item(source, 0);
	kp_items_up(NULL, heap->heap, heap->heap_count - 1);
	return 0;
}

/*
 * Replaces the top of the heap by the next entry of its block. If the block has no more entries,
 * removes the top and returns the block.
 */
static inline struct kp_raw_source *kp_advance(struct kp_raw_heap *heap)
{
	struct kp_raw_item *top = &heap->heap[0];
	struct kp_raw_source *source = top->source, *finished = NULL;
	uint16_t next = (uint16_t)(top->entry + 1);

	if (next == source->count) {
		*top = heap->heap[--heap->heap_count];
		finished = source;
	} else {
		top->count = source->entries[next].count;
		top->kind = source->entries[next].kind;
		top->entry = next;
	}
	if (heap->heap_count > 1)
		kp_items_down(NULL, heap->heap, heap->heap_count, 0);
	return finished;
}

static inline bool kp_location_earlier(void *unused, const struct kp_raw_location *a,
				       const struct kp_raw_location *b)
{
	(void)unused;
	return a->first != b->first ? a->first < b->first : a->number < b->number;
}

KP_HEAP(kp_locations, struct kp_raw_location, void *, kp_location_earlier)

int kp_raw_heap_add(struct kp_raw_heap *heap, const struct kp_raw_location *location)
{
	if (KP_ROOM(heap->closed, heap->closed_count, heap->closed_room))
		return kp_raw_fail(heap->raw, "no memory");
	heap->closed[heap->closed_count++] = *location;
	kp_locations_up(NULL, heap->closed, heap->closed_count - 1);
	return 0;
}

void kp_raw_heap_add_all(struct kp_raw_heap *heap)
{
	struct kp_raw *raw = heap->raw;

	free(heap->closed);
	heap->closed = raw->locations;
	heap->closed_count = raw->block_count;
	heap->closed_room = raw->location_room;
	raw->locations = NULL;
	for (size_t i = heap->closed_count / 2; i--;)
		kp_locations_down(NULL, heap->closed, heap->closed_count, i);
}

static struct kp_raw_location kp_next_location(struct kp_raw_heap *heap)
{
	const struct kp_raw_location first = heap->closed[0];

	heap->closed[0] = heap->closed[--heap->closed_count];
	kp_locations_down(NULL, heap->closed, heap->closed_count, 0);
	return first;
}

/*
 * Opens the blocks that begin before @until, and not later than the entry at the top of the heap.
 */
static int kp_open_due(struct kp_raw_heap *heap, uint64_t until)
{
	struct kp_raw *raw = heap->raw;
	struct kp_raw_location location;

	while (heap->closed_count && heap->closed[0].first < until) {
		if (heap->heap_count && heap->closed[0].first > heap->heap[0].count)
			return 0;
		heap->opened++;
		location = kp_next_location(heap);
		if (kp_open_block(heap, &location))
			return -1;
		if (raw->followed || heap->ahead)
			continue;
		kp_progress(heap->opened * KUTRACE_BLOCK_BYTES, raw->bytes);
		if (kp_interrupted())
			return kp_raw_fail(raw, "interrupted");
	}
	return 0;
}

int kp_raw_heap_run(struct kp_raw_heap *heap, uint64_t until, kp_raw_consume *take, void *self)
{
	for (;;) {
		struct kp_raw_source *finished;
		struct kp_raw_merged merged;
		int err;

		if (kp_open_due(heap, until))
			return -1;
		if (!heap->heap_count || heap->heap[0].count >= until)
			return 0;
		merged = kp_raw_merged(&heap->heap[0]);
		err = take(self, &merged);
		if (err)
			return err;
		finished = kp_advance(heap);
		if (finished)
			kp_raw_heap_return(heap, finished);
	}
}

int kp_raw_heap_part(struct kp_raw_heap *heap, struct kp_raw_merged *merged, size_t room,
		     size_t *count, struct kp_raw_source **finished)
{
	*finished = NULL;
	for (*count = 0; *count < room && !*finished; ++*count) {
		if (kp_open_due(heap, UINT64_MAX))
			return -1;
		if (!heap->heap_count)
			break;
		merged[*count] = kp_raw_merged(&heap->heap[0]);
		*finished = kp_advance(heap);
	}
	return 0;
}

void kp_raw_heap_free(struct kp_raw_heap *heap)
{
	for (size_t i = 0; i < heap->heap_count; i++)
		free(heap->heap[i].source);
	while (heap->spare)
		free(kp_source_get(heap));
	free(heap->heap);
	free(heap->closed);
}
