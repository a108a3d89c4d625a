// SPDX-License-Identifier: BSD-3-Clause
/*
 * Tests the library's access by the control system call: the conditions of its use, the refused
 * calls, and impossible answers. The linker replaces open() of the device and syscall()
 * (control/rules.mk). A guest test checks that a kernel answers as assumed here.
 */
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "kutrace_abi.h"
#include "kutrace_events.h"
#include "lib/base/name_list.h"
#include "lib/device/device.h"
#include "lib/session/handle.h"
#include "libkutrace.h"

#define BLOCKS	3	/* number of blocks: one of names, two of events */

static struct {
	int open_error;
	int open_read_error;	/* if not 0: error of opens without writing */
	int call_errno;		/* error of all calls; EPERM is a refusal */
	bool unprivileged;
	bool marks;		/* marks are permitted to all users */
	struct kutrace_info info;
	uint64_t words;		/* value of GETCOUNT */
	uint64_t word[BLOCKS * KUTRACE_BLOCK_WORDS];
	uint64_t set;
	uint64_t refused;	/* refused commands, one bit per command */
	int calls;
	int count[KUTRACE_CMD_INFO + 1];
	uint64_t mark;
} fake;

int __real_open(const char *path, int flags, mode_t mode);
int __wrap_open(const char *path, int flags, mode_t mode);
long __wrap_syscall(long number, uint64_t command, uint64_t arg);

int __wrap_open(const char *path, int flags, mode_t mode)
{
	if (strcmp(path, KUTRACE_DEVICE))
		return __real_open(path, flags, mode);
	errno = (flags & O_ACCMODE) == O_RDONLY && fake.open_read_error ?
		fake.open_read_error : fake.open_error;
	return -1;
}

static long refuse(int error)
{
	errno = error;
	return -1;
}

static long answer(uint64_t command, uint64_t arg)
{
	switch (command) {
	case KUTRACE_CMD_VERSION:
		return KUTRACE_MODULE_VERSION;
	case KUTRACE_CMD_TEST:
		return fake.info.recording;
	case KUTRACE_CMD_INFO:
		memcpy((void *)arg, &fake.info, sizeof(fake.info));
		return 0;
	case KUTRACE_CMD_INSERT1:
		fake.mark = arg;
		return arg && fake.info.recording;
	case KUTRACE_CMD_GETCOUNT:
		return (long)(fake.info.wrapped ? ~fake.words : fake.words);
	case KUTRACE_CMD_GETWORD:
		return (long)fake.word[arg];
	case KUTRACE_CMD_SET4KB:
		assert_true(arg % 512 == 0 && arg + 512 <= fake.words);
		fake.set = arg;
		return 0;
	case KUTRACE_CMD_GET4KB:
		memcpy((void *)arg, &fake.word[fake.set], 4096);
		return 0;
	default:
		return 0;
	}
}

long __wrap_syscall(long number, uint64_t command, uint64_t arg)
{
	bool asks = command == KUTRACE_CMD_VERSION || command == KUTRACE_CMD_TEST ||
		    (command == KUTRACE_CMD_INSERT1 && fake.marks);

	assert_int_equal(number, 1023);
	assert_true(command <= KUTRACE_CMD_INFO);
	fake.calls++;
	fake.count[command]++;
	if (fake.call_errno)
		return refuse(fake.call_errno);
	if ((fake.unprivileged && !asks) || fake.refused >> command & 1)
		return refuse(EPERM);
	return answer(command, arg);
}

static uint64_t entry(uint64_t counts, uint64_t event, uint32_t arg)
{
	return counts << KUTRACE_TS_SHIFT | event << KUTRACE_EVENT_SHIFT | arg;
}

static uint64_t name_word(const char *eight)
{
	uint64_t word;

	memcpy(&word, eight, sizeof(word));
	return word;
}

/* Makes a recording: a block with two names, one of them late, and two blocks of CPU 1. */
static int setup(void **state)
{
	uint64_t *w = fake.word;
	int i;

	(void)state;
	memset(&fake, 0, sizeof(fake));
	fake.open_error = ENOENT;
	fake.words = BLOCKS * KUTRACE_BLOCK_WORDS;
	fake.info = (struct kutrace_info){
		.length = sizeof(fake.info), .abi_version = KUTRACE_ABI_VERSION,
		.backend = KUTRACE_BACKEND_PATCHED, .nblocks = 64, .used_blocks = 2,
		.taken_blocks = 2, .clock_khz = 2000000, .clock_shift = 6, .ncpus = 2,
		.start = {1000, 1000000000}, .stop = {1000 + 31250000, 2000000000},
		.start_cpu = 1, .start_pid = 7, .start_comm = "seven",
	};
	w[0] = 1ULL << 56 | 1000;
	w[8] = 7;
	w[12] = entry(1000, KUTRACE_NAME_LOCKNAME | 2 << 4, 77);
	w[13] = name_word("gate\0\0\0");
	w[14] = entry(5001000, KUTRACE_TSDELTA, 5000000);
	w[15] = entry(5001000, KUTRACE_NAME_LOCKNAME | 2 << 4, 78);
	w[16] = name_word("latelate");
	for (i = 1; i < BLOCKS; i++) {
		w = fake.word + i * KUTRACE_BLOCK_WORDS;
		w[0] = 1ULL << 56 | (uint64_t)(i * 2000);
		w[2] = 7;
		w[7] = entry((uint64_t)(i * 2000), KUTRACE_MARKD, (uint32_t)i);
	}
	return 0;
}

static void used_if_there_is_no_device(void **state)
{
	static const int absent[] = {ENOENT, ENOTDIR, ENXIO, ENODEV, EACCES, EPERM, EROFS};
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(absent) / sizeof(absent[0]); i++) {
		fake.open_error = absent[i];
		assert_int_equal(kutrace_test_module(), 1);
		assert_int_equal(kutrace_version_module(), KUTRACE_MODULE_VERSION);
	}
	/* an error of opening the device read-write is no reason to use the system call */
	fake.open_error = EACCES;
	fake.open_read_error = EMFILE;
	fake.calls = 0;
	assert_int_equal(kutrace_test_module(), 0);
	fake.open_error = EMFILE;
	assert_int_equal(kutrace_do_test(), -EMFILE);
	assert_int_equal(fake.calls, 0);
}

static void errors_are_those_of_the_device(void **state)
{
	(void)state;
	fake.call_errno = ENOSYS;
	assert_int_equal(kutrace_do_test(), -ENODEV);
	fake.call_errno = EPERM;
	assert_int_equal(kutrace_do_test(), -ENODEV);
	fake.open_error = EACCES;
	assert_int_equal(kutrace_do_test(), -EPERM);
	fake.call_errno = 0;
	fake.unprivileged = true;
	assert_int_equal(kutrace_do_on(), geteuid() ? -EPERM : -EPROTO);
	assert_int_equal(kutrace_version_module(), KUTRACE_MODULE_VERSION);
}

static void recordings_are_not_ended_by_accident(void **state)
{
	(void)state;
	fake.info.recording = 1;
	assert_int_equal(kutrace_do_reset(0), -EBUSY);
	assert_int_equal(kutrace_do_flush(), -EBUSY);
	assert_int_equal(kutrace_go("x"), -EBUSY);
	assert_int_equal(fake.count[KUTRACE_CMD_RESET], 0);
	assert_int_equal(fake.count[KUTRACE_CMD_FLUSH], 0);
	fake.info.recording = 0;
	assert_int_equal(kutrace_do_reset(0), 0);
	assert_int_equal(fake.count[KUTRACE_CMD_RESET], 1);
}

static void marks_check_their_permission_once(void **state)
{
	int calls;

	(void)state;
	fake.unprivileged = true;
	kutrace_mark_d(1);
	calls = fake.calls;
	kutrace_mark_d(2);
	assert_int_equal(fake.calls, calls);
	/* a control function finds the module, so the next mark refreshes its state */
	kutrace_do_test();
	fake.marks = true;
	fake.info.recording = 1;
	kutrace_mark_d(3);
	assert_true(fake.mark == entry(0, KUTRACE_MARKD, 3));
	calls = fake.calls;
	kutrace_mark_d(4);
	assert_true(fake.mark == entry(0, KUTRACE_MARKD, 4));
	assert_int_equal(fake.calls, calls + 1);
}

static char path[64];

static int dump(struct kutrace_dump_result *result)
{
	return kutrace_dump(path, NULL, result);
}

/* Reads the whole file. The caller frees it. */
static uint64_t *read_trace(size_t bytes)
{
	uint64_t *words = malloc(bytes);
	int fd = __real_open(path, O_RDONLY, 0);

	assert_non_null(words);
	assert_int_equal(read(fd, words, bytes), bytes);
	close(fd);
	unlink(path);
	return words;
}

static void dump_has_names_and_blocks(void **state)
{
	struct kutrace_dump_result result;
	size_t blocks, i, late = 0, early = 0;
	uint64_t *words;

	(void)state;
	assert_int_equal(dump(&result), 0);
	assert_int_equal(result.data_blocks, 2);
	assert_int_equal(result.bad_names, 0);
	blocks = result.bytes / KUTRACE_BLOCK_BYTES;
	assert_int_equal(blocks, result.name_blocks + 2);
	words = read_trace(result.bytes);
	for (i = 0; i < (blocks - 2) * KUTRACE_BLOCK_WORDS; i++) {
		early += words[i] == entry(1000, KUTRACE_NAME_LOCKNAME | 2 << 4, 77);
		late += words[i] == entry(5001000, KUTRACE_NAME_LOCKNAME | 2 << 4, 78);
	}
	assert_int_equal(early, 1);
	assert_int_equal(late, 1);
	for (i = 1; i < BLOCKS; i++) {
		const uint64_t *w = words + (blocks - BLOCKS + i) * KUTRACE_BLOCK_WORDS;

		assert_true(w[7] == fake.word[i * KUTRACE_BLOCK_WORDS + 7]);
	}
	free(words);
}

static void nonsense_is_refused(void **state)
{
	struct kutrace_dump_result result;

	(void)state;
	fake.words = KUTRACE_BLOCK_WORDS;	/* the count is less than the used words */
	assert_int_equal(dump(&result), -EBADMSG);
	setup(NULL);
	fake.refused = 1 << KUTRACE_CMD_GETCOUNT;
	assert_int_equal(dump(&result), -ENOMEM);
	setup(NULL);
	fake.refused = 1 << KUTRACE_CMD_GET4KB;
	assert_int_equal(dump(&result), -ESTALE);
	setup(NULL);
	fake.word[15] = entry(1, KUTRACE_NAME_LOCKNAME | 9 << 4, 1);
	assert_int_equal(dump(&result), 0);
	assert_int_equal(result.bad_names, 1);
	setup(NULL);
	memset(fake.word + 12, 0xFF, (KUTRACE_BLOCK_WORDS - 12) * sizeof(uint64_t));
	assert_int_equal(dump(&result), 0);
	assert_int_equal(result.bad_names, 1);
	setup(NULL);
	fake.word[KUTRACE_BLOCK_WORDS - 1] = entry(1, KUTRACE_NAME_LOCKNAME | 8 << 4, 1);
	assert_int_equal(dump(&result), 0);
	assert_int_equal(result.bad_names, 1);
	unlink(path);
}

/* Checks that kutrace_readtime() uses the clock shift of the recording that began last. */
static void time_is_that_of_the_recording(void **state)
{
	int64_t before;

	(void)state;
	fake.info.clock_shift = 4;
	assert_int_equal(kutrace_do_on(), 0);
	before = kutrace_readtime();
	fake.info.clock_shift = 6;
	assert_int_equal(kutrace_do_on(), 0);
	assert_true(kutrace_readtime() < before);
}

static void commands_that_need_the_device_report_it(void **state)
{
	struct kutrace_stream_options options = {.tool = "test"};
	char text[200];

	(void)state;
	fake.info.recording = 1;
	assert_int_equal(kutrace_snapshot(path, NULL, NULL), -ENOTCONN);
	assert_int_equal(kutrace_stream(&options, NULL, NULL), -ENOTCONN);
	kutrace_explain(-ENOTCONN, text, sizeof(text));
	assert_non_null(strstr(text, KUTRACE_DEVICE));
	assert_int_equal(access(path, F_OK), -1);
}

static void sessions_need_the_device(void **state)
{
	struct kutrace_handle *handle;
	struct kutrace_session session;
	struct kutrace_fired fired = {0};

	(void)state;
	assert_int_equal(kutrace_session_create("x", NULL, &handle), -ENOTCONN);
	assert_int_equal(kutrace_session_open(NULL, &handle), -ENOTCONN);
	assert_null(handle);
	assert_int_equal(kutrace_session_destroy("x"), -ENOTCONN);
	assert_int_equal(kutrace_session_next(0, &session), -ENOTCONN);
	assert_int_equal(kutrace_mask(0, 0, NULL), -ENOTCONN);
	assert_int_equal(kutrace_filter(NULL), -ENOTCONN);
	assert_int_equal(kutrace_trigger(NULL), -ENOTCONN);
	assert_int_equal(kutrace_wait(0, &fired), -ENOTCONN);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(used_if_there_is_no_device, setup),
		cmocka_unit_test_setup(sessions_need_the_device, setup),
		cmocka_unit_test_setup(errors_are_those_of_the_device, setup),
		cmocka_unit_test_setup(recordings_are_not_ended_by_accident, setup),
		cmocka_unit_test_setup(marks_check_their_permission_once, setup),
		cmocka_unit_test_setup(dump_has_names_and_blocks, setup),
		cmocka_unit_test_setup(nonsense_is_refused, setup),
		cmocka_unit_test_setup(time_is_that_of_the_recording, setup),
		cmocka_unit_test_setup(commands_that_need_the_device_report_it, setup),
	};

	snprintf(path, sizeof(path), "/tmp/kutrace-test-lib-call.%d.trace", (int)getpid());
	return cmocka_run_group_tests(tests, NULL, NULL);
}
