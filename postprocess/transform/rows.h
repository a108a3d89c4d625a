/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Rows in the order in which LC_ALL=C sort would bring their lines, in bounded
 * memory: takes spans in any order, packs and sorts them in runs, keeps the
 * first runs in memory and the others in a nameless temporary file, and merges
 * them as often as asked. Called by rawtohtml between the reconstruction, which
 * knows a span when it ends, and what wants them by their starts.
 */
#ifndef KP_ROWS_H
#define KP_ROWS_H

#include <stddef.h>
#include <stdint.h>

#include "model/header.h"
#include "model/span.h"

/* Of packed rows; more goes to the file. With KP_SMALL_LOADS less: see transform/sort.h. */
#ifdef KP_SMALL_LOADS
#define KP_ROWS_MEMORY_BYTES	(1u << 20)
#else
#define KP_ROWS_MEMORY_BYTES	(12u << 20)
#endif

struct kp_rows;

/* NULL without memory. */
struct kp_rows *kp_rows_new(void);

/*
 * The sink to feed. Its functions return 0, or -1 with kp_rows_message(). The
 * header is copied, its keys are put into the order of their lines.
 */
struct kp_span_sink kp_rows_sink(struct kp_rows *rows);

/* As fed; the caller may add keys. */
struct kp_header *kp_rows_header(struct kp_rows *rows);

/* How many there are; after the sink's end(). */
uint64_t kp_rows_count(const struct kp_rows *rows);

/*
 * Hands all spans to sink->span() in order; after the sink's end(). Names hold
 * valid UTF-8 (what was none is replaced as in the JSON) and stay valid until
 * kp_rows_free(). 0; -1 with message; or what the sink returned, if not 0.
 */
int kp_rows_replay(struct kp_rows *rows, const struct kp_span_sink *sink);

/* One line after a failure of its own, else "". */
const char *kp_rows_message(const struct kp_rows *rows);

void kp_rows_free(struct kp_rows *rows);

#endif
