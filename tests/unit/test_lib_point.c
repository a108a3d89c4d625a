// SPDX-License-Identifier: BSD-3-Clause
/*
 * Tests RPCs, locks, queues and resources in libkutrace. Each call records its event. Every
 * recording gets the names of the objects, if the process may insert names. Without a recording
 * there is no event.
 */
#include <pthread.h>
#include <signal.h>
#include <sys/time.h>
#include <sys/wait.h>

#include "lib_fake.h"
#include "sample.h"
#include "kutrace_point.h"

#define THREADS 5
#define FORKS (sample_step() == 1 ? 3000 : 150)
#define HANG_S 300	/* time limit of the forks, reached only if a fork hangs */

static const volatile uint32_t *not_looked;
static uint64_t start_counts = 1000;

/* Starts a recording without names, and refreshes the library's view of it. */
static int fresh(void **state)
{
	(void)state;
	fake_reset();
	kutrace_active_word = not_looked;
	kutrace_msleep(20);
	fake->meta.active = 1;
	fake->info.recording = 1;
	fake->info.start.counts = ++start_counts;
	return 0;
}

static uint64_t entry(uint64_t event, uint64_t arg)
{
	return event << 32 | arg;
}

/* Returns the number of commands that inserted a name. fake->inserted has the last name. */
static int names_put(void)
{
	int i, n = 0;

	for (i = 0; i < fake->commands; i++)
		n += fake->command[i] == KUTRACE_CMD_INSERTN;
	return n;
}

static void without_a_recording_there_are_no_events(void **state)
{
	static struct kutrace_lock lock = KUTRACE_LOCK_HERE;

	(void)state;
	fake->meta.active = 0;
	fake->info.recording = 0;
	assert_int_equal(kutrace_rpc_request(5, "get"), 0);
	assert_int_equal(kutrace_rpc_end(), 0);
	assert_int_equal(kutrace_lock_try(&lock), 0);
	assert_int_equal(kutrace_lock_acquired(&lock), 0);
	assert_int_equal(kutrace_lock_released(&lock, 1), 0);
	assert_int_equal(kutrace_enqueue(1), 0);
	assert_int_equal(kutrace_resource(1), 0);
	assert_int_equal(fake->marks, 0);
	assert_int_equal(fake->commands, 0);
	assert_int_equal(lock.number, 0);
}

static void each_rpc_call_records_its_event(void **state)
{
	(void)state;
	errno = 5;
	assert_int_equal(kutrace_rpc_request(0x12345, "get"), 0);
	assert_int_equal(kutrace_rpc_middle(0x12345, NULL), 0);
	assert_int_equal(kutrace_rpc_response(0x12345, "get"), 0);
	assert_int_equal(kutrace_rpc_end(), 0);
	assert_int_equal(errno, 5);
	assert_int_equal(fake->marks, 4);
	assert_int_equal(fake->mark[0], entry(KUTRACE_RPCIDREQ, 0x12345));
	assert_int_equal(fake->mark[1], entry(KUTRACE_RPCIDMID, 0x12345));
	assert_int_equal(fake->mark[2], entry(KUTRACE_RPCIDRESP, 0x12345));
	assert_int_equal(fake->mark[3], entry(KUTRACE_RPCIDMID, 0));
	assert_int_equal(names_put(), 1);
	/* the name has only the low 16 bits of the id, as readers use them */
	assert_int_equal(fake->inserted[0], entry(KUTRACE_NAME_METHOD | 0x20, 0x2345));
	assert_string_equal((char *)&fake->inserted[1], "get");
	/* another method uses the id again */
	assert_int_equal(kutrace_rpc_request(0x12345, "put"), 0);
	assert_string_equal((char *)&fake->inserted[1], "put");
}

static void locks_are_named_by_file_and_line(void **state)
{
	static struct kutrace_lock lock = {"some/where/queue.c", 217, 0, 0};
	uint32_t number = kutrace_lock_number("else/where/queue.c", 217);

	(void)state;
	assert_int_not_equal(number, kutrace_lock_number("queue.c", 218));
	assert_int_equal(kutrace_lock_try(&lock), 0);
	assert_int_equal(lock.number, number);
	assert_int_equal(kutrace_lock_acquired(&lock), 0);
	assert_int_equal(kutrace_lock_released(&lock, 0), 0);
	assert_int_equal(kutrace_lock_released(&lock, 2), 0);
	assert_int_equal(fake->marks, 3);
	assert_int_equal(fake->mark[0], entry(KUTRACE_LOCKNOACQ, number));
	assert_int_equal(fake->mark[1], entry(KUTRACE_LOCKACQ, number));
	assert_int_equal(fake->mark[2], entry(KUTRACE_LOCKWAKEUP, number));
	assert_in_range(names_put(), 2, 10);
	assert_int_equal((uint32_t)fake->inserted[0] != 0, 1);
	assert_int_equal(kutrace_lock_try(NULL), -EINVAL);
}

static const char *kept(uint64_t event, uint64_t number)
{
	static struct kutrace_kept_name names[KUTRACE_KEPT_NAMES];
	size_t count = kutrace_kept_names(names, KUTRACE_KEPT_NAMES), i;

	for (i = 0; i < count; i++)
		if (names[i].event == event && names[i].number == number)
			return names[i].name;
	return "";
}

static void every_recording_gets_all_names(void **state)
{
	int before;

	(void)state;
	assert_int_equal(kutrace_name_queue(3, "disk"), 0);
	assert_int_equal(kutrace_name_resource(4, NULL), -EINVAL);
	assert_int_equal(kutrace_name_resource(4, "link"), 0);
	assert_string_equal(kept(KUTRACE_NAME_QUEUENAME, 3), "disk");
	assert_string_equal(kept(KUTRACE_NAME_RESNAME, 4), "link");
	assert_int_equal(kutrace_enqueue(3), 0);
	assert_int_equal(kutrace_dequeue(3), 0);
	assert_int_equal(kutrace_resource(4), 0);
	assert_int_equal(fake->mark[0], entry(KUTRACE_ENQUEUE, 3));
	assert_int_equal(fake->mark[1], entry(KUTRACE_DEQUEUE, 3));
	assert_int_equal(fake->mark[2], entry(KUTRACE_RESOURCE, 4));
	before = names_put();
	assert_true(before >= 2);
	kutrace_msleep(20);
	assert_int_equal(kutrace_enqueue(3), 0);
	assert_int_equal(names_put(), before);	/* still the same recording */
	fake->info.start.counts = ++start_counts;
	kutrace_msleep(20);
	assert_int_equal(kutrace_enqueue(3), 0);
	assert_int_equal(names_put(), 2 * before);
	assert_int_equal(fake->opens, fake->closes + 1);	/* the descriptor of the marks
								 * remains */
}

static void a_program_that_may_not_insert_names_still_records(void **state)
{
	static struct kutrace_lock lock = {"denied.c", 1, 0, 0};
	int i;

	(void)state;
	fake->ioctl_error = EPERM;
	for (i = 0; i < 100; i++)
		assert_int_equal(kutrace_lock_try(&lock), 0);
	assert_int_equal(fake->marks, 100);
	assert_int_equal(fake->commands, 0);
	assert_true(fake->opens < 5);
	assert_string_equal(kept(KUTRACE_NAME_LOCKNAME, lock.number), "denied.c:1");
	assert_string_equal(kept(KUTRACE_NAME_FILE, lock.number), "denied.c");
	/* wait for the refresh interval, after which the library tries again */
	kutrace_msleep(1100);
	fake->ioctl_error = 0;
	assert_int_equal(kutrace_lock_try(&lock), 0);
	assert_true(names_put() >= 2);
}

static void *name_many(void *arg)
{
	uint32_t i, from = (uint32_t)(uintptr_t)arg * 100000;
	char name[20];

	for (i = 0; i < 100; i++) {
		snprintf(name, sizeof(name), "q%u", from + i);
		if (kutrace_name_queue(from + i, name) || kutrace_enqueue(from + i))
			return (void *)1;
	}
	return NULL;
}

static void threads_and_children_may_name(void **state)
{
	pthread_t thread[THREADS];
	int i, status;
	void *bad;
	pid_t pid;

	(void)state;
	fake->meta.active = 0;	/* the commands of the fake are counted without a lock */
	for (i = 0; i < THREADS; i++)
		assert_int_equal(pthread_create(&thread[i], NULL, name_many,
						(void *)(uintptr_t)(i + 1)), 0);
	for (i = 0; i < 20; i++) {
		pid = fork();
		assert_true(pid >= 0);
		if (!pid)
			_exit(kutrace_name_queue(9000000, "child") != 0);
		assert_int_equal(waitpid(pid, &status, 0), pid);
		assert_int_equal(status, 0);
	}
	for (i = 0; i < THREADS; i++) {
		pthread_join(thread[i], &bad);
		assert_null(bad);
	}
	assert_string_equal(kept(KUTRACE_NAME_QUEUENAME, 500099), "q500099");
	assert_string_equal(kept(KUTRACE_NAME_QUEUENAME, 9000000), "");
}

/* --- signals and forks ---------------------------------------------------------- */

static volatile sig_atomic_t handled;

/* Names an object and searches for the module, as signal handlers may. */
static void use_in_handler(int number)
{
	char name[20] = "even";

	(void)number;
	if (handled++ & 1)
		strcpy(name, "odd");
	kutrace_name_queue(9100000, name);
	kutrace_points_look();
}

static volatile bool naming;

static void *name_on(void *arg)
{
	uint32_t i;

	(void)arg;
	for (i = 0; naming; i++) {
		kutrace_name_queue(9100001, i & 1 ? "one" : "other");
		kutrace_msleep(1);
	}
	return NULL;
}

/* Returns true if the signal mask equals *before and the library's locks are free. */
static bool usable(const sigset_t *before)
{
	sigset_t now = {0};	/* the kernel writes only its own part */

	if (pthread_sigmask(SIG_SETMASK, NULL, &now) || memcmp(&now, before, sizeof(now)))
		return false;
	return !kutrace_name_queue(9100002, "usable") && kutrace_points_look() >= -EPROTO &&
	       kutrace_do_test() >= 0;
}

/* Forks repeatedly while signals arrive. Returns 0, or a number that identifies the failure. */
static int fork_with_signals(void)
{
	struct sigaction action = {.sa_handler = use_in_handler};
	sigset_t before = {0};
	pthread_t thread;
	int i, status;
	pid_t pid;

	sigaction(SIGALRM, &action, NULL);
	pthread_sigmask(SIG_SETMASK, NULL, &before);
	naming = true;
	if (pthread_create(&thread, NULL, name_on, NULL))
		return 2;
	for (i = 0; i < FORKS; i++) {
		/* at most one signal per fork, because each makes the kernel restart the fork */
		struct itimerval soon = {.it_value.tv_usec = 1 + i * 37 % 1500};

		setitimer(ITIMER_REAL, &soon, NULL);
		pid = fork();
		if (pid < 0)
			return 3;
		if (!pid)
			_exit(usable(&before) ? 0 : 1);
		while (waitpid(pid, &status, 0) < 0)
			if (errno != EINTR)
				return 4;
		if (status || !usable(&before))
			return 5;
	}
	naming = false;
	pthread_join(thread, NULL);
	return handled > FORKS / 10 ? 0 : 6;
}

/*
 * Forks in a child process, and checks that it does not hang. All signals of a hanging process are
 * blocked, so this process detects a hang.
 */
static void handlers_may_name_while_a_loop_forks(void **state)
{
	int status = -1, i;
	pid_t pid;

	(void)state;
	fake->meta.active = 0;
	pid = fork();
	assert_true(pid >= 0);
	if (!pid) {
		setpgid(0, 0);
		_exit(fork_with_signals());
	}
	for (i = 0; i < HANG_S * 100 && waitpid(pid, &status, WNOHANG) != pid; i++)
		kutrace_msleep(10);
	if (i == HANG_S * 100) {
		kill(-pid, SIGKILL);
		waitpid(pid, &status, 0);
		fail_msg("hung in a fork for %d s", HANG_S);
	}
	assert_int_equal(status, 0);
}

static void *turn_off(void *arg)
{
	(void)arg;
	return (void *)(intptr_t)kutrace_do_off();
}

/*
 * Forks while another thread is inside a control function. The child does not have that thread, so
 * nothing in the child would release its locks.
 */
static void children_may_control_whatever_other_threads_do(void **state)
{
	pthread_t thread;
	int i, status;
	pid_t pid;

	(void)state;
	fake->meta.active = 0;
	for (i = 0; i < 20; i++) {
		fake->commands = 0;
		assert_int_equal(pthread_create(&thread, NULL, turn_off, NULL), 0);
		while (!__atomic_load_n(&fake->commands, __ATOMIC_ACQUIRE))
			;	/* wait until the thread is inside, where it stays for 20 ms */
		pid = fork();
		assert_true(pid >= 0);
		if (!pid) {
			alarm(60);	/* ends the child if it hangs */
			_exit(kutrace_do_init("child") != 0);
		}
		assert_int_equal(waitpid(pid, &status, 0), pid);
		assert_int_equal(status, 0);
		pthread_join(thread, NULL);
	}
}

/* Must run last: the library's table of names stays full. */
static void too_many_names_are_an_error(void **state)
{
	uint32_t i;
	int ret = 0;

	(void)state;
	for (i = 0; i < KUTRACE_KEPT_NAMES && !ret; i++)
		ret = kutrace_name_queue(20000000 + i, "q");
	assert_int_equal(ret, -ENOSPC);
	fake->ioctl_error = EPERM;	/* the fake cannot store that many commands */
	/* methods have separate space, in which the newest method replaces an older one */
	fake->meta.active = 0;
	assert_int_equal(kutrace_rpc_on('q', 77, "m"), 0);
	fake->meta.active = 1;
	assert_int_equal(kutrace_rpc_on('q', 77, "m"), 0);
	assert_string_equal(kept(KUTRACE_NAME_METHOD, 77), "m");
}

static void names_go_to_every_session_that_records(void **state)
{
	static struct kutrace_lock lock = {"every.c", 1, 0, 0};
	struct kutrace_handle *one, *two, *off;
	int i;

	(void)state;
	fake_with_sessions();
	assert_int_equal(kutrace_session_create("one", NULL, &one), 0);
	assert_int_equal(kutrace_session_create("off", NULL, &off), 0);
	assert_int_equal(kutrace_session_create("two", NULL, &two), 0);
	kutrace_session_use(one);
	assert_int_equal(kutrace_do_on(), 0);
	kutrace_session_use(two);
	assert_int_equal(kutrace_do_on(), 0);
	fake->session[3].info.start.counts += 5;
	fake->commands = 0;
	kutrace_msleep(20);
	/* each of three sessions gets the name of the lock and its file once */
	for (i = 0; i < 3; i++) {
		assert_int_equal(kutrace_lock_try(&lock), 0);
		kutrace_msleep(20);
	}
	for (i = 0; i < 3; i++)
		assert_int_equal(fake->named[i == 0 ? 0 : i == 1 ? 1 : 3], names_put() / 3);
	assert_int_equal(fake->named[2], 0);
	assert_true(names_put() >= 6);
	/* a new recording has none of the names; the other sessions have them */
	fake->session[1].info.start.counts += 7;
	i = names_put() / 3;
	assert_int_equal(kutrace_lock_try(&lock), 0);
	assert_int_equal(fake->named[1], 2 * i);
	assert_int_equal(names_put(), 4 * i);
	kutrace_session_close(one);
	kutrace_session_close(two);
	kutrace_session_close(off);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		/* must run first: the handler must register the first name */
		cmocka_unit_test_setup(handlers_may_name_while_a_loop_forks, fresh),
		cmocka_unit_test_setup(without_a_recording_there_are_no_events, fresh),
		cmocka_unit_test_setup(each_rpc_call_records_its_event, fresh),
		cmocka_unit_test_setup(locks_are_named_by_file_and_line, fresh),
		cmocka_unit_test_setup(every_recording_gets_all_names, fresh),
		cmocka_unit_test_setup(names_go_to_every_session_that_records, fresh),
		cmocka_unit_test_setup(a_program_that_may_not_insert_names_still_records, fresh),
		cmocka_unit_test_setup(threads_and_children_may_name, fresh),
		cmocka_unit_test_setup(children_may_control_whatever_other_threads_do, fresh),
		cmocka_unit_test_setup(too_many_names_are_an_error, fresh),
	};

	not_looked = kutrace_active_word;
	return cmocka_run_group_tests(tests, NULL, NULL);
}
