// SPDX-License-Identifier: BSD-3-Clause
/*
 * Tests base/memory.h with keys that a crafted file could choose. Adding and finding them takes at
 * most LIMIT times as long as with the keys 0, 1, 2 ...
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

#include "base/memory.h"

enum { KEYS = 1 << 15, TRIES = 5, LIMIT = 30 };

static const uint64_t golden = 0x9E3779B97F4A7C15ull;

/* Returns the number whose product with @odd is 1 (modulo 2^64). */
static uint64_t inverse(uint64_t odd)
{
	uint64_t x = odd;
	int i;

	for (i = 0; i < 6; i++)
		x *= 2 - odd * x;
	return x;
}

/*
 * Returns the CPU time of adding and finding the keys i * @factor. The result is the smallest of
 * TRIES measurements.
 */
static clock_t time_of(uint64_t factor)
{
	clock_t least = 0;
	uint64_t i;
	int try;

	for (try = 0; try < TRIES; try++) {
		const clock_t begin = clock();
		struct kp_map map = { .slots = NULL };
		uint32_t value;
		clock_t took;

		for (i = 0; i < KEYS; i++)
			assert_int_equal(kp_map_set(&map, i * factor, (uint32_t)i), 0);
		for (i = 0; i < KEYS; i++) {
			assert_true(kp_map_get(&map, i * factor, &value));
			assert_int_equal(value, i);
		}
		assert_int_equal(map.count, KEYS);
		kp_map_free(&map);
		took = clock() - begin;
		if (!try || took < least)
			least = took;
	}
	return least;
}

static void test_chosen_keys(void **state)
{
	/* The last factor: the product of each key with the golden ratio has zeros in its low 49 bits. */
	const uint64_t factors[] = { 2, 64, 1 << 16, 1ull << 32, 1ull << 49, golden, inverse(golden) << 49 };
	const clock_t simple = time_of(1);
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(factors) / sizeof(factors[0]); i++) {
		const clock_t took = time_of(factors[i]);

		if (took > LIMIT * simple)
			print_error("factor %#llx: %ld us, factor 1: %ld us\n", (unsigned long long)factors[i],
				    (long)took, (long)simple);
		assert_true(took <= LIMIT * simple);
	}
}

/*
 * Checks that both hashes depend on a secret of the process: two processes print different hashes.
 */
static void test_secret(void **state)
{
	char seen[2][100];
	int i;

	(void)state;
	for (i = 0; i < 2; i++) {
		FILE *f = popen("/proc/$PPID/exe print", "r");

		assert_non_null(f);
		assert_non_null(fgets(seen[i], sizeof(seen[i]), f));
		assert_int_equal(pclose(f), 0);
	}
	assert_string_not_equal(seen[0], seen[1]);
}

static void test_texts(void **state)
{
	static const char text[] = "abcdefghijklmnopqrstuvwxyz";
	uint64_t hashes[27];
	size_t i, k;

	(void)state;
	for (i = 0; i < 27; i++) {
		hashes[i] = kp_hash(text, i);
		assert_true(hashes[i] == kp_hash(text, i));
		for (k = 0; k < i; k++)
			assert_true(hashes[i] != hashes[k]);
	}
	/* a zero byte at the end makes a different text */
	assert_true(kp_hash("a", 1) != kp_hash("a\0", 2));
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_chosen_keys),
		cmocka_unit_test(test_secret),
		cmocka_unit_test(test_texts),
	};

	(void)argv;
	if (argc > 1) {
		printf("%llx %llx\n", (unsigned long long)kp_hash("text", 4), (unsigned long long)kp_mix(1));
		return 0;
	}
	return cmocka_run_group_tests(tests, NULL, NULL);
}
