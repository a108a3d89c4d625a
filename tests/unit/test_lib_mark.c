// SPDX-License-Identifier: BSD-3-Clause
/*
 * Tests the marks of libkutrace. While recording is off, no mark may reach the module. While
 * recording is on, marks of every thread and of child processes must reach it. Marks never change
 * errno.
 */
#include <pthread.h>
#include <sys/wait.h>

#include "lib_fake.h"

#define THREADS 7

static const volatile uint32_t *not_looked;	/* initial target of kutrace_active_word */

static int fresh(void **state)
{
	(void)state;
	fake_reset();
	kutrace_active_word = not_looked;
	return 0;
}

static uint64_t entry(uint64_t event, const char *label)
{
	return event << 32 | kutrace_char_to_base40(label);
}

static void without_a_module_marks_search_once(void **state)
{
	(void)state;
	fake->open_error = ENOENT;
	errno = 77;
	kutrace_mark_a("a");
	assert_int_equal(errno, 77);
	assert_ptr_not_equal(kutrace_active_word, not_looked);
	assert_int_equal(*kutrace_active_word, 0);
	fake->open_error = 0;
	fake->meta.active = 1;
	kutrace_mark_a("a");
	kutrace_mark_d(5);
	assert_int_equal(kutrace_addevent(KUTRACE_MARKB, 1), 0);
	assert_int_equal(fake->opens, 0);
	assert_int_equal(fake->marks, 0);
}

static void a_module_that_is_loaded_later_is_found_by_control(void **state)
{
	(void)state;
	fake->open_error = ENOENT;
	kutrace_mark_a("a");
	fake->open_error = 0;
	assert_int_equal(kutrace_go("me"), 0);
	kutrace_mark_a("now");
	assert_int_equal(fake->marks, 1);
	assert_int_equal(fake->mark[0], entry(KUTRACE_MARKA, "now"));
}

static void marks_make_no_system_call_without_a_recording(void **state)
{
	int i;

	(void)state;
	for (i = 0; i < 1000; i++) {
		kutrace_mark_a("a");
		kutrace_mark_d(1);
	}
	assert_int_equal(fake->marks, 0);
	assert_int_equal(fake->maps, 1);
	assert_ptr_equal(kutrace_active_word, &fake->meta.active);
}

static void marks_are_recorded_unchanged_while_recording(void **state)
{
	(void)state;
	fake->meta.active = 1;
	errno = 5;
	kutrace_mark_a("getpid");
	kutrace_mark_b("/x");
	kutrace_mark_c("");
	kutrace_mark_d(0xFFFFFFFF12345678ULL);
	assert_int_equal(kutrace_addevent(KUTRACE_LOCKACQ, 9), 0);
	assert_int_equal(kutrace_do_event(KUTRACE_RX_USER, 10), 0);
	assert_int_equal(errno, 5);
	assert_int_equal(fake->marks, 6);
	assert_int_equal(fake->mark[0], entry(KUTRACE_MARKA, "getpid"));
	assert_int_equal(fake->mark[1], entry(KUTRACE_MARKB, "/x"));
	assert_int_equal(fake->mark[2], entry(KUTRACE_MARKC, ""));
	assert_int_equal(fake->mark[3], (uint64_t)KUTRACE_MARKD << 32 | 0x12345678);
	assert_int_equal(fake->mark[4], (uint64_t)KUTRACE_LOCKACQ << 32 | 9);
	assert_int_equal(fake->mark[5], (uint64_t)KUTRACE_RX_USER << 32 | 10);
	fake->meta.active = 0;
	kutrace_mark_a("off");
	assert_int_equal(fake->marks, 6);
}

static void only_one_word_events_are_taken(void **state)
{
	(void)state;
	fake->meta.active = 1;
	assert_int_equal(kutrace_addevent(KUTRACE_CALL_SYSCALL64, 1), -EINVAL);
	assert_int_equal(kutrace_addevent(KUTRACE_NAME_LOCKNAME | 0x20, 1), -EINVAL);
	assert_int_equal(kutrace_addevent(KUTRACE_PC_U, 1), -EINVAL);
	assert_int_equal(kutrace_addevent(KUTRACE_DISK_ISSUED, 1), -EINVAL);
	assert_int_equal(kutrace_addevent(KUTRACE_TSDELTA, 1), -EINVAL);
	assert_int_equal(kutrace_addevent(0x120A, 1), -EINVAL);
	assert_int_equal(kutrace_addevent(0, 1), -EINVAL);
	assert_int_equal(fake->marks, 0);
	/* events of other categories go through a command, which needs more permission */
	assert_int_equal(kutrace_addevent(KUTRACE_PSTATE, 2100), 0);
	assert_int_equal(fake->marks, 0);
	assert_int_equal(fake->commands, 1);
	assert_int_equal(fake->command[0], KUTRACE_CMD_INSERT1);
	assert_int_equal(fake->command_arg[0], (uint64_t)KUTRACE_PSTATE << 32 | 2100);
	fake->ioctl_error = EPERM;
	assert_int_equal(kutrace_addevent(KUTRACE_PSTATE, 2100), -EPERM);
}

/* Checks that the return value is the number of recorded words, for programs that depend on it. */
static void the_return_value_is_the_number_of_words(void **state)
{
	(void)state;
	assert_int_equal(kutrace_addevent_words(KUTRACE_LOCKACQ, 9), 0);
	assert_int_equal(fake->marks, 0);
	fake->meta.active = 1;
	assert_int_equal(kutrace_addevent_words(KUTRACE_LOCKACQ, 9), 1);
	assert_int_equal(fake->marks, 1);
	assert_int_equal(fake->mark[0], (uint64_t)KUTRACE_LOCKACQ << 32 | 9);
	assert_int_equal(kutrace_addevent_words(KUTRACE_PSTATE, 2100), 1);
	assert_int_equal(kutrace_addevent_words(KUTRACE_TSDELTA, 1), -EINVAL);
	fake->refuse_mark = true;
	assert_true(kutrace_addevent_words(KUTRACE_LOCKACQ, 9) < 0);
}

static void words_without_module_are_an_error(void **state)
{
	(void)state;
	fake->open_error = ENOENT;
	assert_int_equal(kutrace_addevent_words(KUTRACE_LOCKACQ, 9), -ENODEV);
	assert_int_equal(kutrace_addevent_words(KUTRACE_LOCKACQ, 9), -ENODEV);
	assert_int_equal(fake->marks, 0);
}

static void a_module_of_another_version_is_left_alone(void **state)
{
	(void)state;
	fake->meta.abi_version = KUTRACE_ABI_VERSION + 1;
	fake->meta.active = 1;
	kutrace_mark_a("a");
	assert_int_equal(fake->marks, 0);
	assert_int_equal(*kutrace_active_word, 0);
	fake_assert_no_leak();
}

static void a_mapping_that_fails_leaves_nothing_open(void **state)
{
	(void)state;
	fake->map_error_at = 1;
	kutrace_mark_a("a");
	assert_int_equal(*kutrace_active_word, 0);
	fake_assert_no_leak();
}

static void a_closed_descriptor_is_opened_again(void **state)
{
	(void)state;
	fake->meta.active = 1;
	kutrace_mark_a("a");
	assert_int_equal(fake->marks, 1);
	fake->fds = 0;			/* a daemon's closefrom(): EBADF */
	kutrace_mark_a("b");
	assert_int_equal(fake->marks, 2);
	/* the number of the descriptor now belongs to another file */
	fake->mark_fd_gone = true;
	kutrace_mark_a("c");
	assert_int_equal(fake->marks, 3);
	fake->fds = 0;
	fake->open_error = ENOENT;	/* the device cannot be opened any more */
	errno = 3;
	kutrace_mark_a("d");
	assert_int_equal(errno, 3);
	assert_int_equal(kutrace_addevent(KUTRACE_MARKA, 0), -ENODEV);
	assert_int_equal(fake->marks, 3);
}

static pthread_barrier_t together;

static void *mark_once(void *arg)
{
	pthread_barrier_wait(&together);
	kutrace_mark_d((uintptr_t)arg);
	return NULL;
}

static void race(void)
{
	pthread_t thread[THREADS];
	int i;

	pthread_barrier_init(&together, NULL, THREADS);
	for (i = 0; i < THREADS; i++)
		if (pthread_create(&thread[i], NULL, mark_once, (void *)(uintptr_t)i))
			_exit(1);
	for (i = 0; i < THREADS; i++)
		pthread_join(thread[i], NULL);
	_exit(0);
}

static void wait_for(pid_t pid)
{
	int status;

	assert_true(pid > 0);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
}

/* Must run first, so that the library has not searched for the module in the child processes. */
static void first_marks_of_many_threads_are_all_recorded(void **state)
{
	int round, i, seen;
	pid_t pid;

	for (round = 0; round < 50; round++) {
		fresh(state);
		fake->meta.active = 1;
		pid = fork();
		if (!pid)
			race();
		wait_for(pid);
		assert_int_equal(fake->marks, THREADS);
		for (seen = 0, i = 0; i < THREADS; i++)
			seen |= 1 << (fake->mark[i] & 31);
		assert_int_equal(seen, (1 << THREADS) - 1);
		/* one descriptor and one mapping remain, whichever thread was first */
		assert_int_equal(__builtin_popcount(fake->fds), 1);
		assert_int_equal(fake->maps - fake->unmaps, 1);
	}
}

static void children_mark_too(void **state)
{
	int i, opens;
	pid_t pid;

	for (i = 0; i < 2; i++) {	/* 0: the first mark is in the child; 1: before the fork */
		fresh(state);
		fake->meta.active = 1;
		if (i)
			kutrace_mark_a("parent");
		opens = fake->opens;
		pid = fork();
		if (!pid) {
			kutrace_mark_b("child");
			_exit(0);
		}
		wait_for(pid);
		assert_int_equal(fake->marks, 1 + i);
		assert_int_equal(fake->mark[i], entry(KUTRACE_MARKB, "child"));
		if (i)
			assert_int_equal(fake->opens, opens);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(first_marks_of_many_threads_are_all_recorded, fresh),
		cmocka_unit_test_setup(without_a_module_marks_search_once, fresh),
		cmocka_unit_test_setup(a_module_that_is_loaded_later_is_found_by_control, fresh),
		cmocka_unit_test_setup(marks_make_no_system_call_without_a_recording, fresh),
		cmocka_unit_test_setup(marks_are_recorded_unchanged_while_recording, fresh),
		cmocka_unit_test_setup(only_one_word_events_are_taken, fresh),
		cmocka_unit_test_setup(a_module_of_another_version_is_left_alone, fresh),
		cmocka_unit_test_setup(a_mapping_that_fails_leaves_nothing_open, fresh),
		cmocka_unit_test_setup(a_closed_descriptor_is_opened_again, fresh),
		cmocka_unit_test_setup(children_mark_too, fresh),
		cmocka_unit_test_setup(the_return_value_is_the_number_of_words, fresh),
		cmocka_unit_test_setup(words_without_module_are_an_error, fresh),
	};

	not_looked = kutrace_active_word;
	return cmocka_run_group_tests(tests, NULL, NULL);
}
