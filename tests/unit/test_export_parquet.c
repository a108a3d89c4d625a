// SPDX-License-Identifier: BSD-3-Clause
/*
 * Tests the Parquet encodings with a decoder written from the format's specification: decoding
 * must return the input. Includes the largest and smallest numbers, whose differences overflow,
 * and runs of every length.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "export/bytes.h"

#define MOST	5000

static uint64_t state;

static uint64_t random_number(void)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return state;
}

struct bits {
	const uint8_t *p, *end;
};

static uint64_t varint(struct bits *in)
{
	uint64_t value = 0;
	unsigned int shift = 0;

	do {
		assert_true(in->p < in->end && shift < 64);
		value |= (uint64_t)(*in->p & 0x7F) << shift;
		shift += 7;
	} while (*in->p++ & 0x80);
	return value;
}

static uint64_t unzigzag(uint64_t value)
{
	return value >> 1 ^ -(value & 1);
}

/* Returns number i, of @width bits each, from in->p. */
static uint64_t packed(const struct bits *in, size_t i, unsigned int width)
{
	uint64_t value = 0;
	size_t bit;
	unsigned int b;

	for (b = 0; b < width; b++) {
		bit = i * width + b;
		assert_true(in->p + bit / 8 < in->end);
		value |= (uint64_t)(in->p[bit / 8] >> bit % 8 & 1) << b;
	}
	return value;
}

static void check_delta(const int64_t *values, size_t count)
{
	struct kp_grow out = {0};
	struct bits in;
	uint64_t value, least;
	uint8_t widths[4];
	size_t i, mini;

	kp_pq_delta(&out, values, count);
	assert_false(out.failed);
	in = (struct bits){ out.bytes, out.bytes + out.used };
	assert_int_equal(varint(&in), 128);
	assert_int_equal(varint(&in), 4);
	assert_int_equal(varint(&in), count);
	value = unzigzag(varint(&in));
	if (count)
		assert_true(value == (uint64_t)values[0]);
	for (i = 1; i < count;) {
		least = unzigzag(varint(&in));
		memcpy(widths, in.p, 4);
		in.p += 4;
		for (mini = 0; mini < 4 && i < count; mini++) {
			size_t n;

			for (n = 0; n < 32 && i < count; n++, i++) {
				value += least + packed(&in, n, widths[mini]);
				assert_true(value == (uint64_t)values[i]);
			}
			in.p += 4 * widths[mini];
		}
	}
	assert_ptr_equal(in.p, in.end);
	free(out.bytes);
}

static void check_hybrid(const uint32_t *values, size_t count, unsigned int width)
{
	struct kp_grow out = {0};
	struct bits in;
	uint64_t head, n, j;
	size_t i = 0;

	kp_pq_hybrid(&out, values, count, width);
	assert_false(out.failed);
	in = (struct bits){ out.bytes, out.bytes + out.used };
	while (i < count) {
		head = varint(&in);
		n = head & 1 ? (head >> 1) * 8 : head >> 1;
		assert_true(n > 0);
		for (j = 0; j < n && i < count; j++, i++)
			assert_int_equal(packed(&in, head & 1 ? j : 0, width), values[i]);
		assert_true(j + 7 >= n);	/* only the last group may be incomplete */
		in.p += head & 1 ? (head >> 1) * width : (width + 7) / 8;
	}
	assert_ptr_equal(in.p, in.end);
	free(out.bytes);
}

static void test_deltas(void **unused)
{
	static const int64_t extremes[] = {
		0, INT64_MAX, INT64_MIN, -1, INT64_MIN, INT64_MAX, 0, 1, INT64_MIN + 1, INT64_MAX - 1,
	};
	static int64_t values[MOST];
	size_t count, i;
	unsigned int shift;

	(void)unused;
	check_delta(extremes, sizeof(extremes) / sizeof(extremes[0]));
	for (count = 0; count < 300; count++) {
		for (i = 0; i < count; i++)
			values[i] = (int64_t)i * 10;
		check_delta(values, count);
	}
	for (shift = 0; shift < 64; shift++) {
		for (i = 0; i < MOST; i++)
			values[i] = (int64_t)(random_number() >> shift);
		check_delta(values, MOST);
	}
}

static void test_runs(void **unused)
{
	static uint32_t values[MOST];
	size_t count, i, run;
	unsigned int width;

	(void)unused;
	for (width = 1; width <= 32; width++) {
		const uint32_t mask = (uint32_t)(((uint64_t)1 << width) - 1);

		for (count = 0; count < MOST;) {
			const uint32_t value = (uint32_t)random_number() & mask;

			run = random_number() % 3 ? 1 + random_number() % 3 : random_number() % 40;
			for (i = 0; i < run && count < MOST; i++)
				values[count++] = value;
		}
		for (i = 0; i < 70; i++)
			check_hybrid(values, i, width);
		check_hybrid(values, MOST, width);
	}
}

static void test_widths(void **unused)
{
	(void)unused;
	assert_int_equal(kp_pq_bits(0), 0);
	assert_int_equal(kp_pq_bits(1), 1);
	assert_int_equal(kp_pq_bits(255), 8);
	assert_int_equal(kp_pq_bits(256), 9);
	assert_int_equal(kp_pq_bits(UINT64_MAX), 64);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_deltas),
		cmocka_unit_test(test_runs),
		cmocka_unit_test(test_widths),
	};

	state = 88172645463325252ull;
	return cmocka_run_group_tests_name("parquet", tests, NULL, NULL);
}
