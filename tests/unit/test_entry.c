// SPDX-License-Identifier: BSD-3-Clause
/*
 * Tests common/entry.h: fields, lengths and full times of entries, at the limits of their
 * ranges.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "common/entry.h"

static uint64_t entry(uint64_t ts, uint32_t event, uint32_t arg)
{
	return (ts & KUTRACE_TS_MASK) << 44 | (uint64_t)event << 32 | arg;
}

static void test_fields(void **state)
{
	const uint64_t word = 0x4c8a782733FE2679;

	(void)state;
	assert_int_equal(ku_entry_ts(word), 0x4c8a7);
	assert_int_equal(ku_entry_event(word), 0x827);
	assert_int_equal(ku_entry_arg(word), 0x33FE2679);
	assert_int_equal(ku_entry_arg0(word), 0x2679);
	assert_int_equal(ku_entry_delta(word), 0x33);
	assert_int_equal(ku_entry_retval(word), -2);
	assert_int_equal(ku_entry_return_value(0xFFFE), -2);
	assert_int_equal(ku_entry_return_value(0x7FFF), 32767);
}

/* Checks each 12-bit event number against the description of the format. */
static void test_every_event(void **state)
{
	uint32_t event;

	(void)state;
	for (event = 0; event < 4096; event++) {
		uint32_t digit = event / 16 % 16;
		bool pc = event == 0x280 || event == 0x281 || event == 0x101;
		bool disk = event >= 0x223 && event <= 0x227;
		bool name = event < 0x200 && digit >= 1 && digit <= 8;
		bool timer = event == 0x22B;
		uint32_t words = name ? digit : pc ? 2 : disk ? 3 : timer ? 4 : event >= 0x200 ? 1 : 0;

		assert_int_equal(ku_event_words(event), words);
		assert_int_equal(ku_event_is_name(event), name);
		assert_int_equal(ku_event_is_pc(event), pc);
		assert_int_equal(ku_event_is_disk(event), disk);
		assert_int_equal(ku_event_is_timer(event), timer);
		assert_int_equal(ku_event_is_tpoint(event), name && event / 256 == 1 &&
				 event % 16 == 9);
		assert_int_equal(ku_event_is_call(event), event >= 0x400 && event / 512 % 2 == 0);
		assert_int_equal(ku_event_is_return(event), event >= 0x400 && event / 512 % 2);
	}
}

/*
 * A time may advance by up to 0xE0000 counts and go back by up to 0x20000, wherever the 20 bits
 * wrap.
 */
static void test_count(void **state)
{
	static const uint64_t befores[] = { 0x20000, 0xFFFFF, 0x100000, 0x123456789ABC, };
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(befores) / sizeof(befores[0]); i++) {
		uint64_t before = befores[i];

		assert_int_equal(ku_entry_count(before, entry(before, 0x800, 0)), before);
		assert_int_equal(ku_entry_count(before, entry(before + 1, 0x800, 0)), before + 1);
		assert_int_equal(ku_entry_count(before, entry(before + 0xE0000, 0x800, 0)),
				 before + 0xE0000);
		assert_int_equal(ku_entry_count(before, entry(before - 1, 0x800, 0)), before - 1);
		assert_int_equal(ku_entry_count(before, entry(before - 0x1FFFF, 0x800, 0)),
				 before - 0x1FFFF);
	}
}

static void test_tsdelta(void **state)
{
	const uint64_t before = 0x123456789ABC;

	(void)state;
	assert_int_equal(ku_tsdelta_step(1999999999), 1999999999);
	assert_int_equal(ku_tsdelta_step(2000000000), 2000000000 - (1LL << 32));
	assert_int_equal(ku_tsdelta_step(UINT32_MAX), -1);
	/* the gap equals the time difference, or differs by a few counts from the timestamp */
	assert_int_equal(ku_tsdelta_count(before, entry(before + 12345678, 0x21D, 12345678)),
			 before + 12345678);
	assert_int_equal(ku_tsdelta_count(before, entry(before + 12345681, 0x21D, 12345678)),
			 before + 12345681);
	assert_int_equal(ku_tsdelta_count(before, entry(before + 12345670, 0x21D, 12345678)),
			 before + 12345670);
	assert_int_equal(ku_tsdelta_count(before, entry(before - 7, 0x21D, (uint32_t)-7)),
			 before - 7);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_fields),
		cmocka_unit_test(test_every_event),
		cmocka_unit_test(test_count),
		cmocka_unit_test(test_tsdelta),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
