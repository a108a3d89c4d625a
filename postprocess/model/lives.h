/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Distinguishes, by the rows of spans, threads that had one number one after the other.
 * Rows come in the order of their starts. Between the rows of one thread there is no gap: it
 * runs or it waits. So a row after the exit of a thread (0x213) and a gap is another
 * thread's. Coarser spans have no row for a time below their resolution, so only a gap of
 * twice that counts: a run and the wait after it may both have none.
 * A pause is no gap.
 */
#ifndef KP_MODEL_LIVES_H
#define KP_MODEL_LIVES_H

#include <stdbool.h>
#include <stdint.h>

#include "base/map.h"
#include "base/vector.h"
#include "model/span.h"

#define KP_LIFE_GAP	10	/* units of 10 ns: shorter waits have no row */

struct kp_life {
	uint32_t number;	/* threads that had the number before */
	bool exiting;
	int64_t until;		/* end of its last row */
};

/* All zero: no row has come. */
struct kp_lives {
	int64_t resolution;	/* of the rows, 10 ns; 0: full */
	int64_t paused, resumed;	/* the last time in which the recording was off on a CPU */
	struct kp_map places;	/* pid to the place in list */
	KP_VECTOR(struct kp_life) list;
};

/* Sets the resolution of the spans by their header. Comes before the first row. */
void kp_lives_header(struct kp_lives *lives, const struct kp_header_item *items, size_t count);
/*
 * Takes the next row. Returns how many earlier threads had the number of the row's
 * thread, or -1 without memory.
 */
int64_t kp_lives_row(struct kp_lives *lives, const struct kp_span *span);
/* Returns the same for thread pid, as of the rows so far. */
uint32_t kp_lives_of(const struct kp_lives *lives, int64_t pid);
/* Returns true if thread pid has exited; it may still run. */
bool kp_lives_exiting(const struct kp_lives *lives, int64_t pid);
void kp_lives_free(struct kp_lives *lives);

/* The key of a thread for a map: a pid has at most 32 bits. */
static inline uint64_t kp_life_key(int64_t pid, int64_t life)
{
	return (uint64_t)pid ^ (uint64_t)life << 33;
}

#endif
