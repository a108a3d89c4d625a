/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Reads an object with only the keys that follow the events (views and notes). Keys of an
 * incomplete object must not be passed on.
 */
#ifndef KP_SPANJSON_KEYS_H
#define KP_SPANJSON_KEYS_H

#include <stddef.h>

#include "model/span.h"
#include "spanjson/reader.h"

/*
 * Reads the object in @text, from its { to its }, and passes its keys to the sink's behind(), once,
 * if there are any. Returns and sets the message as kp_json_read(). @shown is the input's name in
 * messages.
 */
enum kp_json_result kp_json_read_keys(struct kp_json_reader *reader, const char *text,
				      size_t len, const char *shown,
				      const struct kp_span_sink *sink);

#endif
