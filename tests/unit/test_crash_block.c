// SPDX-License-Identifier: BSD-3-Clause
/*
 * Tests how kutrace_crash finds the valid entries of a block. A CPU may stop at any moment while it
 * claims and stores an entry of one to eight words. An interrupt may have added complete entries
 * after this entry.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <string.h>

#include "common/entry.h"
#include "crash/crash.h"

#define START	0x123456000ull
/* first index of an entry: the module leaves one word free */
#define FIRST	(KUTRACE_FIRST_WORD + 1)

static uint64_t words[KUTRACE_BLOCK_WORDS], before[KUTRACE_BLOCK_WORDS];
static uint64_t now;
static uint32_t at;

static void begin(void)
{
	memset(words, 0, sizeof(words));
	words[0] = 1ULL << 56 | START;
	now = START;
	at = FIRST;
}

static uint64_t word(uint64_t count, uint32_t event, uint32_t arg)
{
	return count << KUTRACE_TS_SHIFT | (uint64_t)event << KUTRACE_EVENT_SHIFT | arg;
}

static void mark(void)
{
	now += 30;
	words[at] = word(now, KUTRACE_MARKD, at);
	at++;
}

/* Adds a PC sample: two words, and one that stays free. */
static void sample(void)
{
	now += 30;
	words[at++] = word(now, KUTRACE_PC_K, 0);
	words[at++] = 0xFFFFFFFF81234567ull;
	at++;
}

static struct kc_checked check(void)
{
	struct kc_claimed claimed = {.last = now, .index = at};
	struct kc_checked c;

	memcpy(before, words, sizeof(words));
	c = kc_block_check(words, UINT64_MAX, &claimed);
	kc_block_clear(words, &c);
	return c;
}

static void a_whole_block_stays_as_it_is(void **state)
{
	struct kc_checked c;
	int i;

	(void)state;
	begin();
	for (i = 0; i < 1000; i++) {
		mark();
		if (i % 7 == 0)
			sample();
	}
	c = check();
	assert_false(c.damaged);
	assert_false(c.incomplete);
	assert_int_equal(c.last, now);
	assert_memory_equal(words, before, sizeof(words));
}

/* Returns the payload of a word. With some values of @kind, it looks like an entry. */
static uint64_t payload(unsigned int kind, uint32_t i)
{
	static const uint64_t fixed[] = {0, 1, ~0ULL, 0xFFFFFFFF81234567ull, 0x4142434445464748ull};

	if (kind < 5)
		return fixed[kind];
	if (kind == 5)	/* the payload looks like an entry of a valid event, some time later */
		return word(now + 1 + i, KUTRACE_MARKA, i);
	return word(now * 7 + i * 0x31415, 0x800 + i, i);
}

/*
 * Checks a block with an entry of @length words, of which only the last @stored are stored. A CPU
 * stores the first word last. @later complete entries of an interrupt follow. All complete entries
 * must remain, and the incomplete one must become zero.
 */
static void stops(uint32_t length, uint32_t stored, unsigned int kind, uint32_t later, bool samples)
{
	uint64_t want[KUTRACE_BLOCK_WORDS];
	struct kc_checked c;
	uint32_t i, behind;

	begin();
	for (i = 0; i < 50; i++) {
		mark();
		if (samples && i % 5 == 0)
			sample();
	}
	now += 30;
	at += length;
	behind = at;
	for (i = 0; i < later; i++)
		mark();
	memcpy(want, words, sizeof(words));
	for (i = 0; i < stored; i++)
		words[behind - 1 - i] = payload(kind, i);
	c = check();
	assert_false(c.damaged);
	assert_memory_equal(words, want, sizeof(words));
	assert_int_equal(c.last >= (later ? now : now - 30), 1);
	/* an incomplete entry of one word with entries after it cannot be detected */
	if (!later)
		assert_true(c.incomplete);
}

static void an_incomplete_entry_is_omitted(void **state)
{
	uint32_t length, stored, later, kind;

	(void)state;
	for (length = 1; length <= 8; length++)
		for (stored = 0; stored < length; stored++)
			for (later = 0; later < 4; later++)
				for (kind = 1; kind < 7; kind++) {
					/* words of ones end a block; no payload has them */
					if (kind == 2)
						continue;
					stops(length, stored, kind, later, false);
					stops(length, stored, kind, later, true);
				}
}

/* Checks that words after the claimed ones are omitted: they are old or damaged. */
static void words_after_the_claimed_ones_are_omitted(void **state)
{
	struct kc_checked c;
	uint32_t i;

	(void)state;
	begin();
	for (i = 0; i < 20; i++)
		mark();
	words[at] = word(now + 5, KUTRACE_MARKA, 7);
	words[at + 100] = ~0ULL;
	c = check();
	assert_false(c.incomplete);
	assert_int_equal(words[at], 0);
	assert_int_equal(words[at + 100], 0);
	assert_int_equal(words[at - 1], before[at - 1]);
}

static void a_damaged_word_ends_a_block(void **state)
{
	struct kc_checked c;
	uint32_t i, bad;

	(void)state;
	for (bad = 0; bad < 3; bad++) {
		begin();
		for (i = 0; i < 200; i++)
			mark();
		/* 0: unknown event number; 1: impossible time; 2: entry longer than the block */
		words[FIRST + 100] = bad == 0 ? word(START + 3030, 1, 0) :
				     bad == 1 ? word(START + 500000, KUTRACE_MARKA, 0) : 0;
		if (bad == 2)
			words[KUTRACE_BLOCK_WORDS - 1] = word(now, 0x182, 0);
		memcpy(before, words, sizeof(words));
		c = kc_block_check(words, now + 10, NULL);
		assert_true(c.damaged);
		kc_block_clear(words, &c);
		if (bad == 2) {
			assert_int_equal(words[KUTRACE_BLOCK_WORDS - 1], 0);
			assert_memory_equal(words, before, (FIRST + 200) * 8);
			continue;
		}
		assert_memory_equal(words, before, (FIRST + 100) * 8);
		for (i = FIRST + 100; i < KUTRACE_BLOCK_WORDS; i++)
			assert_int_equal(words[i], 0);
	}
}

/* A TSDELTA entry announces a long gap. A CPU stores it before the first word of the next entry. */
static void a_gap_with_its_announcement_stays(void **state)
{
	struct kc_checked c;

	(void)state;
	begin();
	mark();
	now += 3000000;
	words[at++] = word(now, KUTRACE_TSDELTA, 3000000);
	c = check();
	assert_false(c.damaged);
	assert_int_equal(c.last, now);
	assert_memory_equal(words, before, sizeof(words));
	/* the next entry was claimed together with the TSDELTA, and is not stored */
	at++;
	c = check();
	assert_false(c.damaged);
	assert_memory_equal(words, before, sizeof(words));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_whole_block_stays_as_it_is),
		cmocka_unit_test(an_incomplete_entry_is_omitted),
		cmocka_unit_test(words_after_the_claimed_ones_are_omitted),
		cmocka_unit_test(a_damaged_word_ends_a_block),
		cmocka_unit_test(a_gap_with_its_announcement_stays),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
