// SPDX-License-Identifier: BSD-3-Clause
/*
 * Tests kp_rows, which sorts spans into the order that sort(1) gives to their lines. It sorts in
 * memory and with a temporary file, for any distance of starts and any number of names. Reading
 * the result can be repeated.
 */
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "spanjson/json.h"
#include "transform/rows.h"

struct lines {
	char **line;
	size_t count, room;
	struct kp_json_writer writer;
};

static uint64_t seed;

static uint64_t any(void)
{
	seed ^= seed << 13;
	seed ^= seed >> 7;
	seed ^= seed << 17;
	return seed;
}

static int add_line(void *self, const struct kp_span *span)
{
	struct lines *lines = self;
	const char *text;
	size_t len;

	if (lines->count == lines->room) {
		lines->room = lines->room ? 2 * lines->room : 1024;
		lines->line = realloc(lines->line, lines->room * sizeof(*lines->line));
		assert_non_null(lines->line);
	}
	text = kp_json_format_span(&lines->writer, span, &len);
	assert_non_null(text);
	lines->line[lines->count] = strndup(text, len);
	assert_non_null(lines->line[lines->count++]);
	return 0;
}

static void free_lines(struct lines *lines)
{
	size_t i;

	for (i = 0; i < lines->count; i++)
		free(lines->line[i]);
	free(lines->line);
	kp_json_writer_free(&lines->writer);
	memset(lines, 0, sizeof(*lines));
}

static int compare(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Properties of the rows. */
struct kind {
	size_t rows;
	size_t names;		/* number of different names */
	int64_t step;		/* largest distance to the next row, in units of 10 ns */
	int64_t back;		/* maximum distance by which some rows start earlier */
	bool large;		/* true: numbers have many bytes */
	int64_t jump;		/* length of one jump in the middle */
};

static void make_span(const struct kind *kind, size_t i, int64_t now, struct kp_span *span,
		      char name[32])
{
	uint64_t number = any() % kind->names;

	span->start = now;
	if (any() % 4 == 0)
		span->start -= (int64_t)(any() % (uint64_t)(kind->back + 1));
	if (span->start < 0)
		span->start = 0;
	span->dur = (int64_t)(any() % 3 ? any() % 5 : any() % 5000000000ull);
	span->cpu = (int32_t)(any() % 12) - 1;
	span->pid = (int64_t)(any() % 3);
	span->event = any() % 2 ? 2048 : -3;
	span->rpc = kind->large ? (int64_t)(any() >> 3) : 0;
	span->arg0 = kind->large ? -(int64_t)(any() >> 3) : (int64_t)(i % 2);
	span->retval = kind->large ? (int64_t)(any() >> 3) : 0;
	span->ipc = (int32_t)(i % 16);
	span->name = name;
	span->name_len = (size_t)snprintf(name, 32, "name%" PRIu64, number);
}

static void check(const struct kind *kind)
{
	static const struct kp_header_item item = { (char *)"k", (char *)"1" };
	static struct lines want, have;
	struct kp_span_sink to = { .span = add_line, .self = &have };
	struct kp_rows *rows = kp_rows_new();
	struct kp_span_sink sink;
	int64_t now = 0;
	char name[32];
	int width, pass;
	size_t i;

	assert_non_null(rows);
	sink = kp_rows_sink(rows);
	/* the width for the last start: at most all steps plus the jump */
	width = kp_json_width(kind->step * (int64_t)kind->rows + kind->jump);
	kp_json_writer_init(&want.writer, NULL);
	kp_json_writer_set_width(&want.writer, width);
	assert_int_equal(sink.header(sink.self, &item, 1), 0);
	for (i = 0; i < kind->rows; i++) {
		struct kp_span span;

		now += (int64_t)(any() % (uint64_t)(kind->step + 1));
		if (i == kind->rows / 2)
			now += kind->jump;
		make_span(kind, i, now, &span, name);
		add_line(&want, &span);
		assert_int_equal(sink.span(sink.self, &span), 0);
	}
	assert_int_equal(sink.end(sink.self), 0);
	if (want.count)
		qsort(want.line, want.count, sizeof(*want.line), compare);
	for (pass = 0; pass < 2; pass++) {
		kp_json_writer_init(&have.writer, NULL);
		kp_json_writer_set_width(&have.writer, width);
		assert_int_equal(kp_rows_replay(rows, &to), 0);
		assert_int_equal(have.count, want.count);
		for (i = 0; i < want.count; i++)
			assert_string_equal(have.line[i], want.line[i]);
		free_lines(&have);
	}
	assert_string_equal(kp_rows_message(rows), "");
	kp_rows_free(rows);
	free_lines(&want);
}

static void test_few(void **state)
{
	const struct kind none = { .names = 1, .rows = 0 };
	const struct kind one = { .names = 1, .rows = 1, .step = 10 };
	const struct kind ties = { .names = 5, .rows = 3000, .step = 0, .back = 2 };

	(void)state;
	check(&none);
	check(&one);
	check(&ties);
}

static void test_runs_in_memory(void **state)
{
	const struct kind kind = {
		.names = 50, .rows = KP_ROWS_MEMORY_BYTES / 60, .step = 30, .back = 3000000,
	};

	(void)state;
	check(&kind);
}

/*
 * Tests more rows than the memory for packed rows holds, with more than 30 bytes each, and more
 * names than a chunk of labels holds.
 */
static void test_runs_in_the_file(void **state)
{
	const struct kind kind = {
		.names = 10000, .rows = KP_ROWS_MEMORY_BYTES / 30, .step = 30, .back = 3000000,
		.large = true,
	};

	(void)state;
	check(&kind);
}

/* Tests rows that are further apart than the span of a run. */
static void test_far_apart(void **state)
{
	const struct kind far = {
		.names = 5, .rows = 70000, .step = 100, .back = 1ll << 50, .jump = 1ll << 50,
	};
	const struct kind edge = {
		.names = 5, .rows = 1000, .step = 1ll << 46, .back = 1ll << 48,
	};

	(void)state;
	check(&far);
	check(&edge);
}

static int refuse(void *self, const struct kp_span *span)
{
	size_t *left = self;

	(void)span;
	return (*left)-- ? 0 : -5;
}

static void test_sink_that_fails(void **state)
{
	struct kp_rows *rows = kp_rows_new();
	struct kp_span_sink sink, to;
	struct kp_span span = { .name = "n", .name_len = 1, .event = 2048 };
	size_t left = 70000, i;

	(void)state;
	assert_non_null(rows);
	sink = kp_rows_sink(rows);
	for (i = 0; i < 100000; i++, span.start++)
		assert_int_equal(sink.span(sink.self, &span), 0);
	assert_int_equal(sink.end(sink.self), 0);
	to = (struct kp_span_sink){ .span = refuse, .self = &left };
	assert_int_equal(kp_rows_replay(rows, &to), -5);
	left = 200000;
	assert_int_equal(kp_rows_replay(rows, &to), 0);
	assert_int_equal(left, 100000);
	kp_rows_free(rows);

	/* the rows are released before the end */
	rows = kp_rows_new();
	assert_non_null(rows);
	sink = kp_rows_sink(rows);
	for (i = 0; i < 100000; i++)
		assert_int_equal(sink.span(sink.self, &span), 0);
	kp_rows_free(rows);
}

static int begin(void **state)
{
	(void)state;
	seed = 88172645463325252ull;
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(test_few, begin),
		cmocka_unit_test_setup(test_runs_in_memory, begin),
		cmocka_unit_test_setup(test_runs_in_the_file, begin),
		cmocka_unit_test_setup(test_far_apart, begin),
		cmocka_unit_test_setup(test_sink_that_fails, begin),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
