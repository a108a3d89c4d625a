/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * How far a long work is, on stderr: what is being done, how much of it is done, how long the rest will
 * take. Only where stderr is a terminal, and only from the third second on:
 *
 *	rawtohtml: packing 41 %, 16.1 of 39.2 M spans, 12 s left
 *
 * $KUTRACE_PROGRESS "always": from the beginning and wherever stderr goes, a line each; "never": none.
 * Of the filters of a pipeline, whose stderr is one terminal, one shows its progress at a time, that which
 * began to first and has not ended. Not for several threads at once. Called by what reads and by what
 * packs; its beginning and end, and its line's disappearing before a message, by base/tool.c.
 */
#ifndef KP_PROGRESS_H
#define KP_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>

/* To be called first, by kp_begin(). tool is not copied. */
void kp_progress_begin(const char *tool);

/*
 * From now on something else goes on, as "packing", counted in things like "spans"; NULL: in bytes. What is
 * done of it, and the estimate, begin anew. Without a call it is "reading", bytes. Neither text is copied.
 */
void kp_progress_phase(const char *what, const char *things);

/*
 * So many bytes or things are done, of total; total 0 = unknown: then there is no estimate. Cheap enough to call once a
 * block or a few thousand lines.
 */
void kp_progress(uint64_t done, uint64_t total);

/* Takes the line away, if it is there: something else is about to be printed. */
void kp_progress_clear(void);

#endif
