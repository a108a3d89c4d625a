/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Pauses of a recording: when it was off, between two times when it was on. A trace has a
 * fact "pause=OFF:ON" for each; docs/reconstruction.md has what follows from it.
 * Times are counts in a raw trace, and 10 ns units after that.
 */
#ifndef KP_MODEL_PAUSE_H
#define KP_MODEL_PAUSE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct kp_pause {
	int64_t off, on;
};

#define KP_PAUSE_CHARS	60	/* of the fact as text, NUL included */

/* All zero to begin with. */
struct kp_pauses {
	struct kp_pause *items;
	size_t count, room;
	size_t next;		/* the first that kp_pauses_next() has not returned */
	bool begun;		/* in order, as kp_pauses_next() has been called */
};

/* Returns true if text is the fact of a pause. Sets *pause; {0, 0}: it is invalid. */
bool kp_pause_parse(const char *text, size_t len, struct kp_pause *pause);

/* Does the same for the fact "partial=FROM:TO": until TO the trace lacks events of some CPUs. */
bool kp_partial_parse(const char *text, size_t len, struct kp_pause *partial);

/* Writes the fact of that key ("pause=" or "partial=") to text. Returns its length. */
size_t kp_pause_text(const char *key, const struct kp_pause *pause, char text[KP_PAUSE_CHARS]);

/*
 * Adds a pause: in any order before the first kp_pauses_next(), later in order of time.
 * Leaves out a pause that is known or comes too late. Returns 0, or -1 without memory.
 */
int kp_pauses_add(struct kp_pauses *pauses, const struct kp_pause *pause);

/*
 * Takes the next pause that begins at or before time, with those that overlap it, to *pause.
 * Returns false if there is none.
 */
bool kp_pauses_next(struct kp_pauses *pauses, int64_t time, struct kp_pause *pause);

void kp_pauses_free(struct kp_pauses *pauses);

#endif
