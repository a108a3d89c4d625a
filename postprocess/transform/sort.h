/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Some ten thousand packed rows into the order of their lines. Called by transform/rows.c,
 * in a thread of its own.
 */
#ifndef KP_TRANSFORM_SORT_H
#define KP_TRANSFORM_SORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "spanjson/write.h"
#include "transform/packed.h"

/*
 * A run's keys, twice, stay in a processor's second cache. With KP_SMALL_LOADS, as fuzzers and
 * sanitized tests are built, 65 rows become two runs.
 */
#ifdef KP_SMALL_LOADS
#define KP_LOAD_INDEX_BITS	6
#define KP_LOAD_BYTES	(4u << 10)
#else
#define KP_LOAD_INDEX_BITS	16
#define KP_LOAD_BYTES	(1536u << 10)	/* packed, above KP_LOAD_ROWS times the usual */
#endif
#define KP_LOAD_ROWS	(1u << KP_LOAD_INDEX_BITS)
#define KP_LOAD_UNITS	(1ull << (64 - KP_LOAD_INDEX_BITS))	/* 10 ns: a run's starts lie in that */

/* Rows that wait to be sorted and become a run. */
struct kp_load {
	size_t count;
	size_t packed_used;
	int64_t start[KP_LOAD_ROWS];
	uint32_t offset[KP_LOAD_ROWS + 1];	/* of the packed row; the last one's end */
	uint8_t packed[KP_LOAD_BYTES];
};

struct kp_sort {
	const struct kp_labels *labels;
	uint64_t *order, *other_order;	/* KP_LOAD_ROWS each: start - base, then the index */
	struct kp_json_writer *text[2];	/* for comparing rows */
	bool failed;			/* no memory for that */
};

/* 0, or -1 without memory; kp_sort_free() either way. */
int kp_sort_open(struct kp_sort *sort, const struct kp_labels *labels);
/* No more loads come; kp_sort_compare() still can be asked. */
void kp_sort_free_order(struct kp_sort *sort);
void kp_sort_free(struct kp_sort *sort);

/* Fills sort->order: which row comes when, by kp_sort_index(). */
void kp_sort_load(struct kp_sort *sort, const struct kp_load *load);

static inline uint32_t kp_sort_index(uint64_t order)
{
	return (uint32_t)order & (KP_LOAD_ROWS - 1);
}

/* Of two packed rows with the same start: as their lines would sort. */
int kp_sort_compare(struct kp_sort *sort, int64_t start, const uint8_t *a, const uint8_t *b);

#endif
