/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Records itself with pauses, and reads the clock around each command; for
 * tests/guest/test_pause.sh.
 *
 *	pauses COUNT [wrap]	COUNT pauses of at least 150 ms; every second one has a flush in it;
 *				"wrap": before the last, calls that overwrite a buffer of 1 MiB
 *
 * Meanwhile a child computes on CPU 1 and another one sleeps in a read. For each pause one
 * line: "pause OFF_FROM OFF_TO ON_FROM ON_TO", nanoseconds of the wall clock before and after
 * the commands off and on.
 */
#include <inttypes.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

#include "libkutrace.h"

#define CALLS		500
#define MANY_CALLS	200000	/* a word each: 24 blocks */

static int64_t now_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_REALTIME, &ts);
	return (int64_t)ts.tv_sec * 1000000000 + ts.tv_nsec;
}

static void must(int ret, const char *what)
{
	if (!ret)
		return;
	fprintf(stderr, "pauses: %s: %s\n", what, strerror(-ret));
	exit(1);
}

static void on_cpu(int cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	sched_setaffinity(0, sizeof(set), &set);
}

/* Computes, or sleeps in a read, until it is killed. */
static pid_t child(const int *from)
{
	pid_t pid = fork();
	char byte;

	if (pid)
		return pid;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	on_cpu(1);
	if (from)
		_exit(read(*from, &byte, 1) != 1);
	/* Few calls, so that a round of them fits into a block or two, however fast the machine. */
	for (;;) {
		for (volatile int i = 0; i < 20000; i++)
			;
		getppid();
	}
}

static void work(uint64_t round, int calls)
{
	kutrace_mark_d(round);
	while (calls--)
		getppid();
	usleep(20000);
}

int main(int argc, char **argv)
{
	int count = argc > 1 ? atoi(argv[1]) : 0, pipe_fds[2], i;
	bool wrap = argc > 2;
	pid_t computing, reader;

	if (count < 1 || pipe(pipe_fds))
		return 2;
	on_cpu(0);
	must(wrap ? kutrace_gowrap("pauses") : kutrace_go("pauses"), "go");
	computing = child(NULL);
	reader = child(&pipe_fds[0]);
	work(0, CALLS);
	for (i = 0; i < count; i++) {
		int64_t off_from = now_ns(), off_to, on_from;

		must(kutrace_do_off(), "off");
		off_to = now_ns();
		if (i % 2)
			must(kutrace_do_flush(), "flush");
		usleep(150000);
		on_from = now_ns();
		must(kutrace_do_on(), "on");
		printf("pause %" PRId64 " %" PRId64 " %" PRId64 " %" PRId64 "\n", off_from, off_to,
		       on_from, now_ns());
		work((uint64_t)i + 1, wrap && i == count - 2 ? MANY_CALLS : CALLS);
	}
	must(kutrace_stop("/out/pause.trace"), "stop");
	kill(computing, SIGKILL);
	kill(reader, SIGKILL);
	return 0;
}
