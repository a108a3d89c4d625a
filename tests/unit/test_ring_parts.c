// SPDX-License-Identifier: BSD-3-Clause
/*
 * Tests a wrapped pool: while a CPU fills a block, it clears the next one part by part. No event
 * clears more than one part, blocks are filled to their end, old words are never read, and the
 * reported fill level agrees with the content. test_ring_steps.c tests interrupts in between.
 */
#include "ring_machine.h"

#define BLOCKS	10u
#define LAPS	4u
/* Number of words of a block that contexts other than NMIs fill. */
#define FILLED	(KU_BLOCK_END - KU_FIRST_INDEX)

static u32 put_so_far;

static void put(void)
{
	nibble = put_so_far % 15 + 1;
	ku_emit(KU_EVENT(KUTRACE_MARKD) | put_so_far++);
}

static void up(u32 nblocks)
{
	ring_up(nblocks, true);
	put_so_far = 0;
}

static u32 blocks_with_content(void)
{
	u32 i, n = 0;

	for (i = 0; i < ku_ring.nblocks; i++)
		n += ku_ring.table[i].seq != 0;
	return n;
}

/*
 * Checks that the numbers occur once and in order, from some number up to the last. Returns the
 * count of the numbers.
 */
static u32 check_numbers(void)
{
	struct decode d = decode_all();
	u32 found = (u32)d.count, i;

	assert_null(d.error);
	for (i = 0; i < found; i++) {
		assert_int_equal(d.list[i].event, KUTRACE_MARKD);
		assert_int_equal(d.list[i].arg, put_so_far - found + i);
	}
	free(d.list);
	return found;
}

static void test_filled_to_the_end(void **state)
{
	u32 i, word;

	(void)state;
	up(BLOCKS);
	for (i = 0; i < LAPS * BLOCKS * FILLED + FILLED / 2; i++)
		put();
	assert_int_equal(total_lost(), 0);
	/* All blocks except the one that is being cleared; one is half full. */
	assert_int_equal(check_numbers(), (BLOCKS - 2) * FILLED + FILLED / 2);
	for (i = 0; i < BLOCKS; i++)
		for (word = KU_FIRST_INDEX; i != cpu.at.block && i != cpu.next.block && word < KU_BLOCK_END; word++)
			assert_int_not_equal(ku_ring.words[i][word], 0);
	ring_down(NULL);
}

/*
 * Checks the number of words that one event has cleared. A block is claimed only when no words are
 * left to clear.
 */
static void check_step(u32 block, u32 next, u32 left)
{
	if (cpu.at.block == block) {
		assert_int_equal(cpu.next.block, next);
		assert_true(cpu.next.to_clear <= left);
		assert_in_range(left - cpu.next.to_clear, 0, KU_PART_WORDS);
		return;
	}
	assert_int_equal(cpu.at.block, next);
	assert_int_equal(left, 0);
	assert_int_equal(cpu.next.to_clear, KUTRACE_BLOCK_WORDS - KU_PART_WORDS);
}

static void test_part_by_part(void **state)
{
	u32 steps = 0, i;

	(void)state;
	up(BLOCKS);
	while (ku_ring.taken < BLOCKS)
		put();
	/* The first round has nothing to clear, but the next block is chosen. */
	assert_int_not_equal(cpu.next.block, KU_NO_BLOCK);
	for (i = 0; i < LAPS * BLOCKS * FILLED; i++) {
		u32 block = cpu.at.block, next = cpu.next.block, left = cpu.next.to_clear;

		put();
		check_step(block, next, left);
		steps += left != cpu.next.to_clear;
	}
	assert_int_equal(steps, LAPS * BLOCKS * KU_PARTS);
	ring_down(NULL);
}

static void test_what_is_used(void **state)
{
	u32 i;

	(void)state;
	up(BLOCKS);
	for (i = 0; i < 3 * BLOCKS * FILLED; i++) {
		put();
		if (ku_ring_used(&ku_ring) != blocks_with_content())
			fail_msg("%llu blocks are said to be used, %u are, after %u events",
				 (unsigned long long)ku_ring_used(&ku_ring), blocks_with_content(), i);
		/* ku_ring_wrapped() is true as soon as an event is missing. */
		if (ku_ring_wrapped(&ku_ring) != (ku_ring.table[0].seq != 1))
			fail_msg("said to have wrapped at the wrong time, after %u events", i);
	}
	ring_down(NULL);
}

/*
 * Tests a pool that is too small for a next block: a block is cleared when it is claimed, and no
 * history is dropped earlier.
 */
static void test_small_pool(void **state)
{
	u32 i;

	(void)state;
	up(KU_AHEAD_BLOCKS - 1);
	for (i = 0; i < 20 * FILLED; i++)
		put();
	assert_int_equal(cpu.next.block, KU_NO_BLOCK);
	assert_int_equal(check_numbers(), (KU_AHEAD_BLOCKS - 1) * FILLED);
	ring_down(NULL);
}

/*
 * Tests a block that ends early, as when recording stops, and the words that remain to be cleared.
 */
static void test_left_early(void **state)
{
	u32 i, next;

	(void)state;
	up(BLOCKS);
	for (i = 0; i < 2 * BLOCKS * FILLED + 700; i++)
		put();
	assert_in_range(cpu.next.to_clear, 1, KUTRACE_BLOCK_WORDS);
	next = cpu.next.block;
	ku_ring_close_cpu(&ku_ring, &cpu);
	assert_int_equal(ku_ring_used(&ku_ring), blocks_with_content());
	assert_int_equal(check_numbers(), (BLOCKS - 2) * FILLED + 700);
	put();
	assert_int_equal(cpu.at.block, next);
	check_numbers();
	ring_down(NULL);
}

/* Tests a gap that needs a new block, in each part. */
static void test_long_gap(void **state)
{
	u32 i;

	(void)state;
	up(BLOCKS);
	for (i = 0; i < 2 * BLOCKS * FILLED + 300; i++) {
		if (i % 3777 == 0)
			clock_now += 70ULL * 2000000000ULL;
		put();
	}
	check_numbers();
	assert_int_equal(total_lost(), 0);
	ring_down(NULL);
}

static void test_reset(void **state)
{
	static const u64 zeros[KUTRACE_BLOCK_WORDS];
	u32 i;

	(void)state;
	up(BLOCKS);
	for (i = 0; i < 2 * BLOCKS * FILLED + 700; i++)
		put();
	ku_ring_close_cpu(&ku_ring, &cpu);
	ku_ring_reset(&ku_ring, true);
	ku_ring_init_cpu(&cpu);
	for (i = 0; i < BLOCKS; i++)
		assert_memory_equal(ku_ring.words[i], zeros, sizeof(zeros));
	assert_int_equal(ku_ring_used(&ku_ring), 0);
	put_so_far = 0;
	put();
	assert_int_equal(cpu.at.block, 0);
	assert_int_equal(check_numbers(), 1);
	ring_down(NULL);
}

/* Moves the state to another slot in the middle of clearing, and back. */
static void test_moved(void **state)
{
	static struct ku_cpu fast;
	struct ku_cpu *own = &cpu;
	u32 i;

	(void)state;
	up(BLOCKS);
	memset(&fast, 0, sizeof(fast));
	ku_ring_init_cpu(&fast);
	fast.slot.verdict = KU_UNRESOLVED;
	for (i = 0; i < 3 * BLOCKS * FILLED + 700; i++) {
		bool there = i / 1111 % 2;

		if (there != (fast.slot.verdict == KU_SELECTED)) {
			if (there)
				ku_ring_enter_fast(&ku_ring, &fast, own);
			else
				ku_ring_leave_fast(&fast, own);
		}
		ku_env_cpu = there ? &fast : own;
		put();
	}
	assert_int_equal(ku_ring_used(&ku_ring), blocks_with_content());
	assert_true(check_numbers() >= (BLOCKS - 2) * FILLED);
	assert_int_equal(total_lost(), 0);
	ring_down(NULL);
}

/*
 * Tests a call at the end of a part, into which no return may be merged. The block continues after
 * the call.
 */
static void test_broken_at_the_end(void **state)
{
	u32 block;

	(void)state;
	up(BLOCKS);
	while (ku_ring.taken <= BLOCKS)
		put();
	while ((cpu.at.state & KU_INDEX_MASK) < KU_BLOCK_END - 1)
		put();
	block = cpu.at.block;
	ku_emit(KU_EVENT(0x827));
	assert_int_equal(cpu.at.state & KU_INDEX_MASK, KU_BLOCK_END);
	ku_ring_break(&ku_ring, &cpu);
	assert_int_equal(cpu.at.block, block);
	assert_false(ku_merge_return(0x827, 0));
	ring_down(NULL);
}

/* Checks that each word has its own counter bits, and no old bits. */
static void test_bytes(void **state)
{
	u8 *bytes = calloc(BLOCKS, KUTRACE_IPC_BYTES);
	u32 i, n;

	(void)state;
	up(BLOCKS);
	ku_ring.bytes = bytes;
	for (i = 0; i < 2 * BLOCKS * FILLED + 2500; i++) {
		u64 entry = KU_EVENT(KUTRACE_MARKD) | put_so_far;

		nibble = put_so_far++ % 15 + 1;
		assert_true(ku_ring_put(&ku_ring, &cpu, &entry, 1, 1, 0));
	}
	for (i = 0; i < BLOCKS; i++)
		for (n = KU_FIRST_INDEX; i != cpu.next.block && n < KUTRACE_BLOCK_WORDS; n++) {
			u64 word = ku_ring.words[i][n];

			assert_int_equal(bytes[i * KUTRACE_IPC_BYTES + n], word ? (u32)word % 15 + 1 : 0);
		}
	assert_int_equal(check_numbers(), (BLOCKS - 2) * FILLED + 2500);
	free(bytes);
	ring_down(NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_filled_to_the_end),
		cmocka_unit_test(test_part_by_part),
		cmocka_unit_test(test_what_is_used),
		cmocka_unit_test(test_small_pool),
		cmocka_unit_test(test_left_early),
		cmocka_unit_test(test_long_gap),
		cmocka_unit_test(test_reset),
		cmocka_unit_test(test_moved),
		cmocka_unit_test(test_broken_at_the_end),
		cmocka_unit_test(test_bytes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
