/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What is recorded as one sequence of words, as it belongs into a file: blocks of names, of
 * which the first has the 12 words of header, then the CPUs' blocks in the order in which they
 * were taken. For those who cannot map. It must never show that while recording is on.
 *
 * The blocks of names are made when somebody asks for them first. What is read is read between
 * ku_view_begin() and ku_session_release(), which also guard the view; no memory of the caller
 * is touched in between. Called by call_read.c. Process context, may sleep.
 */
#ifndef KU_VIEW_H
#define KU_VIEW_H

#include "session/state.h"

struct ku_view;

/* Holds the session; its view, or NULL: nothing to read, and not held. */
struct ku_view *ku_view_begin(struct ku_session *session);
/* Words in it. */
u64 ku_view_count(struct ku_view *view);
/* Where word @index is, which is below the count. */
const u64 *ku_view_word(struct ku_view *view, u64 index);
/*
 * Where the eight bytes of counters @index are, which is below an eighth of the count;
 * NULL: those of a block of names, which has none.
 */
const u64 *ku_view_bytes(struct ku_view *view, u64 index);
/* A place that the calling process has set; ~0: it has set none, or another has since. */
void ku_view_set_at(struct ku_view *view, u64 index);
u64 ku_view_at(const struct ku_view *view);

#endif
