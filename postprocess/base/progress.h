/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Shows the progress of long work on stderr: the activity, the amount done and the time left. Only
 * if stderr is a terminal, and only after two seconds:
 *
 *	rawtohtml: packing 41 %, 16.1 of 39.2 M spans, 12 s left
 *
 * $KUTRACE_PROGRESS=always prints one line for each update, immediately and to any stderr; "never"
 * prints nothing. If several filters of a pipeline share a terminal, the first one that shows its
 * progress does so until it ends; the others show none. Only one thread may call these functions at
 * a time.
 */
#ifndef KP_PROGRESS_H
#define KP_PROGRESS_H

#include <stdint.h>

/* Must be called first; kp_begin() calls it. @tool is not copied. */
void kp_progress_begin(const char *tool);

/*
 * Begins another activity, such as "packing", and resets the amount. @things is what the amount
 * counts, such as "spans"; NULL: bytes. The texts are not copied. The first activity is "reading",
 * in bytes.
 */
void kp_progress_phase(const char *what, const char *things);

/*
 * Shows that @done of @total bytes or things are done. A @total of 0 means unknown, and then there
 * is no estimate. The call is cheap enough for each block or each few thousand lines.
 */
void kp_progress(uint64_t done, uint64_t total);

/* Removes the line from the terminal, before something else is printed. */
void kp_progress_clear(void);

/* Removes the line from the terminal, and shows no more progress. */
void kp_progress_end(void);

#endif
