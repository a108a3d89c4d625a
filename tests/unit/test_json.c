// SPDX-License-Identifier: BSD-3-Clause
/*
 * The span JSON reader and writer: exact times, every kind of damage named,
 * byte order of lines, long traces, buffer edges. Run by tests/run.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/json_text.h"
#include "model/header.h"
#include "spanjson/format.h"
#include "spanjson/read.h"
#include "spanjson/write.h"
#include "base/number.h"
#include "common/utf8.h"

#define HEAD "  {\n \"title\" : \"t\",\n \"version\" : 3,\n\"events\" : [\n"
#define ROW "[ 11.08612461, 0.00012654, 1, 47, 0, 65583, 0, 0, 0, \"kutrace_control.47\"],\n"
#define TRAILER "[999.0, 0.0, 0, 0, 0, 0, 0, 0, 0, \"\"]\n"
#define TAIL TRAILER "]}\n"

/* What came out of a read, and the last row of it. */
struct seen {
	int headers, ends;
	unsigned rows;
	size_t keys;
	char title[64];
	struct kp_span span;
	char name[KP_JSON_NAME_MAX + 1];
	int stop_at;		/* return 7 at this row */
	int behinds;		/* calls for keys behind the events */
	char behind[256];	/* them, one a line */
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

static int see_behind(void *self, const struct kp_header_item *items, size_t count)
{
	struct seen *seen = self;
	size_t i, used = 0;

	/* behind all rows, in front of the end */
	assert_int_equal(seen->ends, 0);
	seen->behinds++;
	for (i = 0; i < count; i++)
		used += (size_t)snprintf(seen->behind + used, sizeof(seen->behind) - used,
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
		.behind = see_behind,
	};
	FILE *in = len ? fmemopen((void *)text, len, "r") : fopen("/dev/null", "r");
	enum kp_json_result result;

	assert_non_null(in);
	seen.headers = seen.ends = seen.behinds = 0;
	seen.behind[0] = '\0';
	seen.rows = 0;
	result = kp_json_read(&reader, in, "input", &sink);
	fclose(in);
	/* an end is said exactly when the input was whole */
	assert_int_equal(seen.ends, result == KP_JSON_OK);
	if (result == KP_JSON_BAD) {
		assert_true(reader.message[0]);
		assert_null(strchr(reader.message, '\n'));
	}
	return result;
}

static enum kp_json_result read_text(const char *text)
{
	return read_bytes(text, strlen(text));
}

static void reads_one_row(void **state)
{
	(void)state;
	assert_int_equal(read_text(HEAD ROW TAIL), KP_JSON_OK);
	assert_int_equal(seen.rows, 1);
	assert_int_equal(seen.keys, 2);
	assert_string_equal(seen.title, "\"t\"");
	assert_true(seen.span.start == 1108612461 && seen.span.dur == 12654);
	assert_true(seen.span.cpu == 1 && seen.span.pid == 47 && seen.span.rpc == 0);
	assert_true(seen.span.event == 65583 && seen.span.arg0 == 0);
	assert_true(seen.span.retval == 0 && seen.span.ipc == 0);
	assert_string_equal(seen.name, "kutrace_control.47");
	assert_int_equal(reader.start_width, 12);
	assert_int_equal(reader.rows, 1);
}

static void keys_behind_the_events(void **state)
{
	(void)state;
	assert_int_equal(read_text(HEAD ROW TAIL), KP_JSON_OK);
	assert_int_equal(seen.behinds, 0);
	assert_int_equal(read_text(HEAD ROW TRAILER "],\n\"extra\" : [\n],\n\"savedview\" : [\n"
				   "  [\"&#x21d0;\", {\"k\":1.50}],\n  [\"\\u2780\", null]\n]}\n"),
			 KP_JSON_OK);
	assert_int_equal(seen.behinds, 1);
	assert_int_equal(seen.rows, 1);
	assert_string_equal(seen.behind,
			    "extra [ ]\n"
			    "savedview [   [\"&#x21d0;\", {\"k\":1.50}],   [\"\\u2780\", null] ]\n");
	seen.stop_behind = true;
	assert_int_equal(read_text(HEAD ROW TRAILER "], \"a\" : 1}\n"), KP_JSON_STOPPED);
	seen.stop_behind = false;
	assert_int_equal(reader.sink_status, 7);
}

static void layout_does_not_matter(void **state)
{
	static const char *const same[] = {
		"{\"title\":\"t\",\"version\":3,\"events\":[[11.08612461,0.00012654,1,47,0,"
		"65583,0,0,0,\"kutrace_control.47\"],[999.0,0.0,0,0,0,0,0,0,0,\"\"]]}",
		"\xEF\xBB\xBF{\r\n\"title\"\t:\"t\" ,\"version\":3,\"events\":\n[\n[\n11.08612461\n,"
		"\n0.00012654\n,1\n,47 , 0,\t65583,0,0,0\n,\"kutrace_control.47\"\n]\n,\n"
		"[ 999, 0, 0,0,0,0,0,0,0,\"\" ] ] }\n\n",
		HEAD "[1108612461e-8, 1.2654e-04, 1, 47, 0, 65583, 0, 0, 0, "
		"\"k\\u0075trace\\u005fcontrol.47\"],\n" TAIL,
	};
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(same) / sizeof(*same); i++) {
		assert_int_equal(read_text(same[i]), KP_JSON_OK);
		assert_int_equal(seen.rows, 1);
		assert_string_equal(seen.title, "\"t\"");
		assert_true(seen.span.start == 1108612461 && seen.span.dur == 12654);
		assert_true(seen.span.event == 65583 && seen.span.pid == 47);
		assert_string_equal(seen.name, "kutrace_control.47");
	}
}

static void white_space_may_be_longer_than_the_buffer(void **state)
{
	const size_t blanks = 5u << 20;
	char *text = malloc(blanks + 1000);
	size_t len;

	(void)state;
	assert_non_null(text);
	len = (size_t)sprintf(text, "%s", HEAD ROW);
	memset(text + len, ' ', blanks);
	text[len + 100] = '\n';
	len += blanks;
	len += (size_t)sprintf(text + len, "%s", TAIL);
	assert_int_equal(read_bytes(text, len), KP_JSON_OK);
	assert_int_equal(seen.rows, 1);

	/* but not inside a row */
	len = (size_t)sprintf(text, HEAD "[ 1.0,");
	memset(text + len, ' ', blanks);
	len += blanks;
	assert_int_equal(read_bytes(text, len), KP_JSON_BAD);
	assert_non_null(strstr(reader.message, "longer than"));
	free(text);
}

/* Text with one thing wrong, and a part of what must be said about it. */
static const struct {
	const char *text, *message;
} bad[] = {
	{ "", "no JSON: input is empty" },
	{ " \n\n", "no JSON: input is empty" },
	{ "x", "line 1, byte 1): found 'x' where the { of the span JSON must be" },
	{ "1207652033 293 2087 0 51 0 44495 51 0 getpid (827)\n", "event text" },
	{ "# ## VERSION: 3\n", "event text" },
	{ "[999.0, 0.0, 0, 0, 0, 0, 0, 0, 0, \"\"]\n]}\n  {\n", "LC_ALL=C" },
	{ "]}\n", "LC_ALL=C" },
	{ "{", "cut off after line 0" },
	{ "{}", "no \"events\"" },
	{ "{\"a\":1}", "no \"events\"" },
	{ "{\"a\":1,}", "no \"events\"" },
	{ "{a:1}", "found 'a' where a header key in quotes" },
	{ "{\"a\" 1}", "found '1' where a colon" },
	{ "{\"a\":1 \"b\":2}", "where a comma" },
	{ "{\"a\":01,\"events\":[", "where a JSON value" },
	{ "{\"a\":NaN,\"events\":[", "found 'NaN'" },
	{ "{\"a\":1e999,\"events\":[", "number out of range" },
	{ "{\"a\":tru,\"events\":[", "found 'tru'" },
	{ "{\"a\":\"x,\n\"events\":[", "line ends inside a string" },
	{ "{\"a\":\"\\q\",\"events\":[", "bad escape in a string (\\q)" },
	{ "{\"a\":\"\\u12g4\",\"events\":[", "four hex digits" },
	{ "{\"a\":[1 2],\"events\":[", "a comma or a closing bracket" },
	{ "{\"a\":[1,],\"events\":[", "where a JSON value" },
	{ "{\"a\":{\"b\",1},\"events\":[", "where a colon" },
	{ "{\"a\":{1:1},\"events\":[", "a key in quotes" },
	{ "{\"a\\u0000\":1,\"events\":[", "NUL character" },
	{ "{\"a\":1,\"a\":2,\"events\":[", "header key \"a\" stands there twice" },
	{ "{\"events\":3}", "where the [ of the events" },
	{ "{\"events\":[]}", "no rows and no trailer" },
	{ "{\"events\":[3]}", "found '3' where a row" },
	{ HEAD ROW "]}\n", "trailer [999.0, ...] is missing" },
	{ HEAD "[ 1.0, 1.0, 1, 1, 1, 1, 1, 1, 1, \"x\"]\n]}\n", "trailer [999.0, ...] is missing" },
	{ HEAD "[ 1.0, 1.0, 1, 1, 1, 1, 1, 1, 1, \"x\"]\n" TAIL, "(line 6, byte 1)" },
	{ HEAD ROW TRAILER, "cut off after line 6" },
	{ HEAD ROW TRAILER "]", "cut off after line 6" },
	{ HEAD ROW TRAILER "],\"a\":1", "cut off after line 6" },
	{ HEAD ROW TRAILER "],\"a\":", "cut off after line 6" },
	{ HEAD ROW TRAILER "],\"title\":1}", "header key \"title\" stands there twice" },
	{ HEAD ROW TRAILER "],\"a\":1,\"a\":1}", "header key \"a\" stands there twice" },
	{ HEAD ROW TRAILER "],\"events\":[]}", "header key \"events\" stands there twice" },
	{ HEAD ROW TRAILER "],}", "a header key in quotes" },
	{ HEAD ROW TRAILER "],\"a\":1,}", "a header key in quotes" },
	{ HEAD ROW TRAILER "],\"a\":1}x", "more data behind" },
	{ HEAD ROW TAIL "x", "more data behind" },
	{ HEAD ROW TAIL HEAD, "more data behind" },
	{ HEAD ROW TRAILER ROW TAIL, "second trailer" },
	{ HEAD ROW "[999.0, 0.0, 0, 0, 0, 0, 0, 0, 0, \"\"],\n]}\n", "where a row must be" },
	{ HEAD ROW "  {\n \"title\" : \"t\",\n", "found '{' where a row" },
	{ HEAD "[ NaN, 0.0, 0, 0, 0, 0, 0, 0, 0, \"\"],\n" TAIL, "found 'NaN' where a number (start)" },
	{ HEAD "[ 1.0, -Infinity, 0, 0, 0, 0, 0, 0, 0, \"\"],\n" TAIL, "found '-Infinity' where a number (duration)" },
	{ HEAD "[ 1e999, 0.0, 0, 0, 0, 0, 0, 0, 0, \"\"],\n" TAIL, "start out of range: 1e999" },
	{ HEAD "[ 10000000000.0, 0.0, 0, 0, 0, 0, 0, 0, 0, \"\"],\n" TAIL, "start out of range" },
	{ HEAD "[9999999999.0, 0.1, 0, 0, 0, 0, 0, 0, 0, \"\"],\n" TAIL, "start out of range" },
	{ HEAD "[ 1.0000000000000000001, 0.0, 0, 0, 0, 0, 0, 0, 0, \"\"],\n" TAIL, "too many digits" },
	{ HEAD "[ 01.0, 0.0, 0, 0, 0, 0, 0, 0, 0, \"\"],\n" TAIL, "found '01.0'" },
	{ HEAD "[ 1., 0.0, 0, 0, 0, 0, 0, 0, 0, \"\"],\n" TAIL, "found '1.'" },
	{ HEAD "[ +1.0, 0.0, 0, 0, 0, 0, 0, 0, 0, \"\"],\n" TAIL, "found '+1.0'" },
	{ HEAD "[ 1.0, \"0\", 0, 0, 0, 0, 0, 0, 0, \"\"],\n" TAIL, "(duration)" },
	{ HEAD "[ 1.0, 0.0, 1.5, 0, 0, 0, 0, 0, 0, \"\"],\n" TAIL, "CPU must be a whole number" },
	{ HEAD "[ 1.0, 0.0, 65536, 0, 0, 0, 0, 0, 0, \"\"],\n" TAIL, "CPU out of range: 65536" },
	{ HEAD "[ 1.0, 0.0, -2, 0, 0, 0, 0, 0, 0, \"\"],\n" TAIL, "CPU out of range: -2" },
	{ HEAD "[ 1.0, 0.0, 0, 99999999999999999999, 0, 0, 0, 0, 0, \"\"],\n" TAIL, "pid out of range" },
	{ HEAD "[ 1.0, 0.0, 0, 9007199254740993, 0, 0, 0, 0, 0, \"\"],\n" TAIL, "pid out of range" },
	{ HEAD "[ 1.0, 0.0, 0, 0, 0, 0x10, 0, 0, 0, \"\"],\n" TAIL, "found 'x10' where a comma" },
	{ HEAD "[ 1.0, 0.0, 0, 0, 0, null, 0, 0, 0, \"\"],\n" TAIL, "found 'null' where a number (event)" },
	{ HEAD "[ 1.0, 0.0, 0, 0, 0, 0, 0, 0, 3000000000, \"\"],\n" TAIL, "IPC out of range" },
	{ HEAD "[ 1.0, 0.0, 0, 0, 0, 0, 0, 0, \"x\"],\n" TAIL, "where a number (IPC)" },
	{ HEAD "[ 1.0, 0.0, 0, 0],\n" TAIL, "row has 4 fields, must have 10" },
	{ HEAD "[],\n" TAIL, "found ']' where a number (start)" },
	{ HEAD "[ 1.0, 0.0, 0, 0, 0, 0, 0, 0, 0, 0],\n" TAIL, "where a name in quotes" },
	{ HEAD "[ 1.0, 0.0, 0, 0, 0, 0, 0, 0, 0, \"\", 1],\n" TAIL, "more than 10 fields" },
	{ HEAD "[ 1.0, 0.0, 0, 0, 0, 0, 0, 0, 0, \"x\n\"],\n" TAIL, "(line 5, byte 36): line ends inside" },
	{ HEAD "[ 1.0, 0.0, 0, 0, 0, 0, 0, 0, 0, \"x\\", "cut off after line 4" },
	{ HEAD "[ 1.0, 0.0, 0, 0, 0, 0, 0, 0, 0, \"x\\u00", "cut off after line 4" },
	{ HEAD "[ 1.0, 0.0, 0, 0, 0, 0, 0, 0, 0, \"x\"\n", "cut off after line 5" },
	{ HEAD "[ 1.0, 0.0, 0, 0, 0, 0, 0, 0, 0, \"x\" x],\n", "where the ] of the row" },
};

static void names_every_damage(void **state)
{
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		if (read_text(bad[i].text) != KP_JSON_BAD)
			fail_msg("taken as good: %s", bad[i].text);
		if (!strstr(reader.message, bad[i].message))
			fail_msg("'%s' is not in '%s' for: %s", bad[i].message,
				 reader.message, bad[i].text);
	}
}

static void nul_bytes_are_no_end(void **state)
{
	static const char in_row[] = HEAD "[ 1.0,\0 0.0, 0, 0, 0, 0, 0, 0, 0, \"\"],\n" TAIL;
	static const char in_name[] = HEAD "[ 1.0, 0.0, 0, 0, 0, 0, 0, 0, 0, \"\0\"],\n" TAIL;
	static const char behind[] = HEAD ROW TAIL "\0";

	(void)state;
	assert_int_equal(read_bytes(in_row, sizeof(in_row) - 1), KP_JSON_BAD);
	assert_non_null(strstr(reader.message, "byte 0x00"));
	assert_int_equal(read_bytes(in_name, sizeof(in_name) - 1), KP_JSON_BAD);
	assert_non_null(strstr(reader.message, "NUL byte in a string"));
	assert_int_equal(read_bytes(behind, sizeof(behind) - 1), KP_JSON_BAD);
	assert_non_null(strstr(reader.message, "more data"));
}

static void nesting_is_bounded(void **state)
{
	char text[4000];
	int i, len;

	(void)state;
	len = sprintf(text, "{\"a\":");
	for (i = 0; i < 1000; i++)
		text[len++] = '[';
	text[len] = '\0';
	assert_int_equal(read_text(text), KP_JSON_BAD);
	assert_non_null(strstr(reader.message, "nested more than 32 deep"));

	len = sprintf(text, "{\"a\":");
	for (i = 0; i < 32; i++)
		text[len++] = '[';
	for (i = 0; i < 32; i++)
		text[len++] = ']';
	sprintf(text + len, ",\"events\":[" ROW TAIL);
	assert_int_equal(read_text(text), KP_JSON_OK);
}

/* Wherever a whole file is cut, it is noticed; its newline at the end may go. */
static void every_cut_is_noticed(void **state)
{
	static const char whole[] = "  {\n \"a\" : {\"b\": [1, -2.5e3, \"\\u00e9\", true]},\n"
		" \"version\" : 3,\n\"events\" : [\n" ROW
		"[ 12.00000000, 0.00000001, -1, 51, 0, -3, 0, 0, 0, \"\\\"\\ud83d\\ude00\"],\n" TAIL;
	const size_t len = sizeof(whole) - 1;
	size_t cut;

	(void)state;
	assert_int_equal(read_bytes(whole, len), KP_JSON_OK);
	assert_int_equal(read_bytes(whole, len - 1), KP_JSON_OK);
	for (cut = 0; cut < len - 1; cut++)
		assert_int_equal(read_bytes(whole, cut), KP_JSON_BAD);
}

/* Any byte changed to any of these: good or bad, but never out of bounds. */
static void no_change_of_a_byte_breaks_it(void **state)
{
	static const char whole[] = "  {\n \"a\" : {\"b\": [1, \"\\u00e9\", null]},\n\"events\" : [\n"
		"[ 12.00000000, 1e-8, -1, 51, 0, -3, 0, 0, 0, \"\\ud83d\\ude00\\n\"],\n" TAIL;
	static const char with[] = "\0\"\\[]{},:-.0e9u \n\xC3\xF0\xFF";
	const size_t len = sizeof(whole) - 1;
	unsigned good = 0, damaged = 0;
	size_t i, k;

	(void)state;
	for (i = 0; i < len; i++) {
		for (k = 0; k < sizeof(with) - 1; k++) {
			/* exactly as large, so that ASan sees a byte too far */
			char *text = malloc(len);

			assert_non_null(text);
			memcpy(text, whole, len);
			text[i] = with[k];
			if (read_bytes(text, len) == KP_JSON_OK)
				good++;
			else
				damaged++;
			free(text);
		}
	}
	assert_true(good > 0 && damaged > good);
}

static void invalid_text_is_replaced_and_counted(void **state)
{
	(void)state;
	assert_int_equal(read_text(HEAD "[ 1.0, 0.0, 0, 0, 0, 0, 0, 0, 0, \"a\xFF\xC3z\xED\xA0\x80\"],\n" TAIL),
			 KP_JSON_OK);
	assert_string_equal(seen.name, "a\uFFFD\uFFFDz\uFFFD\uFFFD\uFFFD");
	assert_int_equal(reader.replaced_bytes, 5);

	assert_int_equal(read_text(HEAD "[ 1.0, 0.0, 0, 0, 0, 0, 0, 0, 0, \"\\ud83d\\ude00 \\ud83d \\ude00 \\ud83d\\u0041\"],\n" TAIL),
			 KP_JSON_OK);
	assert_string_equal(seen.name, "\U0001F600 \uFFFD \uFFFD \uFFFDA");
	assert_int_equal(reader.replaced_bytes, 3);

	assert_int_equal(read_text(HEAD "[ 1.0, 0.0, 0, 0, 0, 0, 0, 0, 0, \"a\tb\x01\"],\n" TAIL),
			 KP_JSON_OK);
	assert_string_equal(seen.name, "a\tb\x01");
	assert_int_equal(reader.control_chars, 2);

	/* header values keep their escapes but become valid */
	assert_int_equal(read_text("{\"title\":\"\xFF\\\"\\ud83d\t\",\"events\":[" ROW TAIL), KP_JSON_OK);
	assert_string_equal(seen.title, "\"\uFFFD\\\"\\ufffd\\t\"");
}

static void odd_times_are_counted(void **state)
{
	(void)state;
	assert_int_equal(read_text(HEAD "[ 1.000000005, 0.000000014, 0, 0, 0, 0, 0, 0, 0, \"x\"],\n" TAIL),
			 KP_JSON_OK);
	assert_true(seen.span.start == 100000001 && seen.span.dur == 1);
	assert_int_equal(reader.rounded_times, 2);

	assert_int_equal(read_text(HEAD "[ 1.0, -0.1, 0, 0, 0, 0, 0, 0, 0, \"x\"],\n"
				   "[ -1.0, 0.1, 0, 0, 0, 0, 0, 0, 0, \"x\"],\n" ROW TAIL), KP_JSON_OK);
	assert_int_equal(seen.rows, 1);
	assert_int_equal(reader.negative_rows, 2);

	assert_int_equal(read_text(HEAD ROW "[ 11.0, 0.1, 0, 0, 0, 0, 0, 0, 0, \"x\"],\n" TAIL),
			 KP_JSON_OK);
	assert_int_equal(seen.rows, 2);
	assert_int_equal(reader.out_of_order_rows, 1);

	/* what sorting by bytes does to rows of 1000 s in a narrow field */
	assert_int_equal(read_text(HEAD TRAILER "[999.00000001, 0.1, 0, 0, 0, 0, 0, 0, 0, \"x\"],\n]}\n"),
			 KP_JSON_OK);
	assert_int_equal(seen.rows, 1);
	assert_true(reader.trailer_misplaced);
}

static void a_sink_can_stop_it(void **state)
{
	char where[300];

	(void)state;
	seen.stop_at = 2;
	assert_int_equal(read_text(HEAD ROW ROW ROW TAIL), KP_JSON_STOPPED);
	assert_int_equal(reader.sink_status, 7);
	kp_json_where(&reader, where, sizeof(where));
	assert_string_equal(where, "input (line 6)");
	assert_int_equal(seen.rows, 2);
	seen.stop_at = 0;
}

static void long_names_have_a_limit(void **state)
{
	char *text = malloc(8 * KP_JSON_NAME_MAX + 1000), *p;
	int extra, escaped, i;

	(void)state;
	assert_non_null(text);
	for (escaped = 0; escaped < 2; escaped++) {
		for (extra = 0; extra < 2; extra++) {
			p = text + sprintf(text, HEAD "[ 1.0, 0.0, 0, 0, 0, 0, 0, 0, 0, \"");
			for (i = 0; i < KP_JSON_NAME_MAX + extra; i++)
				p += sprintf(p, escaped ? "\\u0041" : "A");
			sprintf(p, "\"],\n" TAIL);
			assert_int_equal(read_text(text), extra ? KP_JSON_BAD : KP_JSON_OK);
			if (extra)
				assert_non_null(strstr(reader.message, "name longer than 65536"));
			else
				assert_int_equal(seen.span.name_len, KP_JSON_NAME_MAX);
		}
	}
	free(text);
}

/* ---- writer ---- */

static struct kp_json_writer writer;

struct output {
	char *text;
	size_t len;
	FILE *file;
};

static void begin_output(struct output *o)
{
	o->file = open_memstream(&o->text, &o->len);
	assert_non_null(o->file);
	kp_json_writer_init(&writer, o->file);
}

static void end_output(struct output *o)
{
	assert_int_equal(kp_json_write_end(&writer), 0);
	kp_json_writer_free(&writer);
	fclose(o->file);
}

static void write_row(int64_t start, int64_t dur, const char *name, size_t len)
{
	const struct kp_span span = {
		.start = start, .dur = dur, .cpu = 1, .pid = 47, .event = 65583,
		.name = name, .name_len = len,
	};

	assert_int_equal(kp_json_write_span(&writer, &span), 0);
}

static void writes_what_the_original_writes(void **state)
{
	struct kp_header_item items[] = {
		{ "version", "3" }, { "title", "\"t\"" },
	};
	struct output o;

	(void)state;
	begin_output(&o);
	assert_int_equal(kp_json_write_header(&writer, items, 2), 0);
	write_row(1108612461, 12654, "kutrace_control.47", 18);
	end_output(&o);
	assert_string_equal(o.text, HEAD ROW TAIL);
	free(o.text);
}

static void numbers_come_out_exactly(void **state)
{
	static const struct {
		struct kp_span span;
		const char *row;
	} cases[] = {
		{ { .start = 0 }, "[  0.00000000, 0.00000000, 0, 0, 0, 0, 0, 0, 0, \"\"]," },
		{ { .start = 99999999999, .dur = 1, .cpu = -1, .pid = -1, .rpc = -1, .event = -7,
		    .arg0 = 9, .retval = 10, .ipc = 15 },
		  "[999.99999999, 0.00000001, -1, -1, -1, -7, 9, 10, 15, \"\"]," },
		{ { .start = 100000000000, .dur = 123456789012345678, .cpu = 65535,
		    .pid = 4194304, .rpc = 65535, .event = 131072, .arg0 = 4294967295,
		    .retval = 65535, .ipc = 99 },
		  "[1000.00000000, 1234567890.12345678, 65535, 4194304, 65535, 131072, "
		  "4294967295, 65535, 99, \"\"]," },
		{ { .start = 100, .pid = INT64_MAX, .rpc = INT64_MIN, .event = 100, .arg0 = 101,
		    .retval = 999, .ipc = INT32_MIN },
		  "[  0.00000100, 0.00000000, 0, 9223372036854775807, -9223372036854775808, "
		  "100, 101, 999, -2147483648, \"\"]," },
	};
	struct output o;
	size_t i, len;

	(void)state;
	begin_output(&o);
	for (i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct kp_span span = cases[i].span;
		const char *row;

		span.name = "";
		row = kp_json_format_span(&writer, &span, &len);
		assert_non_null(row);
		assert_int_equal(len, strlen(cases[i].row));
		assert_memory_equal(row, cases[i].row, len);
	}
	end_output(&o);
	free(o.text);
}

static void every_name_survives(void **state)
{
	char name[256 + 8], *quoted;
	struct output o;
	int i, len = 0;

	(void)state;
	for (i = 0; i < 128; i++)
		name[len++] = (char)i;
	memcpy(name + len, "\u00e9\u20ac\U0001F600", 9);
	len += 9;
	begin_output(&o);
	assert_int_equal(kp_json_write_header(&writer, NULL, 0), 0);
	write_row(1, 1, name, (size_t)len);
	end_output(&o);
	assert_non_null(strstr(o.text, "\\u0000\\u0001"));
	assert_int_equal(read_bytes(o.text, o.len), KP_JSON_OK);
	assert_int_equal(seen.span.name_len, len);
	assert_memory_equal(seen.name, name, (size_t)len);
	assert_int_equal(reader.replaced_bytes, 0);
	free(o.text);

	begin_output(&o);
	write_row(1, 1, "\xC3", 1);
	assert_int_equal(writer.replaced_bytes, 1);
	end_output(&o);
	assert_non_null(strstr(o.text, "\"\uFFFD\"],\n"));
	free(o.text);

	quoted = kp_json_quote("a\"\xFF\n", 4);
	assert_string_equal(quoted, "\"a\\\"\uFFFD\\n\"");
	free(quoted);
}

static int compare_lines(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Sorts the lines by bytes as sort does and wants them unchanged. */
static void assert_sorted(const char *text)
{
	char *copy = strdup(text), *line, *save = NULL, *lines[64], *sorted[64];
	size_t count = 0, i;

	for (line = strtok_r(copy, "\n", &save); line; line = strtok_r(NULL, "\n", &save)) {
		assert_true(count < 64);
		lines[count] = sorted[count] = line;
		count++;
	}
	qsort(sorted, count, sizeof(*sorted), compare_lines);
	for (i = 0; i < count; i++)
		assert_string_equal(lines[i], sorted[i]);
	free(copy);
}

static void byte_order_is_time_order(void **state)
{
	static const int64_t starts[] = {	/* 10 ns units */
		0, 1, 99, 99999999, 100000000, 950000000, 1000000000, 9999999999, 10000000000,
		99899999999, 99900000000, 99900000001, 99999999999, 100000000000,
		999900000000, 1000000000000, 9999000000000, 99999999999999,
		100000000000000, KP_JSON_TIME_MAX - 1,
	};
	const size_t count = sizeof(starts) / sizeof(*starts);
	struct kp_header_item items[] = {
		{ "version", "3" }, { "a\"b", "1" }, { "a", "1" }, { "Z", "1" }, { "aa", "\"\"" },
	};
	struct output o;
	size_t last, i;

	(void)state;
	for (last = 0; last < count; last++) {
		begin_output(&o);
		kp_json_writer_set_last(&writer, starts[last]);
		assert_int_equal(kp_json_write_header(&writer, items, 5), 0);
		for (i = 0; i <= last; i++)
			write_row(starts[i], 1, "x", 1);
		end_output(&o);
		assert_sorted(o.text);
		assert_non_null(strstr(o.text, "\n" TAIL));
		assert_int_equal(read_bytes(o.text, o.len), KP_JSON_OK);
		assert_int_equal(seen.rows, last + 1);
		assert_true(seen.span.start == starts[last]);
		assert_int_equal(reader.start_width, writer.width);
		assert_true(starts[last] >= 99900000000 || writer.width == KP_JSON_WIDTH);
		free(o.text);
	}
}

/* Nobody said that rows of 999 s would come: the trailer still sorts last. */
static void trailer_stays_last(void **state)
{
	static const int64_t starts[] = {
		99900000000, 99999999999, 999900000000, 9999999999999, KP_JSON_TIME_MAX - 1,
	};
	struct output o;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(starts) / sizeof(*starts); i++) {
		begin_output(&o);
		assert_int_equal(kp_json_write_header(&writer, NULL, 0), 0);
		write_row(starts[i], 1, "x", 1);
		end_output(&o);
		assert_sorted(o.text);
		assert_non_null(strstr(o.text, "\n[9999999999.0, 0.0,"));
		assert_int_equal(read_bytes(o.text, o.len), KP_JSON_OK);
		assert_int_equal(seen.rows, 1);
		free(o.text);
	}
}

static int copy_header(void *self, const struct kp_header_item *items, size_t count)
{
	kp_json_writer_set_width(self, reader.start_width);
	return kp_json_write_header(self, items, count);
}

/* More than the reader's buffer, rows of all lengths, so that all edges are met. */
static void large_input_comes_out_again(void **state)
{
	static char name[70000];
	struct kp_span_sink sink;
	struct output o, again;
	uint32_t random = 1;
	FILE *in;
	int i;

	(void)state;
	memset(name, 'n', sizeof(name));
	begin_output(&o);
	kp_json_writer_set_last(&writer, 5000000000000);
	assert_int_equal(kp_json_write_header(&writer, NULL, 0), 0);
	for (i = 0; i < 40000; i++) {
		size_t len;

		random = random * 1103515245 + 12345;
		len = i % 5000 == 4999 ? random >> 16 : random >> 16 & 255;
		name[len / 2] = '"';	/* escaped now and then */
		write_row(i * 1000ll, random >> 8, name, len);
		name[len / 2] = 'n';
	}
	end_output(&o);
	assert_true(o.len > 5u << 20);

	begin_output(&again);
	sink = kp_json_writer_sink(&writer);
	sink.header = copy_header;
	in = fmemopen(o.text, o.len, "r");
	assert_non_null(in);
	assert_int_equal(kp_json_read(&reader, in, "input", &sink), KP_JSON_OK);
	assert_int_equal(reader.rows, 40000);
	fclose(in);
	kp_json_writer_free(&writer);
	fclose(again.file);
	assert_int_equal(again.len, o.len);
	assert_true(!memcmp(again.text, o.text, o.len));
	free(o.text);
	free(again.text);
}

static void write_errors_come_back(void **state)
{
	FILE *full = fopen("/dev/full", "w");
	int i, status = 0;

	(void)state;
	assert_non_null(full);
	kp_json_writer_init(&writer, full);
	for (i = 0; i < 100000 && !status; i++) {
		const struct kp_span span = { .start = i, .name = "x", .name_len = 1 };

		status = kp_json_write_span(&writer, &span);
	}
	assert_int_equal(status, -1);
	kp_json_writer_free(&writer);
	fclose(full);

	full = fopen("/dev/full", "w");
	assert_non_null(full);
	kp_json_writer_init(&writer, full);
	assert_int_equal(kp_json_write_end(&writer), -1);
	kp_json_writer_free(&writer);
	fclose(full);
}

/* ---- numbers and UTF-8 ---- */

static void decimals_are_exact(void **state)
{
	static const struct {
		const char *text;
		int decimals;
		enum kp_number result;
		int64_t value;
		bool inexact;
		size_t used;
	} cases[] = {
		{ "11.08612461", 8, KP_NUMBER_OK, 1108612461, false, 11 },
		{ "-0.00000001,", 8, KP_NUMBER_OK, -1, false, 11 },
		{ "0", 8, KP_NUMBER_OK, 0, false, 1 },
		{ "-0", 8, KP_NUMBER_OK, 0, false, 2 },
		{ "0e99999999999", 8, KP_NUMBER_OK, 0, false, 13 },
		{ "1e-8", 8, KP_NUMBER_OK, 1, false, 4 },
		{ "1E+2", 0, KP_NUMBER_OK, 100, false, 4 },
		{ "0.100000000000000000000000000000", 8, KP_NUMBER_LONG, 0, false, 32 },
		{ "0.00000000000000000000000000000001", 8, KP_NUMBER_OK, 0, true, 34 },
		{ "1e-99999999", 8, KP_NUMBER_OK, 0, true, 11 },
		{ "0.000000005", 8, KP_NUMBER_OK, 1, true, 11 },
		{ "0.000000004", 8, KP_NUMBER_OK, 0, true, 11 },
		{ "0.0000000049", 8, KP_NUMBER_OK, 0, true, 12 },
		{ "-0.000000005", 8, KP_NUMBER_OK, -1, true, 12 },
		{ "999999999999999999", 0, KP_NUMBER_OK, 999999999999999999, false, 18 },
		{ "1000000000000000000", 0, KP_NUMBER_LONG, 0, false, 19 },
		{ "92233720368.54775807", 8, KP_NUMBER_LONG, 0, false, 20 },
		{ "92233720369", 8, KP_NUMBER_RANGE, 0, false, 11 },
		{ "1e999", 8, KP_NUMBER_RANGE, 0, false, 5 },
		{ "", 8, KP_NUMBER_NONE, 0, false, 0 },
		{ "-", 8, KP_NUMBER_NONE, 0, false, 0 },
		{ "00", 8, KP_NUMBER_NONE, 0, false, 0 },
		{ ".5", 8, KP_NUMBER_NONE, 0, false, 0 },
		{ "5.", 8, KP_NUMBER_NONE, 0, false, 0 },
		{ "5e", 8, KP_NUMBER_NONE, 0, false, 0 },
		{ "nan", 8, KP_NUMBER_NONE, 0, false, 0 },
	};
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		const char *p = cases[i].text;
		bool inexact = false;
		int64_t value = 0;

		assert_int_equal(kp_number_json(&p, p + strlen(p), cases[i].decimals, &value, &inexact),
				 cases[i].result);
		assert_true(value == cases[i].value);
		assert_int_equal(p - cases[i].text, cases[i].used);
		if (cases[i].result == KP_NUMBER_OK)
			assert_int_equal(inexact, cases[i].inexact);
	}
}

static void arguments_are_numbers_or_not(void **state)
{
	static const char *const strings[] = {
		"", "-", "+", ".", "-.", "1e3", "0x10", "nan", "inf", "1.5s", " 1", "1 ", "-sched-", "1.2.3",
	};
	int64_t value;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(strings) / sizeof(*strings); i++)
		assert_int_equal(kp_number_argument(strings[i], 8, &value), KP_NUMBER_NONE);
	assert_int_equal(kp_number_argument("30.344", 8, &value), KP_NUMBER_OK);
	assert_true(value == 3034400000);
	assert_int_equal(kp_number_argument("-.5", 8, &value), KP_NUMBER_OK);
	assert_true(value == -50000000);
	assert_int_equal(kp_number_argument("+007.", 2, &value), KP_NUMBER_OK);
	assert_true(value == 700);
	assert_int_equal(kp_number_argument("99999999999999", 8, &value), KP_NUMBER_RANGE);
}

static void utf8_is_checked(void **state)
{
	static const struct {
		const char *text;
		size_t len, valid;
	} cases[] = {
		{ "", 0, 0 }, { "a", 1, 1 }, { "\x7F", 1, 1 }, { "\x80", 1, 0 },
		{ "\xC0\x80", 2, 0 }, { "\xC1\xBF", 2, 0 }, { "\xC2\x80", 2, 2 }, { "\xC3", 1, 0 },
		{ "\xC3\x41", 2, 0 }, { "\xE0\x9F\xBF", 3, 0 }, { "\xE0\xA0\x80", 3, 3 },
		{ "\xED\x9F\xBF", 3, 3 }, { "\xED\xA0\x80", 3, 0 }, { "\xEF\xBF\xBF", 3, 3 },
		{ "\xE2\x82", 2, 0 }, { "\xF0\x8F\xBF\xBF", 4, 0 }, { "\xF0\x90\x80\x80", 4, 4 },
		{ "\xF4\x8F\xBF\xBF", 4, 4 }, { "\xF4\x90\x80\x80", 4, 0 }, { "\xF5\x80\x80\x80", 4, 0 },
		{ "\xFF", 1, 0 }, { "\xF0\x90\x80", 3, 0 },
	};
	uint64_t replaced = 0;
	char out[64];
	uint32_t code;
	size_t i, n;

	(void)state;
	for (i = 0; i < sizeof(cases) / sizeof(*cases); i++)
		assert_int_equal(ku_utf8_sequence(cases[i].text, cases[i].len), cases[i].valid);
	for (code = 0; code < 0x110000; code++) {
		n = ku_utf8_encode(code, out);
		assert_int_equal(ku_utf8_sequence(out, n), code >= 0xD800 && code <= 0xDFFF ? 0 : n);
	}
	n = ku_utf8_replace("a\xFF\xC3\xA9\xC3", 5, out, &replaced);
	assert_int_equal(n, 9);
	assert_memory_equal(out, "a\uFFFD\u00e9\uFFFD", 9);
	assert_int_equal(replaced, 2);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(reads_one_row),
		cmocka_unit_test(keys_behind_the_events),
		cmocka_unit_test(layout_does_not_matter),
		cmocka_unit_test(white_space_may_be_longer_than_the_buffer),
		cmocka_unit_test(names_every_damage),
		cmocka_unit_test(nul_bytes_are_no_end),
		cmocka_unit_test(nesting_is_bounded),
		cmocka_unit_test(every_cut_is_noticed),
		cmocka_unit_test(no_change_of_a_byte_breaks_it),
		cmocka_unit_test(invalid_text_is_replaced_and_counted),
		cmocka_unit_test(odd_times_are_counted),
		cmocka_unit_test(a_sink_can_stop_it),
		cmocka_unit_test(long_names_have_a_limit),
		cmocka_unit_test(writes_what_the_original_writes),
		cmocka_unit_test(numbers_come_out_exactly),
		cmocka_unit_test(every_name_survives),
		cmocka_unit_test(byte_order_is_time_order),
		cmocka_unit_test(trailer_stays_last),
		cmocka_unit_test(large_input_comes_out_again),
		cmocka_unit_test(write_errors_come_back),
		cmocka_unit_test(decimals_are_exact),
		cmocka_unit_test(arguments_are_numbers_or_not),
		cmocka_unit_test(utf8_is_checked),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
