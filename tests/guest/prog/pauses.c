/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Records itself with pauses, and reads the clock around each command; for
 * tests/guest/test_pause.sh.
 *
 *	pauses COUNT [wrap|cut]	makes COUNT pauses of at least 150 ms, with a flush in every second
 *				pause. "wrap": before the last pause, overwrites a buffer of 1 MiB
 *				by system calls. "cut": in each pause, another process turns
 *				recording off while it is being turned on, before the first event
 *
 * Meanwhile a child computes on CPU 1, and another child sleeps in a read. Prints for each pause a
 * line "pause OFF_FROM OFF_TO ON_FROM ON_TO": the wall clock in ns before and after the commands
 * off and on.
 */
#include <fcntl.h>
#include <inttypes.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "kutrace_abi.h"
#include "libkutrace.h"

#define CALLS		500
#define SLEEPERS	1500	/* threads that are named whenever recording is turned on */
#define TRIES		50
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

/* Starts a child that computes, or sleeps in a read, until it is killed. */
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
	/* Make few calls, so that a round fits into a block or two on any machine. */
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

/* ---- turned off before the first event ---- */

static void *sleeper(void *unused)
{
	for (;;)
		pause();
	return unused;
}

static void make_sleepers(void)
{
	pthread_attr_t attr;
	pthread_t thread;
	int i;

	pthread_attr_init(&attr);
	pthread_attr_setstacksize(&attr, 32768);
	for (i = 0; i < SLEEPERS; i++)
		must(-pthread_create(&thread, &attr, sleeper, NULL), "pthread_create");
}

static struct kutrace_info info_of(int fd)
{
	struct kutrace_info info = {.length = sizeof(info)};

	if (ioctl(fd, KUTRACE_IOC_INFO, &info)) {
		perror("pauses: info");
		exit(1);
	}
	return info;
}

/* Turns recording off as soon as KUTRACE_IOC_INFO counts the session as recording. */
static pid_t cutter(int fd)
{
	struct kutrace_control off = {.command = KUTRACE_CMD_OFF};
	pid_t pid = fork();

	if (pid)
		return pid;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	on_cpu(1);
	/* Must run before the computing child of this CPU when ku_session_lock becomes free. */
	if (setpriority(PRIO_PROCESS, 0, -20))
		_exit(1);
	while (!info_of(fd).sessions)
		;
	_exit(ioctl(fd, KUTRACE_IOC_CONTROL, &off) != 0);
}

/*
 * Turns recording on while another process turns it off, until a try in which no event was
 * recorded. If an event was recorded, this try has ended a pause and begun another: prints the
 * ended pause, and stores the times before and after the off in @off.
 */
static void cut(int fd, int64_t off[2])
{
	int tries;

	for (tries = 0; tries < TRIES; tries++) {
		struct kutrace_info before = info_of(fd), after;
		pid_t pid = cutter(fd);
		int64_t from = now_ns(), to;
		int status;

		must(kutrace_do_on(), "on");
		if (waitpid(pid, &status, 0) != pid || status)
			exit(1);
		to = now_ns();
		after = info_of(fd);
		if (after.taken_blocks == before.taken_blocks) {
			puts(after.stop.counts == before.stop.counts ? "cut" : "cut, but stop moved");
			return;
		}
		printf("pause %" PRId64 " %" PRId64 " %" PRId64 " %" PRId64 "\n", off[0], off[1], from, to);
		off[0] = from;
		off[1] = to;
	}
	fprintf(stderr, "pauses: recording began %d times before it was turned off\n", TRIES);
	exit(1);
}

int main(int argc, char **argv)
{
	int count = argc > 1 ? atoi(argv[1]) : 0, pipe_fds[2], fd = -1, i;
	bool wrap = argc > 2 && !strcmp(argv[2], "wrap");
	pid_t computing, reader;

	if (count < 1 || pipe(pipe_fds))
		return 2;
	if (argc > 2 && !wrap) {
		fd = open(KUTRACE_DEVICE, O_RDWR | O_CLOEXEC);
		make_sleepers();
	}
	on_cpu(0);
	must(wrap ? kutrace_gowrap("pauses") : kutrace_go("pauses"), "go");
	computing = child(NULL);
	reader = child(&pipe_fds[0]);
	work(0, CALLS);
	for (i = 0; i < count; i++) {
		int64_t off[2] = {now_ns(), 0}, on_from;

		must(kutrace_do_off(), "off");
		off[1] = now_ns();
		if (i % 2)
			must(kutrace_do_flush(), "flush");
		usleep(150000);
		if (fd >= 0)
			cut(fd, off);
		on_from = now_ns();
		must(kutrace_do_on(), "on");
		printf("pause %" PRId64 " %" PRId64 " %" PRId64 " %" PRId64 "\n", off[0], off[1],
		       on_from, now_ns());
		work((uint64_t)i + 1, wrap && i == count - 2 ? MANY_CALLS : CALLS);
	}
	must(kutrace_stop("/out/pause.trace"), "stop");
	kill(computing, SIGKILL);
	kill(reader, SIGKILL);
	/* The children have the device open, so that the module cannot be unloaded before they end. */
	while (wait(NULL) > 0)
		;
	return 0;
}
