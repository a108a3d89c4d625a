// SPDX-License-Identifier: BSD-3-Clause
/*
 * Makes marks as fast as possible, as a given user. For tests/guest/test_rate.sh.
 *
 *	markrate UID FIRST COUNT	mark_d of FIRST, FIRST + 1 ...
 *
 * Prints how many microseconds it took.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

#include "kutrace_abi.h"
#include "kutrace_events.h"

static double now_us(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec * 1e6 + (double)t.tv_nsec / 1e3;
}

int main(int argc, char **argv)
{
	unsigned long first, count, i;
	double start;
	int fd;

	if (argc != 4) {
		fputs("usage: markrate UID FIRST COUNT\n", stderr);
		return 2;
	}
	first = strtoul(argv[2], NULL, 10);
	count = strtoul(argv[3], NULL, 10);
	if (setgid((gid_t)atoi(argv[1])) || setuid((uid_t)atoi(argv[1]))) {
		perror("markrate: setuid");
		return 1;
	}
	fd = open(KUTRACE_DEVICE, O_RDONLY);
	if (fd < 0) {
		perror(KUTRACE_DEVICE);
		return 1;
	}
	start = now_us();
	for (i = 0; i < count; i++) {
		if (ioctl(fd, KUTRACE_IOC_MARK,
			  (unsigned long)KUTRACE_MARKD << KUTRACE_EVENT_SHIFT | (first + i))) {
			perror("markrate: mark");
			return 1;
		}
	}
	printf("%.0f\n", now_us() - start);
	return 0;
}
