/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Reads a span JSON text and stores the results, for the tests of the reader. One file of each
 * test program includes it.
 */
#ifndef JSON_SEEN_H
#define JSON_SEEN_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "model/span.h"
#include "spanjson/json.h"

#define HEAD "  {\n \"title\" : \"t\",\n \"version\" : 3,\n\"events\" : [\n"
#define ROW "[ 11.08612461, 0.00012654, 1, 47, 0, 65583, 0, 0, 0, \"kutrace_control.47\"],\n"
#define TRAILER "[999.0, 0.0, 0, 0, 0, 0, 0, 0, 0, \"\"]\n"
#define TAIL TRAILER "]}\n"

/* Results of reading a text, and its last row. */
struct seen {
	int headers, ends;
	unsigned rows;
	size_t keys;
	char title[64];
	struct kp_span span;
	char name[KP_JSON_NAME_MAX + 1];
	int stop_at;		/* row at which span() returns 7 */
	int trailings;		/* number of calls of trailing() */
	char trailing[256];	/* the keys after the events, one per line */
	bool stop_behind;
};

static int see_header(void *self, const struct kp_header_item *items, size_t count)
{
	struct seen *seen = self;
	const char *title = kp_header_get(items, count, "title");

	seen->headers++;
	seen->keys = count;
	snprintf(seen->title, sizeof(seen->title), "%s", title ? title : "");
	return 0;
}

static int see_span(void *self, const struct kp_span *span)
{
	struct seen *seen = self;

	assert_int_equal(seen->headers, 1);
	assert_true(span->name_len <= KP_JSON_NAME_MAX);
	seen->rows++;
	seen->span = *span;
	memcpy(seen->name, span->name, span->name_len);
	seen->name[span->name_len] = '\0';
	return (int)seen->rows == seen->stop_at ? 7 : 0;
}

static int see_trailing(void *self, const struct kp_header_item *items, size_t count)
{
	struct seen *seen = self;
	size_t i, used = 0;

	/* trailing() comes after all rows and before the end */
	assert_int_equal(seen->ends, 0);
	seen->trailings++;
	for (i = 0; i < count; i++)
		used += (size_t)snprintf(seen->trailing + used, sizeof(seen->trailing) - used,
					 "%s %s\n", items[i].key, items[i].value);
	return seen->stop_behind ? 7 : 0;
}

static int see_end(void *self)
{
	((struct seen *)self)->ends++;
	return 0;
}

static struct seen seen;
static struct kp_json_reader reader;

static enum kp_json_result read_bytes(const char *text, size_t len)
{
	const struct kp_span_sink sink = {
		.header = see_header, .span = see_span, .end = see_end, .self = &seen,
		.trailing = see_trailing,
	};
	FILE *in = len ? fmemopen((void *)text, len, "r") : fopen("/dev/null", "r");
	enum kp_json_result result;

	assert_non_null(in);
	seen.headers = seen.ends = seen.trailings = 0;
	seen.trailing[0] = '\0';
	seen.rows = 0;
	result = kp_json_read(&reader, in, "input", &sink);
	fclose(in);
	/* the end is reported if and only if the input was complete */
	assert_int_equal(seen.ends, result == KP_JSON_OK);
	if (result == KP_JSON_BAD) {
		assert_true(reader.message[0]);
		assert_null(strchr(reader.message, '\n'));
	}
	return result;
}

static inline enum kp_json_result read_text(const char *text)
{
	return read_bytes(text, strlen(text));
}

#endif
