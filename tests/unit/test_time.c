// SPDX-License-Identifier: BSD-3-Clause
/*
 * Tests the module's time conversions for any number that a user or the kernel can give. A
 * quotient of more than 64 bits is a divide error in the kernel. Here it fails the test.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <cmocka.h>

#include "core/env_user.h"

__extension__ typedef unsigned __int128 u128;

static u64 mul_u64_u64_shr(u64 a, u64 mul, unsigned int shift)
{
	return (u64)((u128)a * mul >> shift);
}

static u64 mul_u64_u64_div_u64(u64 a, u64 mul, u64 div)
{
	u128 quotient = (u128)a * mul / div;

	assert_true(quotient >> 64 == 0);
	return (u64)quotient;
}

#include "core/time.h"

static const u64 times[] = {
	0, 1, 999999, 1000000, 1000001, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFF, 1ULL << 32,
	1ULL << 49, 1ULL << 50, 1ULL << 60, 1ULL << 61, 1ULL << 62, (1ULL << 63) - 1,
	1ULL << 63, ~0ULL / 3, ~0ULL / 2, ~0ULL - 1, ~0ULL,
	/* around the first value that does not fit at 2.4 GHz */
	7686143364045646506ULL, 7686143364045646507ULL,
};

static const u64 clocks[] = { 1, 999, 100000, 999999, 1000000, 1000001, 2400000, 5999999,
			      0xFFFFFFFF };

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static void test_saturates(void **state)
{
	size_t t, c;
	u32 shift;

	(void)state;
	for (t = 0; t < COUNT(times); t++)
		for (c = 0; c < COUNT(clocks); c++)
			for (shift = 0; shift <= 40; shift++) {
				u128 counts = (u128)times[t] * clocks[c] / 1000000;
				u128 ns = ((u128)times[t] << shift) * 1000000 / clocks[c];

				if ((u128)times[t] << shift >> 64)
					ns = (u128)~0ULL * 1000000 / clocks[c];
				if (counts > ~0ULL)
					counts = ~0ULL;
				if (ns > ~0ULL)
					ns = ~0ULL;
				assert_int_equal(ku_scale_ns(times[t], clocks[c], shift),
						 (u64)counts >> shift);
				assert_int_equal(ku_scale_counts(times[t], clocks[c], shift),
						 (u64)ns);
			}
}

static void test_known(void **state)
{
	(void)state;
	assert_int_equal(ku_scale_ns(1000, 2400000, 0), 2400);
	assert_int_equal(ku_scale_ns(1000, 2400000, 5), 75);
	assert_int_equal(ku_scale_counts(75, 2400000, 5), 1000);
	assert_int_equal(ku_scale_ns(7686143364045646506ULL, 2400000, 0),
			 18446744073709551614ULL);
	assert_int_equal(ku_scale_ns(7686143364045646507ULL, 2400000, 0), ~0ULL);
}

/* Tests the cast (int)delta of the kernel's NMI handler. */
static void test_cast(void **state)
{
	static const u64 deltas[] = { 0, 1, 1000000, 2147483647, 2147483648U, 3000000000U,
				      4294967295U };
	size_t i;

	(void)state;
	for (i = 0; i < COUNT(deltas); i++)
		assert_int_equal(ku_int_ns((int)(u32)deltas[i]), deltas[i]);
	/* a later kernel may not cast */
	assert_int_equal(ku_int_ns(5000000000LL), 5000000000ULL);
	/* the most negative time gives a result in the range */
	assert_in_range(ku_scale_ns(ku_int_ns(INT64_MIN), 2400000, 0), 0, 1ULL << 34);
}

/* Tests the value of a 2.4 GHz counter after the machine was suspended for an hour. */
static void test_suspended(void **state)
{
	const u64 khz = 2400000, second = khz * 1000, hour_ns = 3600000000000ULL;
	const u64 before = 1000 * second, now = before + 3600 * second;

	(void)state;
	assert_true(ku_counter_went_on(before, now, hour_ns, khz));
	/* the counter stood still */
	assert_true(ku_counter_went_on(before, before, hour_ns, khz));
	/*
	 * the clock that covers the suspension has whole seconds only, and the rates differ
	 * slightly
	 */
	assert_true(ku_counter_went_on(before, now + 2 * second, hour_ns, khz));
	assert_true(ku_counter_went_on(before, before + second, 0, khz));
	assert_true(ku_counter_went_on(before, now + 3600 * second / 2000, hour_ns, khz));
	/* the counter restarted, at 0 or at any value */
	assert_false(ku_counter_went_on(before, 0, hour_ns, khz));
	assert_false(ku_counter_went_on(before, before - 1, hour_ns, khz));
	assert_false(ku_counter_went_on(before, now + 60 * second, hour_ns, khz));
	assert_false(ku_counter_went_on(before, ~0ULL, hour_ns, khz));
	/* an interval of any length is accepted */
	assert_true(ku_counter_went_on(before, ~0ULL, ~0ULL / 2, khz));
}

/* Tests a 2.4 GHz counter beside a clock that advanced by a minute. */
static void test_pace(void **state)
{
	const u64 khz = 2400000, ms = khz, second = khz * 1000, minute_ns = 60000000000ULL;
	const u64 before = 1000 * second, now = before + 60 * second;

	(void)state;
	assert_true(ku_counter_kept_pace(before, now, minute_ns, 0, khz));
	/* rates that differ by up to a thousandth, and 10 ms of offset */
	assert_true(ku_counter_kept_pace(before, now + 60 * ms, minute_ns, 0, khz));
	assert_true(ku_counter_kept_pace(before, now - 60 * ms, minute_ns, 0, khz));
	assert_true(ku_counter_kept_pace(before, before + 9 * ms, 0, 0, khz));
	/* jumps forward and back */
	assert_false(ku_counter_kept_pace(before, now + 80 * ms, minute_ns, 0, khz));
	assert_false(ku_counter_kept_pace(before, now - 80 * ms, minute_ns, 0, khz));
	assert_false(ku_counter_kept_pace(before, before - 1, minute_ns, 0, khz));
	assert_false(ku_counter_kept_pace(before, before + 12 * ms, 0, 0, khz));
	assert_false(ku_counter_kept_pace(before, ~0ULL, minute_ns, 0, khz));
	/* the counter ran at half the rate */
	assert_false(ku_counter_kept_pace(before, before + 30 * second, minute_ns, 0, khz));
	/* a long reading of both clocks is not a jump */
	assert_true(ku_counter_kept_pace(before, now + 80 * ms, minute_ns, 20 * ms, khz));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_saturates),
		cmocka_unit_test(test_known),
		cmocka_unit_test(test_cast),
		cmocka_unit_test(test_suspended),
		cmocka_unit_test(test_pace),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
