/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Guest instructions for one getpid system call, to be run under QEMU's icount,
 * where one instruction takes one nanosecond of guest time. The benchmarks run
 * it in the states to compare; on any other machine its figures are
 * nanoseconds. It must not count the loop around the call, nor the timer tick
 * that falls into a repeat: an empty loop is measured, too, and the smallest of
 * many repeats shorter than a tick is what counts.
 *
 *	getpid_cost NAME [on]
 *
 * With "on" it records meanwhile, through the device itself, and fails if any
 * event was lost. Prints: NAME VALUE loop=... calls=... repeats=... lost=...
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "kutrace_abi.h"

#define CALLS	1000	/* about 0.3 to 1.6 ms: less than a tick of 4 ms */
#define REPEATS	101

static uint64_t now_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * 1000000000u + (uint64_t)ts.tv_nsec;
}

static uint64_t calls_ns(void)
{
	uint64_t start = now_ns();

	for (int i = 0; i < CALLS; i++) {
		long ret = SYS_getpid;

		__asm__ volatile("syscall" : "+a"(ret) : : "rcx", "r11", "memory");
	}
	return now_ns() - start;
}

static uint64_t empty_ns(void)
{
	uint64_t start = now_ns();

	for (int i = 0; i < CALLS; i++) {
		long ret = SYS_getpid;

		__asm__ volatile("" : "+a"(ret) : : "rcx", "r11", "memory");
	}
	return now_ns() - start;
}

static uint64_t smallest(uint64_t (*measure)(void))
{
	uint64_t best = UINT64_MAX;

	for (int i = 0; i < REPEATS; i++) {
		uint64_t ns = measure();

		if (ns < best)
			best = ns;
	}
	return best;
}

static int command(int fd, uint64_t number, uint64_t arg)
{
	struct kutrace_control control = { .command = number, .arg = arg };

	if (ioctl(fd, KUTRACE_IOC_CONTROL, &control) == 0 && control.result != ~0ull)
		return 0;
	fprintf(stderr, "getpid_cost: command %" PRIu64 ": %s\n", number, strerror(errno));
	return -1;
}

int main(int argc, char **argv)
{
	struct kutrace_info info = { .length = sizeof(info) };
	uint64_t calls, loop, lost = 0;
	int on, fd = -1;

	if (argc < 2 || argc > 3 || (argc == 3 && strcmp(argv[2], "on") != 0)) {
		fprintf(stderr, "usage: getpid_cost NAME [on]\n");
		return 2;
	}
	on = argc == 3;
	if (on) {
		fd = open(KUTRACE_DEVICE, O_RDWR);
		if (fd < 0) {
			fprintf(stderr, "getpid_cost: %s: %s\n", KUTRACE_DEVICE, strerror(errno));
			return 1;
		}
		if (command(fd, KUTRACE_CMD_RESET, 0) || command(fd, KUTRACE_CMD_ON, 0))
			return 1;
	}
	loop = smallest(empty_ns);
	calls = smallest(calls_ns);
	if (on) {
		if (command(fd, KUTRACE_CMD_OFF, 0) || ioctl(fd, KUTRACE_IOC_INFO, &info))
			return 1;
		for (unsigned i = 0; i < sizeof(info.lost) / sizeof(info.lost[0]); i++)
			lost += info.lost[i];
		/* All calls must be there: one word each at the least. */
		if (lost || info.used_blocks < (uint64_t)CALLS * REPEATS / 8192) {
			fprintf(stderr, "getpid_cost: %" PRIu64 " events lost, %u blocks used\n",
				lost, info.used_blocks);
			return 1;
		}
	}
	printf("%s %.3f loop=%.3f calls=%d repeats=%d lost=%" PRIu64 "\n", argv[1],
	       (double)(calls - loop) / CALLS, (double)loop / CALLS, CALLS, REPEATS, lost);
	return 0;
}
