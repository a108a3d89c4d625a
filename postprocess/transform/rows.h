/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Sorts rows like LC_ALL=C sort, in bounded memory: packs spans, sorts them in runs, and merges the
 * runs each time the rows are replayed. The first runs stay in memory, the others go to a temporary
 * file. The reconstruction writes spans at their ends, so rawtohtml must sort them by their starts.
 */
#ifndef KP_ROWS_H
#define KP_ROWS_H

#include "model/span.h"

/* Limit of packed rows in memory. KP_SMALL_LOADS: see transform/sort.h. */
#ifdef KP_SMALL_LOADS
#define KP_ROWS_MEMORY_BYTES	(1u << 20)
#else
#define KP_ROWS_MEMORY_BYTES	(12u << 20)
#endif

struct kp_rows;

/* Returns an empty sorter, or NULL without memory. */
struct kp_rows *kp_rows_new(void);

/* Returns the sink for the spans. Its functions return 0, or -1 with kp_rows_message(). */
struct kp_span_sink kp_rows_sink(struct kp_rows *rows);

/* Returns the header, to which the caller may add keys. */
struct kp_header *kp_rows_header(struct kp_rows *rows);

/* Returns the number of rows. Must be called after the sink's end(). */
uint64_t kp_rows_count(const struct kp_rows *rows);

/*
 * Passes all spans in order to sink->span(), after the sink's end(). Names are valid UTF-8, and
 * their pointers are valid until kp_rows_free(). Returns 0; -1 with a message; or the sink's value.
 */
int kp_rows_replay(struct kp_rows *rows, const struct kp_span_sink *sink);

/* Returns a line about an error of the sorting itself, or "". */
const char *kp_rows_message(const struct kp_rows *rows);

void kp_rows_free(struct kp_rows *rows);

#endif
