// SPDX-License-Identifier: BSD-3-Clause
/*
 * Tests identities in the module's name table: their text, which the filters read again, and that no
 * number of identities pushes out a name.
 */
#include "aux_machine.h"

#include "model/identity.h"

#define TASKS	400

/* Adds an identity, and returns the text of the newest entry. Reads its length from the entry. */
static const char *added(u32 pid, const struct ku_identity *identity)
{
	static struct ku_aux_full full;
	u64 at = aux.first, next = at;

	memset(&full, 0, sizeof(full));
	ku_aux_add_identity(&aux, pid, identity, 0);
	for (; next < aux.last; next += full.entry.head >> 1) {
		at = next;
		ku_aux_copy_out(&aux, &full.entry, at, KUTRACE_AUX_HEADER);
	}
	memset(full.name, 0, sizeof(full.name));
	ku_aux_copy_out(&aux, full.name, at + KUTRACE_AUX_HEADER, (full.entry.head >> 1) - KUTRACE_AUX_HEADER);
	assert_int_equal(full.entry.base, KUTRACE_NAME_TASK);
	assert_int_equal(full.entry.number, pid);
	return full.name;
}

static void texts(void **state)
{
	const struct ku_identity process = { .reason = KUTRACE_TASK_PROCESS, .process = 500, .start = 1 };
	const struct ku_identity most = {
		.reason = KUTRACE_TASK_EXEC, .parent = 1 << 22, .process = 7, .own = 1 << 22, .level = 32,
		.cgroup = 0x7fffff, .start = ~0ULL, .before = 0,
	};
	const struct ku_identity leader = {
		.reason = KUTRACE_TASK_EXEC, .parent = 10, .process = 500, .own = 5, .level = 1,
		.cgroup = 0x8f3, .start = 0x1a2b, .before = 501,
	};

	(void)state;
	aux_up(1 << 16);
	assert_string_equal(added(500, &process), "f p0 s1");
	assert_string_equal(added(500, &leader), "x pa n5.1 c8f3 s1a2b o1f5");
	assert_string_equal(added(500, &most), "x p400000 g7 n400000.20 c7fffff sffffffffffffffff");
	assert_true(strlen(added(500, &most)) <= KUTRACE_NAME_MAX_BYTES);
	aux_down();
}

/* Identities of all lengths, read by the filters. */
static void read_again(void **state)
{
	u32 seed = 1, i;

	(void)state;
	aux_up(1 << 16);
	for (i = 0; i < 2000; i++) {
		struct ku_identity in = { .reason = "pftxmg"[i % 6], .process = 500 };
		struct kp_identity out;
		const char *text;
		size_t program;

		seed = seed * 1664525 + 1013904223;
		in.parent = seed >> (10 + i % 22);
		in.start = (u64)seed << (i % 32);
		in.cgroup = i % 3 ? seed >> 9 : 0;
		in.level = i % 4;
		in.own = in.level ? seed >> 12 : 0;
		in.process = i % 5 ? 500 : 77;
		in.before = i % 7 || in.process != 500 ? 0 : 501;
		text = added(500, &in);
		assert_true(kp_identity_parse(&out, 500, text, strlen(text), &program));
		assert_int_equal(program, strlen(text));
		assert_int_equal(out.reason, in.reason);
		assert_int_equal(out.parent, in.parent);
		assert_int_equal(out.process, in.process);
		assert_int_equal(out.start, in.start);
		assert_int_equal(out.cgroup, in.cgroup);
		assert_int_equal(out.level, in.level);
		assert_int_equal(out.own, in.own);
		assert_int_equal(out.before, in.before);
	}
	aux_down();
}

/* The identity of a task that is present is added once, each birth and move again. */
static void repeated(void **state)
{
	struct ku_identity identity = { .reason = KUTRACE_TASK_PRESENT, .process = 500, .start = 5 };
	u64 before;

	(void)state;
	aux_up(1 << 16);
	ku_aux_add_identity(&aux, 500, &identity, 0);
	before = aux.last;
	ku_aux_add_identity(&aux, 500, &identity, 0);
	assert_int_equal(aux.last, before);
	identity.reason = KUTRACE_TASK_EXEC;
	ku_aux_add_identity(&aux, 500, &identity, 0);
	assert_true(aux.last > before);
	before = aux.last;
	ku_aux_add_identity(&aux, 500, &identity, 0);
	assert_true(aux.last > before);
	aux_down();
}

/* Neither births of ever new tasks, nor moves of one task, push out names or count as lost. */
static void no_name_is_pushed_out(void **state)
{
	struct ku_identity identity = { .parent = 1, .process = 1, .cgroup = 99, .start = 12345678901 };
	u64 first, last, lost;
	char name[32];
	u32 i, n = 0;

	(void)state;
	aux_up(1 << 16);
	for (i = 1; i <= TASKS; i++) {
		snprintf(name, sizeof(name), "task%u", i);
		ku_aux_add(&aux, KUTRACE_NAME_PID, i, name, strlen(name), 0);
	}
	for (i = 0; i < 200000; i++) {
		identity.reason = i % 2 ? KUTRACE_TASK_PROCESS : KUTRACE_TASK_MOVED;
		identity.start++;
		ku_aux_add_identity(&aux, i % 2 ? 1000 + i : 1, &identity, 0);
	}
	ku_aux_bounds(&aux, &first, &last, &lost);
	assert_int_equal(lost, 0);
	for (i = 1; i <= TASKS; i++) {
		struct ku_aux_key key = { .base = KUTRACE_NAME_PID, .number = i };
		struct ku_aux_full full;

		n += ku_aux_find(&aux, &key, &full) != NULL;
	}
	assert_int_equal(n, TASKS);
	aux_down();
}

static bool has_name(u32 number)
{
	struct ku_aux_key key = { .base = KUTRACE_NAME_PID, .number = number };
	struct ku_aux_full full;

	return ku_aux_find(&aux, &key, &full);
}

static void add_name(u32 number, const char *text)
{
	ku_aux_add(&aux, KUTRACE_NAME_PID, number, text, strlen(text), 0);
}

/* Identities do not push out names that were replaced, but that readable events may have. */
static void no_replaced_name_is_pushed_out(void **state)
{
	struct ku_identity identity = { .parent = 1, .process = 1, .cgroup = 99, .start = 12345678901 };
	struct ku_aux_full full;
	u32 i, names = 0;
	u64 at;

	(void)state;
	aux_up(1 << 16);
	for (i = 1; i <= TASKS; i++) {
		add_name(i, "before");
		add_name(i, "after");
	}
	identity.reason = KUTRACE_TASK_PROCESS;
	for (i = 0; i < 200000; i++)
		ku_aux_add_identity(&aux, 1000 + i, &identity, 0);
	assert_int_equal(aux.lost, 0);
	for (at = aux.first; at < aux.last; at += full.entry.head >> 1) {
		ku_aux_copy_out(&aux, &full.entry, at, KUTRACE_AUX_HEADER);
		names += full.entry.base == KUTRACE_NAME_PID;
	}
	assert_int_equal(names, 2 * TASKS);
	aux_down();
}

/*
 * A table that is nearly full of names takes no identities. A refused identity counts as lost if an
 * older one of the same pid could be read in its place.
 */
static void nearly_full(void **state)
{
	struct ku_identity identity = { .parent = 1, .process = 1, .cgroup = 99, .start = 12345678901 };
	u32 i, n = 0, entries;

	(void)state;
	aux_up(1 << 16);
	while (ku_aux_free(&aux) > aux.bytes / 16 + 100)
		add_name(++n, "name");
	identity.reason = KUTRACE_TASK_PROCESS;
	entries = aux.entries;
	ku_aux_add_identity(&aux, 1, &identity, 0);
	assert_int_equal(aux.entries, entries + 1);
	for (i = 0; i < 10; i++)
		add_name(++n, "name");
	entries = aux.entries;
	identity.reason = KUTRACE_TASK_MOVED;
	ku_aux_add_identity(&aux, 1, &identity, 0);
	assert_int_equal(aux.entries, entries);
	assert_int_equal(aux.lost, 1);
	for (i = 0; i < 20000; i++) {
		identity.reason = i % 2 ? KUTRACE_TASK_PROCESS : KUTRACE_TASK_EXEC;
		ku_aux_add_identity(&aux, 100000 + i, &identity, 0);
	}
	assert_int_equal(aux.lost, 1);
	for (i = 1; i <= n; i++)
		assert_true(has_name(i));
	aux_down();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(texts),
		cmocka_unit_test(read_again),
		cmocka_unit_test(repeated),
		cmocka_unit_test(no_name_is_pushed_out),
		cmocka_unit_test(no_replaced_name_is_pushed_out),
		cmocka_unit_test(nearly_full),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
