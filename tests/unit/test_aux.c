// SPDX-License-Identifier: BSD-3-Clause
/*
 * Tests the module's name table under concurrent writers and with damaged lengths. A writer is
 * delayed at each step while another CPU fills the whole buffer. Several threads write at the same
 * time. Afterwards, every entry in the buffer must be a complete name that some writer added.
 */
#include "aux_machine.h"
#include "sample.h"

#include <pthread.h>

/* Makes the text of name @n, always the same. Returns its length, from 0 to 15 bytes. */
static size_t text_of(u32 n, char text[32])
{
	snprintf(text, 32, "%015u", n * 2654435761U);
	return n % 16;
}

static void say(u32 n)
{
	char text[32];
	size_t len = text_of(n, text);

	ku_aux_add(&aux, KUTRACE_NAME_PID, n, text, len, 1000 + n);
}

/* Checks that some writer added each entry of the buffer. Returns the number of entries. */
static u32 check_buffer(const char *what)
{
	struct ku_aux_full full;
	u64 first, last, lost, at;
	char text[32];
	u32 bytes, n = 0;
	size_t len;

	ku_aux_bounds(&aux, &first, &last, &lost);
	if (last - first > aux.bytes)
		fail_msg("%s: %llu bytes in it", what, (unsigned long long)(last - first));
	for (at = first; at < last; at += bytes, n++) {
		ku_aux_copy_out(&aux, &full.entry, at, KUTRACE_AUX_HEADER);
		bytes = ku_aux_length(&full.entry);
		if (!bytes || bytes > last - at)
			fail_msg("%s: entry %u has head %x", what, n, full.entry.head);
		ku_aux_copy_out(&aux, full.name, at + KUTRACE_AUX_HEADER,
				bytes - KUTRACE_AUX_HEADER);
		len = text_of(full.entry.number, text);
		if (full.entry.base != KUTRACE_NAME_PID ||
		    full.entry.counts != 1000 + full.entry.number ||
		    bytes != KUTRACE_AUX_HEADER + (len ? (len + 7) / 8 * 8 : 8) ||
		    memcmp(full.name, text, len))
			fail_msg("%s: entry %u (number %u) is not what was said", what, n,
				 full.entry.number);
	}
	return n;
}

/* ---- another CPU writes at each step ---- */

static char at_letter;
static u32 other_names, others_waited, reached;

static void others_speak(void)
{
	u32 n;

	for (n = 0; n < other_names; n++)
		say(0x10000 + n);
}

/*
 * Makes another CPU write names at this step. If the lock is held, the other CPU waits until the
 * lock is free.
 */
static void step_others(char letter)
{
	if (letter != at_letter || reached++)
		return;
	if (__atomic_load_n(&aux.lock, __ATOMIC_RELAXED)) {
		others_waited++;
		return;
	}
	others_speak();
}

static void held_up_at(char letter, u32 before, u32 names)
{
	char what[60];
	u32 n;

	aux_up(KUTRACE_AUX_BYTES);
	for (n = 0; n < before; n++)
		say(n);
	at_letter = letter;
	other_names = names;
	others_waited = 0;
	reached = 0;
	ku_env_step = step_others;
	say(before);
	ku_env_step = NULL;
	if (others_waited)
		others_speak();
	snprintf(what, sizeof(what), "%u others at %c, %u before", names, letter, before);
	if (!reached)
		fail_msg("step %c was never reached", letter);
	for (n = 0; n < 100; n++)
		say(0x20000 + n);
	check_buffer(what);
	aux_down();
}

static void test_every_step(void **state)
{
	static const u32 names[] = { 1, 27000, 45001 };
	static const u32 before[] = { 0, 40000 };
	const char *letter;
	size_t i, j;

	(void)state;
	for (letter = "wx"; *letter; letter++)
		for (i = 0; i < sizeof(names) / sizeof(*names); i++)
			for (j = 0; j < sizeof(before) / sizeof(*before); j++)
				held_up_at(*letter, before[j], names[i]);
}

/* ---- threads ---- */

#define THREADS	4
/* number of names of each thread; together they do not fit into the buffer */
#define EACH	(sample_step() == 1 ? 30000 : 12000)

static void *speaker(void *arg)
{
	u32 n;

	cpu_number = (u32)(uintptr_t)arg;
	for (n = 0; n < EACH; n++)
		say(cpu_number << 20 | n);
	return NULL;
}

static void test_threads(void **state)
{
	pthread_t thread[THREADS];
	u32 n, i;

	(void)state;
	aux_up(KUTRACE_AUX_BYTES);
	for (i = 0; i < THREADS; i++)
		assert_int_equal(pthread_create(&thread[i], NULL, speaker,
						(void *)(uintptr_t)i), 0);
	for (i = 0; i < THREADS; i++)
		pthread_join(thread[i], NULL);
	n = check_buffer("threads");
	assert_int_equal(n + aux.lost, THREADS * EACH);
	aux_down();
}

/* ---- damaged lengths ---- */

static void spoil(u64 at, u32 head)
{
	memcpy(aux.buffer + ku_aux_where(&aux, at), &head, sizeof(head));
}

static void test_lengths(void **state)
{
	static const u32 heads[] = {
		0, 1, 2, 8 << 1, 16 << 1, 25 << 1, 28 << 1, 88 << 1, 1000 << 1,
		32 << 1 | KUTRACE_AUX_INVALID, 0x7FFFFFF0, 0xFFFFFFFF,
	};
	size_t i;
	u32 n;

	(void)state;
	for (i = 0; i < sizeof(heads) / sizeof(*heads); i++) {
		struct kutrace_aux_entry entry = { .head = heads[i] };

		assert_int_equal(ku_aux_length(&entry), 0);
		if (sample_step() > 1 && i % 3)
			continue;
		/*
		 * The oldest entry has the damaged length. A writer that needs space cannot find
		 * the next entry, drops all entries, and continues.
		 */
		aux_up(KUTRACE_AUX_BYTES);
		for (n = 0; n < 40000; n++)
			say(n);
		spoil(aux.first, heads[i]);
		for (n = 40000; n < 40100; n++)
			say(n);
		/* all dropped entries are counted as lost */
		assert_int_equal(check_buffer("spoilt") + aux.lost, 40100);
		aux_down();
	}
	for (n = KUTRACE_AUX_HEADER; n <= KUTRACE_AUX_MAX; n += 8) {
		struct kutrace_aux_entry entry = { .head = n << 1 };

		assert_int_equal(ku_aux_length(&entry), n);
	}
}

/* ---- removing names ---- */

static const struct ku_aux_note *note_of(u16 base, u32 number, const char *text)
{
	struct ku_aux_key key = {.base = base, .number = number, .text = text,
				 .len = strlen(text)};
	struct ku_aux_full full;

	return ku_aux_find(&aux, &key, &full);
}

/* Checks that removed texts never evict names in use. */
static void test_forget(void **state)
{
	char text[KUTRACE_NAME_MAX_BYTES + 1];
	u32 n, tasks = 10000;

	(void)state;
	aux_up(KUTRACE_AUX_BYTES);
	for (n = 0; n < tasks; n++)
		say(n);
	for (n = 0; n < 100000; n++) {
		snprintf(text, sizeof(text), "%056u", n);
		ku_aux_add(&aux, KUTRACE_NAME_EVENTDEF, n % 1000 << 16, text, strlen(text), 0);
		ku_aux_forget(&aux, KUTRACE_NAME_EVENTDEF, n % 1000 << 16);
	}
	assert_int_equal(aux.lost, 0);
	for (n = 0; n < tasks; n++)
		assert_non_null(note_of(KUTRACE_NAME_PID, n, ""));
	/* A number that is used again gets its new name. */
	ku_aux_add(&aux, KUTRACE_NAME_EVENTDEF, 7, "one", 3, 0);
	ku_aux_forget(&aux, KUTRACE_NAME_EVENTDEF, 7);
	ku_aux_forget(&aux, KUTRACE_NAME_EVENTDEF, 7);
	assert_null(note_of(KUTRACE_NAME_EVENTDEF, 7, ""));
	ku_aux_add(&aux, KUTRACE_NAME_EVENTDEF, 7, "one", 3, 0);
	assert_int_equal(note_of(KUTRACE_NAME_EVENTDEF, 7, "")->until, KU_IN_FORCE);
	aux_down();
}

/* Checks that a META text that is added again with an older time keeps the newer time. */
static void test_meta_order(void **state)
{
	u64 last;

	(void)state;
	aux_up(KUTRACE_AUX_BYTES);
	ku_aux_add(&aux, KUTRACE_NAME_META, 0, "before", 6, 10);
	aux.begun = true;
	ku_aux_add(&aux, KUTRACE_NAME_META, 0, "fired", 5, 2000);
	last = aux.last;
	ku_aux_add(&aux, KUTRACE_NAME_META, 0, "fired", 5, 1000);
	assert_int_equal(note_of(KUTRACE_NAME_META, 0, "fired")->until, 2000);
	ku_aux_add(&aux, KUTRACE_NAME_META, 0, "fired", 5, 3000);
	assert_int_equal(note_of(KUTRACE_NAME_META, 0, "fired")->until, 3000);
	/* a text from before the recording stays in force */
	ku_aux_add(&aux, KUTRACE_NAME_META, 0, "before", 6, 2000);
	assert_int_equal(note_of(KUTRACE_NAME_META, 0, "before")->until, KU_IN_FORCE);
	assert_int_equal(aux.last, last);
	aux_down();
}

/* Returns the number of entries in the buffer. Copies the newest entry to *full. */
static u32 entries_and_newest(struct ku_aux_full *full)
{
	u64 first, last, lost, at;
	u32 n = 0;

	ku_aux_bounds(&aux, &first, &last, &lost);
	for (at = first; at < last; n++) {
		memset(full, 0, sizeof(*full));
		ku_aux_copy_out(&aux, &full->entry, at, KUTRACE_AUX_HEADER);
		ku_aux_copy_out(&aux, full->name, at + KUTRACE_AUX_HEADER,
				ku_aux_length(&full->entry) - KUTRACE_AUX_HEADER);
		at += ku_aux_length(&full->entry);
	}
	return n;
}

/*
 * Checks that the kind of a task follows the NUL of its name, even if the name needs all words of
 * an entry.
 */
static void test_task_kinds(void **state)
{
	struct ku_aux_full full;

	(void)state;
	aux_up(KUTRACE_AUX_BYTES);
	ku_aux_add_task(&aux, 5, "sevench", KUTRACE_TASK_KTHREAD, false, 0);
	assert_int_equal(entries_and_newest(&full), 1);
	assert_memory_equal(full.name, "sevench\0\2\0\0\0\0\0\0\0", 16);
	assert_int_equal(ku_aux_length(&full.entry), KUTRACE_AUX_HEADER + 16);
	/* The name is already known, with its kind and without. */
	ku_aux_add_task(&aux, 5, "sevench", KUTRACE_TASK_KTHREAD, false, 0);
	ku_aux_add(&aux, KUTRACE_NAME_PID, 5, "sevench", 7, 0);
	assert_int_equal(entries_and_newest(&full), 1);
	/* The same name with another kind belongs to another thread. */
	ku_aux_add_task(&aux, 5, "sevench", KUTRACE_TASK_USER, false, 0);
	assert_int_equal(entries_and_newest(&full), 2);
	assert_int_equal(full.name[8], KUTRACE_TASK_USER);
	ku_aux_add_task(&aux, 5, "a name of more than 15", KUTRACE_TASK_WORKER, false, 0);
	assert_int_equal(entries_and_newest(&full), 3);
	assert_memory_equal(full.name, "a name of more \0\3", 17);
	aux_down();
}

/* A new task with the pid and name of an earlier task gets a name entry of its own. */
static void test_new_task_of_the_same_name(void **state)
{
	struct ku_aux_full full;
	u64 first;

	(void)state;
	aux_up(KUTRACE_AUX_BYTES);
	ku_aux_add_task(&aux, 5, "server", KUTRACE_TASK_USER, true, 0);
	assert_int_equal(entries_and_newest(&full), 1);
	first = full.entry.counts;
	/* Renaming a task to its present name adds no entry. */
	ku_aux_add_task(&aux, 5, "server", KUTRACE_TASK_USER, false, 0);
	assert_int_equal(entries_and_newest(&full), 1);
	ku_aux_add_task(&aux, 5, "server", KUTRACE_TASK_USER, true, 0);
	assert_int_equal(entries_and_newest(&full), 2);
	assert_true(full.entry.counts > first);
	assert_memory_equal(full.name, "server", 7);
	aux_down();
}

/* The usual priority is added only if it replaces another one; of pid 0, always. */
static void test_priorities(void **state)
{
	struct ku_aux_full full;

	(void)state;
	aux_up(KUTRACE_AUX_BYTES);
	ku_aux_add_priority(&aux, 5, "nice 0", 6, 0);
	assert_int_equal(aux.entries, 0);
	ku_aux_add_priority(&aux, 0, "nice 0", 6, 0);
	assert_int_equal(entries_and_newest(&full), 1);
	assert_int_equal(full.entry.base, KUTRACE_NAME_PRIORITY);
	ku_aux_add_priority(&aux, 5, "FIFO 50", 7, 0);
	assert_int_equal(entries_and_newest(&full), 2);
	assert_memory_equal(full.name, "FIFO 50", 8);
	ku_aux_add_priority(&aux, 5, "FIFO 50", 7, 0);
	assert_int_equal(entries_and_newest(&full), 2);
	ku_aux_add_priority(&aux, 5, "nice 0", 6, 0);
	assert_int_equal(entries_and_newest(&full), 3);
	assert_memory_equal(full.name, "nice 0", 7);
	/* The name of the same pid is another object. */
	ku_aux_add_task(&aux, 5, "server", KUTRACE_TASK_USER, true, 0);
	assert_int_equal(entries_and_newest(&full), 4);
	ku_aux_add_priority(&aux, 5, "nice 0", 6, 0);
	assert_int_equal(entries_and_newest(&full), 4);
	aux_down();
}

/* ---- chains ---- */

static u32 chain_length(u32 head)
{
	u32 index = aux.heads[head], n = 0;

	for (; index; index = aux.notes[index - 1].next)
		n++;
	return n;
}

/* Adds names whose numbers share a chain if the factor is AUX_KEY. Returns the longest chain. */
static u32 longest_chain(u64 key)
{
	u32 heads, head, first, number, added = 0, longest = 0;

	aux_up(64 << 10);
	heads = aux.bytes / 64;
	say(0);
	for (first = 0; !aux.heads[first]; first++)
		;
	aux_down();
	aux_up(64 << 10);
	for (number = 0; added < 500; number++) {
		struct ku_aux_key object = { .base = KUTRACE_NAME_PID, .number = number };

		aux.key = AUX_KEY;
		if (ku_aux_chain(&aux, &object) != &aux.heads[first])
			continue;
		aux.key = key;
		say(number);
		added++;
	}
	assert_int_equal(aux.entries, added);
	for (head = 0; head < heads; head++)
		longest = chain_length(head) > longest ? chain_length(head) : longest;
	aux_down();
	return longest;
}

/* Numbers that share a chain under one factor do not share one under another. */
static void test_chains(void **state)
{
	(void)state;
	assert_int_equal(longest_chain(AUX_KEY), 500);
	assert_true(longest_chain(0xB492B66FBE98F273ULL) < 20);
	assert_true(longest_chain(0xD6E8FEB86659FD93ULL) < 20);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_task_kinds),
		cmocka_unit_test(test_new_task_of_the_same_name),
		cmocka_unit_test(test_priorities),
		cmocka_unit_test(test_every_step),
		cmocka_unit_test(test_threads),
		cmocka_unit_test(test_lengths),
		cmocka_unit_test(test_forget),
		cmocka_unit_test(test_meta_order),
		cmocka_unit_test(test_chains),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
