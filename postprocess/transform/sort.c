// SPDX-License-Identifier: BSD-3-Clause
/* Sorts packed rows by start (radix sort), and rows with the same start by their text. */
#include "transform/sort.h"

#include "common/utf8.h"

static int no_memory(struct kp_labels *labels)
{
	labels->error = "no memory";
	return -1;
}

/* Returns the only copy of @text, with invalid UTF-8 replaced as by the JSON writer. */
static const struct kp_str *valid_name(struct kp_labels *labels, const char *text, size_t len)
{
	const struct kp_str *str;
	uint64_t replaced = 0;
	char *copy = malloc(3 * len + 1);

	if (!copy)
		return NULL;
	len = ku_utf8_replace(text, len, copy, &replaced);
	str = kp_strings_add(&labels->strings, copy, len);
	free(copy);
	return str;
}

int kp_label_new(struct kp_labels *labels, int64_t event, const char *text, size_t len,
		 uint32_t *number)
{
	const struct kp_str *name = valid_name(labels, text, len);
	struct kp_label **chunk;
	uint64_t key;

	if (!name)
		return no_memory(labels);
	/*
	 * Labels with equal keys replace each other here. A label may then get two numbers, which
	 * does no harm.
	 */
	key = (uint64_t)(uintptr_t)name ^ (uint64_t)event << 32;
	if (kp_map_get(&labels->map, key, number) &&
	    kp_label_of(labels, *number)->event == event &&
	    kp_label_of(labels, *number)->name == name)
		return 0;
	if (labels->count == (size_t)KP_LABEL_CHUNK * KP_LABEL_CHUNKS) {
		labels->error = "too many different names";
		return -1;
	}
	chunk = &labels->chunks[labels->count / KP_LABEL_CHUNK];
	if (!*chunk)
		*chunk = malloc(KP_LABEL_CHUNK * sizeof(**chunk));
	if (!*chunk)
		return no_memory(labels);
	*number = (uint32_t)labels->count;
	if (kp_map_set(&labels->map, key, *number))
		return no_memory(labels);
	(*chunk)[labels->count++ % KP_LABEL_CHUNK] = (struct kp_label){ event, name };
	return 0;
}

void kp_labels_free(struct kp_labels *labels)
{
	kp_strings_free(&labels->strings);
	kp_map_free(&labels->map);
	for (size_t i = 0; i < KP_LABEL_CHUNKS && labels->chunks[i]; i++)
		free(labels->chunks[i]);
}

#define RADIX_BITS	8

static int compare_text(struct kp_sort *sort, const struct kp_span *a,
			const struct kp_span *b)
{
	/* 10 s: below this value, the seconds have one digit */
	const int64_t one_digit = 1000000000;
	size_t m, n;
	const char *x, *y;
	int diff;

	if (a->dur != b->dur && a->dur >= 0 && b->dur >= 0 && a->dur < one_digit &&
	    b->dur < one_digit)
		return a->dur < b->dur ? -1 : 1;
	if (a->dur == b->dur && a->cpu != b->cpu && a->cpu < 10 && b->cpu < 10)
		return a->cpu < b->cpu ? -1 : 1;
	x = kp_json_format_span(&sort->text[0], a, &m);
	y = kp_json_format_span(&sort->text[1], b, &n);
	if (!x || !y) {
		sort->failed = true;
		return -1;
	}
	diff = memcmp(x, y, m < n ? m : n);
	return diff ? diff : m < n ? -1 : m > n;
}

int kp_sort_compare(struct kp_sort *sort, int64_t start, const uint8_t *a, const uint8_t *b)
{
	struct kp_span x = { .start = start }, y = { .start = start };

	kp_row_unpack(sort->labels, a, &x);
	kp_row_unpack(sort->labels, b, &y);
	return compare_text(sort, &x, &y);
}

struct tie {
	struct kp_sort *sort;
	const struct kp_load *load;
};

static int compare_ties(const void *a, const void *b, void *self)
{
	uint32_t x = kp_sort_index(*(const uint64_t *)a), y = kp_sort_index(*(const uint64_t *)b);
	const struct tie *tie = self;
	const struct kp_load *load = tie->load;

	return kp_sort_compare(tie->sort, load->start[x], load->packed + load->offset[x],
			       load->packed + load->offset[y]);
}

/* Sorts by one digit. The counters of a digit take 1 KiB. */
static void sort_digit(struct kp_sort *sort, size_t count, unsigned int shift)
{
	const unsigned int buckets = 1u << RADIX_BITS;
	uint64_t *from = sort->order, *to = sort->other_order;
	uint32_t at[1u << RADIX_BITS] = { 0 }, sum = 0;

	for (size_t i = 0; i < count; i++)
		at[from[i] >> shift & (buckets - 1)]++;
	for (size_t i = 0; i < buckets; i++) {
		uint32_t n = at[i];

		at[i] = sum;
		sum += n;
	}
	for (size_t i = 0; i < count; i++)
		to[at[from[i] >> shift & (buckets - 1)]++] = from[i];
	sort->order = to;
	sort->other_order = from;
}

/*
 * Fills sort->order with the rows in order of start; starts are in a range of KP_LOAD_UNITS. Sorts
 * by the least significant digit first, except digits that are equal in all starts.
 */
static void sort_starts(struct kp_sort *sort, const struct kp_load *load)
{
	uint64_t base = (uint64_t)load->start[0] - KP_LOAD_UNITS / 2, differ = 0;
	bool sorted = true;

	for (size_t i = 0; i < load->count; i++) {
		uint64_t start = (uint64_t)load->start[i] - base;

		sort->order[i] = start << KP_LOAD_INDEX_BITS | i;
		differ |= start ^ KP_LOAD_UNITS / 2;
		sorted &= !i || load->start[i - 1] <= load->start[i];
	}
	differ <<= KP_LOAD_INDEX_BITS;
	for (unsigned int shift = KP_LOAD_INDEX_BITS; !sorted && shift < 64; shift += RADIX_BITS)
		if (differ >> shift & ((1u << RADIX_BITS) - 1))
			sort_digit(sort, load->count, shift);
}

static void sort_ties(struct kp_sort *sort, const struct kp_load *load)
{
	struct tie tie = { sort, load };
	uint64_t *order = sort->order;
	size_t from = 0, to;

	for (; from < load->count; from = to) {
		for (to = from + 1; to < load->count &&
		     order[to] >> KP_LOAD_INDEX_BITS == order[from] >> KP_LOAD_INDEX_BITS; to++)
			;
		if (to - from == 2) {
			uint64_t first = order[from];

			if (compare_ties(&order[from], &order[from + 1], &tie) > 0) {
				order[from] = order[from + 1];
				order[from + 1] = first;
			}
		} else if (to - from > 2) {
			qsort_r(order + from, to - from, sizeof(*order), compare_ties, &tie);
		}
	}
}

void kp_sort_load(struct kp_sort *sort, const struct kp_load *load)
{
	sort_starts(sort, load);
	sort_ties(sort, load);
}

int kp_sort_open(struct kp_sort *sort, const struct kp_labels *labels)
{
	sort->labels = labels;
	sort->order = malloc(KP_LOAD_ROWS * sizeof(*sort->order));
	sort->other_order = malloc(KP_LOAD_ROWS * sizeof(*sort->other_order));
	kp_json_writer_init(&sort->text[0], NULL);
	kp_json_writer_init(&sort->text[1], NULL);
	return sort->order && sort->other_order ? 0 : -1;
}

void kp_sort_free_order(struct kp_sort *sort)
{
	free(sort->order);
	free(sort->other_order);
	sort->order = sort->other_order = NULL;
}

void kp_sort_free(struct kp_sort *sort)
{
	kp_sort_free_order(sort);
	kp_json_writer_free(&sort->text[0]);
	kp_json_writer_free(&sort->text[1]);
}
