// SPDX-License-Identifier: BSD-3-Clause
/*
 * Tests that the cost of a search for the owner of a pid does not depend on the number of records
 * with the same time.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <string.h>
#include <time.h>

#include "model/identity.h"

#define RECORDS 60000

struct owners {
	struct kp_identities list;
	struct kp_strings strings;
};

static void add(struct owners *owners, int64_t pid, int64_t start, const char *name)
{
	const struct kp_span row = {
		.start = start, .dur = 1, .cpu = -1, .pid = pid, .event = KUTRACE_NAME_TASK, .name = name, .name_len = strlen(name),
	};

	assert_int_equal(kp_identities_row(&owners->list, &owners->strings, &row), 0);
}

/* Adds RECORDS records of one owner of pid 5, @step units of time apart. */
static void fill(struct owners *owners, int64_t step)
{
	for (int64_t i = 0; i < RECORDS; i++)
		add(owners, 5, 1 + i * step, "x p1 s1");
}

static void empty(struct owners *owners)
{
	kp_identities_free(&owners->list);
	kp_strings_free(&owners->strings);
}

static void owners_with_one_time(void **state)
{
	struct owners owners = {0};
	struct kp_owner owner;

	(void)state;
	fill(&owners, 0);
	add(&owners, 5, 1, "f p1 s2");
	add(&owners, 5, 1, "x p1 s2");
	add(&owners, 6, 1, "x p1 s1");
	assert_false(kp_identities_at(&owners.list, 5, 0, &owner));
	assert_true(kp_identities_at(&owners.list, 5, 1, &owner));
	assert_int_equal(owner.first, RECORDS);
	assert_int_equal(owner.last, RECORDS + 1);
	assert_true(owner.born);
	assert_true(kp_identities_at(&owners.list, 6, 1, &owner));
	assert_int_equal(owner.first, RECORDS + 2);
	empty(&owners);
}

/* Returns the CPU time of RECORDS searches for an owner with RECORDS records. */
static clock_t cost(int64_t step)
{
	struct owners owners = {0};
	struct kp_owner owner;
	clock_t begin;

	fill(&owners, step);
	assert_true(kp_identities_at(&owners.list, 5, RECORDS, &owner));
	begin = clock();
	for (int64_t i = 0; i < RECORDS; i++)
		assert_true(kp_identities_at(&owners.list, 5, RECORDS, &owner));
	begin = clock() - begin;
	assert_int_equal(owner.first, 0);
	empty(&owners);
	return begin;
}

static void searches_with_one_time(void **state)
{
	(void)state;
	/* a search through all records would need a thousand times as long */
	assert_true(cost(0) <= 20 * cost(1) + CLOCKS_PER_SEC / 50);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(owners_with_one_time),
		cmocka_unit_test(searches_with_one_time),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
