// SPDX-License-Identifier: BSD-3-Clause
/*
 * Tests kp_ahead, which makes batches in another thread, and kp_cores, the number of usable CPUs.
 * Every batch arrives in order. The other thread takes no signals and never touches the batch that
 * is being read. The end or a failure follows the last batch. Closing early does not wait for the
 * remaining batches. The number of CPUs depends on the process's affinity and on the environment.
 */
#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/thread.h"

static struct {
	int batches[KP_BATCHES];
	int next, end_at, end;
	pthread_t caller;
	bool other_thread, sigterm_blocked;
	useconds_t delay;
} it;

static int make(void *self, void *batch)
{
	sigset_t mask;

	assert_ptr_equal(self, &it);
	pthread_sigmask(SIG_SETMASK, NULL, &mask);
	it.sigterm_blocked = sigismember(&mask, SIGTERM);
	it.other_thread = !pthread_equal(it.caller, pthread_self());
	if (it.delay)
		usleep(it.delay);
	if (it.next == it.end_at)
		return it.end;
	*(int *)batch = it.next++;
	return 1;
}

static struct kp_ahead *begin(int end_at, int end, useconds_t delay)
{
	struct kp_ahead *ahead;

	memset(&it, 0, sizeof(it));
	it.caller = pthread_self();
	it.end_at = end_at;
	it.end = end;
	it.delay = delay;
	ahead = kp_ahead_open(make, &it, it.batches, sizeof(*it.batches));
	assert_non_null(ahead);
	return ahead;
}

/*
 * Reads all batches, and waits @pause microseconds after each. Returns their number. Sets *err at
 * the end.
 */
static int take_all(struct kp_ahead *ahead, useconds_t pause, int *err)
{
	int count = 0;
	int *batch;

	while ((batch = kp_ahead_next(ahead, err))) {
		assert_int_equal(*err, 0);
		assert_int_equal(*batch, count);
		if (pause)
			usleep(pause);
		assert_int_equal(*batch, count);
		count++;
	}
	return count;
}

static void test_all_in_order(void **state)
{
	static const struct { int end_at; useconds_t delay, pause; } cases[] = {
		{ 0, 0, 0 }, { 1, 0, 0 }, { KP_BATCHES, 0, 0 }, { 1000, 0, 0 },
		{ 20, 1000, 0 }, { 20, 0, 1000 },
	};
	struct kp_ahead *ahead;
	size_t i;
	int err;

	(void)state;
	for (i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		ahead = begin(cases[i].end_at, 0, cases[i].delay);
		assert_int_equal(take_all(ahead, cases[i].pause, &err), cases[i].end_at);
		assert_int_equal(err, 0);
		/* a second call after the end returns NULL too */
		assert_null(kp_ahead_next(ahead, &err));
		assert_int_equal(err, 0);
		kp_ahead_close(ahead);
		assert_true(it.other_thread);
		assert_true(it.sigterm_blocked);
	}
}

static void test_failure_comes_last(void **state)
{
	struct kp_ahead *ahead = begin(7, -5, 0);
	int err;

	(void)state;
	assert_int_equal(take_all(ahead, 0, &err), 7);
	assert_int_equal(err, -5);
	assert_null(kp_ahead_next(ahead, &err));
	assert_int_equal(err, -5);
	kp_ahead_close(ahead);
}

static void test_closed_early(void **state)
{
	struct kp_ahead *ahead = begin(1 << 30, 0, 100);
	int err;

	(void)state;
	assert_non_null(kp_ahead_next(ahead, &err));
	kp_ahead_close(ahead);
	/* the other thread made at most a full ring of batches */
	assert_in_range(it.next, 1, KP_BATCHES + 1);
	kp_ahead_close(NULL);
}

/*
 * Returns kp_cores() of a child process with KUTRACE_THREADS=@variable, or without it if NULL.
 * @cpus: number of CPUs that the child may use; 0: all.
 */
static int cores_with(const char *variable, int cpus)
{
	int status, i, kept = 0;
	cpu_set_t set;
	pid_t pid = fork();

	if (!pid) {
		if (variable)
			setenv("KUTRACE_THREADS", variable, 1);
		else
			unsetenv("KUTRACE_THREADS");
		sched_getaffinity(0, sizeof(set), &set);
		for (i = 0; i < CPU_SETSIZE && cpus; i++)
			if (CPU_ISSET(i, &set) && ++kept > cpus)
				CPU_CLR(i, &set);
		if (cpus && sched_setaffinity(0, sizeof(set), &set))
			_exit(0);
		_exit((int)(kp_cores() - 1));
	}
	assert_true(pid > 0 && waitpid(pid, &status, 0) == pid && WIFEXITED(status));
	return WEXITSTATUS(status) + 1;
}

static void test_cores(void **state)
{
	cpu_set_t set;
	int ours;

	(void)state;
	assert_int_equal(sched_getaffinity(0, sizeof(set), &set), 0);
	ours = CPU_COUNT(&set);
	assert_int_equal(cores_with(NULL, 0), ours);
	assert_int_equal(cores_with(NULL, 1), 1);
	assert_int_equal(cores_with("3", 1), 3);
	assert_int_equal(cores_with("1", 0), 1);
	assert_int_equal(cores_with("99999999999999999999", 0), KP_CORES_MAX);
	/* values that are not numbers above 0 are ignored */
	assert_int_equal(cores_with("", 0), ours);
	assert_int_equal(cores_with("0", 0), ours);
	assert_int_equal(cores_with("-2", 0), ours);
	assert_int_equal(cores_with("2x", 0), ours);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_all_in_order),
		cmocka_unit_test(test_failure_comes_last),
		cmocka_unit_test(test_closed_early),
		cmocka_unit_test(test_cores),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
