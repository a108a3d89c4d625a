/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Runs the demo's workload: a few milliseconds of each activity that a kernel trace shows, between
 * marks, and prints its counts, as a witness that is independent of the tracer. The demo runs it,
 * and the guest tests compare its counts with the trace. All counts are prime, so that a
 * coincidence cannot pass. The printed counts must be exact: between the mark NAME and the mark
 * /NAME, the counted process makes no other call of the counted kind.
 *
 * Each phase prints a line:
 *
 *	count PHASE WHAT NUMBER
 *	pid PHASE ROLE PID
 */
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "libkutrace.h"

#define BLOCK_BYTES	4096
#define MESSAGE_BYTES	997
#define THREADS		3

/* How often each activity is done; --scale N multiplies all numbers. */
static struct {
	long getpid, pages, writes, blocks, locks, pipes, trips, children, naps, sieve;
} how_often = {
	.getpid = 1009, .pages = 521, .writes = 127, .blocks = 61, .locks = 251,
	.pipes = 211, .trips = 103, .children = 23, .naps = 7, .sieve = 60013,
};

static pid_t own_pid;

/* Output is buffered until the phase is over: stdout is a slow serial line in the guest. */
static char report[8192];
static size_t report_len;

__attribute__((format(printf, 1, 2))) static void say(const char *fmt, ...)
{
	va_list ap;
	int n;

	va_start(ap, fmt);
	n = vsnprintf(report + report_len, sizeof(report) - report_len, fmt, ap);
	va_end(ap);
	if (n > 0 && (size_t)n < sizeof(report) - report_len)
		report_len += (size_t)n;
}

static void flush_report(void)
{
	size_t done = 0;

	while (done < report_len) {
		ssize_t n = write(STDOUT_FILENO, report + done, report_len - done);

		if (n <= 0)
			_exit(1);
		done += (size_t)n;
	}
	report_len = 0;
}

_Noreturn static void die(const char *what)
{
	fprintf(stderr, "workload: %s: %s\n", what, strerror(errno));
	_exit(1);
}

/*
 * A child ends with its parent. Otherwise the TCP server of a workload that is killed before it
 * connects waits for ever, and its open device keeps the module loaded.
 */
static pid_t fork_or_die(void)
{
	pid_t pid = fork();

	if (pid < 0)
		die("fork");
	if (pid == 0 && (prctl(PR_SET_PDEATHSIG, SIGKILL) || getppid() != own_pid))
		_exit(1);
	return pid;
}

static void reap(pid_t pid, const char *what)
{
	int status;

	if (waitpid(pid, &status, 0) != pid || status != 0) {
		fprintf(stderr, "workload: %s: child status %#x\n", what, status);
		_exit(1);
	}
}

static void syscall_burst(void)
{
	kutrace_mark_a("burst");
	for (long i = 0; i < how_often.getpid; i++)
		syscall(SYS_getpid);
	kutrace_mark_a("/burst");
	say("count burst getpid %ld\n", how_often.getpid);
}

static void page_faults(void)
{
	/* The kernel's page size, because a fault brings in a whole page. */
	long page_bytes = sysconf(_SC_PAGESIZE);
	size_t bytes = (size_t)how_often.pages * (size_t)page_bytes;
	struct rusage before, after;
	volatile char *area;

	area = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (area == MAP_FAILED)
		die("mmap");
	madvise((void *)area, bytes, MADV_NOHUGEPAGE);
	getrusage(RUSAGE_SELF, &before);
	kutrace_mark_a("fault");
	for (long i = 0; i < how_often.pages; i++)
		area[i * page_bytes] = 1;
	kutrace_mark_a("/fault");
	getrusage(RUSAGE_SELF, &after);
	munmap((void *)area, bytes);
	say("count fault pages %ld\n", how_often.pages);
	say("count fault minflt %ld\n", after.ru_minflt - before.ru_minflt);
}

static void file_io(void)
{
	static char data[4099];
	const char *path = "/tmp/workload.dat";
	long reads = 0;
	int fd;

	memset(data, 'k', sizeof(data));
	kutrace_mark_a("file");
	fd = open(path, O_RDWR | O_CREAT | O_TRUNC, 0600);
	if (fd < 0)
		die(path);
	for (long i = 0; i < how_often.writes; i++)
		if (write(fd, data, sizeof(data)) != sizeof(data))
			die("write");
	if (fsync(fd))
		die("fsync");
	if (lseek(fd, 0, SEEK_SET) != 0)
		die("lseek");
	while (read(fd, data, sizeof(data)) == sizeof(data))
		reads++;
	close(fd);
	unlink(path);
	kutrace_mark_a("/file");
	say("count file write %ld\n", how_often.writes);
	say("count file read %ld\n", reads + 1);
}

/* Does direct I/O on a scratch disk: every block waits for a device interrupt. */
static void disk_io(const char *path)
{
	char *block;
	int fd;

	if (posix_memalign((void **)&block, BLOCK_BYTES, BLOCK_BYTES))
		die("posix_memalign");
	memset(block, 'd', BLOCK_BYTES);
	fd = open(path, O_RDWR | O_DIRECT);
	if (fd < 0)
		die(path);
	kutrace_mark_a("disk");
	for (long i = 0; i < how_often.blocks; i++) {
		if (pwrite(fd, block, BLOCK_BYTES, i * BLOCK_BYTES) != BLOCK_BYTES)
			die("pwrite");
		if (pread(fd, block, BLOCK_BYTES, i * BLOCK_BYTES) != BLOCK_BYTES)
			die("pread");
	}
	kutrace_mark_a("/disk");
	close(fd);
	free(block);
	say("count disk pwrite64 %ld\n", how_often.blocks);
	say("count disk pread64 %ld\n", how_often.blocks);
}

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static long guarded;
static int lockers;

static void *locker(void *unused)
{
	(void)unused;
	prctl(PR_SET_NAME, "locker");
	__atomic_add_fetch(&lockers, 1, __ATOMIC_RELAXED);
	for (long i = 0; i < how_often.locks; i++) {
		pthread_mutex_lock(&mutex);
		/* Yield the CPU while holding the lock, so that the other threads must wait. */
		if (i % 8 == 0)
			sched_yield();
		guarded++;
		pthread_mutex_unlock(&mutex);
	}
	return NULL;
}

static void threads_on_a_mutex(void)
{
	pthread_t threads[THREADS];

	guarded = 0;
	__atomic_store_n(&lockers, 0, __ATOMIC_RELAXED);
	kutrace_mark_a("mutex");
	/* Hold the lock, so that each thread waits at least once on any machine. */
	pthread_mutex_lock(&mutex);
	for (int i = 0; i < THREADS; i++)
		if (pthread_create(&threads[i], NULL, locker, NULL))
			die("pthread_create");
	while (__atomic_load_n(&lockers, __ATOMIC_RELAXED) < THREADS)
		usleep(1000);
	usleep(10000);
	pthread_mutex_unlock(&mutex);
	for (int i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	kutrace_mark_a("/mutex");
	say("count mutex locked %ld\n", guarded);
}

static void pipe_to_a_child(void)
{
	int there[2], back[2];
	char byte = 'p';
	pid_t child;

	if (pipe(there) || pipe(back))
		die("pipe");
	child = fork_or_die();
	if (child == 0) {
		prctl(PR_SET_NAME, "pipe_child");
		close(there[1]);
		close(back[0]);
		while (read(there[0], &byte, 1) == 1)
			if (write(back[1], &byte, 1) != 1)
				_exit(1);
		_exit(0);
	}
	close(there[0]);
	close(back[1]);
	kutrace_mark_a("pipe");
	for (long i = 0; i < how_often.pipes; i++)
		if (write(there[1], &byte, 1) != 1 || read(back[0], &byte, 1) != 1)
			die("pipe round trip");
	kutrace_mark_a("/pipe");
	close(there[1]);
	close(back[0]);
	reap(child, "pipe");
	say("pid pipe child %d\n", child);
	say("count pipe write %ld\ncount pipe read %ld\n", how_often.pipes, how_often.pipes);
}

static void tcp_server(int listener)
{
	static char message[MESSAGE_BYTES];
	int on = 1, peer;

	prctl(PR_SET_NAME, "tcp_server");
	peer = accept(listener, NULL, NULL);
	if (peer < 0)
		_exit(1);
	setsockopt(peer, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
	while (recv(peer, message, sizeof(message), MSG_WAITALL) == sizeof(message))
		if (send(peer, message, sizeof(message), 0) != sizeof(message))
			_exit(1);
	_exit(0);
}

static void tcp_round_trips(void)
{
	static char message[MESSAGE_BYTES];
	struct sockaddr_in address = {
		.sin_family = AF_INET,
		.sin_addr.s_addr = htonl(INADDR_LOOPBACK),
	};
	socklen_t length = sizeof(address);
	int on = 1, listener, peer;
	pid_t child;

	listener = socket(AF_INET, SOCK_STREAM, 0);
	if (listener < 0 || bind(listener, (struct sockaddr *)&address, length) ||
	    listen(listener, 1) || getsockname(listener, (struct sockaddr *)&address, &length))
		die("listen on the loopback interface");
	child = fork_or_die();
	if (child == 0)
		tcp_server(listener);
	close(listener);
	peer = socket(AF_INET, SOCK_STREAM, 0);
	if (peer < 0 || connect(peer, (struct sockaddr *)&address, length))
		die("connect");
	setsockopt(peer, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
	kutrace_mark_a("tcp");
	for (long i = 0; i < how_often.trips; i++)
		if (send(peer, message, sizeof(message), 0) != sizeof(message) ||
		    recv(peer, message, sizeof(message), MSG_WAITALL) != sizeof(message))
			die("TCP round trip");
	kutrace_mark_a("/tcp");
	close(peer);
	reap(child, "tcp");
	say("pid tcp child %d\n", child);
	say("count tcp sendto %ld\ncount tcp recvfrom %ld\n", how_often.trips, how_often.trips);
}

static void short_lived_processes(void)
{
	pid_t first = 0, last = 0;

	kutrace_mark_a("spawn");
	for (long i = 0; i < how_often.children; i++) {
		pid_t child = fork_or_die();

		if (child == 0) {
			execl("/proc/self/exe", "workload", "--child", (char *)NULL);
			_exit(127);
		}
		reap(child, "spawn");
		if (i == 0)
			first = child;
		last = child;
	}
	kutrace_mark_a("/spawn");
	say("pid spawn first %d\npid spawn last %d\n", first, last);
	say("count spawn fork %ld\ncount spawn wait4 %ld\ncount spawn execve %ld\n",
	    how_often.children, how_often.children, how_often.children);
}

static void naps(void)
{
	struct timespec ms = { .tv_nsec = 1000000 };

	kutrace_mark_a("nap");
	for (long i = 0; i < how_often.naps; i++)
		syscall(SYS_nanosleep, &ms, NULL);
	kutrace_mark_a("/nap");
	say("count nap nanosleep %ld\n", how_often.naps);
}

/* Computes in user mode: the primes below a limit, by a sieve. */
static void sieve(void)
{
	size_t limit = (size_t)how_often.sieve;
	long primes = 0;
	char *composite = calloc(limit, 1);

	if (!composite)
		die("calloc");
	kutrace_mark_a("sieve");
	for (int round = 0; round < 20; round++) {
		memset(composite, 0, limit);
		primes = 0;
		for (size_t i = 2; i < limit; i++) {
			if (composite[i])
				continue;
			primes++;
			for (size_t j = i * i; j < limit; j += i)
				composite[j] = 1;
		}
	}
	kutrace_mark_a("/sieve");
	free(composite);
	say("count sieve primes %ld\n", primes);
}

static void scale(long by)
{
	how_often.getpid *= by;
	how_often.pages *= by;
	how_often.writes *= by;
	how_often.blocks *= by;
	how_often.locks *= by;
	how_often.pipes *= by;
	how_often.trips *= by;
	how_often.children *= by;
	how_often.naps *= by;
}

_Noreturn static void usage(void)
{
	fprintf(stderr, "usage: workload [--scale N] [--repeat N] [--disk DEVICE] [--quiet]\n");
	exit(2);
}

int main(int argc, char **argv)
{
	const char *disk = NULL;
	long repeat = 1, quiet = 0;

	if (argc == 2 && strcmp(argv[1], "--child") == 0) {
		prctl(PR_SET_NAME, "mayfly");
		return 0;
	}
	for (int i = 1; i < argc; i++) {
		if (strcmp(argv[i], "--quiet") == 0)
			quiet = 1;
		else if (i + 1 >= argc)
			usage();
		else if (strcmp(argv[i], "--scale") == 0)
			scale(strtol(argv[++i], NULL, 10));
		else if (strcmp(argv[i], "--repeat") == 0)
			repeat = strtol(argv[++i], NULL, 10);
		else if (strcmp(argv[i], "--disk") == 0)
			disk = argv[++i];
		else
			usage();
	}
	if (repeat < 1 || how_often.getpid < 1)
		usage();

	own_pid = getpid();
	for (long i = 0; i < repeat; i++) {
		report_len = 0;
		say("pid main main %d\n", own_pid);
		kutrace_mark_d((uint32_t)(i + 1));
		syscall_burst();
		page_faults();
		file_io();
		if (disk)
			disk_io(disk);
		threads_on_a_mutex();
		pipe_to_a_child();
		tcp_round_trips();
		short_lived_processes();
		naps();
		sieve();
	}
	say("count main repeats %ld\n", repeat);
	if (!quiet)
		flush_report();
	return 0;
}
