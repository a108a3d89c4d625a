// SPDX-License-Identifier: BSD-3-Clause
/*
 * Tests base/number.h against simple code: a counter of eight ASCII digits for every value,
 * printf for numbers, a loop over bytes for text.
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

#include "base/number.h"

/* Tests every value, or one value in 997 with $KUTRACE_FAST, as in make check. */
static void test_every_eight_digits(void **state)
{
	const uint32_t step = getenv("KUTRACE_FAST") ? 997 : 1;
	char want[9] = "00000000", have[8];
	uint32_t value, carry;
	int i;

	(void)state;
	for (value = 0; value < 100000000; value += step) {
		kp_put_8(have, kp_digits_8(value));
		if (memcmp(have, want, 8))
			fail_msg("%" PRIu32 " is written %.8s", value, have);
		for (i = 7, carry = step; i >= 0 && carry; i--, carry /= 10) {
			carry += (uint32_t)(want[i] - '0');
			want[i] = (char)('0' + carry % 10);
		}
	}
	assert_in_range(value, 100000000, 99999999 + step);
}

/* Checks the digits of @value, and that no byte after the permitted slack changes. */
static void check_number(int64_t value)
{
	char have[48], want[48];
	char *end;

	memset(have, '#', sizeof(have));
	end = kp_put_signed(have, value);
	assert_true(end - have <= 20);
	for (char *p = end + KP_PUT_SLACK; p < have + sizeof(have); p++)
		assert_int_equal(*p, '#');
	*end = '\0';
	snprintf(want, sizeof(want), "%" PRId64, value);
	assert_string_equal(have, want);
	if (value < 0)
		return;
	end = kp_put_unsigned(have, (uint64_t)value << 1 | 1);
	*end = '\0';
	snprintf(want, sizeof(want), "%" PRIu64, (uint64_t)value << 1 | 1);
	assert_string_equal(have, want);
}

static void test_numbers(void **state)
{
	uint64_t x = 88172645463325252ull;
	int64_t power = 1;
	int i, shift;

	(void)state;
	check_number(0);
	check_number(INT64_MAX);
	check_number(INT64_MIN);
	for (i = 0; i < 19; i++, power *= i < 19 ? 10 : 1) {
		check_number(power - 1);
		check_number(power);
		check_number(power + 1);
		check_number(-power);
	}
	for (i = 0; i < 200000; i++) {
		x ^= x << 13;
		x ^= x >> 7;
		x ^= x << 17;
		shift = i % 64;
		check_number((int64_t)(x >> shift));
		check_number(-(int64_t)(x >> shift >> 1));
	}
}

static bool is_plain(unsigned char c, char quote)
{
	return c >= 0x20 && c < 0x7F && c != '\\' && c != (unsigned char)quote;
}

/*
 * Checks that the copied bytes equal the text and need no escape. A text without escapes is copied
 * completely, or not at all if it is shorter than four bytes. No byte after the copy changes.
 */
static void check_plain(const char *text, size_t len, char quote)
{
	char *copy = malloc(len + 1), *exact = malloc(len ? len : 1);
	bool plain = true;
	size_t done, i;

	/* the buffer has the exact length, so that a sanitizer detects a read beyond it */
	memcpy(exact, text, len);
	memset(copy, '#', len + 1);
	done = kp_put_plain(copy, exact, len, quote);
	assert_true(done <= len);
	assert_memory_equal(copy, text, done);
	for (i = 0; i < len; i++) {
		plain &= is_plain((unsigned char)text[i], quote);
		if (i < done)
			assert_true(plain);
	}
	assert_int_equal(copy[len], '#');
	if (plain)
		assert_int_equal(done, len < 4 ? 0 : len);
	free(copy);
	free(exact);
}

static void test_plain_text(void **state)
{
	char text[40] = "";
	size_t len, at;
	int c, quote;

	(void)state;
	for (quote = 0; quote < 2; quote++) {
		for (len = 0; len < sizeof(text); len++) {
			for (at = 0; at < len; at++)
				text[at] = (char)(' ' + (at * 7 + len) % 90);
			for (at = 0; at < len; at++)
				if (!is_plain((unsigned char)text[at], '"'))
					text[at] = 'x';
			check_plain(text, len, quote ? '"' : '\\');
			for (at = 0; at < len; at++) {
				char before = text[at];

				for (c = 0; c < 256; c++) {
					text[at] = (char)c;
					check_plain(text, len, quote ? '"' : '\\');
				}
				text[at] = before;
			}
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_every_eight_digits),
		cmocka_unit_test(test_numbers),
		cmocka_unit_test(test_plain_text),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
