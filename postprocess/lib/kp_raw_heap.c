// SPDX-License-Identifier: BSD-3-Clause
/*
 * A binary heap of open blocks, the one with the earliest entry on top. A block
 * is opened when its first entry is due, so only blocks that overlap in time
 * are held: one per CPU, and those that hold names. Called by kp_raw_events.c.
 */
#include <stdlib.h>
#include <string.h>

#include "kp_main.h"
#include "kp_raw_heap.h"
#include "kp_raw_int.h"

static int kp_heap_no_memory(struct kp_raw_heap *heap)
{
	snprintf(heap->raw->message, sizeof(heap->raw->message), "no memory");
	return -1;
}

static bool kp_earlier(const struct kp_raw_source *a, const struct kp_raw_source *b)
{
	const struct kp_raw_entry *x = &a->entries[a->next], *y = &b->entries[b->next];
	const struct kp_raw_block *m, *n;

	if (x->count != y->count)
		return x->count < y->count;
	if (x->kind != y->kind)
		return x->kind < y->kind;
	m = &a->block;
	n = &b->block;
	return m->cpu != n->cpu ? m->cpu < n->cpu : m->number < n->number;
}

static void kp_sift_down(struct kp_raw_heap *heap)
{
	struct kp_raw_source *list = heap->heap;
	size_t i = 0;

	for (;;) {
		size_t least = i, child = 2 * i + 1;
		struct kp_raw_source swap;

		if (child < heap->heap_count && kp_earlier(&list[child], &list[least]))
			least = child;
		child++;
		if (child < heap->heap_count && kp_earlier(&list[child], &list[least]))
			least = child;
		if (least == i)
			return;
		swap = list[i];
		list[i] = list[least];
		list[least] = swap;
		i = least;
	}
}

static void kp_sift_up(struct kp_raw_heap *heap)
{
	struct kp_raw_source *list = heap->heap;
	size_t i = heap->heap_count - 1;

	while (i && kp_earlier(&list[i], &list[(i - 1) / 2])) {
		struct kp_raw_source swap = list[i];

		list[i] = list[(i - 1) / 2];
		list[(i - 1) / 2] = swap;
		i = (i - 1) / 2;
	}
}

static int kp_source_room(struct kp_raw_source **list, size_t count, size_t *room)
{
	size_t more = *room ? *room * 2 : 16;
	struct kp_raw_source *bigger;

	if (count < *room)
		return 0;
	bigger = realloc(*list, more * sizeof(*bigger));
	if (!bigger)
		return -1;
	*list = bigger;
	*room = more;
	return 0;
}

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
	if (kp_source_room(&heap->spare, heap->spare_count, &heap->spare_room)) {
		kp_source_free(source);
		return kp_heap_no_memory(heap);
	}
	heap->spare[heap->spare_count++] = *source;
	return 0;
}

static int kp_open_block(struct kp_raw_heap *heap, const struct kp_raw_place *place)
{
	struct kp_raw_source source;

	if (kp_source_room(&heap->heap, heap->heap_count, &heap->heap_room))
		return kp_heap_no_memory(heap);
	if (kp_source_get(heap, &source))
		return -1;
	if (kp_raw_read_header(heap->raw, place, &source.block) ||
	    kp_raw_read(heap->raw, &source.block, source.words)) {
		kp_source_free(&source);
		return -1;
	}
	source.next = 0;
	source.count = kp_raw_decode(heap->raw, &source.block, source.words, source.entries,
				     NULL, &source.block.timer_in, NULL);
	if (!source.count)
		return kp_source_put(heap, &source);
	heap->heap[heap->heap_count++] = source;
	kp_sift_up(heap);
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
	kp_sift_down(heap);
	return 0;
}

/* ---- blocks to come ---- */

static bool kp_place_earlier(const struct kp_raw_place *a, const struct kp_raw_place *b)
{
	return a->first != b->first ? a->first < b->first : a->number < b->number;
}

int kp_raw_heap_add(struct kp_raw_heap *heap, const struct kp_raw_place *place)
{
	struct kp_raw_place *closed = heap->closed;
	size_t i;

	if (heap->closed_count == heap->closed_room) {
		size_t more = heap->closed_room ? heap->closed_room * 2 : 256;

		closed = realloc(closed, more * sizeof(*closed));
		if (!closed)
			return kp_heap_no_memory(heap);
		heap->closed = closed;
		heap->closed_room = more;
	}
	for (i = heap->closed_count++; i && kp_place_earlier(place, &closed[(i - 1) / 2]);
	     i = (i - 1) / 2)
		closed[i] = closed[(i - 1) / 2];
	closed[i] = *place;
	return 0;
}

/* Puts place where i is, or further down. */
static void kp_settle(struct kp_raw_heap *heap, size_t i, const struct kp_raw_place *place)
{
	struct kp_raw_place *closed = heap->closed;
	size_t child;

	while ((child = 2 * i + 1) < heap->closed_count) {
		if (child + 1 < heap->closed_count &&
		    kp_place_earlier(&closed[child + 1], &closed[child]))
			child++;
		if (!kp_place_earlier(&closed[child], place))
			break;
		closed[i] = closed[child];
		i = child;
	}
	closed[i] = *place;
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
	for (i = heap->closed_count / 2; i--;) {
		const struct kp_raw_place place = heap->closed[i];

		kp_settle(heap, i, &place);
	}
}

static struct kp_raw_place kp_take_place(struct kp_raw_heap *heap)
{
	const struct kp_raw_place first = heap->closed[0];
	const struct kp_raw_place last = heap->closed[--heap->closed_count];

	kp_settle(heap, 0, &last);
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
