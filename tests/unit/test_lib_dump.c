// SPDX-License-Identifier: BSD-3-Clause
/*
 * Tests the words that libkutrace writes in a dump. test_lib_dump_file.c tests the file itself,
 * and test_lib_snapshot.c tests a dump during recording.
 */
#include "lib_recording.h"

static void set_head(uint64_t at, uint32_t head)
{
	memcpy(fake->aux + at % FAKE_AUX_BYTES, &head, sizeof(head));
}

static uint64_t usec_at(uint64_t counts)
{
	return START_NS / 1000 + (counts - START) * 32 / 1000;
}

static void the_file_has_every_word_of_version_3(void **state)
{
	static const uint32_t order[] = {7, 2, 5};
	struct kutrace_dump_result result;
	const uint64_t *w;
	struct trace t;
	size_t i;

	(void)state;
	add_block(2, 11, 3, START + 777777, 4711, "starter");
	add_block(5, 12, 0, START + 50000000, 12, "exactly_15_char");
	add_block(7, 10, 1, START + 5, 0, "-idle-");
	fake->table[9].seq = 0;		/* this block was never claimed */
	fake->table[9].state = KUTRACE_BLOCK_CURRENT;
	fake->table[10].seq = 4;	/* this block was returned */
	dump_and_read(&t, &result);
	w = trace_block(&t, 0);
	assert_int_equal(w[0], 1ULL << 56 | START);
	assert_int_equal(w[1], 3ULL << 56 | START_NS / 1000);
	assert_int_equal(w[2], START);
	assert_int_equal(w[3], START_NS / 1000);
	assert_int_equal(w[4], STOP);
	assert_int_equal(w[5], STOP_NS / 1000);
	assert_int_equal(w[6], 0);
	assert_int_equal(w[7], 0);
	assert_int_equal(w[8], 4711);
	assert_int_equal(w[9], 0);
	assert_memory_equal(w + 10, "starter\0\0\0\0\0\0\0\0", 16);
	assert_int_equal(result.name_blocks, 1);
	assert_int_equal(result.data_blocks, 3);
	assert_int_equal(result.duration_ns, 3200000000ULL);
	assert_int_equal(result.bad_blocks + result.bad_names + result.wrapped, 0);
	for (i = 0; i < 3; i++) {
		const uint64_t *from = fake->block[order[i]];

		w = trace_block(&t, 1 + i);
		assert_int_equal(w[0], from[0]);
		assert_int_equal(w[1], usec_at(w[0] & 0xFFFFFFFFFFFFFF));
		assert_memory_equal(w + 2, from + 2, 65536 - 16);
	}
	trace_free(&t);
}

/*
 * The expected order in the file: the block of names, then each block followed by its counter
 * bytes.
 */
static void bytes_of_counters_follow_their_blocks(void **state)
{
	static const uint32_t order[] = {7, 2};
	static uint8_t file[65536 + 3 * (65536 + 8192)];
	struct kutrace_dump_result result;
	size_t i, j, size;
	FILE *f;

	(void)state;
	fake->info.flags = KUTRACE_RESET_IPC;
	add_block(2, 11, 3, START + 777777, 4711, "starter");
	add_block(7, 10, 1, START + 5, 0, "-idle-");
	for (i = 0; i < FAKE_BLOCKS; i++)
		for (j = 0; j < KUTRACE_IPC_BYTES; j++)
			fake->bytes[i][j] = (uint8_t)(i * 31 + j);
	assert_int_equal(kutrace_dump(path, NULL, &result), 0);
	assert_int_equal(result.data_blocks, 2);
	f = fopen(path, "rb");
	assert_non_null(f);
	size = fread(file, 1, sizeof(file), f);
	fclose(f);
	assert_int_equal(size, 65536 + 2 * (65536 + 8192));
	assert_int_equal(size, result.bytes);
	assert_int_equal(file[15], KUTRACE_FILE_VERSION);
	for (i = 0; i < 2; i++) {
		const uint8_t *block = file + 65536 + i * (65536 + 8192);

		assert_int_equal(block[15], KUTRACE_FLAG_IPC);
		assert_memory_equal(block + 16, fake->block[order[i]] + 2, 65536 - 16);
		assert_memory_equal(block + 65536, fake->bytes[order[i]], 8192);
	}
	fake_assert_no_leak();
}

static void the_first_block_has_the_names(void **state)
{
	struct kutrace_dump_result result;
	struct trace t;
	size_t i;

	(void)state;
	fake->info.categories = 0x3FFF;
	fake->info.caveats = KUTRACE_CAVEAT_PC;
	fake->info.lost[KUTRACE_LOST_NESTED] = 17;
	add_block(0, 1, 1, START, 4711, "starter");
	dump_and_read(&t, &result);
	assert_string_equal(trace_name(&t, 0x008, 39)->text, "getpid");
	assert_string_equal(trace_name(&t, 0x008, 1535)->text, "-sched-");
	assert_string_equal(trace_name(&t, 0x00C, 20)->text, "getpid");
	assert_string_equal(trace_name(&t, 0x00E, 2)->text, "ENOENT");
	assert_string_equal(trace_name(&t, 0x004, 14)->text, "page_fault");
	assert_string_equal(trace_name(&t, 0x005, 236)->text, "local_timer");
	assert_string_equal(trace_name(&t, 0x002, 0)->text, "-idle-");
	assert_non_null(trace_name(&t, 0x102, 0));
	assert_non_null(trace_name(&t, 0x104, 0));
	assert_true(trace_has_meta(&t, "cats=0x3fff"));
	assert_true(trace_has_meta(&t, "caveat=pc"));
	assert_false(trace_has_meta(&t, "caveat=traps"));
	assert_true(trace_has_meta(&t, "lost_nested=17"));
	assert_true(trace_has_meta(&t, "tool=libkutrace " KUTRACE_VERSION));
	assert_int_equal(result.lost[KUTRACE_LOST_NESTED], 17);
	assert_int_equal(result.names, t.nnames);
	for (i = 0; i < t.nnames; i++) {
		assert_int_equal(t.names[i].counts, START);
		assert_int_equal(t.names[i].cpu, 1);
	}
	trace_free(&t);
}

static void idle_may_have_started_it(void **state)
{
	struct kutrace_dump_result result;
	struct trace t;

	(void)state;
	fake->info.start_pid = 0;
	strcpy(fake->info.start_comm, "swapper/1");
	add_aux(KUTRACE_NAME_PID, 0, START, 0, "swapper/0");
	dump_and_read(&t, &result);
	assert_int_equal(trace_block(&t, 0)[8], 0);
	assert_memory_equal(trace_block(&t, 0) + 10, "-idle-\0\0\0\0\0\0\0\0\0", 16);
	assert_string_equal(trace_name(&t, 0x002, 0)->text, "-idle-");
	trace_free(&t);
}

static void kernel_names_have_their_times(void **state)
{
	const struct trace_name *name;
	struct kutrace_dump_result result;
	struct trace t;

	(void)state;
	add_block(0, 1, 1, START + 10, 4711, "starter");
	add_block(1, 2, 2, START + 1000, 200, "on_two");
	/* at the start: a task that was renamed, an interrupt whose number is also a vector */
	add_aux(KUTRACE_NAME_PID, 0, START - 3, 300, "bash");
	add_aux(KUTRACE_NAME_PID, 1, START, 300, "ls");
	add_aux(KUTRACE_NAME_IRQNAME, 0, START, 18, "i801_smbus");
	/* later names: not in order of time, one much later, one after the end */
	add_aux(KUTRACE_NAME_PID, 2, START + 5000000, 301, "cat");
	add_aux(KUTRACE_NAME_PID, 2, START + 500, 302, "early");
	add_aux(KUTRACE_NAME_PID, 0, START + 500 + 0xE0000, 303, "at the gap");
	add_aux(KUTRACE_NAME_PID, 2, STOP + 5, 304, "after the end");
	add_aux(KUTRACE_NAME_LOCKNAME, 3, START + 77, 305, "a lock");
	dump_and_read(&t, &result);
	assert_int_equal(result.bad_names, 0);
	/* all names fit into the first block */
	assert_int_equal(result.name_blocks, 1);
	name = trace_name(&t, 0x002, 300);
	assert_non_null(name);
	assert_string_equal(name->text, "ls");
	assert_int_equal(name->counts, START);
	assert_string_equal(trace_name(&t, 0x005, 18)->text, "i801_smbus");
	assert_int_equal(trace_name(&t, 0x002, 301)->counts, START + 5000000);
	assert_int_equal(trace_name(&t, 0x002, 302)->counts, START + 500);
	assert_int_equal(trace_name(&t, 0x002, 303)->counts, START + 500 + 0xE0000);
	assert_int_equal(trace_name(&t, 0x002, 304)->counts, STOP);
	assert_int_equal(trace_name(&t, 0x007, 305)->counts, START + 77);
	/* TSDELTA entries precede "cat" and "after the end"; the gap before "at the gap" is short */
	assert_int_equal(t.deltas, 2);
	trace_free(&t);
}

static void gaps_of_any_length_are_exact(void **state)
{
	static const uint64_t gaps[] = {
		1, 0xE0000, 0xE0001, 0x100000, 1999999999, 2000000000, 2000000001,
		4294967296, 5000000000, 300000000000
	};
	struct kutrace_dump_result result;
	uint64_t at = START + 2;
	struct trace t;
	size_t i;

	(void)state;
	add_block(0, 1, 1, START + 1, 4711, "starter");
	for (i = 0; i < sizeof(gaps) / sizeof(gaps[0]); i++) {
		at += gaps[i];
		add_aux(KUTRACE_NAME_PID, 1, at, 500 + (uint32_t)i, "gap");
	}
	/*
	 * the gap before 601 needs more TSDELTA entries than a block can hold, so 601 gets a block
	 * that begins at a later time
	 */
	add_block(1, 2, 1, at + 9000000000000, 4711, "nearer");
	add_block(2, 3, 2, at + 9000000000010, 4711, "too late");
	add_aux(KUTRACE_NAME_PID, 1, at + 9000000000005, 600, "days later");
	add_block(3, 4, 2, at + 40000000000000, 4712, "weeks later");
	add_aux(KUTRACE_NAME_PID, 1, at + 50000000000000, 601, "from there");
	/*
	 * months without an event: no block of TSDELTA entries reaches the time, so the name gets
	 * the time of the last block
	 */
	add_aux(KUTRACE_NAME_PID, 2, at + 900000000000000, 602, "years later");
	fake->info.stop.counts = at + 900000000000100;
	fake->info.clock_khz = 0;
	dump_and_read(&t, &result);
	for (at = START + 2, i = 0; i < sizeof(gaps) / sizeof(gaps[0]); i++) {
		at += gaps[i];
		assert_int_equal(trace_name(&t, 0x002, 500 + (uint32_t)i)->counts, at);
	}
	assert_int_equal(trace_name(&t, 0x002, 600)->counts, at + 9000000000005);
	assert_int_equal(trace_name(&t, 0x002, 601)->counts, at + 50000000000000);
	assert_int_equal(trace_name(&t, 0x002, 602)->counts, at + 40000000000000);
	/* the block with 601 has the header of the last data block before 601 */
	assert_int_equal(trace_block(&t, trace_name(&t, 0x002, 601)->block)[0],
			 fake->block[3][0]);
	assert_memory_equal(trace_block(&t, trace_name(&t, 0x002, 601)->block) + 2,
			    fake->block[3] + 2, 32);
	trace_free(&t);
}

static void a_wrapped_trace_has_the_names_of_its_beginning(void **state)
{
	struct kutrace_dump_result result;
	struct trace t;

	(void)state;
	fake->info.wrapped = 1;
	fake->info.flags = KUTRACE_RESET_WRAP;
	add_block(0, 1001, 0, START + 60000000, 40, "zero");
	add_block(1, 1000, 2, START + 50000000, 41, "two");
	add_aux(KUTRACE_NAME_PID, 0, START, 300, "bash");
	add_aux(KUTRACE_NAME_PID, 2, START + 10000000, 300, "make");
	add_aux(KUTRACE_NAME_PID, 0, START + 50000000, 301, "at the edge");
	add_aux(KUTRACE_NAME_PID, 0, START + 50000001, 300, "gcc");
	dump_and_read(&t, &result);
	assert_int_equal(result.wrapped, 1);
	assert_int_equal(trace_block(&t, 0)[1] >> 56, 0x43);
	assert_int_equal(trace_block(&t, 0)[0], 1ULL << 56 | START);
	assert_true(trace_has_meta(&t, "wrapped=1"));
	assert_int_equal(trace_name(&t, 0x002, 301)->block, 0);
	/* task 300 was make, and then gcc: the later name has a block with the header of block 1 */
	assert_null(trace_name(&t, 0x002, 300));
	assert_int_equal(result.name_blocks, 2);
	assert_string_equal(t.names[t.nnames - 1].text, "gcc");
	assert_int_equal(t.names[t.nnames - 1].counts, START + 50000001);
	assert_int_equal(t.names[t.nnames - 1].block, 1);
	assert_int_equal(trace_block(&t, 1)[0], fake->block[1][0]);
	assert_int_equal(trace_block(&t, 1)[1], usec_at(START + 50000000));
	assert_memory_equal(trace_block(&t, 1) + 2, fake->block[1] + 2, 32);
	/* the blocks are in the order of claiming */
	assert_int_equal(trace_block(&t, 2)[0], fake->block[1][0]);
	assert_int_equal(trace_block(&t, 3)[0], fake->block[0][0]);
	trace_free(&t);
}

static void many_names(bool wrapped)
{
	char text[57];
	struct kutrace_dump_result result;
	struct trace t;
	uint32_t i;

	fresh(NULL);
	fake->info.wrapped = wrapped;
	add_block(0, 1, 2, START + 200, 77, "data");
	memset(text, 'n', 56);
	text[56] = '\0';
	for (i = 1; i <= 3001; i++)
		add_aux(KUTRACE_NAME_PID, 3, START, i, text + i % 57);
	add_aux(KUTRACE_NAME_PID, 3, START + 50000, 5000, "late");
	dump_and_read(&t, &result);
	assert_true(result.name_blocks > 1);
	assert_int_equal(trace_name(&t, 0x002, 5000)->counts, START + 50000);
	for (i = 1; i <= 3001; i++) {
		const struct trace_name *name = trace_name(&t, 0x002, i);

		assert_non_null(name);
		assert_string_equal(name->text, text + i % 57);
		assert_int_equal(name->counts, name->block && wrapped ? START + 200 : START);
	}
	/* the second block of names has the header of the first or of the oldest block */
	assert_int_equal(trace_block(&t, 1)[0],
			 wrapped ? fake->block[0][0] : 1ULL << 56 | START);
	assert_int_equal(trace_block(&t, 1)[2], wrapped ? 77 : 4711);
	assert_memory_equal(trace_block(&t, 1) + 4, wrapped ? "data" : "starter", 5);
	assert_int_equal(trace_block(&t, 1)[1] >> 56, 0);
	trace_free(&t);
}

static void more_names_than_a_block_holds(void **state)
{
	(void)state;
	many_names(false);
	many_names(true);
}

static void unreadable_names_are_counted(void **state)
{
	struct kutrace_dump_result result;
	uint64_t at;
	struct trace t;

	(void)state;
	add_block(0, 1, 1, START, 4711, "starter");
	fake->info.lost[KUTRACE_LOST_NAMES] = 100;
	/* the entry continues at the beginning of the ring buffer */
	fake->info.aux_first = 5 * FAKE_AUX_BYTES - 40;
	fake->info.aux_last = fake->info.aux_first;
	add_aux(KUTRACE_NAME_PID, 1, START, 1, "over the end of the buffer");
	at = add_aux(KUTRACE_NAME_PID, 1, START, 2, "not valid yet");
	set_head(at, (KUTRACE_AUX_HEADER + 16) << 1 | KUTRACE_AUX_INVALID);
	add_aux(0x123, 1, START, 3, "no base");
	add_aux(KUTRACE_NAME_PID, 256, START, 4, "no cpu");
	add_aux(KUTRACE_NAME_PID, 255, START, 5, "last cpu");
	add_aux(KUTRACE_NAME_PID, 0, START, 6, "");
	at = add_aux(KUTRACE_NAME_PID, 1, START, 7, "length is nonsense");
	set_head(at, 4 << 1);
	add_aux(KUTRACE_NAME_PID, 1, START, 8, "behind that");
	dump_and_read(&t, &result);
	assert_int_equal(result.bad_names, 4);
	assert_string_equal(trace_name(&t, 0x002, 1)->text, "over the end of the buffer");
	assert_string_equal(trace_name(&t, 0x002, 5)->text, "last cpu");
	assert_string_equal(trace_name(&t, 0x002, 6)->text, "");
	assert_null(trace_name(&t, 0x002, 2));
	assert_null(trace_name(&t, 0x002, 3));
	assert_null(trace_name(&t, 0x002, 4));
	assert_null(trace_name(&t, 0x002, 7));
	assert_null(trace_name(&t, 0x002, 8));
	assert_true(trace_has_meta(&t, "lost_names=104"));
	trace_free(&t);
}

/*
 * Checks an entry with an impossible length: no entry of the module is longer than its header and
 * 56 bytes of name.
 */
static void an_impossible_length_of_a_name_is_not_followed(void **state)
{
	static const uint32_t lengths[] = {0, 8, 16, 28, KUTRACE_AUX_MAX + 8, 4096};
	struct kutrace_dump_result result;
	struct trace t;
	uint64_t at;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(lengths) / sizeof(lengths[0]); i++) {
		fake->info.aux_last = fake->info.aux_first;
		add_aux(KUTRACE_NAME_PID, 1, START, 1, "before it");
		at = add_aux(KUTRACE_NAME_PID, 1, START, 2, "too long or too short");
		while (fake->info.aux_last < at + 5000)
			add_aux(KUTRACE_NAME_PID, 1, START, 3, "behind it");
		set_head(at, lengths[i] << 1);
		dump_and_read(&t, &result);
		assert_int_equal(result.bad_names, 1);
		assert_string_equal(trace_name(&t, 0x002, 1)->text, "before it");
		assert_null(trace_name(&t, 0x002, 2));
		assert_null(trace_name(&t, 0x002, 3));
		trace_free(&t);
	}
}

static void names_overwritten_while_read_are_left_out(void **state)
{
	struct kutrace_dump_result result;
	struct trace t;

	(void)state;
	add_aux(KUTRACE_NAME_PID, 1, START, 1, "overwritten");
	fake->aux_first_at_2 = fake->info.aux_last;
	add_aux(KUTRACE_NAME_PID, 1, START, 2, "whole");
	dump_and_read(&t, &result);
	assert_null(trace_name(&t, 0x002, 1));
	assert_string_equal(trace_name(&t, 0x002, 2)->text, "whole");
	trace_free(&t);
}

/*
 * Checks that a name that is still needed is found after it moved from the old end to the new end.
 */
static void names_moved_while_read_are_found(void **state)
{
	struct kutrace_dump_result result;
	struct trace t;
	uint64_t whole, last;

	(void)state;
	add_block(0, 1, 1, START, 4711, "starter");
	add_aux(KUTRACE_NAME_PID, 1, START, 1, "moved");
	add_aux(KUTRACE_NAME_PID, 1, START, 2, "of no use");
	whole = add_aux(KUTRACE_NAME_PID, 1, START + 7, 3, "whole");
	last = fake->info.aux_last;
	add_aux(KUTRACE_NAME_PID, 1, START, 1, "moved");
	add_aux(KUTRACE_NAME_PID, 1, START + 9, 4, "added");
	fake->aux_first_at_2 = whole;
	fake->aux_last_at_2 = fake->info.aux_last;
	fake->info.aux_last = last;
	/* by now the old entries are overwritten */
	memset(fake->aux, 0x55, (size_t)whole);
	dump_and_read(&t, &result);
	assert_int_equal(result.bad_names, 0);
	assert_string_equal(trace_name(&t, 0x002, 1)->text, "moved");
	assert_null(trace_name(&t, 0x002, 2));
	assert_string_equal(trace_name(&t, 0x002, 3)->text, "whole");
	assert_string_equal(trace_name(&t, 0x002, 4)->text, "added");
	trace_free(&t);
}

static void nonsense_from_the_module_is_refused(void **state)
{
	int i;

	(void)state;
	for (i = 0; i < 9; i++) {
		fresh(NULL);
		add_aux(KUTRACE_NAME_PID, 1, START, 1, "name");
		switch (i) {
		case 0:
			fake->info.stop.counts = START;
			break;
		case 1:
			fake->info.start.counts = 1ULL << 56;
			break;
		case 2:
			fake->meta.table_offset = FAKE_META_BYTES;
			break;
		case 3:
			fake->meta.meta_bytes = 16;
			break;
		case 4:
			fake->info.nblocks = FAKE_BLOCKS + 1;
			break;
		case 5:
			fake->meta.aux_bytes = FAKE_AUX_BYTES - 8;
			break;
		case 6:
			fake->info.aux_last = FAKE_AUX_BYTES + 8;
			break;
		case 7:
			fake->info.start_cpu = 256;
			break;
		case 8:
			fake->info.clock_shift = 64;
			break;
		}
		assert_int_equal(kutrace_dump(path, NULL, NULL), -EBADMSG);
		assert_int_equal(files_in_dir(), 0);
		fake_assert_no_leak();
	}
}

static void blocks_with_an_impossible_header_are_counted(void **state)
{
	struct kutrace_dump_result result;
	struct trace t;

	(void)state;
	add_block(0, 1, 1, START, 4711, "starter");
	add_block(1, 2, 2, START, 1, "wrong cpu")[0] = 3ULL << 56 | START;
	memset(add_block(2, 3, 2, START, 1, "empty"), 0, 65536);
	add_block(3, 4, 0, START + 1, 0, "-idle-");
	/* the number of CPU 300 is cut to 8 bits: the block must not count for CPU 44 */
	add_block(4, 5, 300, START + 2, 1, "far away")[0] = 44ULL << 56 | (START + 2);
	dump_and_read(&t, &result);
	assert_int_equal(result.bad_blocks, 3);
	assert_int_equal(result.data_blocks, 2);
	assert_true(trace_has_meta(&t, "lost_blocks=3"));
	trace_free(&t);
}

static void setting_the_wall_clock_does_not_change_the_times_of_the_trace(void **state)
{
	struct kutrace_dump_result result;
	struct trace t;

	(void)state;
	fake->info.stop.real_ns = START_NS - 7000000000ULL;
	add_block(0, 1, 1, START + 31250000, 4711, "starter");
	dump_and_read(&t, &result);
	assert_int_equal(result.duration_ns, 3200000000ULL);
	assert_int_equal(trace_block(&t, 0)[5], START_NS / 1000 + 3200000);
	assert_int_equal(trace_block(&t, 1)[1], START_NS / 1000 + 1000000);
	assert_true(trace_has_meta(&t, "clock_step_us=-10200000"));
	trace_free(&t);
}

/*
 * Checks that a step of 0.1 s in a recording of 3.2 s is reported. A difference of 1.5 ms counts as
 * a correction by NTP.
 */
static void a_small_step_does_not_stretch_the_trace(void **state)
{
	struct kutrace_dump_result result;
	struct trace t;

	(void)state;
	fake->info.stop.real_ns = START_NS + 3300000000ULL;
	add_block(0, 1, 1, START + 31250000, 4711, "starter");
	dump_and_read(&t, &result);
	assert_int_equal(result.duration_ns, 3200000000ULL);
	assert_int_equal(trace_block(&t, 1)[1], START_NS / 1000 + 1000000);
	assert_true(trace_has_meta(&t, "clock_step_us=100000"));
	trace_free(&t);
	fake->info.stop.real_ns = START_NS + 3201500000ULL;
	dump_and_read(&t, &result);
	assert_int_equal(result.duration_ns, 3201500000ULL);
	assert_false(trace_has_meta(&t, "clock_step_us=1500"));
	trace_free(&t);
}

static void every_block_of_a_full_pool_is_there(void **state)
{
	struct kutrace_dump_result result;
	struct trace t;
	uint32_t i;

	(void)state;
	for (i = 0; i < FAKE_BLOCKS; i++)	/* 7 and 300 have no common divisor: visits all
						 * blocks out of order */
		add_block(i * 7 % FAKE_BLOCKS, i + 1, i % 4, START + i * 1000, i, "x");
	dump_and_read(&t, &result);
	assert_int_equal(result.data_blocks, FAKE_BLOCKS);
	for (i = 0; i < FAKE_BLOCKS; i++) {
		const uint64_t *w = trace_block(&t, 1 + i);

		assert_int_equal(w[2], i);
		assert_int_equal(w[1], usec_at(START + i * 1000));
		assert_memory_equal(w + 2, fake->block[i * 7 % FAKE_BLOCKS] + 2, 65520);
	}
	trace_free(&t);
}

static void a_program_may_give_itself_a_name(void **state)
{
	struct kutrace_dump_result result;
	struct trace t;

	(void)state;
	fake->info.start_pid = (uint32_t)getpid();
	assert_int_equal(kutrace_do_init("some/where/my_program"), 0);
	dump_and_read(&t, &result);
	assert_string_equal(trace_name(&t, 0x002, (uint32_t)getpid())->text, "my_program");
	trace_free(&t);
	assert_int_equal(kutrace_do_init(NULL), 0);
	dump_and_read(&t, &result);
	assert_null(trace_name(&t, 0x002, (uint32_t)getpid()));
	trace_free(&t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(the_file_has_every_word_of_version_3, fresh),
		cmocka_unit_test_setup(bytes_of_counters_follow_their_blocks, fresh),
		cmocka_unit_test_setup(the_first_block_has_the_names, fresh),
		cmocka_unit_test_setup(idle_may_have_started_it, fresh),
		cmocka_unit_test_setup(kernel_names_have_their_times, fresh),
		cmocka_unit_test_setup(gaps_of_any_length_are_exact, fresh),
		cmocka_unit_test_setup(a_wrapped_trace_has_the_names_of_its_beginning, fresh),
		cmocka_unit_test_setup(more_names_than_a_block_holds, fresh),
		cmocka_unit_test_setup(unreadable_names_are_counted, fresh),
		cmocka_unit_test_setup(an_impossible_length_of_a_name_is_not_followed, fresh),
		cmocka_unit_test_setup(names_overwritten_while_read_are_left_out, fresh),
		cmocka_unit_test_setup(names_moved_while_read_are_found, fresh),
		cmocka_unit_test_setup(nonsense_from_the_module_is_refused, fresh),
		cmocka_unit_test_setup(blocks_with_an_impossible_header_are_counted, fresh),
		cmocka_unit_test_setup(setting_the_wall_clock_does_not_change_the_times_of_the_trace, fresh),
		cmocka_unit_test_setup(a_small_step_does_not_stretch_the_trace, fresh),
		cmocka_unit_test_setup(every_block_of_a_full_pool_is_there, fresh),
		cmocka_unit_test_setup(a_program_may_give_itself_a_name, fresh),
	};

	return cmocka_run_group_tests(tests, make_dir, remove_dir);
}
