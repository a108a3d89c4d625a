// SPDX-License-Identifier: BSD-3-Clause
/*
 * Tests the parsing of numbers and UTF-8 in arbitrary text: the result is exact, or the text is
 * refused.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/number.h"
#include "common/utf8.h"

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
	/* decimals beyond the permitted ones are rounded; a whole number must not have decimals */
	assert_int_equal(kp_number_argument("1.555", 2, &value), KP_NUMBER_OK);
	assert_true(value == 156);
	assert_int_equal(kp_number_argument("1.5", 0, &value), KP_NUMBER_NONE);
	assert_int_equal(kp_number_argument("0.4", 0, &value), KP_NUMBER_NONE);
	assert_int_equal(kp_number_argument("17.0", 0, &value), KP_NUMBER_OK);
	assert_true(value == 17);
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
		cmocka_unit_test(decimals_are_exact),
		cmocka_unit_test(arguments_are_numbers_or_not),
		cmocka_unit_test(utf8_is_checked),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
