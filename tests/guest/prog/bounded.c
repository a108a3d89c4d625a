// SPDX-License-Identifier: BSD-3-Clause
/*
 * What a user who may only mark can make long or large, for tests/guest/test_bounded.sh. As root;
 * what only marks runs as nobody.
 *
 *	bounded reset MIB	fills the blocks of a session of that size and resets it:
 *				"NANOSECONDS WAIT", and how long at most somebody waited meanwhile
 *				for an answer about another session
 *	bounded flood N		defines N times 256 tracepoints with long texts, and lets them go:
 *				"DEFINED REFUSED MILLISECONDS"
 */
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "kutrace_abi.h"
#include "kutrace_events.h"

#define NOBODY	65534
#define PAGE	4096
#define DEFS	256

/* What the processes here share. */
static struct {
	volatile int ready;	/* the other process is there */
	volatile int spin;	/* what is measured goes on */
	volatile int spun;	/* it is over */
} *shared;

static void fail(const char *what)
{
	perror(what);
	exit(1);
}

static int device(int flags)
{
	int fd = open(KUTRACE_DEVICE, flags | O_CLOEXEC);

	if (fd < 0)
		fail(KUTRACE_DEVICE);
	return fd;
}

static void become_nobody(void)
{
	if (setgid(NOBODY) || setuid(NOBODY))
		fail("setuid");
}

static uint64_t now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * 1000000000 + (uint64_t)ts.tv_nsec;
}

static void *map(size_t bytes, int how)
{
	void *at = mmap(NULL, bytes, PROT_READ | PROT_WRITE, how | MAP_ANONYMOUS, -1, 0);

	if (at == MAP_FAILED)
		fail("mmap");
	return at;
}

/* ---- a large session ---- */

static void control(int fd, uint64_t command, uint64_t arg)
{
	struct kutrace_control what = {.command = command, .arg = arg};

	if (ioctl(fd, KUTRACE_IOC_CONTROL, &what))
		fail("control");
}

/* Asks about the main session until the reset is over; the longest wait goes to *longest. */
static void ask(volatile uint64_t *longest)
{
	struct kutrace_info info = {.length = sizeof(info)};
	int fd = device(O_RDWR);
	uint64_t before, took;

	shared->ready = 1;
	while (!shared->spun) {
		usleep(500);
		before = now();
		if (ioctl(fd, KUTRACE_IOC_INFO, &info))
			fail("info");
		took = now() - before;
		if (shared->spin && took > *longest)
			*longest = took;
	}
	_exit(0);
}

static int reset(uint32_t mib)
{
	struct kutrace_session session = {.length = sizeof(session), .mb = mib};
	volatile uint64_t *longest = map(PAGE, MAP_SHARED);
	struct kutrace_info info = {.length = sizeof(info)};
	uint64_t entry = (uint64_t)KUTRACE_MARKD << KUTRACE_EVENT_SHIFT, took;
	int fd = device(O_RDWR);
	pid_t pid;

	shared = map(PAGE, MAP_SHARED);
	if (ioctl(fd, KUTRACE_IOC_SESSION_CREATE, &session))
		fail("session");
	/* A block that is left with one entry has to be cleared like a full one. */
	do {
		control(fd, ~(uint64_t)KUTRACE_CMD_INSERT1, entry);
		control(fd, KUTRACE_CMD_FLUSH, 0);
		if (ioctl(fd, KUTRACE_IOC_INFO, &info))
			fail("info");
	} while (info.used_blocks < info.nblocks);
	pid = fork();
	if (!pid)
		ask(longest);
	while (!shared->ready)
		usleep(10000);
	/* Whoever asks goes first, wherever the kernel lets it. */
	if (nice(19) < 0)
		fail("nice");
	shared->spin = 1;
	took = now();
	control(fd, KUTRACE_CMD_RESET, 0);
	took = now() - took;
	shared->spin = 0;
	shared->spun = 1;
	waitpid(pid, NULL, 0);
	printf("%llu %llu\n", (unsigned long long)took, (unsigned long long)*longest);
	return 0;
}

/* ---- definitions ---- */

static int flood(int rounds)
{
	struct kutrace_point_def def;
	long defined = 0, refused = 0;
	int round, i, fd, len;
	uint64_t before;

	become_nobody();
	before = now();
	for (round = 0; round < rounds; round++) {
		fd = device(O_RDONLY);
		for (i = 0; i < DEFS; i++) {
			memset(&def, 0, sizeof(def));
			def.length = sizeof(def);
			len = snprintf(def.text, sizeof(def.text), "f%d_%d|", round, i);
			memset(def.text + len, 'x', sizeof(def.text) - 2 - (size_t)len);
			if (ioctl(fd, KUTRACE_IOC_POINT_DEFINE, &def))
				refused++;
			else
				defined++;
		}
		close(fd);
	}
	printf("%ld %ld %llu\n", defined, refused, (unsigned long long)(now() - before) / 1000000);
	return 0;
}

int main(int argc, char **argv)
{
	int number = argc == 3 ? atoi(argv[2]) : 0;

	setvbuf(stdout, NULL, _IOLBF, 0);
	if (number > 0 && !strcmp(argv[1], "reset"))
		return reset((uint32_t)number);
	if (number > 0 && !strcmp(argv[1], "flood"))
		return flood(number);
	fprintf(stderr, "usage: bounded reset|flood NUMBER\n");
	return 2;
}
