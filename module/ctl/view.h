/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Presents a recording as one sequence of words in the order of a raw trace file: name blocks, of
 * which the first has a header of 12 words, then the CPUs' blocks in the order of taking. For
 * callers that do not map the session. Not available while the session records.
 *
 * The name blocks are built at the first access. All accesses are between ku_view_begin() and
 * ku_session_release(), which also protect the view. User memory is not touched in between. Process
 * context, may sleep.
 */
#ifndef KU_VIEW_H
#define KU_VIEW_H

#include "session/state.h"

struct ku_view;

/* Holds the session and returns its view. NULL: not available; the session is not held. */
struct ku_view *ku_view_begin(struct ku_session *session);
/* Returns the number of words. */
u64 ku_view_count(struct ku_view *view);
/* Returns the address of word @index, which must be below the count. */
const u64 *ku_view_word(struct ku_view *view, u64 index);
/*
 * Returns the address of group @index of eight counter bytes, which must be below an eighth of the
 * count. NULL for a name block, which has no counter bytes.
 */
const u64 *ku_view_bytes(struct ku_view *view, u64 index);
/*
 * Index of a word that the calling process has set. ku_view_at() returns ~0 if it has set none, or
 * if another process has set one since.
 */
void ku_view_set_at(struct ku_view *view, u64 index);
u64 ku_view_at(const struct ku_view *view);

#endif
