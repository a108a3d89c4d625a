/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * An object of keys as they stand behind the events (views and notes), without the events.
 * Must never pass on keys of an object that is not whole. Called by page/unpage.c, which
 * has it from a page, and page/views.c, which has it from a file.
 */
#ifndef KP_SPANJSON_KEYS_H
#define KP_SPANJSON_KEYS_H

#include <stddef.h>

#include "model/span.h"
#include "spanjson/reader.h"

/*
 * Reads the object in text, len bytes from a { to its }, and gives its keys to the sink's
 * behind(), once, unless it has none. As kp_json_read() for what comes back and for the
 * reader's message; shown is the input's name there.
 */
enum kp_json_result kp_json_read_keys(struct kp_json_reader *reader, const char *text,
				      size_t len, const char *shown,
				      const struct kp_span_sink *sink);

#endif
