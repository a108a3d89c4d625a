// SPDX-License-Identifier: BSD-3-Clause
/*
 * Tests reading events from the buffer with libkutrace. Each event comes once, and events of all
 * CPUs and blocks are in the order of their times, even if they arrive during reading. No event is
 * later than the refresh. Lost blocks are counted. Also tests the text of the events.
 */
#include "lib_fake.h"

#define START	0x0000123400000ULL
#define SEEN	200

static struct kutrace_seen seen[SEEN];
static char text[SEEN][200], process[SEEN][64];
static int nseen, rounds, rounds_wanted;
static void (*between)(int round);

static unsigned int filled[FAKE_BLOCKS];

static void block(uint32_t index, uint64_t seq, uint32_t cpu, uint64_t counts, uint32_t pid,
		  uint32_t state)
{
	fake->table[index] = (struct kutrace_block){.seq = seq, .cpu = cpu, .state = state};
	memset(fake->block[index], 0, KUTRACE_BLOCK_BYTES);
	fake->block[index][0] = (uint64_t)cpu << 56 | counts;
	fake->block[index][2] = pid;
	filled[index] = KUTRACE_FIRST_WORD;
	if (seq > fake->info.taken_blocks)
		fake->info.taken_blocks = seq;
}

static void put(uint32_t index, uint64_t counts, uint64_t event, uint32_t arg)
{
	fake->block[index][filled[index]++] = counts << KUTRACE_TS_SHIFT |
		event << KUTRACE_EVENT_SHIFT | arg;
}

static void add_name(uint16_t base, uint32_t number, const char *name)
{
	struct kutrace_aux_entry entry = {.base = base, .number = number, .counts = START};
	uint32_t length = KUTRACE_AUX_HEADER + ((uint32_t)strlen(name) + 7) / 8 * 8;

	entry.head = length << 1;
	memcpy(fake->aux + fake->info.aux_last, &entry, KUTRACE_AUX_HEADER);
	memcpy(fake->aux + fake->info.aux_last + KUTRACE_AUX_HEADER, name, strlen(name));
	fake->info.aux_last += length;
}

static int fresh(void **state)
{
	(void)state;
	fake_reset();
	fake_with_sessions();
	fake->info.start.counts = START;
	fake->info.start.real_ns = 1700000000ULL * 1000000000;
	fake->info.stop.counts = START + 1000000;
	fake->info.stop.real_ns = fake->info.start.real_ns + 32000000;
	fake->info.nblocks = fake->meta.nblocks = 8;
	nseen = rounds = 0;
	rounds_wanted = 1;
	between = NULL;
	return 0;
}

static int on_event(void *arg, const struct kutrace_seen *event)
{
	(void)arg;
	assert_true(nseen < SEEN);
	kutrace_seen_text(event, text[nseen], sizeof(text[0]));
	kutrace_seen_process(event, process[nseen], sizeof(process[0]));
	seen[nseen++] = *event;
	return 0;
}

static int on_end(void *arg, int recording)
{
	(void)arg;
	(void)recording;
	rounds++;
	if (between)
		between(rounds);
	return rounds < rounds_wanted ? 1 : 0;
}

static struct kutrace_read_result result;

static int read_it(void)
{
	const struct kutrace_read_options options = {.event = on_event, .more = on_end};

	return kutrace_read(&options, &result);
}

static void args_are(const uint32_t *args, int count)
{
	int i;

	assert_int_equal(nseen, count);
	for (i = 0; i < count; i++)
		assert_int_equal(seen[i].arg, args[i]);
}

static void in_the_order_of_times_over_cpus_and_blocks(void **state)
{
	const uint32_t args[] = {1, 2, 3, 4, 5, 6, 7};
	int i;

	(void)state;
	block(0, 1, 0, START, 10, KUTRACE_BLOCK_DONE);
	put(0, START + 10, KUTRACE_MARKD, 1);
	put(0, START + 40, KUTRACE_MARKD, 3);
	block(1, 2, 1, START + 5, 20, KUTRACE_BLOCK_DONE);
	put(1, START + 20, KUTRACE_MARKD, 2);
	put(1, START + 60, KUTRACE_MARKD, 5);
	block(2, 3, 0, START + 45, 10, KUTRACE_BLOCK_DONE);
	filled[2]++;		/* this word is no entry */
	put(2, START + 50, KUTRACE_MARKD, 4);
	/* after a long gap, with TSDELTA */
	put(2, START + 0x300000 + 70, KUTRACE_TSDELTA, 0x300000 + 20);
	put(2, START + 0x300000 + 70, KUTRACE_MARKD, 6);
	put(2, START + 0x300000 + 0x80000, KUTRACE_MARKD, 7);
	assert_int_equal(read_it(), 0);
	args_are(args, 7);
	assert_int_equal(seen[5].counts, START + 0x300000 + 70);
	assert_int_equal(seen[6].counts, START + 0x300000 + 0x80000);
	/* 32 ns per count */
	assert_int_equal(seen[0].real_ns, fake->info.start.real_ns + 320);
	for (i = 0; i < 7; i++) {
		assert_int_equal(seen[i].cpu, i == 1 || i == 4);
		assert_int_equal(seen[i].pid, seen[i].cpu ? 20 : 10);
	}
	assert_int_equal(result.events, 7);
	assert_int_equal(result.lost_blocks, 0);
	assert_int_equal(rounds, 1);
	fake_assert_no_leak();
}

static void more_comes(int round)
{
	if (round == 1) {
		/* a late word, an event later than the refresh, and a new block of CPU 1 */
		fake->block[0][KUTRACE_FIRST_WORD + 1] = (START + 20) << KUTRACE_TS_SHIFT |
			(uint64_t)KUTRACE_MARKD << KUTRACE_EVENT_SHIFT | 2;
		fake->info.stop.counts = START + 45;
		fake->table[1].state = KUTRACE_BLOCK_DONE;
		put(1, START + 42, KUTRACE_MARKD, 5);
		block(2, 3, 1, START + 43, 20, KUTRACE_BLOCK_CURRENT);
		put(2, START + 44, KUTRACE_MARKD, 6);
		put(2, START + 50, KUTRACE_MARKD, 8);
	} else if (round == 2) {
		fake->info.stop.counts = START + 48;
		put(0, START + 47, KUTRACE_MARKD, 7);
	} else if (round == 3) {
		fake->info.recording = 0;
		put(0, START + 70, KUTRACE_MARKD, 9);
	}
}

static void each_once_while_they_come(void **state)
{
	const uint32_t args[] = {1, 2, 3, 4, 5, 6, 7, 8, 9};

	(void)state;
	fake->info.recording = 1;
	fake->info.stop.counts = START + 15;
	rounds_wanted = 100;
	between = more_comes;
	block(0, 1, 0, START, 10, KUTRACE_BLOCK_CURRENT);
	put(0, START + 10, KUTRACE_MARKD, 1);
	filled[0]++;		/* the word is claimed and not stored yet */
	put(0, START + 30, KUTRACE_MARKD, 3);
	block(1, 2, 1, START + 5, 20, KUTRACE_BLOCK_CURRENT);
	put(1, START + 40, KUTRACE_MARKD, 4);
	assert_int_equal(read_it(), 0);
	args_are(args, 9);
	/* the last round follows the end of the recording */
	assert_int_equal(rounds, 4);
	assert_int_equal(result.lost_blocks, 0);
	fake_assert_no_leak();
}

static void overwrite(int round)
{
	if (round != 1)
		return;
	/* a block of another CPU replaces block 0, of which one event is unread */
	block(0, 9, 1, START + 100, 30, KUTRACE_BLOCK_DONE);
	put(0, START + 110, KUTRACE_MARKD, 3);
	block(1, 10, 0, START + 120, 40, KUTRACE_BLOCK_DONE);
	put(1, START + 130, KUTRACE_MARKD, 4);
	fake->info.stop.counts = START + 200;
	fake->info.recording = 0;
}

static void overwritten_blocks_are_counted(void **state)
{
	const uint32_t args[] = {1, 3, 4};

	(void)state;
	fake->info.recording = 1;
	fake->info.stop.counts = START + 15;
	rounds_wanted = 2;
	between = overwrite;
	block(0, 1, 0, START, 10, KUTRACE_BLOCK_DONE);
	put(0, START + 10, KUTRACE_MARKD, 1);
	put(0, START + 20, KUTRACE_MARKD, 2);
	assert_int_equal(read_it(), 0);
	args_are(args, 3);
	assert_int_equal(result.lost_blocks, 1);
	/* after the loss, the header of the new block gives the task of CPU 0 */
	assert_int_equal(seen[2].pid, 40);
}

static void invalid_entries_are_skipped_and_counted(void **state)
{
	(void)state;
	block(0, 1, 0, START, 10, KUTRACE_BLOCK_DONE);
	put(0, START + 10, 0x0F0, 1);
	put(0, START + 11, 0x199, 1);
	put(0, START + 12, KUTRACE_MARKD, 1);
	filled[0] = KUTRACE_BLOCK_WORDS - 1;
	/* the name extends beyond the end of the block */
	put(0, START + 13, KUTRACE_NAME_PID | 3 << 4, 1);
	/* a header whose CPU differs from the table's, and an impossible CPU in the table */
	block(1, 2, 1, START, 10, KUTRACE_BLOCK_DONE);
	fake->table[1].cpu = 2;
	put(1, START + 10, KUTRACE_MARKD, 7);
	block(2, 3, 1, START, 10, KUTRACE_BLOCK_DONE);
	fake->table[2].cpu = 300;
	put(2, START + 10, KUTRACE_MARKD, 7);
	assert_int_equal(read_it(), 0);
	assert_int_equal(nseen, 1);
	assert_int_equal(result.bad_words, 3);
	assert_int_equal(result.lost_blocks, 1);
}

static void events_in_words(void **state)
{
	static const char *const texts[] = {
		"getpid(5) = -2, 320 ns", "read(3)", "/read = 17", "page_fault", "local_timer",
		"BH:timer", "context_switch bash.1234", "runnable -idle-.0", "mark_a=abc",
		"mark_d=77", "rpc_request get.9", "lock_try lock.c:5", "enqueue 3",
		"pc_kernel 0xffffffff81000000", "-sched-", "disk_io dev=8 sector=77",
		"context_switch -other-.4194304", "mark_b=/abc",
		"long_one first_field_with_a_long_name=-1 text=a.c last=2.5 0x7", "point_77 0x8",
	};
	const double last = 2.5;
	int i;

	(void)state;
	add_name(KUTRACE_NAME_PID, 1234, "bash");
	add_name(KUTRACE_NAME_METHOD, 9, "get");
	add_name(KUTRACE_NAME_LOCKNAME, 55, "lock.c:5");
	add_name(KUTRACE_NAME_EVENTDEF, 0x10000 + 4, "disk_io u32 dev, u64 sector|x");
	add_name(KUTRACE_NAME_EVENTDEF, 0x10000 + 3, "other u32 dev|x");
	add_name(KUTRACE_NAME_EVENTDEF, 0x10000 + 5, "another u32 dev|x");
	add_name(KUTRACE_NAME_EVENTDEF, 0x10000 + 1, "one u32 dev|x");
	block(0, 1, 0, START, 10, KUTRACE_BLOCK_DONE);
	put(0, START + 1, KUTRACE_CALL_SYSCALL64 + 39, 10U << 24 | 0xFEU << 16 | 5);
	put(0, START + 2, KUTRACE_CALL_SYSCALL64 + 0, 3);
	put(0, START + 3, KUTRACE_RET_SYSCALL64 + 0, 17);
	put(0, START + 4, KUTRACE_CALL_TRAP + KUTRACE_PAGEFAULT, 0);
	put(0, START + 5, KUTRACE_CALL_IRQ + KUTRACE_VECTOR_LOCAL_TIMER, 0);
	put(0, START + 6, KUTRACE_CALL_BH, 1);
	put(0, START + 7, KUTRACE_USERPID, 1234);
	put(0, START + 8, KUTRACE_RUNNABLE, 0);
	put(0, START + 9, KUTRACE_MARKA, (uint32_t)kutrace_char_to_base40("abc"));
	put(0, START + 10, KUTRACE_MARKD, 77);
	put(0, START + 11, KUTRACE_RPCIDREQ, 9);
	put(0, START + 12, KUTRACE_LOCKNOACQ, 55);
	put(0, START + 13, KUTRACE_ENQUEUE, 3);
	put(0, START + 14, KUTRACE_PC_U, 0);
	fake->block[0][filled[0]++] = 0xFFFFFFFF81000000ULL;
	put(0, START + 15, KUTRACE_CALL_SCHED, 0);
	put(0, START + 16, KUTRACE_NAME_TPOINT | 3 << 4, 4);
	fake->block[0][filled[0]++] = 8;
	fake->block[0][filled[0]++] = 77;
	add_name(KUTRACE_NAME_EVENTDEF, 0x10000 + 6,
		 "long_one s64 first_field_with_a_long_name, str text, dou");
	add_name(KUTRACE_NAME_EVENTDEF, 0x20000 + 6, "ble last|%d%s%g");
	put(0, START + 17, KUTRACE_USERPID, KUTRACE_PID_OTHER);
	put(0, START + 18, KUTRACE_MARKB, (uint32_t)kutrace_char_to_base40("/abc"));
	put(0, START + 19, KUTRACE_NAME_TPOINT | 5 << 4, 6);
	fake->block[0][filled[0]++] = ~0ULL;
	memcpy(&fake->block[0][filled[0]++], "a.c", 3);
	memcpy(&fake->block[0][filled[0]++], &last, 8);
	fake->block[0][filled[0]++] = 7;
	put(0, START + 20, KUTRACE_NAME_TPOINT | 2 << 4, 77);
	fake->block[0][filled[0]++] = 8;
	assert_int_equal(read_it(), 0);
	assert_int_equal(nseen, sizeof(texts) / sizeof(texts[0]));
	for (i = 0; i < nseen; i++)
		assert_string_equal(text[i], texts[i]);
	assert_string_equal(process[0], "10");
	assert_string_equal(process[6], "10");
	assert_string_equal(process[7], "bash");
	assert_string_equal(process[17], "-other-");
	assert_int_equal(seen[0].took_ns, 320);
	assert_int_equal(seen[15].nwords, 2);
	assert_int_equal(seen[15].words[1], 77);
}

static void names_are_made_harmless(void **state)
{
	(void)state;
	add_name(KUTRACE_NAME_PID, 10, "a\x1b[31m\nb");
	block(0, 1, 0, START, 10, KUTRACE_BLOCK_DONE);
	put(0, START + 7, KUTRACE_USERPID, 10);
	assert_int_equal(read_it(), 0);
	assert_string_equal(process[0], "a?[31m?b");
	assert_string_equal(text[0], "context_switch a?[31m?b.10");
}

static int stop_at_two(void *arg, const struct kutrace_seen *event)
{
	(void)arg;
	return event->arg == 2 ? -ECANCELED : 0;
}

static void reading_ends_when_the_callback_requests_it(void **state)
{
	const struct kutrace_read_options options = {.event = stop_at_two};

	(void)state;
	assert_int_equal(kutrace_read(NULL, NULL), -EINVAL);
	block(0, 1, 0, START, 10, KUTRACE_BLOCK_DONE);
	put(0, START + 1, KUTRACE_MARKD, 1);
	put(0, START + 2, KUTRACE_MARKD, 2);
	put(0, START + 3, KUTRACE_MARKD, 3);
	assert_int_equal(kutrace_read(&options, &result), -ECANCELED);
	assert_int_equal(result.events, 2);
	fake->info.start.counts = 0;
	assert_int_equal(kutrace_read(&options, &result), -ENODATA);
	fake_assert_no_leak();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(in_the_order_of_times_over_cpus_and_blocks, fresh),
		cmocka_unit_test_setup(each_once_while_they_come, fresh),
		cmocka_unit_test_setup(overwritten_blocks_are_counted, fresh),
		cmocka_unit_test_setup(invalid_entries_are_skipped_and_counted, fresh),
		cmocka_unit_test_setup(events_in_words, fresh),
		cmocka_unit_test_setup(names_are_made_harmless, fresh),
		cmocka_unit_test_setup(reading_ends_when_the_callback_requests_it, fresh),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
