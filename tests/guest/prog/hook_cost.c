/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Measures the guest instructions of a page fault, context switches, timer interrupts and packets.
 * Run it on one CPU under QEMU's icount, as getpid_cost for a system call. It must not use the
 * tracer's data.
 *
 *	hook_cost NAME [on|watched|filtered|packets]
 *
 * With "on" it records meanwhile, and fails if any event was lost. With "watched" there is also a
 * trigger for a system call of three seconds. With "filtered" it records only this process, which
 * is one of the two processes that alternate. With "packets" it records only packets. Prints lines
 * with a value and its conditions:
 *
 *	NAME-fault	a page touched for the first time
 *	NAME-switch	a context switch of two processes that wait for each other's byte, with its
 *			share of four calls and two wakeups
 *	NAME-yield	a context switch by sched_yield(), with this call
 *	NAME-interrupt	a timer interrupt with all work that it causes before the program continues:
 *			softirqs, and threads that the softirqs wake
 *	NAME-tick	the timer interrupt that causes the least work
 *	NAME-datagram	a datagram of UDP, sent over the loopback interface and received, with its
 *			two calls
 *	NAME-segment	the same for a message of TCP, with its share of acknowledgements
 */
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "kutrace_abi.h"
#include "kutrace_events.h"
#include "pingpong.h"

#define PAGES		64
#define TRIPS		100
#define REPEATS		51
#define MESSAGE_BYTES	64
#define SPINS		200	/* about 0.2 ms each: a tick falls into some */

static uint64_t now_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * 1000000000u + (uint64_t)ts.tv_nsec;
}

static void fail(const char *what)
{
	fprintf(stderr, "hook_cost: %s: %s\n", what, strerror(errno));
	exit(1);
}

/* Returns the smallest of the repeats, which has no tick. */
static double fault_ns(void)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE), bytes = PAGES * page;
	volatile char *area = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
				   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	uint64_t best = UINT64_MAX;

	if (area == MAP_FAILED)
		fail("mmap");
	madvise((void *)area, bytes, MADV_NOHUGEPAGE);
	for (int i = 0; i < REPEATS; i++) {
		uint64_t start, ns;

		if (madvise((void *)area, bytes, MADV_DONTNEED))
			fail("madvise");
		start = now_ns();
		for (size_t at = 0; at < bytes; at += page)
			area[at] = 1;
		ns = now_ns() - start;
		if (ns < best)
			best = ns;
	}
	munmap((void *)area, bytes);
	return (double)best / PAGES;
}

static int compare(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

/*
 * Returns the time of one switch, with its share of the four calls: the median of the repeats, of
 * which few have a tick. The shortest repeat would show an exception: in some repeats, the
 * scheduler of Linux 7.2 executes a hundred instructions less.
 */
static double switch_ns(void)
{
	uint64_t ns[REPEATS];
	struct pingpong p;

	if (pingpong_begin(&p))
		fail("ping-pong");
	for (int i = 0; i < REPEATS; i++) {
		uint64_t start = now_ns();

		for (int trip = 0; trip < TRIPS; trip++)
			if (pingpong_trip(&p))
				fail("ping-pong");
		ns[i] = now_ns() - start;
	}
	pingpong_end(&p);
	qsort(ns, REPEATS, sizeof(*ns), compare);
	return (double)ns[REPEATS / 2] / (2 * TRIPS);
}

static void take_turns(int policy)
{
	struct sched_param param = { .sched_priority = policy == SCHED_FIFO };

	if (sched_setscheduler(0, policy, &param))
		fail("sched_setscheduler");
}

/*
 * Returns the time of one sched_yield() that switches to the other process, as a median. Both
 * processes have the same priority in a scheduling class that runs them alternately.
 */
static double yield_ns(void)
{
	uint64_t ns[REPEATS];
	pid_t child;

	take_turns(SCHED_FIFO);
	child = fork();
	if (child < 0)
		fail("fork");
	while (!child)
		sched_yield();
	for (int i = 0; i < REPEATS; i++) {
		uint64_t start = now_ns();

		for (int trip = 0; trip < TRIPS; trip++)
			sched_yield();
		ns[i] = now_ns() - start;
	}
	if (kill(child, SIGKILL) || waitpid(child, NULL, 0) != child)
		fail("the other process");
	take_turns(SCHED_OTHER);
	qsort(ns, REPEATS, sizeof(*ns), compare);
	return (double)ns[REPEATS / 2] / (2 * TRIPS);
}

/* Returns the time of one message over the loopback interface and its two calls, as a median. */
static double message_ns(int type)
{
	struct sockaddr_in address = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	socklen_t length = sizeof(address);
	int far = socket(AF_INET, type, 0), near = socket(AF_INET, type, 0), listener = -1, one = 1;
	char message[MESSAGE_BYTES] = "message";
	uint64_t ns[REPEATS];

	if (far < 0 || near < 0 || bind(far, (struct sockaddr *)&address, length) ||
	    getsockname(far, (struct sockaddr *)&address, &length) ||
	    (type == SOCK_STREAM && listen(far, 1)) || connect(near, (struct sockaddr *)&address, length))
		fail("loopback");
	if (type == SOCK_STREAM) {
		listener = far;
		far = accept(listener, NULL, NULL);
		if (far < 0 || setsockopt(near, IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one)))
			fail("accept");
	}
	for (int i = 0; i < REPEATS; i++) {
		uint64_t start = now_ns();

		for (int trip = 0; trip < TRIPS; trip++)
			if (send(near, message, sizeof(message), 0) != sizeof(message) ||
			    recv(far, message, sizeof(message), MSG_WAITALL) != sizeof(message))
				fail("message");
		ns[i] = now_ns() - start;
	}
	close(near);
	close(far);
	if (listener >= 0)
		close(listener);
	qsort(ns, REPEATS, sizeof(*ns), compare);
	return (double)ns[REPEATS / 2] / TRIPS;
}

static uint64_t spin_ns(void)
{
	uint64_t start = now_ns();

	for (int i = 0; i < 100000; i++)
		__asm__ volatile("");
	return now_ns() - start;
}

/*
 * Returns the additional time of a spin with a tick: the median of the spins that are much longer
 * than the shortest spin. Stores the smallest additional time in *least.
 */
static double interrupt_ns(unsigned *ticks, double *least)
{
	uint64_t ns[SPINS], longer[SPINS], best = UINT64_MAX;
	unsigned n = 0;

	for (int i = 0; i < SPINS; i++) {
		ns[i] = spin_ns();
		if (ns[i] < best)
			best = ns[i];
	}
	for (int i = 0; i < SPINS; i++)
		if (ns[i] > best + 500)
			longer[n++] = ns[i] - best;
	if (!n) {
		fprintf(stderr, "hook_cost: no timer interrupt in %d spins\n", SPINS);
		exit(1);
	}
	qsort(longer, n, sizeof(*longer), compare);
	*ticks = n;
	*least = (double)longer[0];
	return (double)longer[n / 2];
}

static void command(int fd, uint64_t number)
{
	struct kutrace_control control = { .command = number };

	if (ioctl(fd, KUTRACE_IOC_CONTROL, &control) || control.result == ~0ull)
		fail("control");
}

int main(int argc, char **argv)
{
	struct kutrace_info info = { .length = sizeof(info) };
	struct kutrace_trigger trigger = {
		.length = sizeof(trigger),
		.kind = KUTRACE_TRIGGER_SYSCALL,
		.number = ~0u,
		.over_ns = 3000000000,
	};
	struct kutrace_filter mine = {
		.length = sizeof(mine),
		.npids = 1,
		.pids = { (uint32_t)getpid() },
	};
	const struct kutrace_filter all = { .length = sizeof(all) };
	struct kutrace_switch kinds = {
		.value = 1ull << KUTRACE_KIND_RX_PKT | 1ull << KUTRACE_KIND_TX_PKT,
		.mask = KUTRACE_KINDS_ALL,
	};
	double fault, change, yield, interrupt, tick, datagram, segment;
	uint64_t lost = 0;
	unsigned ticks;
	int fd = -1;

	if (argc < 2 || argc > 3 ||
	    (argc == 3 && strcmp(argv[2], "on") != 0 && strcmp(argv[2], "watched") != 0 &&
	     strcmp(argv[2], "filtered") != 0 && strcmp(argv[2], "packets") != 0)) {
		fprintf(stderr, "usage: hook_cost NAME [on|watched|filtered|packets]\n");
		return 2;
	}
	if (argc == 3) {
		fd = open(KUTRACE_DEVICE, O_RDWR);
		if (fd < 0)
			fail(KUTRACE_DEVICE);
		command(fd, KUTRACE_CMD_RESET);
		if (strcmp(argv[2], "watched") == 0 && ioctl(fd, KUTRACE_IOC_TRIGGER, &trigger))
			fail("trigger");
		if (strcmp(argv[2], "filtered") == 0 && ioctl(fd, KUTRACE_IOC_FILTER, &mine))
			fail("filter");
		if (strcmp(argv[2], "packets") == 0 && ioctl(fd, KUTRACE_IOC_MASK, &kinds))
			fail("mask");
		command(fd, KUTRACE_CMD_ON);
	}
	fault = fault_ns();
	change = switch_ns();
	yield = yield_ns();
	interrupt = interrupt_ns(&ticks, &tick);
	datagram = message_ns(SOCK_DGRAM);
	segment = message_ns(SOCK_STREAM);
	if (fd >= 0) {
		command(fd, KUTRACE_CMD_OFF);
		if (ioctl(fd, KUTRACE_IOC_INFO, &info))
			fail("info");
		if (ioctl(fd, KUTRACE_IOC_FILTER, &all))
			fail("no filter");
		kinds.value = KUTRACE_KINDS_ALL;
		kinds.mask = KUTRACE_KINDS_ALL;
		if (ioctl(fd, KUTRACE_IOC_MASK, &kinds))
			fail("no mask");
		for (unsigned i = 0; i < sizeof(info.lost) / sizeof(info.lost[0]); i++)
			lost += info.lost[i];
		if (lost) {
			fprintf(stderr, "hook_cost: %" PRIu64 " events lost\n", lost);
			return 1;
		}
	}
	printf("%s-fault %.3f pages=%d repeats=%d lost=%" PRIu64 "\n", argv[1], fault, PAGES,
	       REPEATS, lost);
	printf("%s-switch %.3f switches=%d repeats=%d lost=%" PRIu64 "\n", argv[1], change,
	       2 * TRIPS, REPEATS, lost);
	printf("%s-yield %.3f switches=%d repeats=%d lost=%" PRIu64 "\n", argv[1], yield,
	       2 * TRIPS, REPEATS, lost);
	printf("%s-tick %.3f ticks=%u least lost=%" PRIu64 "\n", argv[1], tick, ticks, lost);
	printf("%s-interrupt %.3f ticks=%u median lost=%" PRIu64 "\n", argv[1], interrupt,
	       ticks, lost);
	printf("%s-datagram %.3f messages=%d repeats=%d lost=%" PRIu64 "\n", argv[1], datagram, TRIPS, REPEATS, lost);
	printf("%s-segment %.3f messages=%d repeats=%d lost=%" PRIu64 "\n", argv[1], segment, TRIPS, REPEATS, lost);
	return 0;
}
