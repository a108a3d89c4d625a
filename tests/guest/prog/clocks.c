/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Makes marks whose order or time is known independently of the trace, for test_clock.sh,
 * test_suspend.sh and tests/stress/test_day.sh. It must not get times from the tracer.
 *
 *	clocks order COUNT FIRST	two threads, bound to CPUs 0 and 1, pass a baton COUNT times and wait
 *			for it in a loop, as for a spinlock. Then they pass it COUNT / 8 times and
 *			wait in futex(). The owner of the baton makes mark_d(FIRST), mark_d(FIRST +
 *			1) ...
 *	clocks raw SECONDS FIRST [PAUSE]	mark_d(FIRST), ... on all CPUs alternately, PAUSE
 *			milliseconds apart (default: half a millisecond). Prints for each a line
 *			"NUMBER CPU BEFORE AFTER": CLOCK_MONOTONIC_RAW in ns before and after the mark
 *	clocks suspended	prints "suspended NS", the time that the machine was suspended since its boot
 *
 * The first two print "made NUMBER" at the end. Exit status: 0; 1 with a message; 2 usage.
 */
#include <errno.h>
#include <linux/futex.h>
#include <pthread.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "libkutrace.h"

#define PAUSE_NS	500000
/* A thread makes this number of marks before it moves to the next CPU. */
#define MARKS_HERE	8

static uint32_t baton;	/* the next number, from 0; the lowest bit selects the thread */
static uint32_t spins, all, first;

static void die(const char *what)
{
	fprintf(stderr, "clocks: %s: %s\n", what, strerror(errno));
	exit(1);
}

static void on_cpu(int cpu)
{
	cpu_set_t one;

	CPU_ZERO(&one);
	CPU_SET(cpu, &one);
	if (sched_setaffinity(0, sizeof(one), &one))
		die("sched_setaffinity");
}

/* Lets the other hardware thread of this processor run. */
static void pause_cpu(void)
{
#ifdef __x86_64__
	__builtin_ia32_pause();
#elif defined(__aarch64__)
	__asm__ volatile("yield" ::: "memory");
#elif defined(__riscv)
	__asm__ volatile(".4byte 0x0100000f" ::: "memory");	/* pause */
#endif
}

static void wait_for(uint32_t turn)
{
	uint32_t now;

	while ((now = __atomic_load_n(&baton, __ATOMIC_ACQUIRE)) != turn)
		if (turn >= spins)
			syscall(SYS_futex, &baton, FUTEX_WAIT_PRIVATE, now, NULL, NULL, 0);
		else
			pause_cpu();	/* lets the other CPU run, if CPUs alternate */
}

static void *pass(void *which)
{
	uint32_t turn = (uint32_t)(uintptr_t)which;

	on_cpu((int)turn);
	for (; turn < all; turn += 2) {
		wait_for(turn);
		kutrace_mark_d(first + turn);
		__atomic_store_n(&baton, turn + 1, __ATOMIC_RELEASE);
		if (turn + 1 >= spins)
			syscall(SYS_futex, &baton, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
	}
	return NULL;
}

static void order(uint32_t count)
{
	pthread_t other;

	spins = count;
	all = count + count / 8;
	if (pthread_create(&other, NULL, pass, (void *)1))
		die("pthread_create");
	pass((void *)0);
	pthread_join(other, NULL);
	printf("made %u\n", all);
}

static uint64_t now_ns(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

static void raw(long seconds, struct timespec pause)
{
	uint64_t end = now_ns(CLOCK_MONOTONIC_RAW) + (uint64_t)seconds * 1000000000, before, after;
	int cpus = (int)sysconf(_SC_NPROCESSORS_ONLN);
	uint32_t n;

	for (n = 0; (before = now_ns(CLOCK_MONOTONIC_RAW)) < end; n++) {
		if (n % MARKS_HERE == 0) {
			on_cpu((int)(n / MARKS_HERE) % cpus);
			before = now_ns(CLOCK_MONOTONIC_RAW);
		}
		kutrace_mark_d(first + n);
		after = now_ns(CLOCK_MONOTONIC_RAW);
		printf("%u %d %llu %llu\n", first + n, sched_getcpu(), (unsigned long long)before,
		       (unsigned long long)after);
		nanosleep(&pause, NULL);
	}
	printf("made %u\n", n);
}

/* CLOCK_BOOTTIME counts while the machine is suspended, CLOCK_MONOTONIC does not. */
static void suspended(void)
{
	uint64_t without = now_ns(CLOCK_MONOTONIC);

	printf("suspended %llu\n", (unsigned long long)(now_ns(CLOCK_BOOTTIME) - without));
}

int main(int argc, char **argv)
{
	long count = argc == 4 || argc == 5 ? atol(argv[2]) : 0, ms = argc == 5 ? atol(argv[4]) : 0;
	struct timespec pause = { .tv_nsec = PAUSE_NS };

	if (argc == 2 && strcmp(argv[1], "suspended") == 0) {
		suspended();
		return fflush(stdout) != 0;
	}
	if (count < 1 || (strcmp(argv[1], "order") && strcmp(argv[1], "raw")) ||
	    (argc == 5 && (ms < 1 || strcmp(argv[1], "raw")))) {
		fprintf(stderr, "usage: clocks order COUNT FIRST | clocks raw SECONDS FIRST [PAUSE] | clocks suspended\n");
		return 2;
	}
	if (ms)
		pause = (struct timespec){ .tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000 };
	first = (uint32_t)atol(argv[3]);
	if (strcmp(argv[1], "order") == 0)
		order((uint32_t)count);
	else
		raw(count, pause);
	return fflush(stdout) != 0;
}
