// SPDX-License-Identifier: BSD-3-Clause
/*
 * Tests the raw trace reader on broken traces and noise: the reader refuses the trace, or omits and
 * counts the damaged parts.
 */
#include "raw_seen.h"

static void refuse(struct trace *t, size_t bytes, const char *message)
{
	struct kp_raw raw;
	FILE *file = as_file(t);

	if (bytes != SIZE_MAX)
		assert_int_equal(ftruncate(fileno(file), (off_t)bytes), 0);
	assert_int_equal(kp_raw_open(&raw, file, "test"), -1);
	if (!strstr(raw.message, message))
		fail_msg("\"%s\" does not say \"%s\"", raw.message, message);
	assert_null(strchr(raw.message, '\n'));
	kp_raw_close(&raw);
	done(t);
}

static void test_refused(void **state)
{
	struct trace t;

	(void)state;
	begin(&t, 3);
	refuse(&t, 0, "test: empty");
	begin(&t, 3);
	refuse(&t, 65535, "test: block 0: 65535 of 65536 bytes");
	begin(&t, 3);
	block(&t, 0, 10, 1, "");
	refuse(&t, 65536 + 8, "test: block 1: 8 of 65536 bytes");
	begin(&t, 0x83);
	refuse(&t, 65536, "test: block 0, CPU 0: 65536 of 73728 bytes");
	begin(&t, 4);
	refuse(&t, SIZE_MAX, "test: block 0, word 1: version 4");
	begin(&t, 3);
	last_block(&t)[4] = last_block(&t)[5] = 0;
	refuse(&t, SIZE_MAX, "test: block 0, words 4 and 5: no stop time");
	begin(&t, 3);
	last_block(&t)[4] = T0;
	refuse(&t, SIZE_MAX, "test: block 0, words 2 to 5");
	begin(&t, 3);
	last_block(&t)[5] = US0 - 1;
	refuse(&t, SIZE_MAX, "test: block 0, words 2 to 5");
	begin(&t, 3);
	last_block(&t)[4] = T0 + 3;	/* the clock pairs have only 3 counts in 50 s */
	refuse(&t, SIZE_MAX, "test: block 0, words 2 to 5");
	begin(&t, 3);
	block(&t, 3, 1ull << 50, 1, "");
	refuse(&t, SIZE_MAX, "test: block 1, word 0, CPU 3: taken at count");
}

static void test_faults(void **state)
{
	struct trace t;
	struct kp_raw raw;

	(void)state;
	begin(&t, 3);
	entry(&t, 10, 0x00F, 1);		/* an unknown event number */
	entry(&t, 20, 0x192, 1);		/* a name of nine words */
	entry(&t, 30, 0x20D, 1);
	entry(&t, 40, 0x21D, 1999999999);	/* this entry is 10 s after the end */
	entry(&t, 40 + 1999999999ull, 0x21D, 1999999999);
	entry(&t, 40 + 3999999998ull, 0x21D, 1999999999);
	entry(&t, 40 + 5999999997ull, 0x21D, 1999999999);
	entry(&t, 40 + 7999999996ull, 0x20D, 2);
	t.used = WORDS - 1;
	entry(&t, 50, 0x082, 3);		/* a name beyond the end of the block */
	look(&t, &raw);
	assert_int_equal(raw.faults.bad_words, 2);
	assert_int_equal(raw.faults.bad_times, 1);
	assert_int_equal(raw.faults.cut_entries, 1);
	assert_non_null(strstr(raw.faults.first, "block 0, word 12, CPU 0: not an entry"));
	assert_string_equal(seen.text, INIT "+30 1 20d c0 p1 r0 1=0 i0 mark_d\n");
	kp_raw_close(&raw);
	done(&t);
}

static uint32_t next_random(uint32_t *seed)
{
	*seed = *seed * 1664525 + 1013904223;
	return *seed >> 8;
}

/* Checks that times never go back, and that no CPU has two events at the same time. */
struct order_check {
	int64_t time, cpu_time[256];
	uint64_t events;
};

static int check_event(void *self, const struct kp_event *e)
{
	struct order_check *check = self;

	assert_true(e->ts >= check->time);
	check->time = e->ts;
	check->events++;
	assert_in_range(e->cpu, 0, 255);
	assert_non_null(e->name);
	if (e->event < 0x400)
		return 0;
	assert_true(e->ts > check->cpu_time[e->cpu]);
	check->cpu_time[e->cpu] = e->ts;
	return 0;
}

static int check_namedef(void *self, const struct kp_namedef *d)
{
	(void)self;
	assert_true(d->name_len <= KUTRACE_NAME_MAX_BYTES);
	return 0;
}

static int check_comment(void *self, const char *text, size_t len)
{
	(void)self;
	assert_null(memchr(text, '\n', len));
	return 0;
}

/* Tests noise after a valid header: no crash, events in order, and omitted words are counted. */
static void test_noise(void **state)
{
	uint64_t events = 0, faults = 0;
	uint32_t seed;

	(void)state;
	for (seed = 1; seed < 40; seed++) {
		struct order_check check = { .time = INT64_MIN };
		struct kp_event_sink sink = { check_event, check_namedef, check_comment,
					      &check };
		uint32_t random = seed;
		struct kp_raw raw;
		struct trace t;
		int blocks;

		begin(&t, 3);
		for (blocks = 0; blocks < 4; blocks++) {
			if (blocks)
				block(&t, next_random(&random) & 3,
				      next_random(&random) & 0xFFFFF,
				      next_random(&random), "noise");
			while (t.used < WORDS) {
				uint64_t value = (uint64_t)next_random(&random) << 40 ^
						 (uint64_t)next_random(&random) << 20 ^
						 next_random(&random);

				/* some seeds give only calls and returns */
				word(&t, seed % 3 ? value : value | 0x400ull << 32);
			}
		}
		assert_int_equal(kp_raw_open(&raw, as_file(&t), "test"), 0);
		assert_int_equal(kp_raw_events(&raw, &sink, false, NULL), 0);
		events += check.events;
		faults += raw.faults.bad_words + raw.faults.bad_times +
			  raw.faults.cut_entries;
		kp_raw_close(&raw);
		done(&t);
	}
	assert_true(events > 10000);
	assert_true(faults > 10000);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_refused),
		cmocka_unit_test(test_faults),
		cmocka_unit_test(test_noise),
	};

	return cmocka_run_group_tests_name("raw_broken", tests, NULL, NULL);
}
