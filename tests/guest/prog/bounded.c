// SPDX-License-Identifier: BSD-3-Clause
/*
 * Measures how long a user who may only mark can delay other users, for
 * tests/guest/test_bounded.sh. Run it as root; processes that only mark have uid 65534.
 *
 *	bounded threads N	switches a tracepoint of a process with N sleeping threads. A child of
 *				the process shares the page of the tracepoint's byte. Prints "N
 *				NANOSECONDS ROUNDS": the mean time of a switch, and after how many
 *				switches the byte was still 1. Then wakes one more thread of the
 *				process, which waits for the byte's change in a loop: "seen" or "not
 *				seen"
 *	bounded herd N		prints only "seen" or "not seen". While the tracepoint is switched,
 *				the N threads are runnable in the kernel, and sleep again without a
 *				return to user space. Uses one CPU
 *	bounded processes N COMMAND
 *				runs a shell command while each of N processes has a byte, on a page
 *				that they share
 *	bounded reset MIB	fills the blocks of a session of that size and resets it. Prints
 *				"NANOSECONDS WAIT": the time of the reset, and the longest time of a
 *				request about another session meanwhile
 *	bounded skip MIB	fills the blocks of a session of that size, and reads cpu000 with a
 *				settimestamp that skips them. Prints "NANOSECONDS BYTES"
 *	bounded epoll N		fills blocks of the main session, which records, before and after a
 *				user makes N epoll registrations of the device. Prints "NANOSECONDS
 *				NANOSECONDS"
 *	bounded names N		makes a session record the names of all tasks while N threads sleep.
 *				Prints "NANOSECONDS WAIT", as above
 *	bounded orphan		switches a tracepoint whose byte cannot be written. The process that
 *				registered the byte has ended, and another process shares its
 *				memory. Then waits for 3 s
 *	bounded flood N		opens the device N times, and defines 256 tracepoints with long
 *				texts each time. Prints "DEFINED REFUSED MILLISECONDS"
 *	bounded close N		N users have a file each, which uses the same 256 definitions.
 *				Prints the nanoseconds of the last file's close
 *	bounded beside N	does the same, while another process of that user makes a mark each
 *				millisecond. Then prints also "MARKS", the number of marks
 */
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "kutrace_abi.h"
#include "kutrace_events.h"

#define NOBODY	65534
#define PAGE	4096
#define STACK	4096
#define ROUNDS	8
#define DEFS	256

/* Memory that the processes of this program share. */
static struct {
	volatile int ready;	/* all threads are there */
	volatile int spin;	/* the value to wait for */
	volatile int spun;	/* the value has been seen */
	uintptr_t at;		/* address of the byte, in the process that only marks */
} *shared;

static int event;		/* an eventfd that is never left readable */
static int go[2];		/* a pipe: a byte makes the thread begin to wait for its tracepoint's byte */

static volatile unsigned char *byte;

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

/* ---- threads ---- */

static int sleeper(void *unused)
{
	(void)unused;
	for (;;)
		pause();
	return 0;
}

/* Wakes up inside read() again and again, without anything to read. */
static int reader(void *unused)
{
	const struct sched_param param = {0};
	uint64_t value;

	(void)unused;
	if (!sched_setscheduler(0, SCHED_IDLE, &param))
		__atomic_fetch_add(&shared->ready, 1, __ATOMIC_RELAXED);
	if (read(event, &value, sizeof(value)) != sizeof(value))
		_exit(1);
	return sleeper(NULL);
}

static int spinner(void *unused)
{
	char c;

	(void)unused;
	if (read(go[0], &c, 1) == 1) {
		while (*byte != shared->spin)
			;
		shared->spun = 1;
	}
	return sleeper(NULL);
}

static void thread(int (*function)(void *), char *stack)
{
	if (clone(function, stack + STACK - 64, CLONE_VM | CLONE_FS | CLONE_FILES |
		  CLONE_SIGHAND | CLONE_THREAD | CLONE_SYSVSEM, NULL) < 0)
		fail("clone");
}

static void victim(int threads, int (*function)(void *))
{
	struct kutrace_point_def def = {.length = sizeof(def), .text = "bounded|"};
	struct kutrace_point_byte what = {.length = sizeof(what)};
	char *stacks;
	int fd, i;

	become_nobody();
	fd = device(O_RDONLY);
	byte = map(PAGE, MAP_PRIVATE);
	*byte = 0;
	what.address = (uintptr_t)byte;
	if (ioctl(fd, KUTRACE_IOC_POINT_DEFINE, &def))
		fail("define");
	what.id = def.id;
	if (ioctl(fd, KUTRACE_IOC_POINT_BYTE, &what))
		fail("byte");
	stacks = map((size_t)(threads + 1) * STACK, MAP_PRIVATE | MAP_NORESERVE);
	for (i = 0; i < threads; i++)
		thread(function, stacks + (size_t)i * STACK);
	/* A scan of the threads reaches this thread last. */
	thread(spinner, stacks + (size_t)threads * STACK);
	if (!fork())
		sleeper(NULL);
	shared->at = what.address;
	__atomic_fetch_add(&shared->ready, 1, __ATOMIC_RELAXED);
	sleeper(NULL);
}

/* Switches the point. Returns the time that this takes, in nanoseconds. */
static uint64_t turn(int fd, int on)
{
	struct kutrace_point_switch wanted = {.length = sizeof(wanted), .value = (uint32_t)on,
					      .name = "bounded"};
	uint64_t before = now();

	if (ioctl(fd, KUTRACE_IOC_POINT_SWITCH, &wanted))
		fail("switch");
	return now() - before;
}

/* Returns the value of the byte in that process. */
static int value_in(pid_t pid)
{
	unsigned char value = 0xFF;
	char name[40];
	int fd;

	snprintf(name, sizeof(name), "/proc/%d/mem", (int)pid);
	fd = open(name, O_RDONLY | O_CLOEXEC);
	if (fd < 0 || pread(fd, &value, 1, (off_t)shared->at) != 1)
		fail(name);
	close(fd);
	return value;
}

static pid_t begin_victim(int fd, int count, int (*function)(void *), int ready)
{
	pid_t pid = fork();

	if (!pid) {
		close(fd);
		setpgid(0, 0);
		victim(count, function);
	}
	while (shared->ready < ready)
		usleep(10000);
	return pid;
}

/* The last thread begins to wait only after the module has asked the other threads to write. */
static int end_victim(int fd, pid_t pid)
{
	int i;

	shared->spin = 0;
	turn(fd, 0);
	if (write(go[1], "", 1) != 1)
		fail("pipe");
	for (i = 0; i < 1000 && !shared->spun; i++)
		usleep(10000);
	printf("%s\n", shared->spun ? "seen" : "not seen");
	kill(-pid, SIGKILL);
	waitpid(pid, NULL, 0);
	return 0;
}

/* Switches the point on. Returns a descriptor of the device. */
static int switched_on(void)
{
	struct kutrace_point_def def = {.length = sizeof(def), .text = "bounded|"};
	int fd;

	shared = map(PAGE, MAP_SHARED);
	fd = device(O_RDWR);
	if (ioctl(fd, KUTRACE_IOC_POINT_DEFINE, &def))
		fail("define");
	turn(fd, 1);
	if (pipe2(go, O_CLOEXEC))
		fail("pipe");
	return fd;
}

static int threads(int count)
{
	int fd = switched_on(), i, on = 1, stale = 0;
	uint64_t ns, sum = 0;
	pid_t pid;

	pid = begin_victim(fd, count, sleeper, 1);
	/* All threads sleep, so no thread writes, and the page stays shared. */
	usleep(100000);
	for (i = 0; i < ROUNDS; i++) {
		on = !on;
		ns = turn(fd, on);
		stale += value_in(pid) == 1;
		fprintf(stderr, "bounded: %d threads, turned %s: %llu ns\n", count,
			on ? "on" : "off", (unsigned long long)ns);
		sum += ns;
	}
	printf("%d %llu %d\n", count, (unsigned long long)(sum / ROUNDS), stale);
	return end_victim(fd, pid);
}

static int herd(int count)
{
	const struct sched_param first = {.sched_priority = 1};
	int fd = switched_on(), i, on = 1;
	uint64_t value = 1;
	pid_t pid;

	event = eventfd(0, EFD_CLOEXEC);
	if (event < 0)
		fail("eventfd");
	pid = begin_victim(fd, count, reader, count + 1);
	usleep(100000);
	/* No reader may run before the eventfd is empty again. */
	if (sched_setscheduler(0, SCHED_FIFO, &first))
		fail("SCHED_FIFO");
	for (i = 0; i < ROUNDS; i++) {
		on = !on;
		if (write(event, &value, sizeof(value)) != sizeof(value) ||
		    read(event, &value, sizeof(value)) != sizeof(value))
			fail("eventfd");
		turn(fd, on);
		usleep(20000);
	}
	return end_victim(fd, pid);
}

/* ---- processes ---- */

/* Registers a byte and sleeps. The byte never changes, so its page stays shared. */
static void member(uint32_t id)
{
	struct kutrace_point_byte what = {.length = sizeof(what), .id = id};

	what.address = (uintptr_t)byte;
	if (ioctl(device(O_RDONLY), KUTRACE_IOC_POINT_BYTE, &what))
		fail("byte");
	__atomic_fetch_add(&shared->ready, 1, __ATOMIC_RELAXED);
	sleeper(NULL);
}

static int processes(int count, const char *command)
{
	struct kutrace_point_def def = {.length = sizeof(def), .text = "bounded|"};
	int fd = device(O_RDONLY), i, status;
	pid_t group, pid;

	shared = map(PAGE, MAP_SHARED);
	byte = map(PAGE, MAP_PRIVATE);
	*byte = 0;
	if (ioctl(fd, KUTRACE_IOC_POINT_DEFINE, &def))
		fail("define");
	group = fork();
	if (!group) {
		setpgid(0, 0);
		for (i = 0; i < count; i++)
			if (!fork())
				member(def.id);
		sleeper(NULL);
	}
	while (shared->ready < count)
		usleep(10000);
	usleep(100000);
	pid = fork();
	if (!pid) {
		execl("/bin/sh", "sh", "-c", command, NULL);
		fail("sh");
	}
	waitpid(pid, &status, 0);
	kill(-group, SIGKILL);
	waitpid(group, NULL, 0);
	return !WIFEXITED(status) || WEXITSTATUS(status);
}

/* ---- a large session ---- */

static void control(int fd, uint64_t command, uint64_t arg)
{
	struct kutrace_control what = {.command = command, .arg = arg};

	if (ioctl(fd, KUTRACE_IOC_CONTROL, &what))
		fail("control");
}

/*
 * Reads the status of the main session until the reset is over. Stores the longest wait in
 * *longest.
 */
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

/* Creates a session and uses all of its blocks. Returns a descriptor of the device. */
static int filled_session(uint32_t mib)
{
	struct kutrace_session session = {.length = sizeof(session), .mb = mib, .name = "filled"};
	uint64_t entry = (uint64_t)KUTRACE_MARKD << KUTRACE_EVENT_SHIFT;
	struct kutrace_info info = {.length = sizeof(info)};
	int fd = device(O_RDWR);

	if (ioctl(fd, KUTRACE_IOC_SESSION_CREATE, &session))
		fail("session");
	/* One entry in each block is enough: the reset clears such a block like a full block. */
	do {
		control(fd, ~(uint64_t)KUTRACE_CMD_INSERT1, entry);
		control(fd, KUTRACE_CMD_FLUSH, 0);
		if (ioctl(fd, KUTRACE_IOC_INFO, &info))
			fail("info");
	} while (info.used_blocks < info.nblocks);
	return fd;
}

static int skip(uint32_t mib)
{
	const char commands[] = "session filled\nsettimestamp 0xffffffffffffff\n";
	int device_fd, fd;
	uint64_t took;
	ssize_t bytes;
	char block[64];
	cpu_set_t first;

	CPU_ZERO(&first);
	CPU_SET(0, &first);
	if (sched_setaffinity(0, sizeof(first), &first))
		fail("affinity");
	device_fd = filled_session(mib);
	fd = open("/dev/kutrace/cpu000", O_RDWR | O_CLOEXEC);
	if (fd < 0 || write(fd, commands, sizeof(commands) - 1) < 0)
		fail("cpu000");
	took = now();
	bytes = read(fd, block, sizeof(block));
	took = now() - took;
	printf("%llu %zd\n", (unsigned long long)took, bytes);
	close(fd);
	close(device_fd);
	return 0;
}

static int reset(uint32_t mib)
{
	volatile uint64_t *longest = map(PAGE, MAP_SHARED);
	uint64_t took;
	pid_t pid;
	int fd;

	shared = map(PAGE, MAP_SHARED);
	fd = filled_session(mib);
	pid = fork();
	if (!pid)
		ask(longest);
	while (!shared->ready)
		usleep(10000);
	/* Let the process that reads the status run first. */
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

/* ---- waiters ---- */

#define COPIES	500

static void watcher(int count)
{
	struct epoll_event what = {.events = EPOLLIN};
	int copies[COPIES], i, epoll = -1;

	become_nobody();
	copies[0] = device(O_RDONLY);
	for (i = 1; i < COPIES; i++)
		copies[i] = dup(copies[0]);
	for (i = 0; i < count; i++) {
		if (i % COPIES == 0)
			epoll = epoll_create1(EPOLL_CLOEXEC);
		if (epoll < 0 || epoll_ctl(epoll, EPOLL_CTL_ADD, copies[i % COPIES], &what))
			fail("epoll");
	}
	shared->ready = 1;
	sleeper(NULL);
}

/* Fills 8 blocks by events of 8 words. Returns the time that this takes, in nanoseconds. */
static uint64_t fill(int fd)
{
	struct kutrace_point_def def = {.length = sizeof(def), .text =
		"fill u64 a, u64 b, u64 c, u64 d, u64 e, u64 f, u64 g|"};
	struct kutrace_point_entry entry = {.nwords = KUTRACE_POINT_WORDS};
	uint64_t before;
	int i;

	if (ioctl(fd, KUTRACE_IOC_POINT_DEFINE, &def))
		fail("define");
	entry.id = def.id;
	before = now();
	for (i = 0; i < 8 * 1024; i++)
		if (ioctl(fd, KUTRACE_IOC_POINT, &entry))
			fail("point");
	return now() - before;
}

static int waiters(int count)
{
	int fd = device(O_RDWR);
	uint64_t before, after;
	pid_t pid;

	shared = map(PAGE, MAP_SHARED);
	before = fill(fd);
	pid = fork();
	if (!pid)
		watcher(count);
	while (!shared->ready)
		usleep(10000);
	after = fill(fd);
	printf("%llu %llu\n", (unsigned long long)before, (unsigned long long)after);
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	return 0;
}

/* ---- many tasks ---- */

static int names(int count)
{
	struct kutrace_session session = {.length = sizeof(session), .mb = 4};
	struct kutrace_switch mask = {.mask = 1ULL << KUTRACE_KIND_NAME};
	volatile uint64_t *longest = map(PAGE, MAP_SHARED);
	int fd = device(O_RDWR), i;
	char *stacks;
	uint64_t took;
	pid_t pid;

	shared = map(PAGE, MAP_SHARED);
	stacks = map((size_t)count * STACK, MAP_PRIVATE | MAP_NORESERVE);
	if (ioctl(fd, KUTRACE_IOC_SESSION_CREATE, &session))
		fail("session");
	pid = fork();
	if (!pid)
		ask(longest);
	for (i = 0; i < count; i++)
		thread(sleeper, stacks + (size_t)i * STACK);
	while (!shared->ready)
		usleep(10000);
	/* Wait until all threads sleep. */
	usleep(100000);
	if (nice(19) < 0)
		fail("nice");
	control(fd, KUTRACE_CMD_ON, 0);
	/* The second mask records names again: all tasks are named, and no hook is attached. */
	if (ioctl(fd, KUTRACE_IOC_MASK, &mask))
		fail("mask");
	mask.value = mask.mask;
	shared->spin = 1;
	took = now();
	if (ioctl(fd, KUTRACE_IOC_MASK, &mask))
		fail("mask");
	took = now() - took;
	shared->spin = 0;
	shared->spun = 1;
	waitpid(pid, NULL, 0);
	printf("%llu %llu\n", (unsigned long long)took, (unsigned long long)*longest);
	return 0;
}

/* ---- a process that has ended ---- */

static int orphan(void)
{
	struct kutrace_point_def def = {.length = sizeof(def), .text = "bounded|"};
	int fd = device(O_RDWR);
	pid_t pid;

	shared = map(PAGE, MAP_SHARED);
	if (ioctl(fd, KUTRACE_IOC_POINT_DEFINE, &def))
		fail("define");
	turn(fd, 0);
	pid = fork();
	if (!pid) {
		struct kutrace_point_byte what = {.length = sizeof(what), .id = def.id};
		char *stack = map(STACK, MAP_PRIVATE);

		close(fd);
		fd = device(O_RDONLY);
		byte = map(PAGE, MAP_PRIVATE);
		*byte = 0;
		what.address = (uintptr_t)byte;
		if (ioctl(fd, KUTRACE_IOC_POINT_BYTE, &what))
			fail("byte");
		/* A child shares the page. Another process shares the whole memory and the file. */
		pid = fork();
		if (!pid)
			sleeper(NULL);
		shared->ready = pid;
		shared->spun = clone(sleeper, stack + STACK - 64, CLONE_VM | CLONE_FILES | SIGCHLD, NULL);
		_exit(0);
	}
	waitpid(pid, NULL, 0);
	if (shared->ready <= 0 || shared->spun <= 0)
		fail("child");
	turn(fd, 1);
	sleep(3);
	kill(shared->ready, SIGKILL);
	kill(shared->spun, SIGKILL);
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

static int close_last(int users)
{
	struct kutrace_point_def def;
	int i, fd = -1;
	uint64_t before;
	uid_t uid;

	if (setgid(NOBODY))
		fail("setgid");
	for (uid = NOBODY; uid > NOBODY - (uid_t)users; uid--) {
		/* The saved user id stays 0, so the process becomes root again. */
		if (setresuid(uid, uid, 0))
			fail("setresuid");
		fd = device(O_RDONLY);
		for (i = 0; i < DEFS; i++) {
			memset(&def, 0, sizeof(def));
			def.length = sizeof(def);
			snprintf(def.text, sizeof(def.text), "close_%d|", i);
			if (ioctl(fd, KUTRACE_IOC_POINT_DEFINE, &def))
				fail("define");
		}
		if (setresuid(0, 0, 0))
			fail("setresuid");
	}
	before = now();
	close(fd);
	printf("%llu\n", (unsigned long long)(now() - before));
	return 0;
}

static int beside(int rounds)
{
	int fd, marks = 0, status;
	pid_t pid;

	become_nobody();
	fd = device(O_RDONLY);
	pid = fork();
	if (!pid)
		_exit(flood(rounds));
	while (!waitpid(pid, &status, WNOHANG)) {
		if (ioctl(fd, KUTRACE_IOC_MARK, (unsigned long)KUTRACE_MARKD << 32 | 1))
			fail("mark");
		marks++;
		usleep(1000);
	}
	printf("%d\n", marks);
	return status != 0;
}

int main(int argc, char **argv)
{
	int number = argc >= 3 ? atoi(argv[2]) : 0;

	setvbuf(stdout, NULL, _IOLBF, 0);
	if (number > 0 && !strcmp(argv[1], "threads"))
		return threads(number);
	if (number > 0 && !strcmp(argv[1], "herd"))
		return herd(number);
	if (number > 0 && !strcmp(argv[1], "reset"))
		return reset((uint32_t)number);
	if (number > 0 && !strcmp(argv[1], "skip"))
		return skip((uint32_t)number);
	if (number > 0 && !strcmp(argv[1], "epoll"))
		return waiters(number);
	if (argc == 4 && !strcmp(argv[1], "processes"))
		return processes(number, argv[3]);
	if (number > 0 && !strcmp(argv[1], "names"))
		return names(number);
	if (argc == 2 && !strcmp(argv[1], "orphan"))
		return orphan();
	if (number > 0 && !strcmp(argv[1], "flood"))
		return flood(number);
	if (number > 0 && !strcmp(argv[1], "close"))
		return close_last(number);
	if (number > 0 && !strcmp(argv[1], "beside"))
		return beside(number);
	fprintf(stderr,
		"usage: bounded threads|herd|reset|names|flood|close|beside NUMBER; processes NUMBER COMMAND; orphan\n");
	return 2;
}
