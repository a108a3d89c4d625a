// SPDX-License-Identifier: BSD-3-Clause
/*
 * Tests the reconstruction on random events in any order: spans cover each CPU's time once. Also
 * tests long input and the coverage check itself.
 */
#include "rec_run.h"
#include "sample.h"

static uint32_t next_random(uint32_t *seed)
{
	*seed = *seed * 1664525 + 1013904223;
	return *seed >> 8;
}

/* Returns lines of random events. Some have the same time on several CPUs. */
static char *random_text(uint32_t seed, size_t count)
{
	static const uint32_t events[] = {
		0x200, 0x200, 0x206, 0x207, 0x208, 0x209, 0x20A, 0x210, 0x211, 0x212,
		0x201, 0x203, 0x21A, 0x21B, 0x204, 0x280, 0x40E, 0x60E, 0x5EC, 0x7EC,
		0x5FF, 0x7FF, 0x5FD, 0x7FD, 0x800, 0xA00, 0x801, 0xA01, 0x83C, 0xDFF,
		0xFFF, 0xA38,
	};
	size_t room = count * 100 + 1000, used = 0, i;
	char *text = malloc(room);
	uint32_t now[4] = { 100, 100, 100, 100 }, pid[4] = { 0, 1, 2, 3 };

	assert_non_null(text);
	if (seed & 1)
		used += (size_t)snprintf(text, room, "-1 1 287 0 backend=tracepoint\n");
	for (i = 0; i < count; i++) {
		uint32_t cpu = next_random(&seed) & 3;
		uint32_t event = events[next_random(&seed) % 32];
		uint32_t arg = next_random(&seed) & 7, dur = 0;
		/* small steps: times of different CPUs meet */
		uint32_t ts = now[cpu] += 1 + (next_random(&seed) & 15);

		if (event == 0x200)
			pid[cpu] = arg;
		if (event < 0x400 && event != 0x200)
			dur = 1;
		else if (event == 0x200)
			dur = !(next_random(&seed) & 31);
		else if (!(event & 0x200) && !(next_random(&seed) & 3))
			dur = next_random(&seed) & 15;
		used += (size_t)snprintf(text + used, room - used,
					 "%u %u %u %u %u %u %u %u %u n%u (%03x)\n", ts, dur,
					 event, cpu, pid[cpu], arg & 1, arg, arg & 3,
					 arg * 17, event & 0xDFF, event);
	}
	return text;
}

/* Returns the same lines in another order. */
static char *shuffled(const char *text, uint32_t seed)
{
	char *copy = strdup(text), *out = malloc(strlen(text) + 1), *p, **line;
	size_t count = 0, i, used = 0;

	assert_non_null(copy);
	assert_non_null(out);
	line = malloc(strlen(text) * sizeof(*line));
	assert_non_null(line);
	for (p = strtok(copy, "\n"); p; p = strtok(NULL, "\n"))
		line[count++] = p;
	for (i = count; i > 1; i--) {
		size_t j = next_random(&seed) % i;

		p = line[i - 1];
		line[i - 1] = line[j];
		line[j] = p;
	}
	for (i = 0; i < count; i++)
		used += (size_t)sprintf(out + used, "%s\n", line[i]);
	free(line);
	free(copy);
	return out;
}

static void test_random(void **state)
{
	uint32_t seed;

	(void)state;
	for (seed = 1; seed <= sample_of(200); seed++) {
		char *text = random_text(seed, 400), *other = shuffled(text, seed);
		struct rows first;
		size_t i;
		int cpu;

		run(text, strlen(text), false);
		for (cpu = 0; cpu < 4; cpu++) {
			const struct kp_cpu_coverage *c = &rows.coverage.cpu[cpu];

			if (c->overlaps || c->count > 1)
				fail_msg("seed %u CPU %d: %" PRIu64 " overlaps at %" PRId64 ", %zu pieces",
					 seed, cpu, c->overlaps, c->overlap_at, c->count);
		}
		assert_true(stats.spans > 300);
		first = rows;
		memset(&rows, 0, sizeof(rows));
		run(other, strlen(other), false);
		assert_int_equal(rows.count, first.count);
		for (i = 0; i < rows.count; i++)
			if (strcmp(rows.line[i], first.line[i]))
				fail_msg("seed %u: shuffled\n%sin order\n%s", seed,
					 rows.line[i], first.line[i]);
		assert_string_equal(rows.header, first.header);
		free_rows(&rows);
		free_rows(&first);
		free(text);
		free(other);
	}
}

/* ---- merged calls ---- */

/* Writes a call that takes @dur: as one merged event, or as two events. Returns the length. */
static size_t call_lines(char *text, size_t room, bool merged, uint32_t ts, uint32_t dur,
			 uint32_t cpu, uint32_t pid)
{
	if (merged)
		return (size_t)snprintf(text, room, "%u %u 2087 %u %u 0 1 7 0 getpid (827)\n",
					ts, dur, cpu, pid);
	return (size_t)snprintf(text, room, "%u 0 2087 %u %u 0 1 0 0 getpid (827)\n"
				"%u 0 2599 %u %u 0 0 7 0 /getpid (a27)\n",
				ts, cpu, pid, ts + dur, cpu, pid);
}

/* Returns lines of a machine with 3 CPUs and 4 tasks, whose events are all recorded. */
static char *lossless_text(uint32_t seed, size_t count, bool merged)
{
	static const uint32_t points[] = { 0x206, 0x206, 0x21E, 0x203, 0x207, 0x20D };
	size_t room = count * 100 + 1000, used = 0, i;
	uint32_t now[3] = { 100, 101, 102 }, pid[3] = { 1, 2, 3 };
	char *text = malloc(room);

	assert_non_null(text);
	for (i = 0; i < 3; i++)
		used += (size_t)snprintf(text + used, room - used, "%u 0 512 %zu %u 0 %u 0 0 p.%u (200)\n",
					 now[i], i, pid[i], pid[i], pid[i]);
	for (i = 0; i < count; i++) {
		uint32_t cpu = next_random(&seed) % 3, kind = next_random(&seed) % 8;
		uint32_t dur = 1 + next_random(&seed) % 40, arg = next_random(&seed) % 5;
		uint32_t event = points[next_random(&seed) % 6], ts = now[cpu] += dur;

		if (kind < 3 && pid[cpu]) {
			used += call_lines(text + used, room - used, merged, ts, dur, cpu, pid[cpu]);
			now[cpu] += dur;
		} else if (kind < 5 && (!arg || (arg != pid[0] && arg != pid[1] && arg != pid[2]))) {
			pid[cpu] = arg;
			used += (size_t)snprintf(text + used, room - used,
						 "%u 0 512 %u %u 0 %u 0 0 p.%u (200)\n",
						 ts, cpu, arg, arg, arg);
		} else {
			used += (size_t)snprintf(text + used, room - used,
						 "%u 1 %u %u %u 0 %u 0 0 point (%x)\n",
						 ts, event, cpu, pid[cpu], arg, event);
		}
	}
	return text;
}

/* Checks that a merged return has the same effect as a return with its own event. */
static void test_merged_return(void **state)
{
	uint32_t seed;

	(void)state;
	for (seed = 1; seed <= sample_of(300); seed++) {
		char *text = lossless_text(seed, 200, true), *other = lossless_text(seed, 200, false);
		struct rows first;
		size_t i;

		run(text, strlen(text), false);
		first = rows;
		memset(&rows, 0, sizeof(rows));
		run(other, strlen(other), false);
		for (i = 0; i < rows.count && i < first.count; i++)
			if (strcmp(rows.line[i], first.line[i]))
				fail_msg("seed %u: merged\n%stwo events\n%s", seed,
					 first.line[i], rows.line[i]);
		assert_int_equal(rows.count, first.count);
		free_rows(&rows);
		free_rows(&first);
		free(text);
		free(other);
	}
}

/*
 * Tests more lines than the ordering reads before it passes events on. Later lines must be in
 * order, otherwise it reports an error.
 */
static void test_long_input(void **state)
{
	size_t count = KP_ORDER_HELD + 1000, room = count * 60, used = 0, i;
	char *text = malloc(room);
	struct kp_event_reader reader;
	struct kp_span_sink spans = {
		.header = take_header, .span = take_span, .end = take_end, .self = &rows,
	};
	struct kp_reconstruct *rec;
	struct kp_event_sink sink;
	struct kp_order *order;
	FILE *in;

	(void)state;
	assert_non_null(text);
	for (i = 0; i < count; i++)
		used += (size_t)snprintf(text + used, room - used,
					 "%zu 3 2087 %zu 1 0 0 1 0 getpid (827)\n",
					 100 + i * 5, i & 1);
	run(text, used, true);
	assert_int_equal(rows.coverage.cpu[0].count, 1);
	assert_int_equal(rows.coverage.cpu[1].count, 1);
	assert_int_equal(stats.syscalls, count);
	free_rows(&rows);

	used += (size_t)snprintf(text + used, room - used, "7 3 2087 0 1 0 0 1 0 getpid (827)\n");
	in = fmemopen(text, used, "r");
	rec = kp_reconstruct_new("", &spans);
	sink = kp_reconstruct_sink(rec);
	order = kp_order_new(&sink);
	sink = kp_order_sink(order);
	rows.execution_only = true;
	assert_int_equal(kp_event_text_read(&reader, in, "test", &sink), -1);
	assert_non_null(strstr(kp_order_message(order), "time goes back"));
	assert_int_equal(reader.line, count + 1);
	assert_false(rows.ended);
	fclose(in);
	kp_order_free(order);
	kp_reconstruct_free(rec);
	free_rows(&rows);
	free(text);
}

/* ---- the coverage check itself ---- */

static void test_coverage_check(void **state)
{
	static const struct {
		int64_t start, dur;
	} list[] = { { 10, 10 }, { 20, 5 }, { 40, 10 }, { 25, 5 }, { 45, 10 }, { 100, 1 } };
	static struct kp_coverage coverage;
	struct kp_span_sink sink = kp_coverage_sink(&coverage);
	struct kp_gaps gaps;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(list) / sizeof(list[0]); i++) {
		struct kp_span span = {
			.start = list[i].start, .dur = list[i].dur, .event = 65536,
			.name = "", .cpu = 3,
		};

		assert_int_equal(sink.span(sink.self, &span), 0);
	}
	assert_int_equal(coverage.cpu[3].overlaps, 1);
	assert_int_equal(coverage.cpu[3].overlap, 5);
	assert_int_equal(coverage.cpu[3].overlap_at, 45);
	gaps = kp_coverage_gaps(&coverage, 3, 5, 101);
	assert_int_equal(gaps.count, 3);	/* 5..10, 30..40, 55..100 */
	assert_int_equal(gaps.units, 5 + 10 + 45);
	assert_int_equal(gaps.at, 5);
	assert_int_equal(gaps.outside, 0);
	gaps = kp_coverage_gaps(&coverage, 3, 15, 50);
	assert_int_equal(gaps.count, 1);
	assert_int_equal(gaps.outside, 5 + 5 + 1);
	kp_coverage_free(&coverage);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_random),
		cmocka_unit_test(test_merged_return),
		cmocka_unit_test(test_long_input),
		cmocka_unit_test(test_coverage_check),
	};

	return cmocka_run_group_tests_name("reconstruct_random", tests, NULL, NULL);
}
