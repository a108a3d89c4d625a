/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Runs one of three workloads between two readings of all the kernel's counters. Each reading is
 * made at one instant, which /proc/kutrace_test marks in the trace. So a test can require that the
 * trace equals the growth of the counters. Between the readings, the program makes system calls
 * only by made(), which counts them. It must do the same in every run, so that strace counts the
 * same.
 *
 *	exact calls|tasks|devices
 *
 * Prints each reading of the module, and the number of processes from /proc/stat, as lines WHEN CPU
 * WHAT VALUE, where WHEN is first or last. Then prints the number of system calls between the
 * readings, "made - NUMBER COUNT", and the processes that made them, "pid - PID -".
 */
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#define CALLS_MAX	512
#define PIDS_MAX	64
#define PAGE_BYTES	4096
#define BLOCK_BYTES	4096

/* Memory shared with the children. */
static struct shared {
	long made[CALLS_MAX];
	int pids[PIDS_MAX];
	int pid_count;
} *shared;

static long self, cpus;
static bool realtime;
static char first[65536], last[65536];
/* /proc/stat before and after each reading, because it cannot be read at that instant. */
static char stats[4][8192];

_Noreturn static void die(const char *what)
{
	fprintf(stderr, "exact: %s: %s\n", what, strerror(errno));
	exit(1);
}

static long made(long number, ...)
{
	long a[6];
	va_list ap;

	va_start(ap, number);
	for (int i = 0; i < 6; i++)
		a[i] = va_arg(ap, long);
	va_end(ap);
	__atomic_fetch_add(&shared->made[number], 1, __ATOMIC_RELAXED);
	return syscall(number, a[0], a[1], a[2], a[3], a[4], a[5]);
}

/* Pads the arguments to the six that made() needs. */
#define MADE(number, ...)	made(number, __VA_ARGS__, 0L, 0L, 0L, 0L, 0L, 0L)

static void must(const char *what, long got, long want)
{
	if (got != want)
		die(what);
}

/* ---- the workloads ---- */

static void calls(void)
{
	static char buffer[1024];
	long area = MADE(SYS_mmap, 0L, 521L * PAGE_BYTES, (long)(PROT_READ | PROT_WRITE),
			 (long)(MAP_PRIVATE | MAP_ANONYMOUS), -1L, 0L);
	long zero, null;

	if (area == -1)
		die("mmap");
	zero = MADE(SYS_openat, (long)AT_FDCWD, (long)"/dev/zero", (long)O_RDONLY);
	null = MADE(SYS_openat, (long)AT_FDCWD, (long)"/dev/null", (long)O_WRONLY);
	for (int i = 0; i < 1009; i++)
		must("getpid", MADE(SYS_getpid, 0L), self);
	for (int i = 0; i < 503; i++)
		MADE(SYS_getppid, 0L);
	for (int i = 0; i < 211; i++)
		must("read", MADE(SYS_read, zero, (long)buffer, 1024L), 1024);
	for (int i = 0; i < 223; i++)
		must("write", MADE(SYS_write, null, (long)buffer, 512L), 512);
	for (int i = 0; i < 101; i++)
		must("read of nothing", MADE(SYS_read, -1L, (long)buffer, 1L), -1);
	for (int i = 0; i < 97; i++)
		MADE(SYS_sched_yield, 0L);
	for (int i = 0; i < 521; i++)
		((volatile char *)area)[i * PAGE_BYTES] = 1;
	for (int i = 0; i < 53; i++)
		MADE(SYS_madvise, area, (long)PAGE_BYTES, (long)MADV_DONTNEED);
}

static long fork_child(void (*child)(long), long arg)
{
	long pid = MADE(SYS_clone, (long)SIGCHLD);

	if (pid < 0)
		die("fork");
	if (pid == 0) {
		child(arg);
		MADE(SYS_exit_group, 0L);
	}
	if (shared->pid_count < PIDS_MAX)
		shared->pids[shared->pid_count++] = (int)pid;
	return pid;
}

static void reap(long pid)
{
	must("wait4", MADE(SYS_wait4, pid, 0L, 0L, 0L), pid);
}

static volatile char pages[64 * PAGE_BYTES];

static void short_life(long count)
{
	for (long i = 0; i < count; i++)
		pages[i * PAGE_BYTES]++;
	for (long i = 0; i < 3; i++)
		MADE(SYS_getpid, 0L);
}

static int there[2], back[2];

static void pong(long trips)
{
	char byte;

	for (long i = 0; i < trips; i++) {
		must("read", MADE(SYS_read, (long)there[0], (long)&byte, 1L), 1);
		must("write", MADE(SYS_write, (long)back[1], (long)&byte, 1L), 1);
	}
}

static void tasks(void)
{
	char byte = 0;
	long pid;

	for (long i = 0; i < 23; i++)
		reap(fork_child(short_life, i));
	must("pipe", MADE(SYS_pipe2, (long)there), 0);
	must("pipe", MADE(SYS_pipe2, (long)back), 0);
	pid = fork_child(pong, 307);
	for (int i = 0; i < 307; i++) {
		must("write", MADE(SYS_write, (long)there[1], (long)&byte, 1L), 1);
		must("read", MADE(SYS_read, (long)back[0], (long)&byte, 1L), 1);
	}
	reap(pid);
}

static long listener;
static struct sockaddr_in address = { .sin_family = AF_INET };

static void echo(long trips)
{
	static char message[500];
	long fd = MADE(SYS_accept, listener, 0L, 0L);

	for (long i = 0; i < trips; i++) {
		must("recvfrom", MADE(SYS_recvfrom, fd, (long)message, (long)sizeof(message),
				      (long)MSG_WAITALL, 0L, 0L), sizeof(message));
		must("sendto", MADE(SYS_sendto, fd, (long)message, (long)sizeof(message),
				    0L, 0L, 0L), sizeof(message));
	}
}

static void network(void)
{
	static char message[500];
	socklen_t length = sizeof(address);
	long pid, fd, on = 1;

	listener = MADE(SYS_socket, (long)AF_INET, (long)SOCK_STREAM, 0L);
	address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	must("bind", MADE(SYS_bind, listener, (long)&address, (long)length), 0);
	must("listen", MADE(SYS_listen, listener, 1L), 0);
	must("getsockname", MADE(SYS_getsockname, listener, (long)&address, (long)&length), 0);
	pid = fork_child(echo, 103);
	fd = MADE(SYS_socket, (long)AF_INET, (long)SOCK_STREAM, 0L);
	must("connect", MADE(SYS_connect, fd, (long)&address, (long)length), 0);
	must("setsockopt", MADE(SYS_setsockopt, fd, (long)IPPROTO_TCP, (long)TCP_NODELAY,
				(long)&on, (long)sizeof(int)), 0);
	for (int i = 0; i < 103; i++) {
		must("sendto", MADE(SYS_sendto, fd, (long)message, (long)sizeof(message),
				    0L, 0L, 0L), sizeof(message));
		must("recvfrom", MADE(SYS_recvfrom, fd, (long)message, (long)sizeof(message),
				      (long)MSG_WAITALL, 0L, 0L), sizeof(message));
	}
	reap(pid);
}

static void disk(void)
{
	static char block[BLOCK_BYTES] __attribute__((aligned(BLOCK_BYTES)));
	long fd = MADE(SYS_openat, (long)AT_FDCWD, (long)"/dev/vdb", (long)(O_RDWR | O_DIRECT));

	if (fd < 0)
		die("/dev/vdb");
	/* Give the process its own page now, so that the device's access to it causes no fault. */
	memset(block, 1, sizeof(block));
	for (long i = 0; i < 61; i++)
		must("pwrite64", MADE(SYS_pwrite64, fd, (long)block, (long)BLOCK_BYTES,
				      i * BLOCK_BYTES), BLOCK_BYTES);
	for (long i = 0; i < 53; i++)
		must("pread64", MADE(SYS_pread64, fd, (long)block, (long)BLOCK_BYTES,
				     i * BLOCK_BYTES), BLOCK_BYTES);
}

/* Makes softirqs or interrupts, by the test module. */
static void have(long fd, const char *what)
{
	must(what, MADE(SYS_write, fd, (long)what, (long)strlen(what)), (long)strlen(what));
}

static void devices(void)
{
	struct timespec nap = { .tv_nsec = 3000000 };
	long fd = MADE(SYS_openat, (long)AT_FDCWD, (long)"/proc/kutrace_test", (long)O_WRONLY);

	disk();
	network();
	for (int i = 0; i < 17; i++)
		must("nanosleep", MADE(SYS_nanosleep, (long)&nap, 0L), 0);
	/* The last softirq, RCU's, is missing on a kernel with PREEMPT_RT. */
	for (int kind = 0; kind < (realtime ? 9 : 10); kind++) {
		char what[32];

		snprintf(what, sizeof(what), "softirq %d 13", kind);
		have(fd, what);
	}
	have(fd, "irq_work 0 29");
#ifdef __x86_64__
	have(fd, "vector 250 5");
	have(fd, "vector 249 7");
	have(fd, "vector 247 11");
	have(fd, "vector 2 19");
#endif
	if (cpus > 1) {
		have(fd, "call 0 31");
		have(fd, "call 1 37");
	}
}

/* ---- around the workloads ---- */

static void slurp(int fd, char *text, size_t size)
{
	ssize_t n = read(fd, text, size - 1);

	if (n <= 0)
		die("reading counters");
	text[n] = 0;
}

static long processes(const char *stat)
{
	const char *at = strstr(stat, "\nprocesses ");

	return at ? atol(at + 11) : -1;
}

/* Prints a reading, with the number of processes before and after it. */
static void print(const char *when, char *text, long before, long behind)
{
	for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n"))
		printf("%s %s\n", when, line);
	printf("%s - processes %ld\n", when, before);
	printf("%s - processes.behind %ld\n", when, behind);
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		void (*run)(void);
	} workloads[] = { { "calls", calls }, { "tasks", tasks }, { "devices", devices } };
	static char out[262144];
	void (*run)(void) = NULL;
	struct utsname kernel;
	int before, after, stat[4];

	for (size_t i = 0; i < sizeof(workloads) / sizeof(workloads[0]); i++)
		if (argc == 2 && strcmp(argv[1], workloads[i].name) == 0)
			run = workloads[i].run;
	if (!run) {
		fprintf(stderr, "usage: exact calls|tasks|devices\n");
		return 2;
	}
	setvbuf(stdout, out, _IOFBF, sizeof(out));
	shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE,
		      MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (shared == MAP_FAILED)
		die("mmap");
	memset(shared, 0, sizeof(*shared));
	self = getpid();
	cpus = sysconf(_SC_NPROCESSORS_ONLN);
	realtime = !uname(&kernel) && strstr(kernel.version, "PREEMPT_RT");
	shared->pids[shared->pid_count++] = (int)self;
	before = open("/proc/kutrace_test", O_RDONLY);
	after = open("/proc/kutrace_test", O_RDONLY);
	if (before < 0 || after < 0)
		die("/proc/kutrace_test");
	for (int i = 0; i < 4; i++) {
		stat[i] = open("/proc/stat", O_RDONLY);
		if (stat[i] < 0)
			die("/proc/stat");
	}
	/* Touch all memory, so that the readings cause no fault. */
	memset(first, 1, sizeof(first));
	memset(last, 1, sizeof(last));
	memset(stats, 1, sizeof(stats));

	slurp(stat[0], stats[0], sizeof(stats[0]));
	slurp(before, first, sizeof(first));
	slurp(stat[1], stats[1], sizeof(stats[1]));
	run();
	slurp(stat[2], stats[2], sizeof(stats[2]));
	/* The reads between the readings: stat[1], stat[2], and the last reading itself. */
	shared->made[SYS_read] += 3;
	slurp(after, last, sizeof(last));
	slurp(stat[3], stats[3], sizeof(stats[3]));

	print("first", first, processes(stats[0]), processes(stats[1]));
	print("last", last, processes(stats[2]), processes(stats[3]));
	for (int i = 0; i < CALLS_MAX; i++)
		if (shared->made[i])
			printf("made - %d %ld\n", i, shared->made[i]);
	for (int i = 0; i < shared->pid_count; i++)
		printf("pid - %d -\n", shared->pids[i]);
	return fflush(stdout) != 0;
}
