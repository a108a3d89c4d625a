// SPDX-License-Identifier: BSD-3-Clause
/*
 * Tests the writer of span JSON: exact numbers and names, lines in byte order, long traces.
 */
#include "json_seen.h"

#include "base/text.h"
#include "spanjson/json.h"

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

static void writes_the_same_bytes_as_the_original(void **state)
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

/* Checks that the lines are already in the order of their bytes. */
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
	static const int64_t starts[] = {	/* starts in units of 10 ns */
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

/* Checks that without an announced width for rows of 999 s, the trailer still sorts last. */
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

/*
 * Checks an input that is larger than the reader's buffer and has rows of all lengths, so that all
 * buffer edges occur.
 */
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
		name[len / 2] = '"';	/* this character needs an escape */
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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(writes_the_same_bytes_as_the_original),
		cmocka_unit_test(numbers_come_out_exactly),
		cmocka_unit_test(every_name_survives),
		cmocka_unit_test(byte_order_is_time_order),
		cmocka_unit_test(trailer_stays_last),
		cmocka_unit_test(large_input_comes_out_again),
		cmocka_unit_test(write_errors_come_back),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
