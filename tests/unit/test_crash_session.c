// SPDX-License-Identifier: BSD-3-Clause
/*
 * Tests how kutrace_crash extracts the trace of a session from the memory of an invented machine.
 * The memory is intact, or damaged in the anchor and the structures that it points to.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "crash_build.h"

#include "crash/crash.h"

static struct kc_memory dump;
static struct kc_session session;
static char trace_path[64];

/* Counts the marks of a CPU in the trace, which must have consecutive numbers. */
static unsigned int marks_of(uint32_t cpu, uint32_t *first, uint32_t *last)
{
	static uint64_t block[KUTRACE_BLOCK_WORDS];
	FILE *f = fopen(trace_path, "rb");
	unsigned int count = 0, i;

	assert_non_null(f);
	while (fread(block, sizeof(block), 1, f) == 1)
		for (i = KUTRACE_FIRST_WORD; i < KUTRACE_BLOCK_WORDS; i++) {
			uint32_t arg = ku_entry_arg(block[i]);

			if (ku_entry_event(block[i]) != KUTRACE_MARKD || block[0] >> 56 != cpu)
				continue;
			if (!count++)
				*first = arg;
			*last = arg;
		}
	assert_true(feof(f));
	fclose(f);
	return count;
}

/* Returns true if the first blocks of the trace contain the text. */
static bool trace_says(const char *text)
{
	static char all[2 * KUTRACE_BLOCK_BYTES];
	FILE *f = fopen(trace_path, "rb");
	size_t n;

	assert_non_null(f);
	n = fread(all, 1, sizeof(all), f);
	fclose(f);
	return memmem(all, n, text, strlen(text)) != NULL;
}

static enum kc_found look(struct kc_anchor *anchor, const char **why)
{
	uint64_t at = 0;

	*why = "";
	assert_null(kc_memory_open(&dump, dump_path));
	if (!kc_anchor_next(&dump, &at, NULL)) {
		memset(anchor, 0, sizeof(*anchor));
		return KC_NO_ANCHOR;
	}
	return kc_anchor_read(&dump, at, anchor, why);
}

/* Writes the trace of the session in memory. Returns NULL, or the reason of a failure. */
static const char *take(void)
{
	struct kutrace_dump_result written;
	struct kc_anchor anchor;
	const char *why;

	if (!*trace_path)
		snprintf(trace_path, sizeof(trace_path), "/tmp/test_crash.%d.trace", (int)getpid());
	write_elf();
	switch (look(&anchor, &why)) {
	case KC_NO_ANCHOR:
		return "none";
	case KC_DAMAGED:
		kc_anchor_free(&anchor);
		return why;
	default:
		break;
	}
	why = kc_session_open(&session, &dump, &anchor);
	kc_anchor_free(&anchor);
	if (!why)
		why = kc_session_load(&session, NULL);
	if (!why && kc_trace_write(&session, trace_path, NULL, &written))
		why = "no trace can be made";
	return why;
}

static void done(void)
{
	kc_session_free(&session);
	kc_memory_close(&dump);
	unlink(trace_path);
}

static void expect_marks(uint32_t cpu, unsigned int count, uint32_t first, uint32_t last)
{
	uint32_t a = 0, b = 0;

	assert_int_equal(marks_of(cpu, &a, &b), count);
	if (count) {
		assert_int_equal(a, first);
		assert_int_equal(b, last);
	}
}

static void expect_damage(uint64_t entries, uint64_t headers, uint64_t cut, uint64_t incomplete)
{
	assert_int_equal(session.damage.entries, entries);
	assert_int_equal(session.damage.headers, headers);
	assert_int_equal(session.damage.cut, cut);
	assert_int_equal(session.damage.incomplete, incomplete);
	assert_int_equal(session.damage.unreadable, 0);
}

/* --- intact memory -------------------------------------------------------------------- */

static void a_session_becomes_a_trace(void **state)
{
	(void)state;
	record();
	put_lost(0, 0, KUTRACE_LOST_NESTED, 3);
	put_lost(1, 1, KUTRACE_LOST_NESTED, 4);
	/* a loss in the secondary slot, which another session occupies */
	put_lost(1, 2, KUTRACE_LOST_NESTED, 100);
	assert_null(take());
	assert_true(session.recording);
	expect_damage(0, 0, 0, 0);
	expect_marks(0, 3004, 0, 3003);
	expect_marks(1, 1010, 0, 1009);
	assert_false(session.info.wrapped);
	assert_int_equal(session.info.lost[KUTRACE_LOST_NESTED], 7);
	assert_true(session.info.stop.counts >= START + 60040);
	assert_true(trace_says("6.1.0-test #1 SMP"));
	assert_true(trace_says("crashed"));
	assert_true(trace_says("lost_nested=7"));
	assert_false(trace_says("lost_blocks="));
	assert_false(trace_says("boot_id="));
	done();
}

static void a_wrapped_session_has_its_remaining_blocks(void **state)
{
	(void)state;
	record();
	/* block 0 was claimed again: it is being cleared, or has a new header */
	put_entry(0, 0, 0, KUTRACE_BLOCK_CURRENT);
	put_entry(5, 12, 0, KUTRACE_BLOCK_CURRENT);
	assert_null(take());
	expect_damage(0, 0, 0, 0);
	assert_true(session.info.wrapped);
	expect_marks(0, 2004, 1000, 3003);
	done();
	/* block 0 is being cleared: the session has wrapped, though no block was claimed twice */
	record();
	put_entry(0, 0, 0, KUTRACE_BLOCK_CURRENT);
	assert_null(take());
	assert_true(session.info.wrapped);
	assert_int_equal(session.info.taken_blocks, BLOCKS);
	assert_int_equal(session.info.used_blocks, BLOCKS - 1);
	done();
}

static void an_incomplete_entry_is_counted(void **state)
{
	(void)state;
	record();
	put_state(0, 0, 5, KUTRACE_FIRST_WORD + 1 + 5, START + 60050);
	assert_null(take());
	expect_damage(0, 0, 0, 1);
	expect_marks(0, 3004, 0, 3003);
	done();
}

/* Tests a CPU that fills its block part by part. */
static void an_index_that_is_ahead_is_corrected(void **state)
{
	(void)state;
	record();
	put_state_ahead(0, 0, 5, KUTRACE_FIRST_WORD + 1 + 5, START + 60050, 7680);
	assert_null(take());
	expect_damage(0, 0, 0, 1);
	expect_marks(0, 3004, 0, 3003);
	done();
}

static void a_stopped_session_ends_at_its_stop_time(void **state)
{
	struct kutrace_anchor_state *s;

	(void)state;
	record();
	s = the_state(0);
	s->info.recording = 0;
	s->info.stop = (struct kutrace_pair){START + 100000, s->info.start.real_ns + 1600000};
	seal_state(s);
	assert_null(take());
	assert_false(session.recording);
	assert_int_equal(session.info.stop.counts, START + 100000);
	done();
}

/* --- damaged memory --------------------------------------------------------------------- */

static void memory_that_is_no_anchor_is_skipped(void **state)
{
	(void)state;
	record();
	the_anchor()->piece.magic[1] ^= 1;
	assert_string_equal(take(), "none");
	done();
	/* a copy of an anchor at another address */
	record();
	memcpy(mem(BASE + 0x60000), mem(AT_ANCHOR), KUTRACE_ANCHOR_BYTES);
	the_anchor()->piece.magic[0] = 0;
	assert_string_equal(take(), "none");
	done();
}

static void a_damaged_anchor_is_refused(void **state)
{
	size_t i;

	(void)state;
	/* changes any word of the head, except magic and address, which would make it no anchor */
	for (i = 24; i < sizeof(struct kutrace_anchor); i += 8) {
		record();
		*(uint64_t *)mem(AT_ANCHOR + i) ^= 1ULL << (i * 7 % 64);
		assert_string_equal(take(), "its checksum is wrong");
		done();
	}
	record();
	the_anchor()->version++;
	seal(&the_anchor()->piece);
	assert_string_equal(take(), "a module with another version wrote it");
	done();
	record();
	the_anchor()->state_offset = 60000;
	seal(&the_anchor()->piece);
	assert_string_equal(take(), "its data contradict each other");
	done();
	record();
	the_state(0)->info.clock_shift = 41;	/* an impossible clock shift */
	seal_state(the_state(0));
	assert_string_equal(take(), "its data contradict each other");
	done();
	record();
	the_state(0)->info.start.real_ns = 4102444800000000001ULL;	/* a time in the year 2100 */
	seal_state(the_state(0));
	assert_string_equal(take(), "its times are impossible");
	done();
}

static void an_intact_copy_of_the_state_is_used(void **state)
{
	(void)state;
	record();
	the_state(0)->info.start.counts++;	/* the newer state is being written */
	assert_null(take());
	assert_true(session.anchor.older_state);
	assert_false(session.recording);
	done();
	record();
	the_state(0)->sum++;
	the_state(1)->sum++;
	assert_string_equal(take(), "both copies of its state are damaged");
	done();
}

static void if_the_list_is_cut_its_first_part_is_used(void **state)
{
	(void)state;
	record();
	((struct kutrace_anchor_piece *)mem(AT_PIECE))->head_sum++;
	assert_null(take());
	assert_true(session.anchor.list.cut);
	/* the addresses of the CPU states and of three blocks are in the second piece */
	assert_int_equal(session.damage.unreadable, 3);
	expect_marks(0, 2000, 0, 1999);
	expect_marks(1, 1000, 0, 999);
	assert_true(trace_says("lost_blocks=3"));
	done();
	/* a circular list */
	record();
	((struct kutrace_anchor_piece *)mem(AT_PIECE))->next = AT_PIECE;
	seal(mem(AT_PIECE));
	assert_null(take());
	assert_true(session.anchor.list.cut);
	done();
}

static void a_block_with_a_damaged_address_is_omitted(void **state)
{
	uint64_t *words;

	(void)state;
	record();
	words = mem(AT_ANCHOR + the_anchor()->piece.list_offset);
	words[3] ^= 1ULL << 40;		/* address of block 1 */
	assert_null(take());
	assert_true(session.anchor.list.changed);
	assert_int_equal(session.damage.unreadable, 1);
	expect_marks(0, 2004, 0, 3003);
	expect_marks(1, 1010, 0, 1009);
	done();
	record();
	words = mem(AT_ANCHOR + the_anchor()->piece.list_offset);
	words[3] = words[2];		/* the same address twice */
	assert_null(take());
	assert_int_equal(session.damage.headers, 1);
	done();
}

static void impossible_entries_of_the_table_are_left_out(void **state)
{
	(void)state;
	record();
	put_entry(1, 3, 0, 77);
	put_entry(2, 2, CPUS, KUTRACE_BLOCK_DONE);
	put_entry(3, 1ULL << 60, 0, KUTRACE_BLOCK_DONE);
	assert_null(take());
	expect_damage(3, 0, 0, 0);
	expect_marks(0, 1004, 0, 3003);
	expect_marks(1, 10, 1000, 1009);
	done();
	record();
	put_entry(1, 1, 0, KUTRACE_BLOCK_DONE);	/* the number of block 0 */
	assert_null(take());
	assert_int_equal(session.damage.entries, 1);
	done();
	record();
	((struct kutrace_meta_page *)mem(AT_META))->table_offset = META_BYTES;
	assert_string_equal(take(), "its block table is damaged");
	done();
}

static void a_block_that_contradicts_its_table_entry_is_omitted(void **state)
{
	(void)state;
	record();
	put_word(1, 0, 1ULL << 56 | (START + 20000));	/* block of another CPU */
	assert_null(take());
	expect_damage(0, 1, 0, 0);
	expect_marks(0, 2004, 0, 3003);
	done();
	record();
	put_word(1, 0, START * 1000);			/* later than the following blocks */
	assert_null(take());
	expect_damage(0, 1, 0, 0);
	expect_marks(0, 2004, 0, 3003);
	done();
	record();
	put_word(3, 0, START + 1);			/* earlier than the preceding blocks */
	assert_null(take());
	expect_damage(0, 1, 0, 0);
	expect_marks(0, 2004, 0, 3003);
	done();
}

static void after_a_damaged_word_the_rest_of_its_block_is_omitted(void **state)
{
	(void)state;
	record();
	put_word(1, KUTRACE_FIRST_WORD + 1 + 400, 1ULL << KUTRACE_EVENT_SHIFT);
	assert_null(take());
	expect_damage(0, 0, 1, 0);
	expect_marks(0, 2404, 0, 3003);
	assert_true(trace_says("lost_blocks=1"));
	done();
}

static void with_damaged_bounds_the_names_are_missing(void **state)
{
	(void)state;
	record();
	put64(AT_WORDS, 8000);
	put64(AT_WORDS + 8, 80000000);
	assert_null(take());
	assert_true(session.damage.names);
	expect_marks(0, 3004, 0, 3003);
	done();
}

/*
 * Makes the checksum valid again, so that kutrace_crash examines the damaged content. Skips a piece
 * whose head has impossible values.
 */
static void seal_if_sane(struct kutrace_anchor_piece *piece)
{
	if (piece->head_bytes <= 512 && piece->list_offset <= 4096 && !(piece->list_offset % 8) &&
	    piece->list_words <= 256)
		seal(piece);
}

/*
 * Checks that each value of each word gives a trace or a reason, and that nothing is read beyond
 * the memory.
 */
static void any_value_of_a_word_gives_a_trace_or_a_reason(void **state)
{
	static const uint64_t places[] = {AT_ANCHOR, AT_PIECE, AT_META, AT_META + PAGE, AT_CPUS, AT_WORDS};
	static const uint64_t values[] = {1, ~0ULL, 0x7FFFFFFFFFFFF000ull};
	size_t place, value, i;

	(void)state;
	for (place = 0; place < sizeof(places) / sizeof(places[0]); place++)
		for (i = 0; i < 40; i++)
			for (value = 0; value < 3; value++) {
				uint64_t at = places[place] + 8 * i;

				/* in the anchor, also change words far from its beginning */
				if (places[place] == AT_ANCHOR && i >= 24)
					at = AT_ANCHOR + 512 + 37 * 8 * (i - 24);
				record();
				put64(at, values[value]);
				if (place < 2) {
					seal_if_sane(mem(AT_PIECE));
					seal_state(the_state(0));
					seal_if_sane(mem(AT_ANCHOR));
				}
				take();
				done();
			}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_session_becomes_a_trace),
		cmocka_unit_test(a_wrapped_session_has_its_remaining_blocks),
		cmocka_unit_test(an_incomplete_entry_is_counted),
		cmocka_unit_test(an_index_that_is_ahead_is_corrected),
		cmocka_unit_test(a_stopped_session_ends_at_its_stop_time),
		cmocka_unit_test(memory_that_is_no_anchor_is_skipped),
		cmocka_unit_test(a_damaged_anchor_is_refused),
		cmocka_unit_test(an_intact_copy_of_the_state_is_used),
		cmocka_unit_test(if_the_list_is_cut_its_first_part_is_used),
		cmocka_unit_test(a_block_with_a_damaged_address_is_omitted),
		cmocka_unit_test(impossible_entries_of_the_table_are_left_out),
		cmocka_unit_test(a_block_that_contradicts_its_table_entry_is_omitted),
		cmocka_unit_test(after_a_damaged_word_the_rest_of_its_block_is_omitted),
		cmocka_unit_test(with_damaged_bounds_the_names_are_missing),
		cmocka_unit_test(any_value_of_a_word_gives_a_trace_or_a_reason),
	};

	return cmocka_run_group_tests(tests, NULL, no_dump);
}
