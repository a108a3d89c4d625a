// SPDX-License-Identifier: BSD-3-Clause
/*
 * Tests transform/merge, the core of spantospan, and the spool. The total time is conserved and
 * goes to the right kind, and the output is in order.
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "transform/merge.h"
#include "base/temp.h"

#define MAX_ROWS 20000

struct rows {
	struct kp_span span[MAX_ROWS];
	char name[MAX_ROWS][16];
	size_t count;
	int fail_at;
};

static struct rows in, out;

static int take(void *self, const struct kp_span *span)
{
	struct rows *rows = self;

	assert_true(rows->count < MAX_ROWS && span->name_len < 16);
	rows->span[rows->count] = *span;
	memcpy(rows->name[rows->count], span->name, span->name_len);
	rows->name[rows->count][span->name_len] = '\0';
	rows->count++;
	return (int)rows->count == rows->fail_at ? -1 : 0;
}

static void add_row(int64_t start, int64_t dur, int cpu, int64_t event, const char *name)
{
	const struct kp_span span = {
		.start = start, .dur = dur, .cpu = cpu, .event = event,
		.pid = event >= KP_EVENT_USER ? event - KP_EVENT_USER : 1,
		.name = name, .name_len = strlen(name),
	};

	take(&in, &span);
}

/* Merges the rows of `in` into `out` and returns the counts. */
static struct kp_merge_counts merge(int64_t resolution)
{
	const struct kp_span_sink sink = { .span = take, .self = &out };
	struct kp_merge *m = kp_merge_new(resolution, &sink);
	struct kp_merge_counts counts;
	size_t i;

	assert_non_null(m);
	out.count = 0;
	for (i = 0; i < in.count; i++) {
		/* a copy of the name, freed after the call */
		char *name = strdup(in.name[i]);
		struct kp_span span = in.span[i];

		assert_non_null(name);
		span.name = name;
		assert_int_equal(kp_merge_span(m, &span), KP_MERGE_OK);
		free(name);
	}
	assert_int_equal(kp_merge_end(m), KP_MERGE_OK);
	counts = *kp_merge_counts(m);
	kp_merge_free(m);
	return counts;
}

static void is_row(size_t i, int64_t start, int64_t dur, int64_t event, const char *name)
{
	assert_true(i < out.count);
	assert_true(out.span[i].start == start);
	assert_true(out.span[i].dur == dur);
	assert_true(out.span[i].event == event);
	assert_string_equal(out.name[i], name);
}

static void the_largest_kind_gets_it(void **state)
{
	struct kp_merge_counts counts;

	(void)state;
	in.count = 0;
	add_row(0, 300, 0, 1038, "page_fault");
	add_row(300, 400, 0, 65601, "exe");
	add_row(700, 250, 0, 1038, "page_fault.2");
	/* the total is 1000, of which page_fault has most, 300 + 250 */
	add_row(950, 50, 0, 2087, "getpid");
	add_row(1000, 5000, 0, 65601, "exe");	/* the row is long enough, and no span is pending */
	add_row(6000, 10, 0, 2087, "getpid");
	add_row(6010, 990, 0, 65536, "-idle-");	/* the total is 1000 again */
	add_row(7000, 1, 0, 2087, "getpid");	/* this row remains at the end */
	counts = merge(1000);
	assert_int_equal(out.count, 4);
	is_row(0, 0, 1000, 1038, "page_fault");
	is_row(1, 1000, 5000, 65601, "exe");
	is_row(2, 6000, 1000, 65536, "-idle-");
	is_row(3, 7000, 1, 2087, "getpid");
	assert_int_equal(counts.execution_in, 8);
	assert_int_equal(counts.execution_out, 4);
	assert_int_equal(counts.dropped + counts.passed + counts.overlaps, 0);
}

static void gaps_and_overlaps_stay(void **state)
{
	struct kp_merge_counts counts;

	(void)state;
	in.count = 0;
	add_row(0, 100, 0, 65601, "a");
	add_row(100, 100, 0, 65602, "b");
	add_row(250, 100, 0, 65602, "b");	/* this row comes after a gap */
	add_row(300, 100, 0, 65603, "c");	/* this row overlaps b */
	counts = merge(1000);
	assert_int_equal(out.count, 3);
	is_row(0, 0, 200, 65601, "a");
	is_row(1, 250, 100, 65602, "b");
	is_row(2, 300, 100, 65603, "c");
	assert_int_equal(counts.overlaps, 1);
}

static void only_short_rows_of_little_use_are_dropped(void **state)
{
	static const struct {
		int64_t event;
		bool droppable;
	} kinds[] = {
		{ KP_EVENT_WAKEUP, true }, { KP_EVENT_IPI, true }, { 0x206, true }, { 0x207, true },
		{ 0x300 + 'c', true }, { 0x300 + 'l', true }, { 0x282, true }, { 0x281, true },
		{ 0x209, true }, { 0x210, true }, { 0x212, true }, { 0x208, true },
		{ 0x20A, false }, { 0x20B, false }, { 0x20C, false }, { 0x20D, false },
		{ 0x20E, false }, { 0x20F, false }, { 0x201, false }, { 0x203, false },
		{ 0x204, false }, { 0x214, false }, { 0x21A, false }, { 0x219, false },
	};
	struct kp_merge_counts counts;
	size_t i, k, expected = 0;

	(void)state;
	in.count = 0;
	for (i = 0; i < sizeof(kinds) / sizeof(*kinds); i++) {
		int cpu = kinds[i].event > 0x300 && kinds[i].event < 0x400 ? -1 : 1;

		add_row((int64_t)i, 99, cpu, kinds[i].event, "short");
		add_row((int64_t)i, 100, cpu, kinds[i].event, "long");
	}
	counts = merge(100);
	for (i = k = 0; i < sizeof(kinds) / sizeof(*kinds); i++) {
		if (!kinds[i].droppable)
			is_row(k++, (int64_t)i, 99, kinds[i].event, "short");
		else
			expected++;
		is_row(k++, (int64_t)i, 100, kinds[i].event, "long");
	}
	assert_int_equal(out.count, k);
	assert_int_equal(counts.dropped, expected);
	assert_int_equal(counts.passed, k);
}

static void disorder_is_refused(void **state)
{
	const struct kp_span_sink sink = { .span = take, .self = &out };
	struct kp_merge *m = kp_merge_new(100, &sink);
	struct kp_span span = { .start = 10, .dur = 1, .event = 65536, .name = "" };

	(void)state;
	assert_int_equal(kp_merge_span(m, &span), KP_MERGE_OK);
	span.start = 9;
	span.cpu = 1;
	assert_int_equal(kp_merge_span(m, &span), KP_MERGE_ORDER);
	kp_merge_free(m);
}

static void the_error_of_a_sink_is_returned(void **state)
{
	const struct kp_span_sink sink = { .span = take, .self = &out };
	struct kp_merge *m = kp_merge_new(100, &sink);
	struct kp_span span = { .start = 0, .dur = 100, .event = 65536, .name = "" };

	(void)state;
	out.count = 0;
	out.fail_at = 1;
	assert_int_equal(kp_merge_span(m, &span), KP_MERGE_SINK);
	out.fail_at = 0;
	kp_merge_free(m);
}

static uint32_t random_state;

static uint32_t random_below(uint32_t limit)
{
	random_state = random_state * 1664525 + 1013904223;
	return (random_state >> 8) % limit;
}

static int by_start(const void *a, const void *b)
{
	const struct kp_span *x = a, *y = b;

	return x->start < y->start ? -1 : x->start > y->start;
}

#define CPUS 7

/* Makes a trace of CPUs that are busy with few gaps, with arcs and marks in between. */
static size_t make_trace(void)
{
	int64_t end[CPUS] = { 0 };
	size_t marks = 0, i;
	int cpu;

	in.count = 0;
	while (in.count < 9000) {
		int64_t dur = random_below(10) ? random_below(50) : random_below(20000);

		cpu = (int)random_below(CPUS);
		if (random_below(500) == 0)
			end[cpu] += 1 + random_below(10000);
		add_row(end[cpu], dur, cpu, 65536 + random_below(5), "user");
		if (random_below(10) == 0)
			add_row(end[cpu], random_below(30000), cpu, KP_EVENT_WAKEUP, "arc");
		if (random_below(20) == 0) {
			add_row(end[cpu] + dur, 1, cpu, 0x20A, "mark");
			marks++;
		}
		end[cpu] += dur;
	}
	qsort(in.span, in.count, sizeof(*in.span), by_start);
	for (i = 0; i < in.count; i++) {
		/* qsort() moved the spans, but not their names */
		const char *name = in.span[i].event == 0x20A ? "mark" :
				   in.span[i].event < 0 ? "arc" : "user";

		strcpy(in.name[i], name);
		in.span[i].name_len = strlen(name);
	}
	return marks;
}

/*
 * Lists the busy intervals (start, end) of each CPU, to compare input and output. Rows with the
 * same start may come in any order, so the sum and the edges are compared.
 */
static size_t stretches(const struct rows *rows, int cpu, int64_t (*list)[2])
{
	size_t count = 0, i;

	for (i = 0; i < rows->count; i++) {
		const struct kp_span *s = &rows->span[i];

		if (!kp_span_is_execution(s) || s->cpu != cpu)
			continue;
		if (count && list[count - 1][1] == s->start) {
			list[count - 1][1] = s->start + s->dur;
			continue;
		}
		assert_true(!count || list[count - 1][1] < s->start);
		list[count][0] = s->start;
		list[count][1] = s->start + s->dur;
		count++;
	}
	return count;
}

static void time_is_conserved(void **state)
{
	static const int64_t resolutions[] = { 1, 10, 100, 5000, 1000000, 1000000000 };
	static int64_t before[MAX_ROWS][2], after[MAX_ROWS][2];
	size_t r, i, marks, marks_out;
	int seed, cpu;

	(void)state;
	for (seed = 0; seed < 5; seed++) {
		random_state = (uint32_t)seed;
		marks = make_trace();
		for (r = 0; r < sizeof(resolutions) / sizeof(*resolutions); r++) {
			struct kp_merge_counts counts = merge(resolutions[r]);
			size_t total = 0, short_spans = 0;

			marks_out = 0;
			for (i = 0; i < out.count; i++) {
				assert_true(!i || out.span[i].start >= out.span[i - 1].start);
				marks_out += out.span[i].event == 0x20A;
				short_spans += kp_span_is_execution(&out.span[i]) &&
					       out.span[i].dur < resolutions[r];
			}
			assert_int_equal(marks_out, marks);
			for (cpu = 0; cpu < CPUS; cpu++) {
				size_t count = stretches(&in, cpu, before);

				assert_int_equal(stretches(&out, cpu, after), count);
				assert_memory_equal(before, after, count * sizeof(*before));
				total += count;
			}
			/* at most one short span remains at the end of an interval */
			assert_true(short_spans <= total);
			assert_int_equal(counts.execution_in + counts.passed + counts.dropped, in.count);
			assert_int_equal(counts.execution_out + counts.passed, out.count);
		}
	}
}

/* Checks that many kinds make the table grow, and that a few kinds can follow. */
static void any_number_of_kinds(void **state)
{
	int i;

	(void)state;
	in.count = 0;
	for (i = 0; i < 5000; i++)
		add_row(i, 1, 0, 65536 + i * 64, "x");
	add_row(5000, 2, 0, 65536 + 64 * 4321, "most");
	add_row(5002, 4998, 3000, 65536, "other");
	add_row(5002, 9998, 0, 65536, "rest");
	merge(5002);
	assert_int_equal(out.count, 3);
	is_row(0, 0, 5002, 65536 + 64 * 4321, "most");
	assert_int_equal(out.span[1].start, 5002);
	assert_int_equal(out.span[2].start, 5002);
}

static void a_spool_returns_the_stored_bytes(void **state)
{
	static const size_t sizes[] = { 0, 10, KP_SPOOL_MEMORY_BYTES, 3 * KP_SPOOL_MEMORY_BYTES + 7 };
	struct kp_spool spool;
	size_t i, k, len;
	char *text;
	FILE *file;

	(void)state;
	for (i = 0; i < sizeof(sizes) / sizeof(*sizes); i++) {
		assert_int_equal(kp_spool_open(&spool), 0);
		for (k = 0; k < sizes[i]; k++)
			putc_unlocked((int)(k * 7 % 251), spool.in);
		file = open_memstream(&text, &len);
		assert_int_equal(kp_spool_copy(&spool, file), 0);
		fclose(file);
		assert_int_equal(len, sizes[i]);
		for (k = 0; k < len; k++)
			if ((unsigned char)text[k] != k * 7 % 251)
				fail_msg("byte %zu of %zu", k, len);
		free(text);
		kp_spool_close(&spool);
	}

	/* the spool file cannot be created */
	setenv("TMPDIR", "/nonexistent", 1);
	assert_int_equal(kp_spool_open(&spool), 0);
	for (k = 0; k < KP_SPOOL_MEMORY_BYTES + 100000; k++)
		putc_unlocked('x', spool.in);
	file = fopen("/dev/null", "w");
	assert_int_equal(kp_spool_copy(&spool, file), -1);
	assert_int_not_equal(spool.error, 0);
	fclose(file);
	kp_spool_close(&spool);
	unsetenv("TMPDIR");
}

/* Checks that the message suggests another folder only for errors that a folder can cause. */
static void the_remedy_depends_on_the_error(void **state)
{
	(void)state;
	assert_string_equal(kp_temp_remedy(EMFILE), "");
	assert_string_equal(kp_temp_remedy(ENOMEM), "");
	assert_non_null(strstr(kp_temp_remedy(ENOSPC), "TMPDIR"));
	assert_non_null(strstr(kp_temp_remedy(EACCES), "TMPDIR"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_largest_kind_gets_it),
		cmocka_unit_test(gaps_and_overlaps_stay),
		cmocka_unit_test(only_short_rows_of_little_use_are_dropped),
		cmocka_unit_test(disorder_is_refused),
		cmocka_unit_test(the_error_of_a_sink_is_returned),
		cmocka_unit_test(time_is_conserved),
		cmocka_unit_test(any_number_of_kinds),
		cmocka_unit_test(a_spool_returns_the_stored_bytes),
		cmocka_unit_test(the_remedy_depends_on_the_error),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
