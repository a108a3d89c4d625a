// SPDX-License-Identifier: BSD-3-Clause
/*
 * Reads the keys that follow the events without the events, see spanjson/keys.h. The rules must be
 * the same as for a complete span JSON.
 */
#include "spanjson/keys.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "spanjson/read.h"

enum kp_json_result kp_json_read_keys(struct kp_json_reader *reader, const char *text,
				      size_t len, const char *shown,
				      const struct kp_span_sink *sink)
{
	/* a trace without rows, which replaces the brace of the object */
	static const char rows[] = "{\"events\":[[999.0, 0.0, 0, 0, 0, 0, 0, 0, 0, \"\"]]";
	struct kp_span_sink keys = {
		.header = kp_span_ignore_header, .span = kp_span_ignore_span, .end = kp_span_ignore_end,
		.self = sink->self, .behind = sink->behind,
	};
	enum kp_json_result result = KP_JSON_BAD;
	size_t head = sizeof(rows) - 1, at = 1;
	char *whole;
	FILE *in;

	if (len < 2 || text[0] != '{') {
		snprintf(reader->message, sizeof(reader->message),
			 "bad JSON: %s: no object of keys", shown);
		return KP_JSON_BAD;
	}
	whole = malloc(head + len);
	if (!whole) {
		snprintf(reader->message, sizeof(reader->message), "no memory");
		return KP_JSON_BAD;
	}
	memcpy(whole, rows, head);
	memcpy(whole + head, text, len);
	/* a comma replaces the brace, if there are keys */
	while (at < len && strchr(" \t\r\n", text[at]))
		at++;
	whole[head] = at < len && text[at] == '}' ? ' ' : ',';
	in = fmemopen(whole, head + len, "r");
	if (in) {
		result = kp_json_read(reader, in, shown, &keys);
		fclose(in);
	} else {
		snprintf(reader->message, sizeof(reader->message), "no memory");
	}
	free(whole);
	return result;
}
