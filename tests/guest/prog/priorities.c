// SPDX-License-Identifier: BSD-3-Clause
/*
 * Changes its policy and priority (tests/guest/test_priorities.sh).
 *
 *	priorities own		changes them by system calls, and reads /proc/self/stat after each change
 *	priorities inherit	a thread without priority holds a lock for which a FIFO 30 thread waits
 *	priorities preempt	a FIFO 50 thread preempts this one, on CPU 0
 *	priorities cost		prints the median times of a change and of a fork, in ns
 *
 * Reads the state between two calls of getppid(), and prints "phase PID TEXT" for each pair.
 */
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static int tid(void)
{
	return (int)syscall(SYS_gettid);
}

static void fail(const char *what)
{
	perror(what);
	exit(1);
}

/* Reads fields of /proc/self/task/TID/stat: 18 priority, 19 nice, 40 rt_priority, 41 policy. */
static void read_stat(long *fields)
{
	char path[64], text[1024], *at;
	size_t len;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/self/task/%d/stat", tid());
	f = fopen(path, "re");
	if (!f)
		fail(path);
	len = fread(text, 1, sizeof(text) - 1, f);
	text[len] = '\0';
	fclose(f);
	at = strrchr(text, ')') + 1;
	for (int field = 3; field <= 41; field++) {
		at += strspn(at, " ");
		fields[field] = strtol(at, NULL, 10);
		at += strcspn(at, " ");
	}
}

/* Prints the state of the thread by /proc. */
static void phase(void)
{
	static const char *const fair[] = { [0] = "nice", [3] = "batch" };
	long f[42];

	syscall(SYS_getppid);
	read_stat(f);
	syscall(SYS_getppid);
	printf("phase %d ", tid());
	if (f[41] == 1 || f[41] == 2)
		printf("%s %ld", f[41] == 1 ? "FIFO" : "RR", f[40]);
	else if (f[41] == 5)
		printf("idle");
	else if (f[41] == 6)
		printf("deadline");
	else
		printf("%s %ld", fair[f[41]], f[19]);
	/* priority -2 is RT 1 */
	if ((f[41] == 0 || f[41] == 3) && f[18] < 0)
		printf(" inherits RT %ld", -f[18] - 1);
	printf("\n");
	fflush(stdout);
}

static void set(int pid, int policy, int priority)
{
	struct sched_param param = { .sched_priority = priority };

	if (sched_setscheduler(pid, policy, &param))
		fail("sched_setscheduler");
}

static void set_deadline(void)
{
	struct {
		uint32_t size, policy;
		uint64_t flags;
		int32_t nice;
		uint32_t priority;
		uint64_t runtime, deadline, period;
	} attr = { .size = sizeof(attr), .policy = 6, .runtime = 50000000, .deadline = 100000000, .period = 100000000 };

	if (syscall(SYS_sched_setattr, 0, &attr, 0))
		fail("sched_setattr");
}

static void own(void)
{
	int child, status;

	phase();
	set(0, SCHED_FIFO, 50);
	phase();
	child = fork();
	if (!child) {
		phase();
		exit(0);
	}
	waitpid(child, &status, 0);
	set(0, SCHED_FIFO, 51);
	phase();
	set(0, SCHED_RR, 51);
	phase();
	set(0, SCHED_OTHER, 0);
	phase();
	if (setpriority(PRIO_PROCESS, 0, 5))
		fail("setpriority");
	phase();
	set(0, SCHED_BATCH, 0);
	phase();
	set(0, SCHED_IDLE, 0);
	phase();
	set_deadline();
	phase();
	set(0, SCHED_OTHER, 0);
	if (setpriority(PRIO_PROCESS, 0, 0))
		fail("setpriority");
	phase();
}

static pthread_mutex_t lock;
static atomic_int state;

static void *waiter(void *arg)
{
	(void)arg;
	set(0, SCHED_FIFO, 30);
	while (!state)
		usleep(1000);
	state = 2;
	pthread_mutex_lock(&lock);
	pthread_mutex_unlock(&lock);
	phase();
	return NULL;
}

static void inherit(void)
{
	pthread_mutexattr_t attr;
	pthread_t thread;
	long f[42];

	pthread_mutexattr_init(&attr);
	pthread_mutexattr_setprotocol(&attr, PTHREAD_PRIO_INHERIT);
	pthread_mutex_init(&lock, &attr);
	if (pthread_create(&thread, NULL, waiter, NULL))
		fail("pthread_create");
	pthread_mutex_lock(&lock);
	phase();
	state = 1;
	do
		read_stat(f);
	while (f[18] >= 0);
	phase();
	/* leaves its CPU with the inherited priority */
	usleep(1000);
	pthread_mutex_unlock(&lock);
	phase();
	pthread_join(thread, NULL);
}

static int64_t now_us(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (int64_t)ts.tv_sec * 1000000 + ts.tv_nsec / 1000;
}

static void compute(int64_t us)
{
	int64_t end = now_us() + us;

	while (now_us() < end)
		;
}

/* Sleeps and computes alternately. */
static void *urgent(void *arg)
{
	const struct timespec pause = { 0, 20000000 };

	(void)arg;
	prctl(PR_SET_NAME, "urgent");
	set(0, SCHED_FIFO, 50);
	printf("pid urgent %d\n", tid());
	for (int i = 0; i < 20; i++) {
		nanosleep(&pause, NULL);
		compute(5000);
	}
	state = 1;
	return NULL;
}

static void preempt(void)
{
	pthread_t thread;
	cpu_set_t cpus;

	CPU_ZERO(&cpus);
	CPU_SET(0, &cpus);
	if (sched_setaffinity(0, sizeof(cpus), &cpus))
		fail("sched_setaffinity");
	printf("pid victim %d\n", tid());
	if (pthread_create(&thread, NULL, urgent, NULL))
		fail("pthread_create");
	while (!state)
		compute(1000);
	pthread_join(thread, NULL);
}

#define REPEATS	101

static int by_time(const void *a, const void *b)
{
	const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

	return x < y ? -1 : x > y;
}

static int64_t now_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (int64_t)ts.tv_sec * 1000000000 + ts.tv_nsec;
}

static void cost(void)
{
	int64_t changes[REPEATS], forks[REPEATS], begin;
	int child, status;

	for (int i = 0; i < REPEATS; i++) {
		begin = now_ns();
		set(0, SCHED_FIFO, 50 + i % 2);
		changes[i] = now_ns() - begin;
	}
	set(0, SCHED_OTHER, 0);
	for (int i = 0; i < REPEATS; i++) {
		begin = now_ns();
		child = fork();
		if (!child)
			_exit(0);
		forks[i] = now_ns() - begin;
		waitpid(child, &status, 0);
	}
	qsort(changes, REPEATS, sizeof(*changes), by_time);
	qsort(forks, REPEATS, sizeof(*forks), by_time);
	printf("change %lld fork %lld\n", (long long)changes[REPEATS / 2], (long long)forks[REPEATS / 2]);
}

int main(int argc, char **argv)
{
	if (argc != 2)
		return 2;
	if (!strcmp(argv[1], "own"))
		own();
	else if (!strcmp(argv[1], "inherit"))
		inherit();
	else if (!strcmp(argv[1], "cost"))
		cost();
	else
		preempt();
	return 0;
}
