/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the event text says of a raw trace in comments: the lines in front, those of each block
 * and of each entry. Knows nothing of what events mean. Called by rawtrace/events.c.
 */
#ifndef KP_RAWTRACE_COMMENTS_H
#define KP_RAWTRACE_COMMENTS_H

#include "model/event.h"
#include "rawtrace/blocks.h"
#include "rawtrace/raw.h"

/* All return 0, or what the sink returned. */

/* All that stands in front of a trace that is whole; -1 with message. */
int kp_raw_say_front(struct kp_raw *raw, const struct kp_event_sink *sink);

/* Parts of that, for one that is followed: in front, of each block as it comes, at the end. */
int kp_raw_say_format(const struct kp_raw *raw, const struct kp_event_sink *sink);
int kp_raw_say_title(const struct kp_event_sink *sink);
int kp_raw_say_block(const struct kp_event_sink *sink, const struct kp_raw_block *block);
int kp_raw_say_dropped(const struct kp_raw *raw, const struct kp_event_sink *sink);

/* An entry's words, in hexadecimal. */
int kp_raw_say_words(const struct kp_event_sink *sink, const struct kp_raw_source *source,
		     const struct kp_raw_entry *entry);

#endif
