/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Measures single system calls, to find the calls that take much longer than others: one event of
 * many must take a new block. Run it on one CPU under QEMU's icount, where one instruction takes
 * one nanosecond of guest time.
 *
 *	step_cost NAME CALLS [on|wrap|wrap-two|wrap-counted UNTRACED]
 *
 * With "on" it records meanwhile. With "wrap" it records as a flight recorder, whose pool has
 * wrapped before the measurement begins; "-two" adds another recorder, "-counted" instructions per
 * cycle. It fails if any event was lost. Each call is getuid(), whose result takes its own entry,
 * so there are two events per call. Prints the number of calls by their excess over the median, and
 * the number of timer interrupts, each of which makes a call longer. over1000 counts the calls of
 * which one of the two hooks took more than 1,000. A hook usually takes half of the difference of
 * the median and UNTRACED, the median without recording.
 *
 *	NAME calls=N events=N median=N ticks=N upto50=N upto200=N upto500=N upto1000=N over1000=N longest=N
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "kutrace_abi.h"
#include "kutrace_events.h"

#define UID	1000	/* too large for the call's entry, which has room for eight bits */
#define MOST	65536	/* longer calls are counted as this */

static const unsigned limits[] = { 50, 200, 500, 1000 };
static uint32_t histogram[MOST + 1];

static void fail(const char *what)
{
	fprintf(stderr, "step_cost: %s: %s\n", what, strerror(errno));
	exit(1);
}

static inline uint64_t now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC_RAW, &ts);
	return (uint64_t)ts.tv_sec * 1000000000u + (uint64_t)ts.tv_nsec;
}

/* Returns the number of timer interrupts so far, of all CPUs. */
static uint64_t ticks(void)
{
	FILE *file = fopen("/proc/interrupts", "r");
	uint64_t sum = 0;
	char line[1024];

	if (!file)
		fail("/proc/interrupts");
	while (fgets(line, sizeof(line), file)) {
		char *at = strstr(line, "LOC:"), *end;

		for (at = at ? at + 4 : NULL; at; at = end) {
			uint64_t value = strtoull(at, &end, 10);

			if (end == at)
				break;
			sum += value;
		}
	}
	fclose(file);
	return sum;
}

static void calls(uint64_t count)
{
	uint64_t last = now();

	while (count--) {
		long ret = SYS_getuid;
		uint64_t then;

		__asm__ volatile("syscall" : "+a"(ret) : : "rcx", "r11", "memory");
		then = now();
		histogram[then - last < MOST ? then - last : MOST]++;
		last = then;
	}
}

static void command(int fd, uint64_t number, uint64_t arg)
{
	struct kutrace_control control = { .command = number, .arg = arg };

	if (ioctl(fd, KUTRACE_IOC_CONTROL, &control) || control.result == ~0ull)
		fail("a command");
}

static struct kutrace_info info_of(int fd)
{
	struct kutrace_info info = { .length = sizeof(info) };

	if (ioctl(fd, KUTRACE_IOC_INFO, &info))
		fail("what is recorded");
	return info;
}

/* Starts another flight recorder, which ends with this program. */
static void begin_other(void)
{
	struct kutrace_session session = { .length = sizeof(session), .name = "other", .mb = 4 };
	int fd = open(KUTRACE_DEVICE, O_RDWR);

	if (fd < 0 || ioctl(fd, KUTRACE_IOC_SESSION_CREATE, &session))
		fail("another session");
	command(fd, KUTRACE_CMD_RESET, KUTRACE_RESET_WRAP);
	command(fd, KUTRACE_CMD_ON, 0);
}

static int begin(const char *how)
{
	int fd = open(KUTRACE_DEVICE, O_RDWR);
	bool wrap = strncmp(how, "wrap", 4) == 0;
	uint64_t flags = wrap ? KUTRACE_RESET_WRAP : 0;

	if (fd < 0)
		fail(KUTRACE_DEVICE);
	if (strcmp(how, "wrap-counted") == 0)
		flags |= KUTRACE_RESET_IPC;
	command(fd, KUTRACE_CMD_RESET, flags);
	command(fd, KUTRACE_CMD_ON, 0);
	if (strcmp(how, "wrap-two") == 0)
		begin_other();
	while (wrap && !info_of(fd).wrapped)
		calls(1000);
	/* Fill one more block, so that the measurement begins in a cleared block. */
	if (wrap)
		calls(KUTRACE_BLOCK_WORDS);
	return fd;
}

static void end(int fd)
{
	struct kutrace_info info;

	command(fd, KUTRACE_CMD_OFF, 0);
	info = info_of(fd);
	for (unsigned i = 0; i < sizeof(info.lost) / sizeof(info.lost[0]); i++)
		if (info.lost[i]) {
			fprintf(stderr, "step_cost: %" PRIu64 " events lost\n", (uint64_t)info.lost[i]);
			exit(1);
		}
}

/* Returns the number of calls that took at most @most. */
static uint64_t up_to(uint64_t most)
{
	uint64_t sum = 0;

	for (uint64_t i = 0; i <= most && i <= MOST; i++)
		sum += histogram[i];
	return sum;
}

static void report(const char *name, uint64_t count, uint64_t interrupts, uint64_t untraced)
{
	uint64_t median = 0, longest = MOST, before = 0;

	while (up_to(median) * 2 < count)
		median++;
	while (longest && !histogram[longest])
		longest--;
	printf("%s calls=%" PRIu64 " events=%" PRIu64 " median=%" PRIu64 " ticks=%" PRIu64, name, count,
	       2 * count, median, interrupts);
	for (unsigned i = 0; i < sizeof(limits) / sizeof(limits[0]); i++) {
		uint64_t usual = untraced && limits[i] == 1000 ? (median - untraced) / 2 : 0;
		uint64_t sum = up_to(median + limits[i] - usual);

		printf(" upto%u=%" PRIu64, limits[i], sum - before);
		before = sum;
	}
	printf(" over1000=%" PRIu64 " longest=%" PRIu64 "\n", count - before, longest);
}

int main(int argc, char **argv)
{
	const char *how = argc > 3 ? argv[3] : "";
	uint64_t count = argc > 2 ? strtoull(argv[2], NULL, 10) : 0, interrupts;
	uint64_t untraced = argc > 4 ? strtoull(argv[4], NULL, 10) : 0;
	int fd = -1;

	if (!count || argc > 5 || (argc > 3) != (untraced > 0) ||
	    (*how && strcmp(how, "on") && strcmp(how, "wrap") && strcmp(how, "wrap-two") &&
	     strcmp(how, "wrap-counted"))) {
		fprintf(stderr,
			"usage: step_cost NAME CALLS [on|wrap|wrap-two|wrap-counted UNTRACED]\n");
		return 2;
	}
	/* Change only the real user id: the effective user opens the device later. */
	if (setresuid(UID, 0, 0))
		fail("setresuid");
	if (*how)
		fd = begin(how);
	/* Write to the memory once, so that the measured calls have no page fault. */
	memset(histogram, 0, sizeof(histogram));
	interrupts = ticks();
	calls(count);
	interrupts = ticks() - interrupts;
	if (fd >= 0)
		end(fd);
	report(argv[1], count, interrupts, untraced);
	return 0;
}
