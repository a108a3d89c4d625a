/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Makes system calls at a given rate for tests/bench/held.sh: a thread on each CPU makes a number
 * of calls each millisecond. A late thread makes the missing calls immediately.
 *
 *	ratecalls SECONDS RATE	RATE calls a second on each CPU
 *
 * Prints "calls CPUS RATE CALLS NS": the total number of calls, and the time.
 */
#include <pthread.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define NS	1000000000ULL
#define TICK_NS	1000000ULL
#define CPUS	256

static pthread_barrier_t begin;
static uint64_t end_ns, rate;
static uint64_t made[CPUS];

static void fail(const char *what)
{
	fputs("ratecalls: ", stderr);
	perror(what);
	exit(1);
}

static uint64_t now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * NS + (uint64_t)t.tv_nsec;
}

static void *calls(void *argument)
{
	int cpu = (int)(intptr_t)argument;
	uint64_t begin_ns, now, wanted;
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	if (sched_setaffinity(0, sizeof(set), &set))
		fail("sched_setaffinity");
	pthread_barrier_wait(&begin);
	begin_ns = now_ns();
	for (now = begin_ns; now < end_ns; now = now_ns()) {
		struct timespec pause = { 0, TICK_NS };

		wanted = (now - begin_ns) / TICK_NS * rate / (NS / TICK_NS);
		/* Limit the calls per reading of the clock, so that the thread ends in time. */
		for (int n = 0; made[cpu] < wanted && n < 10000; n++, made[cpu]++)
			syscall(SYS_getppid);
		if (made[cpu] >= wanted)
			nanosleep(&pause, NULL);
	}
	return NULL;
}

int main(int argc, char **argv)
{
	int cpus = (int)sysconf(_SC_NPROCESSORS_ONLN);
	uint64_t all = 0, began;
	pthread_t thread[CPUS];

	if (argc != 3 || cpus > CPUS) {
		fputs("usage: ratecalls SECONDS RATE\n", stderr);
		return 2;
	}
	rate = strtoull(argv[2], NULL, 10);
	if (pthread_barrier_init(&begin, NULL, (unsigned int)cpus))
		fail("pthread_barrier_init");
	began = now_ns();
	end_ns = began + strtoull(argv[1], NULL, 10) * NS;
	for (int i = 0; i < cpus; i++)
		if (pthread_create(&thread[i], NULL, calls, (void *)(intptr_t)i))
			fail("pthread_create");
	for (int i = 0; i < cpus; i++) {
		pthread_join(thread[i], NULL);
		all += made[i];
	}
	printf("calls %d %s %llu %llu\n", cpus, argv[2], (unsigned long long)all,
	       (unsigned long long)(now_ns() - began));
	return 0;
}
