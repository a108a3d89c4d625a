/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Sorts the packed rows of one struct kp_load (at most KP_LOAD_ROWS) into the order of their JSON
 * lines.
 */
#ifndef KP_TRANSFORM_SORT_H
#define KP_TRANSFORM_SORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "spanjson/write.h"
#include "transform/packed.h"

/*
 * A load of KP_LOAD_ROWS rows has two arrays of keys of 512 KiB each. With KP_SMALL_LOADS, as in
 * fuzzers and sanitized tests, 65 rows are already two loads.
 */
#ifdef KP_SMALL_LOADS
#define KP_LOAD_INDEX_BITS	6
#define KP_LOAD_BYTES	(4u << 10)
#else
#define KP_LOAD_INDEX_BITS	16
#define KP_LOAD_BYTES	(1536u << 10)	/* of packed rows; more than KP_LOAD_ROWS usual rows */
#endif
#define KP_LOAD_ROWS	(1u << KP_LOAD_INDEX_BITS)
#define KP_LOAD_UNITS	(1ull << (64 - KP_LOAD_INDEX_BITS))	/* 10 ns: range of starts */

/* Rows that will be sorted into a run. */
struct kp_load {
	size_t count;
	size_t packed_used;
	int64_t start[KP_LOAD_ROWS];
	uint32_t offset[KP_LOAD_ROWS + 1];	/* of each packed row; then the last one's end */
	uint8_t packed[KP_LOAD_BYTES];
};

struct kp_sort {
	const struct kp_labels *labels;
	uint64_t *order, *other_order;	/* KP_LOAD_ROWS keys each: start - base, then the index */
	struct kp_json_writer *text[2];	/* for the comparison of rows */
	bool failed;			/* no memory for the comparison */
};

/* Returns 0, or -1 without memory. Call kp_sort_free() in any case. */
int kp_sort_open(struct kp_sort *sort, const struct kp_labels *labels);
/* Frees the memory for loads. kp_sort_compare() may still be called. */
void kp_sort_free_order(struct kp_sort *sort);
void kp_sort_free(struct kp_sort *sort);

/* Sorts a load. Then kp_sort_index(sort->order[i]) is the index of the row at position i. */
void kp_sort_load(struct kp_sort *sort, const struct kp_load *load);

static inline uint32_t kp_sort_index(uint64_t order)
{
	return (uint32_t)order & (KP_LOAD_ROWS - 1);
}

/* Compares two packed rows with the same start, as their lines would sort. */
int kp_sort_compare(struct kp_sort *sort, int64_t start, const uint8_t *a, const uint8_t *b);

#endif
