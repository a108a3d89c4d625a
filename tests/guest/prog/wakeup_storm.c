/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Makes wakeups and interrupts on all CPUs at the same time, for tests/bench/storm.sh. A thread on
 * each CPU wakes a thread on the next CPU, which wakes the first thread again, by eventfds. Such a
 * trip has four system calls, two wakeups, two interrupts between CPUs if these are idle, and some
 * context switches.
 *
 *	wakeup_storm SECONDS RATE	makes RATE trips a second with each pair of threads. A timer
 *				begins each trip. With RATE 0, makes as many trips as possible
 *
 * Prints "storm CPUS RATE TRIPS NS": the total number of trips, and the time. A late trip is made
 * immediately, so a RATE that is too high has the same effect as 0.
 */
#include <pthread.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <time.h>
#include <unistd.h>

#define NS 1000000000ULL

static pthread_barrier_t begin;
static uint64_t end_ns, between_ns;

struct pair {
	pthread_t first, second;
	int cpu, next_cpu;
	int there, back; /* eventfds */
	uint64_t trips;
};

static void fail(const char *what)
{
	fprintf(stderr, "wakeup_storm: ");
	perror(what);
	exit(1);
}

static uint64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * NS + (uint64_t)now.tv_nsec;
}

static void wait_until(uint64_t ns)
{
	struct timespec at = {.tv_sec = (time_t)(ns / NS), .tv_nsec = (long)(ns % NS)};

	while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &at, NULL))
		;
}

static void stay_on(int cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	if (sched_setaffinity(0, sizeof(set), &set))
		fail("sched_setaffinity");
}

static void *first(void *arg)
{
	struct pair *pair = arg;
	uint64_t one = 1, stop = 2, next;

	stay_on(pair->cpu);
	pthread_barrier_wait(&begin);
	for (next = now_ns(); now_ns() < end_ns; pair->trips++) {
		if (between_ns) {
			wait_until(next);
			next += between_ns;
		}
		if (write(pair->there, &one, sizeof(one)) < 0 ||
		    read(pair->back, &one, sizeof(one)) < 0)
			fail("eventfd");
	}
	if (write(pair->there, &stop, sizeof(stop)) < 0)
		fail("eventfd");
	return NULL;
}

static void *second(void *arg)
{
	struct pair *pair = arg;
	uint64_t value, one = 1;

	stay_on(pair->next_cpu);
	pthread_barrier_wait(&begin);
	for (;;) {
		if (read(pair->there, &value, sizeof(value)) < 0)
			fail("eventfd");
		if (value != 1)
			return NULL;
		if (write(pair->back, &one, sizeof(one)) < 0)
			fail("eventfd");
	}
}

int main(int argc, char **argv)
{
	int n = (int)sysconf(_SC_NPROCESSORS_ONLN), i;
	uint64_t rate, began, trips = 0;
	struct pair *pairs;

	if (argc != 3) {
		fputs("usage: wakeup_storm SECONDS RATE\n", stderr);
		return 2;
	}
	rate = strtoull(argv[2], NULL, 10);
	between_ns = rate ? NS / rate : 0;
	pairs = calloc((size_t)n, sizeof(*pairs));
	if (!pairs || pthread_barrier_init(&begin, NULL, 2 * (unsigned)n + 1))
		fail("begin");
	for (i = 0; i < n; i++) {
		struct pair *pair = &pairs[i];

		pair->cpu = i;
		pair->next_cpu = (i + 1) % n;
		pair->there = eventfd(0, 0);
		pair->back = eventfd(0, 0);
		if (pair->there < 0 || pair->back < 0 ||
		    pthread_create(&pair->first, NULL, first, pair) ||
		    pthread_create(&pair->second, NULL, second, pair))
			fail("threads");
	}
	began = now_ns();
	end_ns = began + strtoull(argv[1], NULL, 10) * NS;
	pthread_barrier_wait(&begin);
	for (i = 0; i < n; i++) {
		pthread_join(pairs[i].first, NULL);
		pthread_join(pairs[i].second, NULL);
		trips += pairs[i].trips;
	}
	printf("storm %d %llu %llu %llu\n", n, (unsigned long long)rate,
	       (unsigned long long)trips, (unsigned long long)(now_ns() - began));
	return 0;
}
