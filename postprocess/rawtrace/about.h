/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Properties of a whole raw trace (start time, id, host, kernel, CPU), and the comments about a raw
 * trace in event text: at the beginning, for each block and for each entry.
 */
#ifndef KP_RAWTRACE_ABOUT_H
#define KP_RAWTRACE_ABOUT_H

#include <stdint.h>

#include "model/event.h"
#include "rawtrace/blocks.h"
#include "rawtrace/raw.h"

#define KP_TRACE_ID_CHARS	36	/* 8-4-4-4-12 hex digits */

struct kp_raw_about {
	int64_t start_s;	/* time 0 = start minute, in seconds since 1970, UTC */
	char trace_id[KP_TRACE_ID_CHARS + 1];
	uint8_t trace_uuid[16];	/* the same id in bytes */
	/* any bytes, as in the trace; "" = not recorded */
	char host[64], kernel[64], cpu_model[64], arch[64], boot_id[64];
};

/*
 * Sets *about from an open trace. Must be called before kp_raw_events(), and not for a followed
 * trace, whose stop time is not known yet. The trace's id is a UUID (version 8, RFC 9562), a hash
 * of its clock pairs, host and boot id. It is the same each time, also if the trace has no boot id.
 */
void kp_raw_about(const struct kp_raw *raw, struct kp_raw_about *about);

/* Returns the value of the next META name with @key, or NULL. *at must be 0 at first. */
const char *kp_raw_meta(const struct kp_raw *raw, const char *key, size_t *at);

/*
 * Returns by how many microseconds the wall clock was set, or deviated from the counter, during the
 * recording (META clock_step_us). Negative: back. 0: not recorded, or not a number. If the trace
 * contains several, returns the largest step.
 */
int64_t kp_raw_clock_step_us(const struct kp_raw *raw);

/*
 * Returns true if the counter jumped, or became unstable, during the recording (META
 * caveat=clock).
 */
bool kp_raw_clock_is_bad(const struct kp_raw *raw);

/* Room for "back by 3600.000000 s" of any step, with the NUL. */
#define KP_CLOCK_STEP_CHARS	48

/* Describes a nonzero step for a report. */
void kp_clock_step_text(int64_t us, char text[KP_CLOCK_STEP_CHARS]);

/* Comments. All return 0, or the value that the sink returned. */

/* Writes all comments before the events of a complete trace. Returns also -1 with a message. */
int kp_raw_write_front(struct kp_raw *raw, const struct kp_event_sink *sink);

/* Parts of these, for a followed trace: at the beginning, for each new block, at the end. */
int kp_raw_write_format(const struct kp_raw *raw, const struct kp_event_sink *sink);
int kp_raw_write_title(const struct kp_event_sink *sink);
int kp_raw_write_block(const struct kp_event_sink *sink, const struct kp_raw_block *block);
int kp_raw_write_dropped(const struct kp_raw *raw, const struct kp_event_sink *sink);

/* Writes the words of an entry in hexadecimal. */
int kp_raw_write_words(const struct kp_event_sink *sink, const struct kp_raw_source *source,
		       const struct kp_raw_entry *entry);

#endif
