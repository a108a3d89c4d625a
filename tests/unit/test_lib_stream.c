// SPDX-License-Identifier: BSD-3-Clause
/*
 * Tests the stream of libkutrace. Every block is sent once, in the order of claiming, or counted as
 * lost. Blocks that were deliberately skipped are not losses. Blocks that were sent are not sent
 * again.
 */
#include <sys/socket.h>
#include <sys/wait.h>

#include "lib_fake.h"
#include "lib_trace.h"
#include "in_child.h"

#define START	0x0000123450000ULL

static char path[] = "/tmp/test_lib_stream.XXXXXX";
static int file = -1, looks, stop_at;
static bool fail_output;
static void (*at_look)(void);

static void add_block(uint32_t index, uint64_t seq, uint32_t state)
{
	fake->table[index].seq = seq;
	fake->table[index].cpu = index % 3;
	fake->table[index].state = state;
	memset(fake->block[index], 0, KUTRACE_BLOCK_BYTES);
	fake->block[index][0] = (uint64_t)(index % 3) << 56 | (START + seq * 10);
	fake->block[index][2] = index + 1;
}

static int fresh(void **state)
{
	(void)state;
	fake_reset();
	fake->info.start.counts = START;
	fake->info.start.real_ns = 1700000000ULL * 1000000000;
	fake->info.stop.counts = START + 1000000;
	fake->info.stop.real_ns = fake->info.start.real_ns + 32000000;
	fake->info.flags = KUTRACE_RESET_WRAP;
	fake->info.nblocks = fake->meta.nblocks = 8;
	looks = 0;
	stop_at = 0;
	fail_output = false;
	at_look = NULL;
	assert_int_equal(ftruncate(file, 0), 0);
	assert_int_equal(lseek(file, 0, SEEK_SET), 0);
	return 0;
}

static int output(void *arg, uint64_t bytes, int *fd)
{
	(void)arg;
	if (++looks == stop_at)
		return -ECANCELED;
	if (at_look)
		at_look();
	if (bytes)
		return 0;
	*fd = fail_output ? 9999 : file;
	return 1;
}

static const struct kutrace_stream_options options = {.output = output};

/*
 * Reads the pids in the headers of the file, without name blocks, into @pids: at most 20, with a 0
 * at the end.
 */
static void sent(uint64_t *pids)
{
	struct trace t;
	size_t i, n = 0;

	assert_true(trace_read(&t, path, 1));
	for (i = 1; i < t.blocks && n < 20; i++)
		if (!trace_block(&t, i)[6])
			pids[n++] = trace_block(&t, i)[2];
	pids[n] = 0;
	trace_free(&t);
}

static void blocks_come_in_order_and_once(void **state)
{
	struct kutrace_stream_state so_far = {0};
	struct kutrace_stream_result result;
	uint64_t pids[21];

	(void)state;
	add_block(0, 1, KUTRACE_BLOCK_DONE);
	add_block(1, 2, KUTRACE_BLOCK_CURRENT);
	add_block(2, 3, KUTRACE_BLOCK_DONE);
	fake->info.recording = 1;
	fake->info.taken_blocks = 3;
	stop_at = 3;
	assert_int_equal(kutrace_stream(&options, &so_far, &result), -ECANCELED);
	assert_int_equal(result.data_blocks, 2);
	assert_int_equal(result.lost_blocks, 0);
	assert_int_equal(so_far.next, 4);
	assert_int_equal(so_far.waiting, 1);
	sent(pids);
	assert_int_equal(pids[0], 1);
	assert_int_equal(pids[1], 3);
	assert_int_equal(pids[2], 0);
	/* the stream continues with block 2, which was not full, and a new block */
	fresh(NULL);
	add_block(0, 1, KUTRACE_BLOCK_DONE);
	add_block(1, 2, KUTRACE_BLOCK_DONE);
	add_block(2, 3, KUTRACE_BLOCK_DONE);
	add_block(3, 4, KUTRACE_BLOCK_DONE);
	fake->info.taken_blocks = 4;
	assert_int_equal(kutrace_stream(&options, &so_far, &result), 0);
	assert_int_equal(result.data_blocks, 2);
	sent(pids);
	assert_int_equal(pids[0], 2);
	assert_int_equal(pids[1], 4);
	assert_int_equal(pids[2], 0);
	/* no block is new */
	assert_int_equal(kutrace_stream(&options, &so_far, &result), 0);
	assert_int_equal(result.data_blocks, 0);
	fake_assert_no_leak();
}

static void lost_blocks_are_counted(void **state)
{
	struct kutrace_stream_state so_far = {.start_counts = START, .next = 9};
	struct kutrace_stream_result result;
	uint32_t i;

	(void)state;
	/* blocks 9, 10 and 11 were overwritten while 3 was being filled */
	add_block(0, 17, KUTRACE_BLOCK_DONE);
	add_block(1, 18, KUTRACE_BLOCK_DONE);
	add_block(2, 3, KUTRACE_BLOCK_DONE);
	for (i = 3; i < 8; i++)
		add_block(i, i + 9, KUTRACE_BLOCK_DONE);
	so_far.waiting = 2;
	so_far.number[0] = 3;
	so_far.number[1] = 8;	/* block 16 overwrote block 8 */
	fake->info.taken_blocks = 18;
	assert_int_equal(kutrace_stream(&options, &so_far, &result), 0);
	assert_int_equal(result.data_blocks, 8);
	assert_int_equal(result.lost_blocks, 4);
	assert_int_equal(so_far.next, 19);
	assert_int_equal(so_far.waiting, 0);
	fake_assert_no_leak();
}

/*
 * Tests blocks in another order than their numbers: CPUs choose their next blocks before they claim
 * them.
 */
static void blocks_may_be_in_any_order(void **state)
{
	static const uint32_t places[] = { 0, 2, 1, 5, 3, 4 };
	struct kutrace_stream_state so_far = {0};
	struct kutrace_stream_result result;
	uint64_t pids[21];
	uint32_t i;

	(void)state;
	for (i = 0; i < 6; i++)
		add_block(places[i], i + 1, i == 1 ? KUTRACE_BLOCK_CURRENT : KUTRACE_BLOCK_DONE);
	/* this block is chosen and cleared, but not claimed yet */
	fake->table[6].state = KUTRACE_BLOCK_CURRENT;
	fake->info.recording = 1;
	/* number 7 is counted, but its table entry is not written yet */
	fake->info.taken_blocks = 7;
	stop_at = 3;
	assert_int_equal(kutrace_stream(&options, &so_far, &result), -ECANCELED);
	assert_int_equal(result.lost_blocks, 0);
	assert_int_equal(result.data_blocks, 5);
	assert_int_equal(so_far.next, 7);
	sent(pids);
	assert_int_equal(pids[0], 1);
	for (i = 1; i < 5; i++)
		assert_int_equal(pids[i], places[i + 1] + 1);
	/* the stream continues with number 2, which was not full, and a new block */
	fake->table[2].state = KUTRACE_BLOCK_DONE;
	add_block(7, 7, KUTRACE_BLOCK_DONE);
	fake->info.recording = 0;
	stop_at = 0;
	assert_int_equal(ftruncate(file, 0), 0);
	assert_int_equal(lseek(file, 0, SEEK_SET), 0);
	assert_int_equal(kutrace_stream(&options, &so_far, &result), 0);
	assert_int_equal(result.lost_blocks, 0);
	sent(pids);
	assert_int_equal(pids[0], 3);
	assert_int_equal(pids[1], 8);
	fake_assert_no_leak();
}

/*
 * Tests shares: the first blocks of a quiet CPU remain, but only the last blocks of the busy CPU.
 */
static void with_shares_a_quiet_cpus_old_blocks_come_first(void **state)
{
	struct kutrace_stream_state so_far = {0};
	struct kutrace_stream_result result;
	uint64_t pids[21];
	struct trace t;

	(void)state;
	fake->info.flags = KUTRACE_RESET_WRAP | KUTRACE_RESET_PERCPU;
	fake->info.share_blocks = 4;
	fake->info.wrapped = 1;
	add_block(1, 1, KUTRACE_BLOCK_DONE);
	add_block(4, 3, KUTRACE_BLOCK_DONE);
	add_block(7, 90, KUTRACE_BLOCK_CURRENT);
	add_block(0, 1000097, KUTRACE_BLOCK_DONE);
	add_block(3, 1000099, KUTRACE_BLOCK_DONE);
	/* number 1000100 is counted, but its table entry is not written yet */
	fake->info.recording = 1;
	fake->info.taken_blocks = 1000100;
	stop_at = 3;
	assert_int_equal(kutrace_stream(&options, &so_far, &result), -ECANCELED);
	assert_int_equal(result.lost_blocks, 0);
	assert_int_equal(result.data_blocks, 4);
	assert_int_equal(so_far.next, 1000100);
	assert_int_equal(so_far.waiting, 1);
	sent(pids);
	assert_int_equal(pids[0], 2);
	assert_int_equal(pids[1], 5);
	assert_int_equal(pids[2], 1);
	assert_int_equal(pids[3], 4);
	assert_int_equal(pids[4], 0);
	/* the trace is marked as wrapped, although block 1 remains */
	assert_true(trace_read(&t, path, 1));
	assert_int_equal(trace_block(&t, 0)[1] >> 56 & KUTRACE_FLAG_WRAP, KUTRACE_FLAG_WRAP);
	trace_free(&t);
	/* the stream continues: 1000100 to 1000102 were overwritten in the meantime */
	add_block(0, 1000103, KUTRACE_BLOCK_DONE);
	add_block(3, 1000104, KUTRACE_BLOCK_DONE);
	fake->table[6].seq = 0;
	fake->table[7].state = KUTRACE_BLOCK_DONE;
	fake->info.taken_blocks = 1000104;
	fake->info.recording = 0;
	stop_at = 0;
	assert_int_equal(kutrace_stream(&options, &so_far, &result), 0);
	assert_int_equal(result.lost_blocks, 3);
	assert_int_equal(result.data_blocks, 3);
	fake_assert_no_leak();
}

/*
 * Tests a stream that stops while it sends blocks that are older than the stream, and continues
 * later. It must not count blocks that were overwritten before it began.
 */
static void blocks_overwritten_before_the_stream_are_not_lost_after_a_stop(void **state)
{
	struct kutrace_stream_state so_far = {0};
	struct kutrace_stream_result result;
	uint32_t i;

	(void)state;
	fake->info.flags = KUTRACE_RESET_WRAP | KUTRACE_RESET_PERCPU;
	fake->info.nblocks = fake->meta.nblocks = 100;
	fake->info.share_blocks = 50;
	fake->info.wrapped = 1;
	/* of the older blocks, numbers 10, 20, 30 ... 700 remain */
	for (i = 0; i < 70; i++)
		add_block(i, 10 * (i + 1), KUTRACE_BLOCK_DONE);
	for (i = 0; i < 25; i++)
		add_block(70 + i, 976 + i, KUTRACE_BLOCK_DONE);
	fake->info.recording = 1;
	fake->info.taken_blocks = 1000;
	stop_at = 2;
	assert_int_equal(kutrace_stream(&options, &so_far, &result), -ECANCELED);
	assert_in_range(so_far.next, 11, 699);
	assert_int_equal(result.lost_blocks, 0);
	/* three blocks are overwritten before they are sent */
	for (i = 0; i < 3; i++)
		add_block(50 + 5 * i, 1001 + i, KUTRACE_BLOCK_DONE);
	fake->info.taken_blocks = 1003;
	fake->info.recording = 0;
	stop_at = 0;
	assert_int_equal(kutrace_stream(&options, &so_far, &result), 0);
	assert_int_equal(result.lost_blocks, 3);
	assert_int_equal(so_far.next, 1004);
	fake_assert_no_leak();
}

/* Overwrites two blocks that existed when the stream began, before they are sent. */
static void overwrite_two(void)
{
	if (looks != 1)
		return;
	add_block(0, 9, KUTRACE_BLOCK_DONE);
	add_block(1, 10, KUTRACE_BLOCK_DONE);
	fake->info.taken_blocks = 10;
}

static void blocks_from_before_the_stream_are_lost_if_overwritten(void **state)
{
	struct kutrace_stream_state so_far = {0};
	struct kutrace_stream_result result;
	uint32_t i;

	(void)state;
	/* all blocks except 8 are being filled: the batch ends with 8, and 1 to 7 wait */
	for (i = 0; i < 8; i++)
		add_block(i, i + 1, i < 7 ? KUTRACE_BLOCK_CURRENT : KUTRACE_BLOCK_DONE);
	fake->info.recording = 1;
	fake->info.taken_blocks = 8;
	stop_at = 4;
	at_look = overwrite_two;
	assert_int_equal(kutrace_stream(&options, &so_far, &result), -ECANCELED);
	assert_int_equal(result.lost_blocks, 2);
	assert_int_equal(result.data_blocks, 3);
	fake_assert_no_leak();
}

static void blocks_that_could_not_be_written_are_sent_next_time(void **state)
{
	struct kutrace_stream_state so_far = {0};
	struct kutrace_stream_result result;

	(void)state;
	add_block(0, 1, KUTRACE_BLOCK_DONE);
	add_block(1, 2, KUTRACE_BLOCK_DONE);
	fake->info.taken_blocks = 2;
	fail_output = true;
	assert_int_equal(kutrace_stream(&options, &so_far, &result), -EBADF);
	assert_int_equal(result.data_blocks, 0);
	fail_output = false;
	assert_int_equal(kutrace_stream(&options, &so_far, &result), 0);
	assert_int_equal(result.data_blocks, 2);
	fake_assert_no_leak();
}

static void another_recording_starts_over(void **state)
{
	struct kutrace_stream_state so_far = {.start_counts = START - 5, .next = 99};
	struct kutrace_stream_result result;

	(void)state;
	add_block(0, 1, KUTRACE_BLOCK_DONE);
	fake->info.taken_blocks = 1;
	assert_int_equal(kutrace_stream(&options, &so_far, &result), 0);
	assert_int_equal(result.data_blocks, 1);
	assert_int_equal(so_far.start_counts, START);
	fake->info.start.counts = 0;
	assert_int_equal(kutrace_stream(&options, &so_far, NULL), -ENODATA);
	fake_assert_no_leak();
}

/* --- readers that stall --------------------------------------------------------- */

static int stalled_fd, other_fd, asked;

/* Ends the stream at the third call about the stalled reader. */
static int stop_stalled(void *arg, uint64_t bytes, int *fd)
{
	(void)arg;
	*fd = stalled_fd;
	if (!bytes)
		return 1;
	return ++asked == 3 ? -EINTR : 0;
}

/* Directs the stream to another file. */
static int leave_stalled(void *arg, uint64_t bytes, int *fd)
{
	(void)arg;
	*fd = bytes && *fd == stalled_fd ? other_fd : *fd;
	if (!bytes && *fd != other_fd)
		*fd = stalled_fd;
	return !bytes || (*fd == other_fd && ++asked == 1);
}

static int stream_stopped(void)
{
	struct kutrace_stream_options o = {.output = stop_stalled};
	struct kutrace_stream_state so_far = {0};
	struct kutrace_stream_result result;

	if (kutrace_stream(&o, &so_far, &result) != -EINTR || asked != 3)
		return 1;
	/* the cut block does not count as sent, and the result has the position of the cut */
	if (result.data_blocks || so_far.waiting != 3 || result.bytes >= 3 * 65536)
		return 2;
	return result.cut_bytes == result.bytes % 65536 ? 0 : 3;
}

static int stream_elsewhere(void)
{
	struct kutrace_stream_options o = {.output = leave_stalled};
	struct kutrace_stream_result result;

	if (kutrace_stream(&o, NULL, &result) || result.data_blocks != 3 || result.cut_bytes)
		return 1;
	return 0;
}

static void three_blocks(void)
{
	uint32_t i;

	for (i = 0; i < 3; i++)
		add_block(i, i + 1, KUTRACE_BLOCK_DONE);
	fake->info.taken_blocks = 3;
}

/* Also checks that the flags of descriptors, which other programs share, are unchanged. */
static void a_stalled_reader_does_not_hold_us_for_ever(void **state)
{
	int ends[2], small = 20000, i;

	(void)state;
	three_blocks();
	for (i = 0; i < 3; i++) {
		if (i == 0)
			assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
		else
			assert_int_equal(pipe2(ends, i == 2 ? O_NONBLOCK : 0), 0);
		if (i == 0)
			assert_int_equal(setsockopt(ends[1], SOL_SOCKET, SO_SNDBUF, &small,
						    sizeof(small)), 0);
		else
			assert_true(fcntl(ends[1], F_SETPIPE_SZ, 32768) > 0);
		stalled_fd = ends[1];
		other_fd = file;
		asked = 0;
		assert_int_equal(in_child(stream_stopped), 0);
		assert_int_equal(!!(fcntl(ends[1], F_GETFL) & O_NONBLOCK), i == 2);
		close(ends[0]);
		close(ends[1]);
	}
}

static void a_stalled_reader_can_be_left(void **state)
{
	uint64_t pids[21];
	int ends[2];

	(void)state;
	three_blocks();
	assert_int_equal(pipe(ends), 0);
	assert_true(fcntl(ends[1], F_SETPIPE_SZ, 32768) > 0);
	stalled_fd = ends[1];
	other_fd = file;
	asked = 0;
	assert_int_equal(in_child(stream_elsewhere), 0);
	sent(pids);
	assert_int_equal(pids[0], 1);
	assert_int_equal(pids[2], 3);
	assert_int_equal(pids[3], 0);
	close(ends[0]);
	close(ends[1]);
}

/* --- names ---------------------------------------------------------------------- */

static uint64_t add_name(uint64_t counts, uint32_t number, const char *text)
{
	struct kutrace_aux_entry entry = {.head = 32 << 1, .base = KUTRACE_NAME_PID,
					  .counts = counts, .number = number};
	uint64_t at = fake->info.aux_last;

	memset(fake->aux + at, 0, 32);
	memcpy(fake->aux + at, &entry, KUTRACE_AUX_HEADER);
	memcpy(fake->aux + at + KUTRACE_AUX_HEADER, text, strlen(text));
	fake->info.aux_last += 32;
	return at;
}

/* Moves the known names. The older name of pid 7 is then after the newer one. */
static void move_names(void)
{
	if (looks != 2)
		return;
	fake->info.aux_first = fake->info.aux_last;
	fake->info.stop.counts += 1000;
	add_name(START + 50, 7, "new");
	add_name(START, 7, "old");
	add_name(fake->info.stop.counts - 500, 8, "fresh");
	fake->table[1].state = KUTRACE_BLOCK_DONE;
	fake->info.recording = 0;
}

static void names_that_were_moved_are_not_sent_again(void **state)
{
	struct kutrace_stream_result result;
	size_t i, n7 = 0, n8 = 0;
	struct trace t;

	(void)state;
	add_block(0, 1, KUTRACE_BLOCK_DONE);
	add_block(1, 2, KUTRACE_BLOCK_CURRENT);
	fake->info.recording = 1;
	fake->info.taken_blocks = 2;
	add_name(START, 7, "old");
	add_name(START + 50, 7, "new");
	at_look = move_names;
	assert_int_equal(kutrace_stream(&options, NULL, &result), 0);
	assert_int_equal(result.data_blocks, 2);
	assert_true(trace_read(&t, path, 4));
	for (i = 0; i < t.nnames; i++) {
		if (t.names[i].base != KUTRACE_NAME_PID)
			continue;
		n7 += t.names[i].number == 7;
		n8 += t.names[i].number == 8;
		if (t.names[i].number == 7)
			assert_string_equal(t.names[i].text, n7 == 1 ? "old" : "new");
	}
	assert_int_equal(n7, 2);
	assert_int_equal(n8, 1);
	trace_free(&t);
	fake_assert_no_leak();
}

/* --- losses and arrivals ------------------------------------------------------------ */

static uint64_t sent_number[20], sent_bytes[20];
static int nsent;

static void note_sent(void *arg, uint64_t number, uint64_t bytes)
{
	(void)arg;
	sent_number[nsent] = number;
	sent_bytes[nsent++] = bytes;
}

/* Overwrites the blocks 2 to 12, and counts five events that a full buffer lost. */
static void overtake(void)
{
	uint32_t i;

	if (looks != 2)
		return;
	for (i = 0; i < 8; i++)
		add_block(i, i < 4 ? i + 17 : i + 9, KUTRACE_BLOCK_DONE);
	fake->info.taken_blocks = 20;
	fake->info.lost[KUTRACE_LOST_FULL] = 5;
	fake->info.recording = 0;
}

static void the_trace_reports_its_losses(void **state)
{
	const struct kutrace_stream_options o = {.output = output, .sent = note_sent};
	struct kutrace_stream_result result;
	struct trace t;
	int i;

	(void)state;
	add_block(0, 1, KUTRACE_BLOCK_DONE);
	add_block(1, 2, KUTRACE_BLOCK_CURRENT);
	fake->info.recording = 1;
	fake->info.taken_blocks = 2;
	at_look = overtake;
	nsent = 0;
	assert_int_equal(kutrace_stream(&o, NULL, &result), 0);
	assert_int_equal(result.data_blocks, 9);
	assert_int_equal(result.lost_blocks, 11);
	assert_true(trace_read(&t, path, 3));
	assert_true(trace_has_meta(&t, "lost_stream_blocks=0"));
	assert_true(trace_has_meta(&t, "lost_stream_blocks=11"));
	assert_true(trace_has_meta(&t, "lost_full=0"));
	assert_true(trace_has_meta(&t, "lost_full=5"));
	trace_free(&t);
	/* one block follows the first names, eight blocks follow the block with the losses */
	assert_int_equal(nsent, 9);
	assert_int_equal(sent_number[0], 1);
	assert_int_equal(sent_bytes[0], 2 * 65536);
	for (i = 1; i < 9; i++) {
		assert_int_equal(sent_number[i], 12 + i);
		assert_int_equal(sent_bytes[i], (3 + i) * 65536);
	}
	fake_assert_no_leak();
}

static int stream_without_blocks(void)
{
	fake->info.recording = 1;
	stop_at = 3;
	return kutrace_stream(&options, NULL, NULL) != -ECANCELED;
}

/* Tests a recording on a quiet machine: output() can end the stream although no block is full. */
static void a_stream_ends_before_the_first_block(void **state)
{
	struct stat st;

	(void)state;
	assert_int_equal(in_child(stream_without_blocks), 0);
	assert_int_equal(fstat(file, &st), 0);
	assert_int_equal(st.st_size, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(a_stream_ends_before_the_first_block, fresh),
		cmocka_unit_test_setup(blocks_come_in_order_and_once, fresh),
		cmocka_unit_test_setup(lost_blocks_are_counted, fresh),
		cmocka_unit_test_setup(blocks_may_be_in_any_order, fresh),
		cmocka_unit_test_setup(with_shares_a_quiet_cpus_old_blocks_come_first, fresh),
		cmocka_unit_test_setup(blocks_overwritten_before_the_stream_are_not_lost_after_a_stop, fresh),
		cmocka_unit_test_setup(blocks_from_before_the_stream_are_lost_if_overwritten,
				       fresh),
		cmocka_unit_test_setup(blocks_that_could_not_be_written_are_sent_next_time, fresh),
		cmocka_unit_test_setup(another_recording_starts_over, fresh),
		cmocka_unit_test_setup(a_stalled_reader_does_not_hold_us_for_ever, fresh),
		cmocka_unit_test_setup(a_stalled_reader_can_be_left, fresh),
		cmocka_unit_test_setup(names_that_were_moved_are_not_sent_again, fresh),
		cmocka_unit_test_setup(the_trace_reports_its_losses, fresh),
	};
	int failed;

	file = mkstemp(path);
	if (file < 0)
		return 1;
	failed = cmocka_run_group_tests(tests, NULL, NULL);
	close(file);
	unlink(path);
	return failed;
}
