// SPDX-License-Identifier: BSD-3-Clause
/*
 * Sleeps by timers (tests/guest/test_timers.sh).
 *
 *	timers NUMBER
 *
 * Makes marks from mark_d(NUMBER) on, and sleeps in each way of the table below, 20 times each, in a thread of its own.
 * Then, in the thread "same": 8 threads sleep until the same time. In the thread "busy": sleeps while a
 * thread of a higher priority keeps the CPU. Prints "mark NUMBER FROM TO", the times
 * before and after each mark but the first, and for each sleep
 *
 *	sleep NAME PID FROM TO SLACK RAN
 *
 * The timer is due between FROM and TO, and may be SLACK later. The thread runs again before RAN. All times
 * in ns of CLOCK_MONOTONIC. FROM of a timer by the tick is the call's time.
 */
#include <errno.h>
#include <linux/futex.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/prctl.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

#include "libkutrace.h"

#define SLEEPS	20
#define SAME	8
#define MS	1000000LL

static void fail(const char *what)
{
	perror(what);
	exit(1);
}

static int64_t now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (int64_t)ts.tv_sec * 1000000000 + ts.tv_nsec;
}

static struct timespec at(int64_t ns)
{
	return (struct timespec){ .tv_sec = ns / 1000000000, .tv_nsec = ns % 1000000000 };
}

/* A sleep: @from to @to is when its timer is due. */
struct sleep {
	int64_t from, to, slack, ran;
};

/* Prints the sleep, after all sleeps of the thread: printing must not sleep between them. */
static void said(const char *name, const struct sleep *sleep)
{
	printf("sleep %s %ld %lld %lld %lld %lld\n", name, (long)syscall(SYS_gettid), (long long)sleep->from,
	       (long long)sleep->to, (long long)sleep->slack, (long long)sleep->ran);
}

/* ---- ways to sleep: each returns when its timer has expired ---- */

/* Until an absolute time: the due time is exact. */
static void sleep_until(struct sleep *sleep, int64_t ns)
{
	struct timespec until;

	sleep->from = sleep->to = now() + ns;
	until = at(sleep->from);
	if (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL))
		fail("clock_nanosleep");
}

/* The same by the wall clock. Nobody sets it meanwhile. */
static void sleep_real(struct sleep *sleep, int64_t ns)
{
	struct timespec real, until;
	int64_t before = now(), wall;

	clock_gettime(CLOCK_REALTIME, &real);
	sleep->to = now() + ns;
	sleep->from = before + ns;
	wall = (int64_t)real.tv_sec * 1000000000 + real.tv_nsec + ns;
	until = at(wall);
	if (clock_nanosleep(CLOCK_REALTIME, TIMER_ABSTIME, &until, NULL))
		fail("clock_nanosleep");
}

/* Of a relative sleep, the kernel reads the clock in the call. */
static void sleep_for(struct sleep *sleep, int64_t ns)
{
	const struct timespec span = at(ns);

	sleep->from = now() + ns;
	if (nanosleep(&span, NULL))
		fail("nanosleep");
}

static void sleep_poll(struct sleep *sleep, int64_t ns)
{
	sleep->from = now() + ns;
	if (poll(NULL, 0, (int)(ns / MS)))
		fail("poll");
}

static void sleep_select(struct sleep *sleep, int64_t ns)
{
	struct timeval span = { .tv_usec = ns / 1000 };

	sleep->from = now() + ns;
	if (select(0, NULL, NULL, NULL, &span))
		fail("select");
}

static void sleep_epoll(struct sleep *sleep, int64_t ns)
{
	static int fd = -1;
	struct epoll_event event;

	if (fd < 0)
		fd = epoll_create1(0);
	sleep->from = now() + ns;
	if (epoll_wait(fd, &event, 1, (int)(ns / MS)))
		fail("epoll_wait");
}

static void sleep_futex(struct sleep *sleep, int64_t ns)
{
	static uint32_t word;
	struct timespec until;

	sleep->from = sleep->to = now() + ns;
	until = at(sleep->from);
	if (syscall(SYS_futex, &word, FUTEX_WAIT_BITSET | FUTEX_PRIVATE_FLAG, 0, &until, NULL, FUTEX_BITSET_MATCH_ANY) != -1 ||
	    errno != ETIMEDOUT)
		fail("futex");
}

static void sleep_timerfd(struct sleep *sleep, int64_t ns)
{
	static int fd = -1;
	struct itimerspec spec = { .it_value = { 0 } };
	uint64_t count;

	if (fd < 0)
		fd = timerfd_create(CLOCK_MONOTONIC, 0);
	sleep->from = sleep->to = now() + ns;
	spec.it_value = at(sleep->from);
	if (timerfd_settime(fd, TFD_TIMER_ABSTIME, &spec, NULL) || read(fd, &count, sizeof(count)) != sizeof(count))
		fail("timerfd");
}

/* A POSIX timer, whose signal wakes the thread. */
static void sleep_posix(struct sleep *sleep, int64_t ns)
{
	static bool made;
	static timer_t timer;
	struct itimerspec spec = { .it_value = { 0 } };
	struct sigevent event = { .sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGUSR1 };
	sigset_t set;
	int got;

	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	if (!made && timer_create(CLOCK_MONOTONIC, &event, &timer))
		fail("timer_create");
	made = true;
	sleep->from = sleep->to = now() + ns;
	spec.it_value = at(sleep->from);
	if (timer_settime(timer, TIMER_ABSTIME, &spec, NULL) || sigwait(&set, &got))
		fail("timer_settime");
}

/* A timer by the kernel's tick. */
static void sleep_receive(struct sleep *sleep, int64_t ns)
{
	const struct timeval span = { .tv_usec = ns / 1000 };
	static int fds[2] = { -1, -1 };
	char byte;

	if (fds[0] < 0 && socketpair(AF_UNIX, SOCK_DGRAM, 0, fds))
		fail("socketpair");
	if (setsockopt(fds[0], SOL_SOCKET, SO_RCVTIMEO, &span, sizeof(span)))
		fail("setsockopt");
	sleep->from = now();
	if (recv(fds[0], &byte, 1, 0) != -1 || errno != EAGAIN)
		fail("recv");
}

static const struct way {
	const char *name;
	void (*sleep)(struct sleep *sleep, int64_t ns);
	int64_t slack;		/* set by prctl(); 0: the thread runs as FIFO, which has no slack */
	bool none;		/* the timer never has slack */
} ways[] = {
	{ "until", sleep_until, 50000, false }, { "lazy", sleep_until, MS, false }, { "rt", sleep_until, 0, false },
	{ "real", sleep_real, 50000, false }, { "nanosleep", sleep_for, 50000, false }, { "poll", sleep_poll, 50000, false },
	{ "select", sleep_select, MS, false }, { "epoll", sleep_epoll, 50000, false }, { "futex", sleep_futex, 50000, false },
	{ "timerfd", sleep_timerfd, MS, true }, { "posix", sleep_posix, MS, true }, { "receive", sleep_receive, 50000, true },
};

static void fifo(int priority)
{
	const struct sched_param param = { .sched_priority = priority };

	if (sched_setscheduler(0, SCHED_FIFO, &param))
		fail("sched_setscheduler");
}

static void *thread_of_way(void *arg)
{
	const struct way *way = arg;
	struct sleep sleeps[SLEEPS];

	prctl(PR_SET_NAME, way->name);
	if (way->slack)
		prctl(PR_SET_TIMERSLACK, way->slack);
	else
		fifo(1);
	for (int i = 0; i < SLEEPS; i++) {
		struct sleep *sleep = &sleeps[i];

		memset(sleep, 0, sizeof(*sleep));
		way->sleep(sleep, 3 * MS + i % 4 * MS);
		sleep->ran = now();
		/* The kernel reads the clock before the thread sleeps. */
		if (!sleep->to)
			sleep->to = sleep->from + 10000;
		sleep->slack = way->none ? 0 : way->slack;
	}
	for (int i = 0; i < SLEEPS; i++)
		said(way->name, &sleeps[i]);
	return NULL;
}

/* ---- several threads ---- */

static int64_t together;

static void *thread_of_same(void *arg)
{
	const struct timespec until = at(together);
	struct sleep sleep = { .from = together, .to = together };

	(void)arg;
	prctl(PR_SET_NAME, "same");
	prctl(PR_SET_TIMERSLACK, 1);
	clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL);
	sleep.ran = now();
	sleep.slack = 1;
	said("same", &sleep);
	return NULL;
}

/* From 2 ms before the other thread's timer is due until 3 ms after it. */
static void *thread_of_hog(void *arg)
{
	const struct timespec until = at(together - 2 * MS);

	(void)arg;
	prctl(PR_SET_NAME, "hog");
	fifo(50);
	clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL);
	while (now() < together + 3 * MS)
		;
	return NULL;
}

static void *thread_of_busy(void *arg)
{
	const struct timespec until = at(together);
	struct sleep sleep = { .from = together, .to = together };

	(void)arg;
	prctl(PR_SET_NAME, "busy");
	prctl(PR_SET_TIMERSLACK, 1);
	clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL);
	sleep.ran = now();
	sleep.slack = 1;
	said("busy", &sleep);
	return NULL;
}

static void run(void *(*const *functions)(void *), void *arg, int count)
{
	pthread_t threads[SAME];

	for (int i = 0; i < count; i++)
		if (pthread_create(&threads[i], NULL, functions[i], arg))
			fail("pthread_create");
	for (int i = 0; i < count; i++)
		pthread_join(threads[i], NULL);
}

static void mark(unsigned long number)
{
	const int64_t from = now();

	kutrace_mark_d(number);
	printf("mark %lu %lld %lld\n", number, (long long)from, (long long)now());
}

int main(int argc, char **argv)
{
	void *(*one)(void *) = thread_of_way;
	void *(*same[SAME])(void *);
	void *(*const busy[])(void *) = { thread_of_hog, thread_of_busy };
	unsigned long number;
	sigset_t set;

	if (argc != 2)
		return 2;
	number = strtoul(argv[1], NULL, 10);
	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	pthread_sigmask(SIG_BLOCK, &set, NULL);
	/* The first mark opens the device, which takes long. */
	kutrace_mark_d(number);
	for (size_t i = 0; i < sizeof(ways) / sizeof(ways[0]); i++) {
		mark(++number);
		run(&one, (void *)&ways[i], 1);
	}
	mark(++number);
	for (int i = 0; i < SAME; i++)
		same[i] = thread_of_same;
	together = now() + 20 * MS;
	run(same, NULL, SAME);
	together = now() + 20 * MS;
	run(busy, NULL, 2);
	mark(++number);
	return 0;
}
