// SPDX-License-Identifier: BSD-3-Clause
/*
 * Reports the JSON reader's result, and reads the keys that follow the events without the events,
 * see spanjson/json.h. All corrections and omissions must be mentioned. The rules for keys must
 * be the same as for a complete span JSON.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/tool.h"
#include "spanjson/json.h"

int kp_json_exit_status(const struct kp_json_reader *r, enum kp_json_result result)
{
	if (r->replaced_bytes)
		kp_error("%" PRIu64 " bytes of text were no valid UTF-8, replaced by U+FFFD",
			 r->replaced_bytes);
	if (r->control_chars)
		kp_error("%" PRIu64 " bare control characters in strings, now escaped",
			 r->control_chars);
	if (r->rounded_times)
		kp_error("%" PRIu64 " times finer than 10 ns, rounded", r->rounded_times);
	if (r->negative_rows)
		kp_error("%" PRIu64 " rows with a negative start or duration left out",
			 r->negative_rows);
	if (r->trailer_misplaced)
		kp_error("the trailer [999.0, ...] came before rows after 999 s; put last");
	switch (result) {
	case KP_JSON_OK:
	case KP_JSON_INTERRUPTED:	/* kp_finish() reports it */
		return KP_OK;
	case KP_JSON_STOPPED:
		return KP_BAD;
	case KP_JSON_BAD:
		break;
	}
	kp_error("%s", r->message);
	return KP_BAD;
}

int kp_json_ordered_status(const struct kp_json_reader *r, enum kp_json_result result,
			   const char *shown)
{
	int status = kp_json_exit_status(r, result);

	if (result != KP_JSON_OK || !r->out_of_order_rows)
		return status;
	kp_error("%s: rows are not in time order; put LC_ALL=C sort in front", shown);
	return KP_BAD;
}

/*
 * Reads the keys that follow the events without the events, see spanjson/json.h. The rules must be
 * the same as for a complete span JSON.
 */

enum kp_json_result kp_json_read_keys(struct kp_json_reader *reader, const char *text,
				      size_t len, const char *shown,
				      const struct kp_span_sink *sink)
{
	/* a trace without rows, which replaces the brace of the object */
	static const char rows[] = "{\"events\":[[999.0, 0.0, 0, 0, 0, 0, 0, 0, 0, \"\"]]";
	struct kp_span_sink keys = {
		.header = kp_span_ignore_header, .span = kp_span_ignore_span, .end = kp_span_ignore_end,
		.self = sink->self, .trailing = sink->trailing,
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
