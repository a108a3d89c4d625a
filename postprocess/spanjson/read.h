/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A streaming reader of span JSON that feeds a kp_span_sink. Called by every filter that
 * reads spans.
 */
#ifndef KP_SPANJSON_READ_H
#define KP_SPANJSON_READ_H

#include "model/span.h"
#include "spanjson/format.h"
#include "spanjson/reader.h"

/*
 * Reads in to its end, feeding sink. shown is the input's name in messages.
 * Strings passed to the sink are valid during the call only. Rows out of time
 * order are passed on as they come. The sink's end() is called only if the
 * input was whole, so that an end is never written behind broken input. So is
 * behind(), with keys that stand behind the events, in front of it.
 */
enum kp_json_result kp_json_read(struct kp_json_reader *reader, FILE *in,
				 const char *shown,
				 const struct kp_span_sink *sink);

/* "file (line N)" of the row the sink is, or was last, given: for its complaints. */
void kp_json_where(const struct kp_json_reader *reader, char *text, size_t size);

#endif
