// SPDX-License-Identifier: BSD-3-Clause
/*
 * Tests a ring with one byte of counter bits per word. The four bits of an entry are at its index.
 * The four bits of a merged return are in the upper half of its call's byte, and replace older bits
 * there. No old bits remain in a block that is used again, or after a reset.
 */
#include "ring_machine.h"

#define BLOCKS 3
/* counter value of entry n; differs from the value of an older entry at the same index */
#define NIBBLE(n) ((u32)(n) % 15 + 1)

static u8 *bytes;

static void up(bool wrap)
{
	ring_up(BLOCKS, wrap);
	bytes = calloc(BLOCKS, KUTRACE_IPC_BYTES);
	ku_ring.bytes = bytes;
	ku_ring.bytes_flags = KUTRACE_FLAG_IPC;
}

static void down(void)
{
	free(bytes);
	pool_free();
}

static const u8 *bytes_of(u32 block)
{
	return bytes + (size_t)block * KUTRACE_IPC_BYTES;
}

/* Records an entry with its own number as arg, and four bits derived from the number. */
static void put(u32 number, u32 nwords, u32 room)
{
	u64 words[2] = { KU_EVENT(KUTRACE_MARKD) | number, 0x7777 };

	nibble = NIBBLE(number);
	assert_true(ku_ring_put(&ku_ring, &cpu, words, nwords, room, 0));
	nibble = 0;
}

/* Checks that every byte belongs to an entry and every entry has its byte. */
static size_t check_entries(void)
{
	struct decode d = decode_all();
	size_t i, set = 0, found;
	u32 block;

	for (i = 0; i < d.count; i++) {
		const struct decoded *e = &d.list[i];

		if (e->event == KUTRACE_MARKD && e->arg < 0x40000000)
			assert_int_equal(bytes_of(e->block)[e->index], NIBBLE(e->arg));
	}
	for (i = 0; i < (size_t)BLOCKS * KUTRACE_IPC_BYTES; i++)
		set += bytes[i] != 0;
	for (block = 0; block < BLOCKS; block++)
		if (ku_ring.table[block].seq)
			assert_int_equal(ku_ring.words[block][1] >> 56, KUTRACE_FLAG_IPC);
	found = d.count;
	free(d.list);
	assert_int_equal(set, found);
	return found;
}

static void at_the_index_of_the_entry(void **state)
{
	u32 n;

	(void)state;
	up(false);
	for (n = 0; n < 20000; n++) {
		if (n % 1000 == 999)	/* a gap that needs TSDELTA entries */
			clock_now += 5000000000ULL;
		put(n, 1, 1);
	}
	assert_int_equal(check_entries(), 20000);
	assert_int_equal(total_lost(), 0);
	down();
}

static void an_entry_with_reserved_words_after_it(void **state)
{
	u32 n;

	(void)state;
	up(false);
	put(1, 2, 3);
	for (n = KU_FIRST_INDEX; !bytes[n]; n++)
		;
	assert_int_equal(n, KU_FIRST_INDEX);
	assert_int_equal(bytes[n], NIBBLE(1));
	assert_int_equal(bytes[n + 1] | bytes[n + 2], 0);
	down();
}

static void a_return_has_the_upper_bits_of_its_call(void **state)
{
	u64 call = KU_EVENT(0x800 + 39), entry = KU_EVENT(0xA00 + 39) | 5;

	(void)state;
	up(false);
	nibble = 3;
	assert_true(ku_ring_put(&ku_ring, &cpu, &call, 1, 1, 0));
	nibble = 12;
	assert_true(ku_ring_merge(&ku_ring, &cpu, entry));
	assert_int_equal(bytes[KU_FIRST_INDEX], 12 << 4 | 3);
	/* a return that cannot be merged does not change the bits of the call */
	assert_false(ku_ring_merge(&ku_ring, &cpu, entry));
	assert_int_equal(bytes[KU_FIRST_INDEX], 12 << 4 | 3);
	down();
}

static void a_block_used_again_has_no_old_bits(void **state)
{
	u32 n;

	(void)state;
	up(true);
	/* the last block is partly filled and replaces a full one */
	for (n = 0; n < 4 * 8185 + 100; n++)
		put(n, 1, 1);
	assert_true(check_entries() < 3 * 8192);
	ku_ring_close_cpu(&ku_ring, &cpu);
	assert_null(cpu.counters.bytes);
	ku_ring_reset(&ku_ring, false);
	for (n = 0; n < BLOCKS * KUTRACE_IPC_BYTES; n++)
		assert_int_equal(bytes[n], 0);
	down();
}

static void a_ring_without_counter_bits_changes_no_byte(void **state)
{
	(void)state;
	up(false);
	ku_ring.bytes = NULL;
	ku_ring.bytes_flags = 0;
	put(1, 1, 1);
	assert_int_equal(bytes[KU_FIRST_INDEX], 0);
	assert_int_equal(ku_ring.words[0][1], 0);
	down();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(at_the_index_of_the_entry),
		cmocka_unit_test(an_entry_with_reserved_words_after_it),
		cmocka_unit_test(a_return_has_the_upper_bits_of_its_call),
		cmocka_unit_test(a_block_used_again_has_no_old_bits),
		cmocka_unit_test(a_ring_without_counter_bits_changes_no_byte),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
