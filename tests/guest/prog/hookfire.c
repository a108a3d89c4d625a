/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Makes every kind of event that a program can make on purpose, a known number
 * of times each, and says how many: the witness of the patched kernel's hooks.
 * Run in a guest while recording. It must count what it did itself, never what
 * the tracer says.
 *
 *	hookfire PHASE...	all phases without arguments
 *
 * Prints lines "PHASE WHAT COUNT", and marks the phases in the trace by a mark
 * through the control system call.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <fenv.h>
#include <netinet/in.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "kutrace_abi.h"
#include "kutrace_events.h"

#define ROUNDS		20
#define NR_CONTROL	1023
#define NR32_GETPPID	64

static void fail(const char *what)
{
	fprintf(stderr, "hookfire: %s: %s\n", what, strerror(errno));
	exit(1);
}

static uint64_t control(uint64_t command, uint64_t arg)
{
	long ret = NR_CONTROL;

	__asm__ volatile("syscall" : "+a"(ret) : "D"(command), "S"(arg)
			 : "rcx", "r11", "memory");
	return (uint64_t)ret;
}

/* mark_d(number): 1000 * phase + 0 at its begin, + 1 at its end. */
static void mark(uint32_t number)
{
	if (control(KUTRACE_CMD_INSERT1, (uint64_t)KUTRACE_MARKD << 32 | number) != 1) {
		fprintf(stderr, "hookfire: the control call refuses a mark\n");
		exit(1);
	}
}

/* ---- system calls ---- */

static void calls32(void)
{
	long ret = 0;

	for (int i = 0; i < ROUNDS; i++) {
		ret = NR32_GETPPID;
		__asm__ volatile("int $0x80" : "+a"(ret) : : "r8", "r9", "r10", "r11", "memory");
	}
	printf("calls32 getppid %d\n", (int)ret == (int)getppid() ? ROUNDS : -1);
}

static void callsx32(void)
{
	long ret = 0;
	int done = 0;

	for (int i = 0; i < ROUNDS; i++) {
		ret = 0x40000000 + SYS_getppid;
		__asm__ volatile("syscall" : "+a"(ret) : : "rcx", "r11", "memory");
		done += ret == getppid();
	}
	/* Its own getppid each time makes as many again; -1: no x32 here. */
	printf("callsx32 getppid %d\n", done ? 2 * done : -1);
}

static void badcalls(void)
{
	int done = 0;

	for (int i = 0; i < ROUNDS; i++)
		done += syscall(3000) == -1 && errno == ENOSYS;
	printf("badcalls nr3000 %d\n", done);
}

static void calls1023(void)
{
	printf("control version %d\n", (int)control(KUTRACE_CMD_VERSION, 0));
	printf("control test %d\n", (int)control(KUTRACE_CMD_TEST, 0));
	printf("control refused %d\n", control(4711, 0) == ~0ull);
}

/* ---- traps ---- */

static sigjmp_buf back;

static void on_signal(int sig)
{
	(void)sig;
	siglongjmp(back, 1);
}

static void trap(const char *name, int sig, void (*cause)(void))
{
	struct sigaction action = { .sa_handler = on_signal };
	volatile int done = 0, i;

	sigaction(sig, &action, NULL);
	for (i = 0; i < ROUNDS; i++) {
		if (sigsetjmp(back, 1) == 0)
			cause();
		else
			done = done + 1;
	}
	signal(sig, SIG_DFL);
	printf("traps %s %d\n", name, done);
}

static void cause_divide(void)
{
	__asm__ volatile("xor %%ecx, %%ecx; mov $1, %%eax; cltd; idiv %%ecx"
			 : : : "eax", "ecx", "edx");
}

static void cause_debug(void)
{
	/* a single step; the stack's red zone is left alone */
	__asm__ volatile("sub $128, %%rsp; pushf; orq $0x100, (%%rsp); popf; nop; add $128, %%rsp"
			 : : : "cc", "memory");
}

static void cause_breakpoint(void)
{
	__asm__ volatile("int3");
}

static void cause_opcode(void)
{
	__asm__ volatile("ud2");
}

static void cause_protection(void)
{
	__asm__ volatile("hlt");
}

static void cause_x87(void)
{
	static const unsigned short unmasked = 0x037B;	/* zero divide */

	__asm__ volatile("fninit; fldcw %0; fldz; fld1; fdivp %%st, %%st(1); fwait"
			 : : "m"(unmasked));
}

static void traps(void)
{
	trap("divide", SIGFPE, cause_divide);
	trap("debug", SIGTRAP, cause_debug);
	trap("breakpoint", SIGTRAP, cause_breakpoint);
	trap("opcode", SIGILL, cause_opcode);
	trap("protection", SIGSEGV, cause_protection);
	trap("x87", SIGFPE, cause_x87);
	__asm__ volatile("fninit");
}

/* Pages that were never touched; a write each. */
static void faults(void)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	volatile char *area = mmap(NULL, 200 * page, PROT_READ | PROT_WRITE,
				   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (area == MAP_FAILED)
		fail("mmap");
	madvise((void *)area, 200 * page, MADV_NOHUGEPAGE);
	mark(9000);
	for (int i = 0; i < 200; i++)
		area[(size_t)i * page] = 1;
	mark(9001);
	printf("faults pages 200\n");
}

/* ---- packets ---- */

static int server(int family, int type, struct sockaddr_in6 *addr, socklen_t *len)
{
	int fd = socket(family, type, 0);

	memset(addr, 0, sizeof(*addr));
	if (family == AF_INET6) {
		addr->sin6_family = AF_INET6;
		addr->sin6_addr = in6addr_loopback;
		*len = sizeof(*addr);
	} else {
		struct sockaddr_in *in = (struct sockaddr_in *)addr;

		in->sin_family = AF_INET;
		in->sin_addr.s_addr = htonl(INADDR_LOOPBACK);
		*len = sizeof(*in);
	}
	if (fd < 0 || bind(fd, (struct sockaddr *)addr, *len) ||
	    getsockname(fd, (struct sockaddr *)addr, len))
		fail("server");
	return fd;
}

/* Each payload is 32 bytes: the number first, zeros, so its XOR is the number. */
static void packets(const char *name, int family, int type, uint32_t first)
{
	struct sockaddr_in6 addr;
	socklen_t len;
	int listener = server(family, type, &addr, &len), peer = listener;
	int fd = socket(family, type, 0);
	uint32_t data[8] = {};

	if (type == SOCK_STREAM && listen(listener, 1))
		fail("listen");
	if (connect(fd, (struct sockaddr *)&addr, len))
		fail("connect");
	if (type == SOCK_STREAM)
		peer = accept(listener, NULL, NULL);
	for (uint32_t i = 0; i < ROUNDS; i++) {
		data[0] = first + i;
		if (send(fd, data, sizeof(data), 0) != sizeof(data) ||
		    recv(peer, data, sizeof(data), MSG_WAITALL) != sizeof(data))
			fail(name);
	}
	close(fd);
	close(listener);
	if (peer != listener)
		close(peer);
	printf("packets %s %d\n", name, ROUNDS);
}

/* ---- tasks ---- */

static void *thread(void *name)
{
	prctl(PR_SET_NAME, name, 0, 0, 0);
	return NULL;
}

static void tasks(void)
{
	pthread_t one;
	pid_t child;

	prctl(PR_SET_NAME, "hf_renamed", 0, 0, 0);
	if (pthread_create(&one, NULL, thread, "hf_thread") || pthread_join(one, NULL))
		fail("pthread_create");
	child = fork();
	if (child == 0)
		_exit(0);
	if (child < 0 || waitpid(child, NULL, 0) != child)
		fail("fork");
	prctl(PR_SET_NAME, "hookfire", 0, 0, 0);
	printf("tasks child %d\n", (int)child);
}

/* ---- locks ---- */

static pthread_mutex_t held = PTHREAD_MUTEX_INITIALIZER;

static void *wants(void *unused)
{
	pthread_mutex_lock(&held);
	pthread_mutex_unlock(&held);
	return unused;
}

/* Each time a thread has to wait in a futex, for longer than it can take to get there. */
static void locks(void)
{
	for (int i = 0; i < ROUNDS; i++) {
		pthread_t one;

		pthread_mutex_lock(&held);
		if (pthread_create(&one, NULL, wants, NULL))
			fail("pthread_create");
		usleep(20000);
		pthread_mutex_unlock(&held);
		pthread_join(one, NULL);
	}
	printf("locks waits %d\n", ROUNDS);
}

int main(void)
{
	setvbuf(stdout, NULL, _IOLBF, 0);
	mark(1000);
	calls32();
	mark(1001);
	mark(2000);
	callsx32();
	mark(2001);
	mark(3000);
	badcalls();
	mark(3001);
	calls1023();
	mark(4000);
	traps();
	mark(4001);
	faults();
	mark(5000);
	packets("udp4", AF_INET, SOCK_DGRAM, 0x10000);
	packets("udp6", AF_INET6, SOCK_DGRAM, 0x20000);
	packets("tcp4", AF_INET, SOCK_STREAM, 0x30000);
	packets("tcp6", AF_INET6, SOCK_STREAM, 0x40000);
	mark(5001);
	mark(6000);
	locks();
	mark(6001);
	tasks();
	return 0;
}
