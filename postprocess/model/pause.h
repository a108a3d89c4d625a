/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Pauses of a recording: times when it was off between two times when it was on. A trace has a fact
 * "pause=OFF:ON" for each pause. docs/design/reconstruction.md explains their effects. Times are counts in
 * a raw trace, and units of 10 ns everywhere else.
 */
#ifndef KP_MODEL_PAUSE_H
#define KP_MODEL_PAUSE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct kp_pause {
	int64_t off, on;
};

#define KP_PAUSE_CHARS	60	/* of the fact as text, with the NUL */

/* All zero at the beginning. */
struct kp_pauses {
	struct kp_pause *items;
	size_t count, room;
	size_t next;		/* index of the next pause to return */
	bool begun;		/* kp_pauses_next() was called: items are in order of time */
};

/* Returns true if @text is the fact of a pause. Sets *pause, or {0, 0} if the fact is invalid. */
bool kp_pause_parse(const char *text, size_t len, struct kp_pause *pause);

/*
 * Parses the fact "partial=FROM:TO" in the same way. From FROM to TO the trace lacks events of some
 * CPUs.
 */
bool kp_partial_parse(const char *text, size_t len, struct kp_pause *partial);

/* Writes the fact with @key ("pause=" or "partial=") to @text. Returns its length. */
size_t kp_pause_text(const char *key, const struct kp_pause *pause, char text[KP_PAUSE_CHARS]);

/*
 * Adds a pause. After the first kp_pauses_next(), pauses must be added in order of time; a pause
 * that begins before the end of the last one is ignored. Returns 0, or -1 without memory.
 */
int kp_pauses_add(struct kp_pauses *pauses, const struct kp_pause *pause);

/*
 * Removes the next pause that begins at or before @time, together with all pauses that overlap it,
 * and sets *pause to their union. Returns false if there is none.
 */
bool kp_pauses_next(struct kp_pauses *pauses, int64_t time, struct kp_pause *pause);

void kp_pauses_free(struct kp_pauses *pauses);

#endif
