// SPDX-License-Identifier: BSD-3-Clause
/*
 * Tests shares of the pool: in wrap mode each CPU overwrites only the oldest block of its share.
 * Each CPU numbers its events. The readable events must be the CPU's last ones, without a gap, and
 * as many as its share holds.
 */
#define KU_ENV_CPUS	3
#include "ring_machine.h"

#define BLOCKS	26u
#define CPUS	3u
/* Number of words of a block that contexts other than NMIs can fill. */
#define FILLED	(KU_BLOCK_END - KU_FIRST_INDEX)

static struct ku_cpu cpus[CPUS];
static struct ku_shares shares;
static u32 put_by[CPUS];

static void put(u32 number)
{
	cpu_number = number;
	ku_env_cpu = &cpus[number];
	ku_emit(KU_EVENT(KUTRACE_MARKD) | number << 24 | put_by[number]++);
}

/* Makes a pool. @of: share of each CPU; @nshares 0: one pool for all CPUs. */
static void up(u32 nblocks, u32 nshares, const u8 of[CPUS])
{
	u32 i;

	ring_up(nblocks, true);
	memset(put_by, 0, sizeof(put_by));
	memset(&shares, 0xEE, sizeof(shares));
	ku_ring.shares = &shares;
	for (i = 0; i < CPUS; i++) {
		memset(&cpus[i], 0, sizeof(cpus[i]));
		ku_ring_init_cpu(&cpus[i]);
		shares.of[i] = of[i];
	}
	if (nshares)
		ku_ring_split(&ku_ring, nshares);
}

static u64 lost(void)
{
	u64 sum = 0;
	u32 i, cause;

	for (i = 0; i < CPUS; i++)
		for (cause = 0; cause < KUTRACE_LOST_CAUSES; cause++)
			sum += cpus[i].lost.causes[cause];
	return sum;
}

/*
 * Checks that each CPU's events are its last ones, in order. Returns the number of events of CPU
 * @number.
 */
static u32 history(u32 number)
{
	u32 found[CPUS] = {0}, next[CPUS] = {0}, i;
	struct decode d = decode_all();
	size_t n;

	assert_null(d.error);
	for (n = 0; n < d.count; n++) {
		u32 by = d.list[n].arg >> 24, count = d.list[n].arg & 0xFFFFFF;

		assert_true(by < CPUS);
		if (found[by]++)
			assert_int_equal(count, next[by]);
		next[by] = count + 1;
	}
	for (i = 0; i < CPUS; i++)
		if (found[i])
			assert_int_equal(next[i], put_by[i]);
	free(d.list);
	return found[number];
}

static u32 blocks_with_content(void)
{
	u32 i, n = 0;

	for (i = 0; i < ku_ring.nblocks; i++)
		n += ku_ring.table[i].seq != 0;
	return n;
}

/* Fills @blocks blocks on CPU 0. CPU 1 records one event per block. */
static void busy_and_quiet(u32 blocks)
{
	u32 i;

	for (i = 0; i < blocks * FILLED; i++) {
		put(0);
		if (i % FILLED == 0)
			put(1);
	}
}

static const u8 each[CPUS] = {0, 1, 2};

static void test_quiet_keeps_its_history(void **state)
{
	(void)state;
	/* the first events of CPU 1 fill three blocks and a little of a fourth */
	up(BLOCKS, 2, each);
	while (put_by[1] < 3 * FILLED + 10)
		put(1);
	busy_and_quiet(20 * BLOCKS);
	assert_int_equal(lost(), 0);
	assert_int_equal(history(1), put_by[1]);
	/* The share has 13 blocks: one is filled, and one is being cleared. */
	assert_in_range(history(0), 11 * FILLED, 12 * FILLED);
	ring_down(NULL);

	/* One pool: CPU 1 retains only the block that it writes to. */
	up(BLOCKS, 0, each);
	while (put_by[1] < 3 * FILLED + 10)
		put(1);
	busy_and_quiet(20 * BLOCKS);
	assert_int_equal(lost(), 0);
	assert_int_equal(history(1), put_by[1] - 3 * FILLED);
	assert_in_range(history(0), 22 * FILLED, 25 * FILLED);
	ring_down(NULL);
}

/* Checks that a quiet CPU's history goes back as far as its share, and no further. */
static void test_quiet_wraps_in_its_share(void **state)
{
	u32 i;

	(void)state;
	up(BLOCKS, 2, each);
	for (i = 0; i < 40 * FILLED; i++) {
		put(0);
		put(0);
		put(0);
		put(1);
	}
	assert_in_range(history(0), 11 * FILLED, 12 * FILLED);
	assert_in_range(history(1), 11 * FILLED, 12 * FILLED);
	ring_down(NULL);
}

/*
 * Checks that every block belongs to one share, and that the sizes of shares differ by one at most.
 */
static void test_all_blocks_are_shared_out(void **state)
{
	u32 nshares, i, end;

	(void)state;
	up(BLOCKS, 0, each);
	for (nshares = 1; nshares <= BLOCKS / KU_SHARE_BLOCKS; nshares++) {
		ku_ring_split(&ku_ring, nshares);
		for (i = 0, end = 0; i < nshares; i++) {
			const struct ku_share *share = ku_ring_share(&ku_ring, i);

			assert_int_equal(share->first, end);
			assert_in_range(share->count, BLOCKS / nshares, BLOCKS / nshares + 1);
			end += share->count;
		}
		assert_int_equal(end, BLOCKS);
	}
	ring_down(NULL);
}

/*
 * Checks that a CPU that was offline at the reset takes blocks from the share of one other CPU
 * only.
 */
static void test_two_cpus_in_a_share(void **state)
{
	static const u8 of[CPUS] = {0, 1, 0};
	u32 i;

	(void)state;
	up(BLOCKS, 2, of);
	while (put_by[1] < 5 * FILLED)
		put(1);
	for (i = 0; i < 30 * FILLED; i++) {
		put(0);
		put(2);
	}
	assert_int_equal(lost(), 0);
	assert_int_equal(history(1), put_by[1]);
	/* 13 blocks of two CPUs, of which each fills one and clears another. */
	assert_in_range(history(0) + history(2), 9 * FILLED, 11 * FILLED);
	ring_down(NULL);
}

/* Tests the smallest share: the block that is filled and the one before it. */
static void test_smallest_share(void **state)
{
	u32 i;

	(void)state;
	up(KU_SHARE_BLOCKS * CPUS, CPUS, each);
	for (i = 0; i < 9 * FILLED + 5; i++) {
		put(0);
		if (i % 3 == 0)
			put(1);
		if (i % 1000 == 0)
			put(2);
	}
	assert_int_equal(lost(), 0);
	assert_int_equal(history(0), FILLED + 5);
	assert_in_range(history(1), FILLED, 2 * FILLED);
	assert_int_equal(history(2), put_by[2]);
	ring_down(NULL);
}

static void test_what_is_used(void **state)
{
	u32 i;

	(void)state;
	up(BLOCKS, 2, each);
	for (i = 0; i < 30 * FILLED; i++) {
		bool first = ku_ring.table[0].seq == 1 || !ku_ring.taken;

		put(0);
		assert_int_equal(ku_ring_used(&ku_ring), blocks_with_content());
		if (first != !ku_ring_wrapped(&ku_ring))
			assert_int_not_equal(ku_ring.table[0].seq, 1);
	}
	assert_true(ku_ring_wrapped(&ku_ring));
	/* The other share is empty, and one block is being cleared. */
	assert_int_equal(ku_ring_used(&ku_ring), BLOCKS / 2 - 1);
	for (i = 0; i < CPUS; i++) {
		cpu_number = i;
		ku_env_cpu = &cpus[i];
		ku_ring_close_cpu(&ku_ring, &cpus[i]);
	}
	ku_ring_reset(&ku_ring, true);
	assert_int_equal(ku_ring.nshares, 0);
	assert_int_equal(ku_ring_used(&ku_ring), 0);
	assert_false(ku_ring_wrapped(&ku_ring));
	ring_down(NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_quiet_keeps_its_history),
		cmocka_unit_test(test_quiet_wraps_in_its_share),
		cmocka_unit_test(test_all_blocks_are_shared_out),
		cmocka_unit_test(test_two_cpus_in_a_share),
		cmocka_unit_test(test_smallest_share),
		cmocka_unit_test(test_what_is_used),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
