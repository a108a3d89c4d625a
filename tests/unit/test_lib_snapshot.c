// SPDX-License-Identifier: BSD-3-Clause
/*
 * Tests what libkutrace writes in a snapshot while the module continues to record: the stored
 * blocks, except blocks that are overwritten during the copy.
 */
#include "lib_recording.h"

static void a_snapshot_has_what_is_stored(void **state)
{
	struct kutrace_dump_result result;
	struct trace t;
	uint64_t *w, *copy;

	(void)state;
	fake->info.recording = 1;
	fake->info.flags = KUTRACE_RESET_WRAP;
	w = add_block(5, 1, 0, START + 10, 7, "done");
	w[7] = (uint64_t)KUTRACE_MARKD << 32 | 1;
	/* word 8 is claimed but not stored */
	w = add_block(6, 2, 1, START + 20, 8, "writing");
	fake->table[6].state = KUTRACE_BLOCK_CURRENT;
	w[7] = (uint64_t)KUTRACE_MARKD << 32 | 2;
	w[9] = (uint64_t)KUTRACE_MARKD << 32 | 3;
	memset(w + 10, 0, KUTRACE_BLOCK_BYTES - 80);
	w[8] = 0;
	/* this block is claimed after the snapshot began */
	add_block(7, 4, 1, START + 30, 9, "later");
	fake->info.taken_blocks = 3;
	assert_int_equal(kutrace_snapshot(path, NULL, &result), 0);
	assert_int_equal(fake->info.recording, 1);
	assert_int_equal(fake->commands, 0);
	assert_int_equal(result.data_blocks, 2);
	assert_int_equal(result.overwritten_blocks, 0);
	assert_int_equal(result.wrapped, 0);
	assert_true(trace_read(&t, path, 1));
	assert_int_equal(t.blocks, 3);
	copy = trace_block(&t, 2);
	assert_int_equal(copy[0], 1ULL << 56 | (START + 20));
	assert_int_equal(copy[7], (uint64_t)KUTRACE_MARKD << 32 | 2);
	assert_int_equal(copy[9], (uint64_t)KUTRACE_MARKD << 32 | 3);
	assert_true(trace_has_meta(&t, "live_overwritten_blocks=0"));
	trace_free(&t);
	fake_assert_no_leak();
}

/* Number of the mapping of block 0 at which block 0 is overwritten; number of mappings so far. */
static int overwrite_at, maps_seen;

static void *overwriting_map(int fd, uint64_t offset, size_t bytes, int *error)
{
	if (offset == KUTRACE_MMAP_BLOCKS && ++maps_seen == overwrite_at)
		fake->table[0].seq = fake->info.taken_blocks = 9;
	return fake_map(fd, offset, bytes, error);
}

/* Number of following mappings of block 0 at which all blocks are overwritten. */
static int uses;

static void *overtaking_map(int fd, uint64_t offset, size_t bytes, int *error)
{
	uint32_t i;

	if (offset == KUTRACE_MMAP_BLOCKS && uses > 0) {
		uses--;
		for (i = 0; i < fake->info.nblocks; i++)
			fake->table[i].seq += fake->info.nblocks;
		fake->info.taken_blocks += fake->info.nblocks;
	}
	return fake_map(fd, offset, bytes, error);
}

static void if_all_blocks_are_overwritten_the_snapshot_starts_over(void **state)
{
	struct ku_dev_ops ops = fake_ops;
	struct kutrace_dump_result result;
	struct trace t;
	int often;
	uint32_t i;

	(void)state;
	ops.map = overtaking_map;
	for (often = 1; often <= 1000; often += 999) {
		fresh(NULL);
		ku_dev = &ops;
		uses = often;
		fake->info.recording = 1;
		fake->info.nblocks = fake->meta.nblocks = 4;
		fake->info.flags = KUTRACE_RESET_WRAP;
		for (i = 0; i < 4; i++)
			add_block(i, i + 1, i % 2, START + 10 * i + 10, i, "x");
		fake->info.taken_blocks = 4;
		fake->table[3].state = KUTRACE_BLOCK_CURRENT;
		unlink(path);
		if (often == 1) {
			assert_int_equal(kutrace_snapshot(path, NULL, &result), 0);
			assert_int_equal(result.data_blocks, 4);
			assert_int_equal(result.overwritten_blocks, 0);
			assert_true(trace_read(&t, path, 1));
			trace_free(&t);
		} else {
			/* kutrace_snapshot() gives up, and writes no empty trace */
			assert_int_equal(kutrace_snapshot(path, NULL, &result), -EAGAIN);
			assert_int_equal(access(path, F_OK), -1);
		}
		fake_assert_no_leak();
	}
}

static void overwritten_blocks_are_omitted_and_counted(void **state)
{
	struct ku_dev_ops ops = fake_ops;
	struct kutrace_dump_result result;
	struct trace t;
	uint32_t i;

	(void)state;
	ops.map = overwriting_map;
	for (overwrite_at = 1; overwrite_at <= 2; overwrite_at++) {
		fresh(NULL);
		ku_dev = &ops;
		maps_seen = 0;
		fake->info.recording = 1;
		fake->info.nblocks = fake->meta.nblocks = 8;
		fake->info.flags = KUTRACE_RESET_WRAP;
		/* block 0 is the third oldest: 1 and 2 are dropped with it */
		for (i = 0; i < 8; i++)
			add_block(i, i == 0 ? 3 : i < 3 ? i : i + 1, i % 2, START + 10 * i + 10,
				  i, "x");
		fake->info.taken_blocks = 8;
		fake->table[7].state = KUTRACE_BLOCK_CURRENT;
		assert_int_equal(kutrace_snapshot(path, NULL, &result), 0);
		assert_int_equal(result.overwritten_blocks, overwrite_at == 1 ? 3 : 4);
		assert_int_equal(result.data_blocks, overwrite_at == 1 ? 5 : 4);
		assert_int_equal(result.wrapped, 1);
		assert_true(trace_read(&t, path, 1));
		assert_true(trace_has_meta(&t, overwrite_at == 1 ?
			    "live_overwritten_blocks=3" : "live_overwritten_blocks=4"));
		trace_free(&t);
		fake_assert_no_leak();
	}
}

/*
 * Checks that with shares, a snapshot omits only blocks of the CPU that overwrites, even if other
 * CPUs have older blocks.
 */
static void with_shares_the_other_cpu_keeps_its_blocks(void **state)
{
	struct ku_dev_ops ops = fake_ops;
	struct kutrace_dump_result result;
	struct trace t;
	size_t from_1, n;
	uint32_t i;

	(void)state;
	ops.map = overwriting_map;
	for (overwrite_at = 1; overwrite_at <= 2; overwrite_at++) {
		fresh(NULL);
		ku_dev = &ops;
		maps_seen = 0;
		fake->info.recording = 1;
		fake->info.nblocks = fake->meta.nblocks = 8;
		fake->info.share_blocks = 4;
		fake->info.flags = KUTRACE_RESET_WRAP | KUTRACE_RESET_PERCPU;
		/* numbers 5 to 8 belong to CPU 0, which overwrites 5; 1 to 4 belong to CPU 1 */
		for (i = 0; i < 8; i++)
			add_block(i, i < 4 ? i + 5 : i - 3, i / 4,
				  START + 10 * (i < 4 ? i + 5 : i - 3), i, "x");
		fake->info.taken_blocks = 8;
		assert_int_equal(kutrace_snapshot(path, NULL, &result), 0);
		assert_int_equal(result.overwritten_blocks, overwrite_at);
		assert_int_equal(result.data_blocks, 8 - overwrite_at);
		assert_int_equal(result.wrapped, 1);
		assert_true(trace_read(&t, path, 1));
		for (from_1 = 0, n = 1; n < t.blocks; n++)
			from_1 += trace_block(&t, n)[0] >> 56 == 1;
		assert_int_equal(from_1, 4);
		trace_free(&t);
		fake_assert_no_leak();
	}
}

/*
 * Tests a snapshot without a block of CPU 0: the block is overwritten while the snapshot reads it,
 * or was claimed after the snapshot began. No time in the trace has events of all CPUs.
 */
static void with_shares_a_cpu_without_blocks_makes_all_of_it_partial(void **state)
{
	struct ku_dev_ops ops = fake_ops;
	struct kutrace_dump_result result;
	char partial[64];
	struct trace t;
	uint32_t i;

	(void)state;
	ops.map = overwriting_map;
	for (overwrite_at = 0; overwrite_at <= 1; overwrite_at++) {
		fresh(NULL);
		ku_dev = &ops;
		maps_seen = 0;
		fake->info.recording = 1;
		fake->info.wrapped = 1;
		fake->info.nblocks = fake->meta.nblocks = 4;
		fake->info.share_blocks = 2;
		fake->info.flags = KUTRACE_RESET_WRAP | KUTRACE_RESET_PERCPU;
		/* numbers 1 and 2 belong to CPU 1 */
		for (i = 2; i < 4; i++)
			add_block(i, i - 1, 1, START + 10 * (i - 1), i, "x");
		add_block(0, overwrite_at ? 3 : 9, 0, START + 30, 0, "x");
		fake->info.taken_blocks = 3;
		assert_int_equal(kutrace_snapshot(path, NULL, &result), 0);
		assert_int_equal(result.data_blocks, 2);
		assert_true(trace_read(&t, path, 1));
		snprintf(partial, sizeof(partial), KUTRACE_META_PARTIAL "%llu:%llu", START + 10,
			 (unsigned long long)fake->info.stop.counts);
		assert_true(trace_has_meta(&t, partial));
		trace_free(&t);
		fake_assert_no_leak();
	}
}

/*
 * Tests names that existed when a block was copied, but were evicted before all blocks were read.
 */
static void a_snapshot_has_the_names_of_what_it_copied(void **state)
{
	struct kutrace_dump_result result;
	uint64_t second;
	size_t i, n;
	struct trace t;

	(void)state;
	fake->info.recording = 1;
	fake->info.flags = KUTRACE_RESET_WRAP;
	fake->info.taken_blocks = 1;
	add_block(0, 1, 0, START + 10, 7, "x");
	fake->table[0].state = KUTRACE_BLOCK_CURRENT;
	add_aux(KUTRACE_NAME_PID, 1, START, 7, "gone soon");
	second = add_aux(KUTRACE_NAME_PID, 1, START + 900, 8, "stays");
	fake->aux_first_at_2 = second;
	fake->aux_info_at = 3;
	assert_int_equal(kutrace_snapshot(path, NULL, &result), 0);
	assert_true(trace_read(&t, path, 1));
	assert_string_equal(trace_name(&t, 0x002, 7)->text, "gone soon");
	assert_string_equal(trace_name(&t, 0x002, 8)->text, "stays");
	/* a name that was read twice is written once */
	for (i = 0, n = 0; i < t.nnames; i++)
		n += t.names[i].base == 0x002 && t.names[i].number == 8;
	assert_int_equal(n, 1);
	trace_free(&t);
	fake_assert_no_leak();
}

static void a_snapshot_of_an_ended_recording_is_a_dump(void **state)
{
	(void)state;
	add_block(0, 1, 0, START + 10, 7, "x");
	assert_int_equal(kutrace_snapshot(path, NULL, NULL), 0);
	fake->info.start.counts = 0;
	assert_int_equal(kutrace_snapshot(path, NULL, NULL), -ENODATA);
	fake_assert_no_leak();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(a_snapshot_has_the_names_of_what_it_copied, fresh),
		cmocka_unit_test_setup(a_snapshot_has_what_is_stored, fresh),
		cmocka_unit_test_setup(overwritten_blocks_are_omitted_and_counted, fresh),
		cmocka_unit_test_setup(with_shares_the_other_cpu_keeps_its_blocks, fresh),
		cmocka_unit_test_setup(with_shares_a_cpu_without_blocks_makes_all_of_it_partial, fresh),
		cmocka_unit_test_setup(if_all_blocks_are_overwritten_the_snapshot_starts_over, fresh),
		cmocka_unit_test_setup(a_snapshot_of_an_ended_recording_is_a_dump, fresh),
	};

	return cmocka_run_group_tests(tests, make_dir, remove_dir);
}
