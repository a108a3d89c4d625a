/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Makes numbered marks on each CPU, and stores the last numbers in memory too, where
 * crashmark_progress.pl finds them in a dump:
 *
 *	crashmark KEY MARKS PAUSE	KEY: 16 hex digits that precede the numbers; makes
 *					MARKS marks at a time, then sleeps PAUSE microseconds
 *
 * A page of memory has the key, the inverted key, and for each CPU two numbers: of the last mark
 * that it began, and of the last mark that it made. Mark n of CPU c is mark_d(c << 24 | n). The
 * program runs until the machine ends. It prints "crashmark: marks" when each CPU has made its
 * first mark.
 */
#include <pthread.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "libkutrace.h"

#define CPUS	64

struct witness {
	uint64_t key[2];
	struct {
		volatile uint64_t begun, made;
	} cpu[CPUS];
};

static struct witness *witness;
static int running;
static unsigned int burst, pause_us;

static void *make_marks(void *arg)
{
	uint32_t cpu = (uint32_t)(uintptr_t)arg, n = 0;
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	if (pthread_setaffinity_np(pthread_self(), sizeof(set), &set))
		return NULL;
	for (;;) {
		n = (n + 1) & 0xFFFFFF;
		witness->cpu[cpu].begun = n;
		kutrace_mark_d(cpu << 24 | n);
		witness->cpu[cpu].made = n;
		if (n == 1)
			__atomic_add_fetch(&running, 1, __ATOMIC_RELAXED);
		if (!(n % burst))
			usleep(pause_us);
	}
}

int main(int argc, char **argv)
{
	uint32_t cpus = (uint32_t)sysconf(_SC_NPROCESSORS_ONLN), cpu;
	uint64_t key = argc == 4 ? strtoull(argv[1], NULL, 16) : 0;
	pthread_t thread;

	if (!key || cpus > CPUS)
		return 2;
	burst = (unsigned int)atoi(argv[2]);
	pause_us = (unsigned int)atoi(argv[3]);
	if (!burst)
		return 2;
	witness = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (witness == MAP_FAILED || mlock(witness, 4096))
		return 1;
	witness->key[0] = key;
	witness->key[1] = ~key;
	for (cpu = 0; cpu < cpus; cpu++)
		if (pthread_create(&thread, NULL, make_marks, (void *)(uintptr_t)cpu))
			return 1;
	while (__atomic_load_n(&running, __ATOMIC_RELAXED) < (int)cpus)
		usleep(10000);
	printf("crashmark: marks\n");
	fflush(stdout);
	pause();
	return 1;
}
