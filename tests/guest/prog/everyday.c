/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Does fixed amounts of everyday work, to be timed with and without a recording: see
 * tests/bench/everyday.sh. It must be independent of any tracer.
 *
 *	everyday [REPEATS [WORK...]]	getpid, pipe, tcp, fault, fork, futex, compile; default: all
 *
 * Prints for each kind of work "WORK NS UNITS WHAT": the shortest of REPEATS (3) times by
 * CLOCK_MONOTONIC, for that number of units. On one CPU under QEMU's icount, a nanosecond is an
 * instruction. Work that is impossible on this machine, such as compiling without a compiler, is
 * skipped, with a line on stderr. Exit status: 0, or 1 if some work failed.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "pingpong.h"

#define CALLS		20000
#define TRIPS		2000
#define REQUESTS	1000
#define PAGES		2000
#define CHILDREN	20
#define THREADS		48
#define WAITS		5	/* waits of each thread */
#define COMPILER	"/bin/cc1"
#define SOURCE		"/lib/everyday_source.i"

static void fail(const char *what)
{
	fprintf(stderr, "everyday: %s: %s\n", what, strerror(errno));
	exit(1);
}

static uint64_t now_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * 1000000000u + (uint64_t)ts.tv_nsec;
}

static void do_getpid(void)
{
	for (int i = 0; i < CALLS; i++)
		syscall(SYS_getpid);
}

static struct pingpong pipes;

static void begin_pipe(void)
{
	if (pingpong_begin(&pipes))
		fail("pipe");
}

static void do_pipe(void)
{
	for (int i = 0; i < TRIPS; i++)
		if (pingpong_trip(&pipes))
			fail("pipe");
}

static void end_pipe(void)
{
	pingpong_end(&pipes);
}

/* --- a server that answers each request of 64 bytes with 256 --- */

#define REQUEST_BYTES	64
#define ANSWER_BYTES	256

static int tcp = -1;
static pid_t server;

static int exchange(int fd, size_t in, size_t out, int answer_first)
{
	char bytes[ANSWER_BYTES] = { 0 };
	size_t got = 0;

	if (answer_first && send(fd, bytes, out, 0) != (ssize_t)out)
		return -1;
	while (got < in) {
		ssize_t n = recv(fd, bytes, in - got, 0);

		if (n <= 0)
			return -1;
		got += (size_t)n;
	}
	return !answer_first && send(fd, bytes, out, 0) != (ssize_t)out ? -1 : 0;
}

static void begin_tcp(void)
{
	struct sockaddr_in address = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	socklen_t length = sizeof(address);
	int listener = socket(AF_INET, SOCK_STREAM, 0), one = 1;

	if (listener < 0 || bind(listener, (struct sockaddr *)&address, length) || listen(listener, 1) ||
	    getsockname(listener, (struct sockaddr *)&address, &length))
		fail("tcp");
	server = fork();
	if (server < 0)
		fail("fork");
	if (!server) {
		int fd = accept(listener, NULL, NULL);

		setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one));
		while (!exchange(fd, REQUEST_BYTES, ANSWER_BYTES, 0))
			;
		_exit(0);
	}
	close(listener);
	tcp = socket(AF_INET, SOCK_STREAM, 0);
	if (tcp < 0 || connect(tcp, (struct sockaddr *)&address, length))
		fail("tcp");
	setsockopt(tcp, IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one));
}

static void do_tcp(void)
{
	for (int i = 0; i < REQUESTS; i++)
		if (exchange(tcp, ANSWER_BYTES, REQUEST_BYTES, 1))
			fail("tcp");
}

static void end_tcp(void)
{
	close(tcp);
	waitpid(server, NULL, 0);
}

static void do_fault(void)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	volatile char *area = mmap(NULL, PAGES * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (area == MAP_FAILED)
		fail("mmap");
	madvise((void *)area, PAGES * page, MADV_NOHUGEPAGE);
	for (size_t i = 0; i < PAGES; i++)
		area[i * page] = 1;
	munmap((void *)area, PAGES * page);
}

static void run(char *const argv[])
{
	pid_t child = fork();
	int status;

	if (child < 0)
		fail("fork");
	if (!child) {
		execv(argv[0], argv);
		_exit(127);
	}
	if (waitpid(child, &status, 0) != child || status)
		fail(argv[0]);
}

static void do_fork(void)
{
	char *argv[] = { (char *)"/bin/true", NULL };

	for (int i = 0; i < CHILDREN; i++)
		run(argv);
}

static void do_compile(void)
{
	char *argv[] = { (char *)COMPILER, (char *)"-quiet", (char *)"-fpreprocessed", (char *)"-O1",
			 (char *)SOURCE, (char *)"-o", (char *)"/tmp/everyday.s", NULL };

	run(argv);
}

/* --- threads that take turns by a futex, for which all of them wait --- */

static uint32_t turn;

static void *passes(void *which)
{
	uint32_t mine = (uint32_t)(uintptr_t)which, now;

	for (int i = 0; i < WAITS; i++) {
		while ((now = __atomic_load_n(&turn, __ATOMIC_ACQUIRE)) % THREADS != mine)
			syscall(SYS_futex, &turn, FUTEX_WAIT_PRIVATE, now, NULL, NULL, 0);
		__atomic_store_n(&turn, now + 1, __ATOMIC_RELEASE);
		/* The thread with the next turn may be any of the waiting threads. */
		syscall(SYS_futex, &turn, FUTEX_WAKE_PRIVATE, THREADS, NULL, NULL, 0);
	}
	return NULL;
}

static void do_futex(void)
{
	pthread_t threads[THREADS];

	turn = 0;
	for (uintptr_t i = 0; i < THREADS; i++)
		if (pthread_create(&threads[i], NULL, passes, (void *)i))
			fail("pthread_create");
	for (int i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
}

static const struct work {
	const char *name, *what;
	unsigned int units;
	void (*begin)(void), (*once)(void), (*end)(void);
} works[] = {
	{ "getpid", "call", CALLS, NULL, do_getpid, NULL },
	{ "pipe", "trip", TRIPS, begin_pipe, do_pipe, end_pipe },
	{ "tcp", "request", REQUESTS, begin_tcp, do_tcp, end_tcp },
	{ "fault", "page", PAGES, NULL, do_fault, NULL },
	{ "fork", "program", CHILDREN, NULL, do_fork, NULL },
	{ "futex", "turn", THREADS * WAITS, NULL, do_futex, NULL },
	{ "compile", "file", 1, NULL, do_compile, NULL },
};

static void measure(const struct work *work, int repeats)
{
	uint64_t best = UINT64_MAX;

	if (work->once == do_compile && (access(COMPILER, X_OK) || access(SOURCE, R_OK))) {
		fprintf(stderr, "everyday: there is no compiler here\n");
		return;
	}
	if (work->begin)
		work->begin();
	/* Run once without timing, so that caches and page tables are warm in each measurement. */
	work->once();
	for (int i = 0; i < repeats; i++) {
		uint64_t start = now_ns(), ns;

		work->once();
		ns = now_ns() - start;
		best = ns < best ? ns : best;
	}
	if (work->end)
		work->end();
	printf("%s %llu %u %s\n", work->name, (unsigned long long)best, work->units, work->what);
	fflush(stdout);
}

int main(int argc, char **argv)
{
	int repeats = argc > 1 ? atoi(argv[1]) : 3, known = 0;

	if (repeats < 1) {
		fprintf(stderr, "usage: everyday [REPEATS [WORK...]]\n");
		return 2;
	}
	for (size_t w = 0; w < sizeof(works) / sizeof(works[0]); w++) {
		int wanted = argc < 3;

		for (int i = 2; i < argc; i++)
			wanted |= strcmp(argv[i], works[w].name) == 0;
		if (!wanted)
			continue;
		known++;
		measure(&works[w], repeats);
	}
	if (argc > 2 && known != argc - 2) {
		fprintf(stderr, "everyday: a work that is not known\n");
		return 2;
	}
	return 0;
}
