/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Reads span JSON from a stream into a kp_span_sink.
 */
#ifndef KP_SPANJSON_READ_H
#define KP_SPANJSON_READ_H

#include "model/span.h"
#include "spanjson/format.h"
#include "spanjson/reader.h"

/*
 * Reads @in to its end and passes the rows to @sink. @shown is the input's name in messages.
 * Strings are valid only during the sink's call. Rows out of order are passed on as they are. The
 * sink's end() is called only if the input is complete, so that output from incomplete input has no
 * end. The same applies to behind(), which gets the keys that follow the events, before end().
 */
enum kp_json_result kp_json_read(struct kp_json_reader *reader, FILE *in,
				 const char *shown,
				 const struct kp_span_sink *sink);

/* Writes "file (line N)" of the sink's current or last row, for its messages. */
void kp_json_where(const struct kp_json_reader *reader, char *text, size_t size);

#endif
