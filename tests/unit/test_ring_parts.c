// SPDX-License-Identifier: BSD-3-Clause
/*
 * A pool that has gone round: while a CPU fills a block, it clears the one that it takes next, part
 * by part. No event pays for more than one part, blocks are filled to their end, nothing of
 * before is read, and what is said of the pool's filling agrees with what is in it. What interrupts
 * do in between is test_ring_steps.c's.
 */
#include "ring_machine.h"

#define BLOCKS	10u
#define LAPS	4u
/* Words of a block that others than NMIs fill. */
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

/* From some number on each comes once, in order, up to the last. Returns how many. */
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
	/* All but the one that is being cleared, and one is half full. */
	assert_int_equal(check_numbers(), (BLOCKS - 2) * FILLED + FILLED / 2);
	for (i = 0; i < BLOCKS; i++)
		for (word = KU_FIRST_INDEX; i != cpu.block && i != cpu.next && word < KU_BLOCK_END; word++)
			assert_int_not_equal(ku_ring.words[i][word], 0);
	ring_down(NULL);
}

/* What one event has cleared; a block is taken with nothing left to clear. */
static void check_step(u32 block, u32 next, u32 left)
{
	if (cpu.block == block) {
		assert_int_equal(cpu.next, next);
		assert_true(cpu.to_clear <= left);
		assert_in_range(left - cpu.to_clear, 0, KU_PART_WORDS);
		return;
	}
	assert_int_equal(cpu.block, next);
	assert_int_equal(left, 0);
	assert_int_equal(cpu.to_clear, KUTRACE_BLOCK_WORDS - KU_PART_WORDS);
}

static void test_part_by_part(void **state)
{
	u32 steps = 0, i;

	(void)state;
	up(BLOCKS);
	while (ku_ring.taken < BLOCKS)
		put();
	/* The first round has nothing to clear, and the next block is there all the same. */
	assert_int_not_equal(cpu.next, KU_NO_BLOCK);
	for (i = 0; i < LAPS * BLOCKS * FILLED; i++) {
		u32 block = cpu.block, next = cpu.next, left = cpu.to_clear;

		put();
		check_step(block, next, left);
		steps += left != cpu.to_clear;
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
		/* From when on something is missing. */
		if (ku_ring_wrapped(&ku_ring) != (ku_ring.table[0].seq != 1))
			fail_msg("said to have wrapped at the wrong time, after %u events", i);
	}
	ring_down(NULL);
}

/* Too few blocks for one that waits: cleared at once, and no history is given up for it. */
static void test_small_pool(void **state)
{
	u32 i;

	(void)state;
	up(KU_AHEAD_BLOCKS - 1);
	for (i = 0; i < 20 * FILLED; i++)
		put();
	assert_int_equal(cpu.next, KU_NO_BLOCK);
	assert_int_equal(check_numbers(), (KU_AHEAD_BLOCKS - 1) * FILLED);
	ring_down(NULL);
}

/* A block that is left early, as when recording stops, and what is left to clear then. */
static void test_left_early(void **state)
{
	u32 i, next;

	(void)state;
	up(BLOCKS);
	for (i = 0; i < 2 * BLOCKS * FILLED + 700; i++)
		put();
	assert_in_range(cpu.to_clear, 1, KUTRACE_BLOCK_WORDS);
	next = cpu.next;
	ku_ring_close_cpu(&ku_ring, &cpu);
	assert_int_equal(ku_ring_used(&ku_ring), blocks_with_content());
	assert_int_equal(check_numbers(), (BLOCKS - 2) * FILLED + 700);
	put();
	assert_int_equal(cpu.block, next);
	check_numbers();
	ring_down(NULL);
}

/* Nor does a gap that needs a block of its own, in any part. */
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
	assert_int_equal(cpu.block, 0);
	assert_int_equal(check_numbers(), 1);
	ring_down(NULL);
}

/* The state goes to another place in the middle of it, and back. */
static void test_moved(void **state)
{
	static struct ku_cpu fast;
	struct ku_cpu *own = &cpu;
	u32 i;

	(void)state;
	up(BLOCKS);
	memset(&fast, 0, sizeof(fast));
	ku_ring_init_cpu(&fast);
	fast.routed = KU_ROUTED;
	for (i = 0; i < 3 * BLOCKS * FILLED + 700; i++) {
		bool there = i / 1111 % 2;

		if (there != (fast.routed == KU_OPEN)) {
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

/* A call at the end of a part, into which no return may be merged: the block goes on behind it. */
static void test_broken_at_the_end(void **state)
{
	u32 block;

	(void)state;
	up(BLOCKS);
	while (ku_ring.taken <= BLOCKS)
		put();
	while ((cpu.state & KU_INDEX_MASK) < KU_BLOCK_END - 1)
		put();
	block = cpu.block;
	ku_emit(KU_EVENT(0x827));
	assert_int_equal(cpu.state & KU_INDEX_MASK, KU_BLOCK_END);
	ku_ring_break(&ku_ring, &cpu);
	assert_int_equal(cpu.block, block);
	assert_false(ku_merge_return(0x827, 0));
	ring_down(NULL);
}

/* Words with bytes of counters: each has its own, and none of before is left. */
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
		for (n = KU_FIRST_INDEX; i != cpu.next && n < KUTRACE_BLOCK_WORDS; n++) {
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
