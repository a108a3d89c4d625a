/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Writes the comments in event text about a raw trace: at the beginning, for each block and for
 * each entry.
 */
#ifndef KP_RAWTRACE_COMMENTS_H
#define KP_RAWTRACE_COMMENTS_H

#include "model/event.h"
#include "rawtrace/blocks.h"
#include "rawtrace/raw.h"

/* All return 0, or the value that the sink returned. */

/* Writes all comments before the events of a complete trace. Returns also -1 with a message. */
int kp_raw_say_front(struct kp_raw *raw, const struct kp_event_sink *sink);

/* Parts of these, for a followed trace: at the beginning, for each new block, at the end. */
int kp_raw_say_format(const struct kp_raw *raw, const struct kp_event_sink *sink);
int kp_raw_say_title(const struct kp_event_sink *sink);
int kp_raw_say_block(const struct kp_event_sink *sink, const struct kp_raw_block *block);
int kp_raw_say_dropped(const struct kp_raw *raw, const struct kp_event_sink *sink);

/* Writes the words of an entry in hexadecimal. */
int kp_raw_say_words(const struct kp_event_sink *sink, const struct kp_raw_source *source,
		     const struct kp_raw_entry *entry);

#endif
