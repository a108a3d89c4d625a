/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Makes tasks that sleep in system calls, in every way in which a direct hook of system calls can
 * be on a stack. For test_direct_others.sh; x86-64.
 *
 *	sleep_in_calls	prints "WAY PID" for each of the ways below, then "asleep" when all tasks sleep.
 *		For each line that it reads, it ends the task of the next way and prints "WAY ends"
 *
 *	int80	a read() by int $0x80
 *	asked	stopped by its debugger at the beginning of a call
 *	traced	a read() of a debugged task
 *	exec	stopped by its debugger within exec
 *	vfork	waits for the end of its child by vfork; that child, vforked, sleeps in a read()
 *	child	a new task before user space: the page for its number is missing (userfaultfd)
 *
 * sleep_in_calls itself sleeps in a read() of its input. Exit status: 0; 1 with a message.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/userfaultfd.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define PAGE	4096
#define STACK	65536
#define NR32_READ 3

static char **program;

static void fail(const char *what)
{
	fprintf(stderr, "sleep_in_calls: %s: %s\n", what, strerror(errno));
	_exit(1);
}

/* The task of a way sleeps until a byte is written to its pipe. */
struct way {
	const char *name;
	int in, out;
	pid_t pid;
};

static struct way begin(const char *name)
{
	struct way way = { .name = name };
	int fds[2];

	if (pipe2(fds, O_CLOEXEC))
		fail("pipe");
	way.in = fds[0];
	way.out = fds[1];
	return way;
}

static pid_t child_of(void)
{
	pid_t pid = fork();

	if (pid < 0)
		fail("fork");
	return pid;
}

static void there(const struct way *way)
{
	printf("%s %d\n", way->name, (int)way->pid);
}

/* Checks that the task ended without an error. */
static void ends(const struct way *way)
{
	int status;

	if (waitpid(way->pid, &status, __WALL) != way->pid || status) {
		fprintf(stderr, "sleep_in_calls: %s ended with %x\n", way->name, status);
		_exit(1);
	}
	printf("%s ends\n", way->name);
}

static void wake(const struct way *way)
{
	if (write(way->out, "x", 1) != 1)
		fail("write");
}

static void take(int fd)
{
	char c;

	if (read(fd, &c, 1) != 1)
		_exit(2);
}

/* Waits until the task sleeps, or its debugger has stopped it. */
static void until_asleep(pid_t pid)
{
	char name[64], line[512];
	ssize_t n;
	int fd;

	/* The task may still sleep in an earlier call: check again after a while. */
	for (int times = 0; times < 5; usleep(5000)) {
		snprintf(name, sizeof(name), "/proc/%d/stat", (int)pid);
		fd = open(name, O_RDONLY);
		n = read(fd, line, sizeof(line) - 1);
		close(fd);
		if (n <= 0)
			fail(name);
		line[n] = 0;
		times = strstr(line, ") S") || strstr(line, ") D") ? times + 1 : 0;
	}
}

/* ---- the ways ---- */

static struct way int80(void)
{
	struct way way = begin("int80");

	way.pid = child_of();
	if (!way.pid) {
		void *page = mmap(NULL, PAGE, PROT_READ | PROT_WRITE,
				  MAP_PRIVATE | MAP_ANONYMOUS | MAP_32BIT, -1, 0);
		long ret = NR32_READ;

		__asm__ volatile("int $0x80" : "+a"(ret) : "b"((long)way.in), "c"(page), "d"(1L)
				 : "r8", "r9", "r10", "r11", "memory");
		_exit(ret == 1 ? 0 : 1);
	}
	until_asleep(way.pid);
	there(&way);
	return way;
}

static pid_t debugged(int in)
{
	pid_t pid = child_of();
	int status;

	if (!pid) {
		if (ptrace(PTRACE_TRACEME, 0, NULL, NULL))
			fail("PTRACE_TRACEME");
		kill(getpid(), SIGSTOP);
		if (in >= 0)
			take(in);
		else
			execv("/proc/self/exe", (char *[]){ program[0], "nothing", NULL });
		_exit(0);
	}
	if (waitpid(pid, &status, 0) != pid || !WIFSTOPPED(status))
		fail("the debugged does not stop");
	return pid;
}

static void go_on(pid_t pid, int request)
{
	if (ptrace(request, pid, NULL, NULL))
		fail("ptrace");
}

static void until_stopped(pid_t pid)
{
	int status;

	if (waitpid(pid, &status, 0) != pid || !WIFSTOPPED(status))
		fail("the debugged does not stop");
}

static struct way asked(void)
{
	struct way way = begin("asked");

	way.pid = debugged(way.in);
	go_on(way.pid, PTRACE_SYSCALL);
	until_stopped(way.pid);
	there(&way);
	return way;
}

static struct way traced(void)
{
	struct way way = begin("traced");

	way.pid = debugged(way.in);
	go_on(way.pid, PTRACE_SYSCALL);
	until_stopped(way.pid);
	go_on(way.pid, PTRACE_SYSCALL);
	until_asleep(way.pid);
	there(&way);
	return way;
}

static struct way exec(void)
{
	struct way way = { .name = "exec" };

	way.pid = debugged(-1);
	if (ptrace(PTRACE_SETOPTIONS, way.pid, NULL, PTRACE_O_TRACEEXEC))
		fail("PTRACE_SETOPTIONS");
	go_on(way.pid, PTRACE_CONT);
	until_stopped(way.pid);
	there(&way);
	return way;
}

static struct way vforks(void)
{
	struct way way = begin("vfork"), vforked = begin("vforked");
	int told[2];

	if (pipe(told))
		fail("pipe");
	way.pid = child_of();
	if (!way.pid) {
		volatile pid_t pid;

		pid = vfork();
		if (!pid) {
			pid = getpid();
			if (write(told[1], (void *)&pid, sizeof(pid)) != sizeof(pid))
				_exit(1);
			take(way.in);
			_exit(0);
		}
		_exit(waitpid(pid, NULL, 0) != pid);
	}
	if (read(told[0], &vforked.pid, sizeof(pid_t)) != sizeof(pid_t))
		fail("vfork");
	close(told[0]);
	close(told[1]);
	until_asleep(way.pid);
	until_asleep(vforked.pid);
	there(&way);
	there(&vforked);
	return way;
}

static char stack[STACK] __attribute__((aligned(16)));
static char content[PAGE] __attribute__((aligned(PAGE)));

static int nothing(void *page)
{
	/* Check that the kernel stored the number in the page. */
	return *(volatile pid_t *)page != getpid();
}

static struct way child(int *faults, char **page)
{
	struct way way = { .name = "child" };
	struct uffdio_api api = { .api = UFFD_API };
	struct uffdio_register wanted = { .mode = UFFDIO_REGISTER_MODE_MISSING };
	struct uffd_msg message;

	*faults = (int)syscall(SYS_userfaultfd, O_CLOEXEC);
	*page = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (*faults < 0 || *page == MAP_FAILED || ioctl(*faults, UFFDIO_API, &api))
		fail("userfaultfd");
	wanted.range.start = (unsigned long)*page;
	wanted.range.len = PAGE;
	if (ioctl(*faults, UFFDIO_REGISTER, &wanted))
		fail("UFFDIO_REGISTER");
	way.pid = clone(nothing, stack + STACK, CLONE_VM | CLONE_CHILD_SETTID | SIGCHLD, *page, NULL, NULL, *page);
	if (way.pid < 0)
		fail("clone");
	if (read(*faults, &message, sizeof(message)) != (ssize_t)sizeof(message))
		fail("no fault");
	until_asleep(way.pid);
	there(&way);
	return way;
}

static void bring(int faults, char *page)
{
	struct uffdio_copy copy = {
		.dst = (unsigned long)page, .src = (unsigned long)content, .len = PAGE };

	if (ioctl(faults, UFFDIO_COPY, &copy))
		fail("UFFDIO_COPY");
}

static void told(void)
{
	char line[16];

	/* Read single bytes, and none beyond the expected line. */
	if (read(0, line, 1) != 1)
		_exit(1);
}

int main(int argc, char **argv)
{
	struct way way[6];
	char *page;
	int faults;

	if (argc > 1)
		return 0;
	program = argv;
	setvbuf(stdout, NULL, _IOLBF, 0);
	way[0] = int80();
	way[1] = asked();
	way[2] = traced();
	way[3] = exec();
	way[4] = vforks();
	way[5] = child(&faults, &page);
	printf("asleep\n");
	for (int i = 0; i < 6; i++) {
		told();
		switch (i) {
		case 1:
		case 2:
			wake(&way[i]);
			if (i == 2)
				until_stopped(way[i].pid);
			go_on(way[i].pid, PTRACE_DETACH);
			break;
		case 3:
			go_on(way[i].pid, PTRACE_DETACH);
			break;
		case 5:
			bring(faults, page);
			break;
		default:
			wake(&way[i]);
		}
		ends(&way[i]);
	}
	return 0;
}
