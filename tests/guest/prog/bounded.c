// SPDX-License-Identifier: BSD-3-Clause
/*
 * What a user who may only mark can make long or large, for tests/guest/test_bounded.sh. As root;
 * what only marks runs as nobody.
 *
 *	bounded flood N		defines N times 256 tracepoints with long texts, and lets them go:
 *				"DEFINED REFUSED MILLISECONDS"
 */
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

#include "kutrace_abi.h"

#define NOBODY	65534
#define DEFS	256

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
	if (number > 0 && !strcmp(argv[1], "flood"))
		return flood(number);
	fprintf(stderr, "usage: bounded flood NUMBER\n");
	return 2;
}
