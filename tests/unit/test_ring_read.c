// SPDX-License-Identifier: BSD-3-Clause
/*
 * Tests the ring core with a reader: a cleared block is never mistaken for its old content.
 */
#include "ring_machine.h"

/*
 * A reader copies a block, and accepts the copy if the block's number is the same afterwards.
 * This reader copies each time a block is being cleared.
 */
#define READ_BLOCKS 4

static u64 read_seq[READ_BLOCKS];
static u64 read_words[READ_BLOCKS][KUTRACE_BLOCK_WORDS];
static u8 read_bytes[READ_BLOCKS * KUTRACE_IPC_BYTES];
static int reads;

static void read_before(void)
{
	u32 i;

	for (i = 0; i < READ_BLOCKS; i++) {
		/* Read only blocks that no CPU writes to any more. */
		read_seq[i] = ku_ring.table[i].state == KUTRACE_BLOCK_DONE ?
			      ku_ring.table[i].seq : 0;
		memcpy(read_words[i], ku_ring.words[i], KUTRACE_BLOCK_BYTES);
	}
	memcpy(read_bytes, ku_ring.bytes, sizeof(read_bytes));
}

static void read_at_clearing(char letter)
{
	u32 i;

	if (letter != 'v')
		return;
	reads++;
	for (i = 0; i < READ_BLOCKS; i++) {
		if (!read_seq[i] || ku_ring.table[i].seq != read_seq[i])
			continue;
		assert_memory_equal(ku_ring.words[i], read_words[i], KUTRACE_BLOCK_BYTES);
		assert_memory_equal(ku_ring.bytes + i * KUTRACE_IPC_BYTES,
				    read_bytes + i * KUTRACE_IPC_BYTES, KUTRACE_IPC_BYTES);
	}
}

static void fill_blocks(u32 blocks)
{
	u32 i;

	nibble = 7;
	for (i = 0; i < blocks * (KUTRACE_BLOCK_WORDS - KUTRACE_BLOCK_WORDS / 16); i++)
		ku_emit(KU_EVENT(KUTRACE_MARKD) | i);
}

static void test_reader_of_cleared(void **state)
{
	static u8 bytes[READ_BLOCKS * KUTRACE_IPC_BYTES];
	u32 resets;

	(void)state;
	ring_up(READ_BLOCKS, true);
	ku_ring.bytes = bytes;
	fill_blocks(READ_BLOCKS - 1);
	reads = 0;
	ku_env_step = read_at_clearing;
	/* reset the ring, with one block that was never used */
	ku_ring.active = 0;
	ku_ring_close_cpu(&ku_ring, &cpu);
	read_before();
	assert_true(read_seq[READ_BLOCKS - 2] && !ku_ring.table[READ_BLOCKS - 1].seq);
	resets = ku_ring.resets;
	ku_ring_reset(&ku_ring, true);
	assert_int_equal(reads, READ_BLOCKS - 1);
	/* numbers begin at 1 again, so a reader must detect the new recording */
	assert_int_not_equal(ku_ring.resets, resets);
	/* the oldest block is claimed again */
	ku_env_step = NULL;
	ku_ring.active = 1;
	ku_ring_init_cpu(&cpu);
	fill_blocks(READ_BLOCKS - 1);
	read_before();
	reads = 0;
	ku_env_step = read_at_clearing;
	fill_blocks(2);
	assert_int_equal(reads, 1);
	ku_env_step = NULL;
	pool_free();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_reader_of_cleared),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
