// SPDX-License-Identifier: BSD-3-Clause
/*
 * Tests the reader of span JSON: exact times, a message for many kinds of damage, and the edges
 * of its buffer.
 */
#include "json_seen.h"
#include "sample.h"

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

static void keys_after_the_events(void **state)
{
	(void)state;
	assert_int_equal(read_text(HEAD ROW TAIL), KP_JSON_OK);
	assert_int_equal(seen.trailings, 0);
	assert_int_equal(read_text(HEAD ROW TRAILER "],\n\"extra\" : [\n],\n\"savedview\" : [\n"
				   "  [\"&#x21d0;\", {\"k\":1.50}],\n  [\"\\u2780\", null]\n]}\n"),
			 KP_JSON_OK);
	assert_int_equal(seen.trailings, 1);
	assert_int_equal(seen.rows, 1);
	assert_string_equal(seen.trailing,
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

	/* a cut inside a row is an error */
	len = (size_t)sprintf(text, HEAD "[ 1.0,");
	memset(text + len, ' ', blanks);
	len += blanks;
	assert_int_equal(read_bytes(text, len), KP_JSON_BAD);
	assert_non_null(strstr(reader.message, "longer than"));
	free(text);
}

/* Texts with one fault, and a part of the message that it must cause. */
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
	{ HEAD ROW TRAILER "],\"title\":1}", "header key \"title\" occurs twice" },
	{ HEAD ROW TRAILER "],\"a\":1,\"a\":1}", "header key \"a\" occurs twice" },
	{ HEAD ROW TRAILER "],\"events\":[]}", "header key \"events\" occurs twice" },
	{ HEAD ROW TRAILER "],}", "a header key in quotes" },
	{ HEAD ROW TRAILER "],\"a\":1,}", "a header key in quotes" },
	{ HEAD ROW TRAILER "],\"a\":1}x", "more data after" },
	{ HEAD ROW TAIL "x", "more data after" },
	{ HEAD ROW TAIL HEAD, "more data after" },
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

static void nul_bytes_do_not_end_the_input(void **state)
{
	static const char in_row[] = HEAD "[ 1.0,\0 0.0, 0, 0, 0, 0, 0, 0, 0, \"\"],\n" TAIL;
	static const char in_name[] = HEAD "[ 1.0, 0.0, 0, 0, 0, 0, 0, 0, 0, \"\0\"],\n" TAIL;
	static const char trailing[] = HEAD ROW TAIL "\0";

	(void)state;
	assert_int_equal(read_bytes(in_row, sizeof(in_row) - 1), KP_JSON_BAD);
	assert_non_null(strstr(reader.message, "byte 0x00"));
	assert_int_equal(read_bytes(in_name, sizeof(in_name) - 1), KP_JSON_BAD);
	assert_non_null(strstr(reader.message, "NUL byte in a string"));
	assert_int_equal(read_bytes(trailing, sizeof(trailing) - 1), KP_JSON_BAD);
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

/*
 * Checks that a file cut at any position is rejected, except if only its last newline is missing.
 */
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

/*
 * Checks that after any change of a byte, the text is accepted or rejected without an access out of
 * bounds.
 */
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
		for (k = i % sample_step(); k < sizeof(with) - 1; k += sample_step()) {
			/* the copy has the exact length, so that ASan detects a read beyond it */
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

	/* header values keep their escapes and become valid UTF-8 */
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

	/* if the time field is narrow, sorting puts the trailer before the rows from 999 s on */
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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(reads_one_row),
		cmocka_unit_test(keys_after_the_events),
		cmocka_unit_test(layout_does_not_matter),
		cmocka_unit_test(white_space_may_be_longer_than_the_buffer),
		cmocka_unit_test(names_every_damage),
		cmocka_unit_test(nul_bytes_do_not_end_the_input),
		cmocka_unit_test(nesting_is_bounded),
		cmocka_unit_test(every_cut_is_noticed),
		cmocka_unit_test(no_change_of_a_byte_breaks_it),
		cmocka_unit_test(invalid_text_is_replaced_and_counted),
		cmocka_unit_test(odd_times_are_counted),
		cmocka_unit_test(a_sink_can_stop_it),
		cmocka_unit_test(long_names_have_a_limit),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
