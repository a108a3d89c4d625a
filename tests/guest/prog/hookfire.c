/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Makes a known number of every kind of event that a program can make on purpose, and prints these
 * numbers: the witness of the patched kernel's hooks. Run it in a guest while recording. It must
 * count its own actions and never use the tracer's data.
 *
 *	hookfire		everything except the events that make the kernel warn
 *	hookfire warns		only these events
 *	hookfire packets	only packets
 *	hookfire traps		only exceptions of user mode, without marks
 *	hookfire nothing	ends immediately: hookfire executes itself this way
 *
 * Makes the events that user space cannot make by kutrace_test.ko (/proc/kutrace_test). Prints
 * lines "PHASE WHAT COUNT", and for the module's events "fired MARK WHAT NUMBER COUNT". Marks the
 * phases in the trace by the control system call.
 */
#include <asm/ldt.h>
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
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
#include <time.h>
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

/* Makes mark_d(number): 1000 * phase at the beginning of a phase, and 1 more at its end. */
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
	/* getppid() makes one more call with this number in each round. -1: no x32. */
	printf("callsx32 getppid %d\n", done ? 2 * done : -1);
}

/* ioctl on no file, by a number that only x32 has. */
static void callsx32only(void)
{
	int done = 0;

	for (int i = 0; i < ROUNDS; i++) {
		long ret = 0x40000000 + 514;

		__asm__ volatile("syscall" : "+a"(ret) : "D"(-1L), "S"(0L), "d"(0L)
				 : "rcx", "r11", "memory");
		done += ret == -EBADF;
	}
	printf("callsx32only ioctl %d\n", done);
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
	/* A separate stack, because 32-bit code and a bad SS leave no usable one. */
	static char stack[65536];
	stack_t alternate = { .ss_sp = stack, .ss_size = sizeof(stack) };
	struct sigaction action = { .sa_handler = on_signal, .sa_flags = SA_ONSTACK };
	volatile int done = 0, i;

	if (sigaltstack(&alternate, NULL))
		fail("sigaltstack");
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
	/* a single step; leaves the stack's red zone alone */
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

/* User code may cause interrupt 4. */
static void cause_overflow(void)
{
	__asm__ volatile("int $4");
}

/* 64-bit code has no BOUND instruction, so this jumps to 32-bit code. */
static void cause_bound(void)
{
	static unsigned char *code;
	static struct {
		uint32_t offset;
		uint16_t segment;
	} __attribute__((packed)) target = { .segment = 0x23 };
	static const unsigned char bound_eax[] = { 0x62, 0x05 };	/* bound mem32, eax */

	if (!code) {
		code = mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC,
			    MAP_PRIVATE | MAP_ANONYMOUS | MAP_32BIT, -1, 0);
		if (code == MAP_FAILED)
			fail("mmap");
		uint32_t limits = (uint32_t)(uintptr_t)code + 64;

		memcpy(code, bound_eax, sizeof(bound_eax));
		memcpy(code + 2, &limits, sizeof(limits));
		memcpy(code + 64, (int32_t[]){ 1, 2 }, 8);	/* eax is 7 */
		target.offset = (uint32_t)(uintptr_t)code;
	}
	__asm__ volatile("mov %w0, %%ds; ljmp *%1" : : "r"(0x2B), "m"(target), "a"(7) : "memory");
}

/* Loads an absent segment into a segment register. */
static uint16_t absent_segment(void)
{
	struct user_desc desc = {
		.entry_number = 1, .limit = 0xFFFF, .seg_32bit = 1, .limit_in_pages = 1,
		.seg_not_present = 1,
	};

	if (syscall(SYS_modify_ldt, 1, &desc, sizeof(desc)))
		fail("modify_ldt");
	return 1 << 3 | 7;
}

static void cause_segment(void)
{
	__asm__ volatile("mov %w0, %%es" : : "r"(absent_segment()));
}

static void cause_stack(void)
{
	__asm__ volatile("mov %w0, %%ss" : : "r"(absent_segment()));
}

static void traps(void)
{
	trap("divide", SIGFPE, cause_divide);
	trap("debug", SIGTRAP, cause_debug);
	trap("breakpoint", SIGTRAP, cause_breakpoint);
	trap("opcode", SIGILL, cause_opcode);
	trap("protection", SIGSEGV, cause_protection);
	trap("x87", SIGFPE, cause_x87);
	trap("overflow", SIGSEGV, cause_overflow);
	trap("bound", SIGSEGV, cause_bound);
	trap("segment", SIGBUS, cause_segment);
	trap("stack", SIGBUS, cause_stack);
	__asm__ volatile("fninit");
}

/* Writes once to each of some pages that were never touched. */
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

/* Each payload is 32 bytes: the number, then zeros, so its XOR is the number. */
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

static void all_packets(void)
{
	packets("udp4", AF_INET, SOCK_DGRAM, 0x10000);
	packets("udp6", AF_INET6, SOCK_DGRAM, 0x20000);
	packets("tcp4", AF_INET, SOCK_STREAM, 0x30000);
	packets("tcp6", AF_INET6, SOCK_STREAM, 0x40000);
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

/* Waits until the process or thread sleeps, which must be its first sleep. */
static void until_asleep(pid_t pid)
{
	char path[64], text[512], *state;

	snprintf(path, sizeof(path), "/proc/%d/stat", pid);
	for (;;) {
		int fd = open(path, O_RDONLY);
		ssize_t n = fd < 0 ? -1 : read(fd, text, sizeof(text) - 1);

		if (n <= 0)
			fail(path);
		close(fd);
		text[n] = 0;
		state = strrchr(text, ')');
		if (state && state[2] == 'S')
			return;
		usleep(1000);
	}
}

/* ---- locks ---- */

static pthread_mutex_t held = PTHREAD_MUTEX_INITIALIZER;

static volatile pid_t waiter;

static void *wants(void *unused)
{
	waiter = (pid_t)syscall(SYS_gettid);
	pthread_mutex_lock(&held);
	pthread_mutex_unlock(&held);
	return unused;
}

/* Each round makes a thread wait in a futex. */
static void locks(void)
{
	for (int i = 0; i < ROUNDS; i++) {
		pthread_t one;

		waiter = 0;
		pthread_mutex_lock(&held);
		if (pthread_create(&one, NULL, wants, NULL))
			fail("pthread_create");
		while (!waiter)
			usleep(1000);
		until_asleep(waiter);
		pthread_mutex_unlock(&held);
		pthread_join(one, NULL);
	}
	printf("locks waits %d\n", ROUNDS);
}

/* ---- calls that never return, or are restarted ---- */

static int told[2], asked[2];

static void tell(int sig)
{
	(void)sig;
	if (write(told[1], "", 1) != 1)
		_exit(1);
}

static void listen_to_child(void)
{
	char byte;

	if (read(told[0], &byte, 1) != 1)
		fail("the child wrote nothing");
}

/* Sleeps in nanosleep, where it is stopped and continued: restart_syscall continues the sleep. */
static void sleeper(void)
{
	struct timespec forever = { .tv_sec = 100000 };
	struct sigaction action = { .sa_handler = tell };

	sigaction(SIGUSR1, &action, NULL);
	tell(0);
	syscall(SYS_nanosleep, &forever, NULL);
	_exit(0);
}

/* Reads, interrupted by a signal handler. The kernel restarts the read by its own number. */
static void reader(void)
{
	struct sigaction action = { .sa_handler = tell, .sa_flags = SA_RESTART };
	char byte;

	sigaction(SIGUSR1, &action, NULL);
	tell(0);
	_exit(read(asked[0], &byte, 1) != 1);
}

static pid_t child_of(void (*run)(void))
{
	pid_t pid = fork();

	if (pid < 0)
		fail("fork");
	if (pid == 0)
		run();
	return pid;
}

static void reap(pid_t pid)
{
	if (waitpid(pid, NULL, 0) != pid)
		fail("waitpid");
}

static void restarts(void)
{
	pid_t pid;

	if (pipe(told) || pipe(asked))
		fail("pipe");
	pid = child_of(sleeper);
	listen_to_child();
	for (int i = 0; i < ROUNDS; i++) {
		until_asleep(pid);
		kill(pid, SIGSTOP);
		if (waitpid(pid, NULL, WUNTRACED) != pid)
			fail("waitpid");
		kill(pid, SIGCONT);
	}
	until_asleep(pid);
	kill(pid, SIGUSR1);
	listen_to_child();
	reap(pid);
	printf("restarts sleeper %d\nrestarts stops %d\n", (int)pid, ROUNDS);

	pid = child_of(reader);
	listen_to_child();
	for (int i = 0; i < ROUNDS; i++) {
		until_asleep(pid);
		kill(pid, SIGUSR1);
		listen_to_child();
	}
	until_asleep(pid);
	if (write(asked[1], "", 1) != 1)
		fail("write");
	reap(pid);
	printf("restarts reader %d\nrestarts reads %d\nrestarts handled %d\n", (int)pid,
	       1 + ROUNDS, ROUNDS);
}

static void exit_group(void)
{
	syscall(SYS_exit_group, 0);
}

static void exit_alone(void)
{
	syscall(SYS_exit, 0);
}

static void be_killed(void)
{
	for (;;)
		pause();
}

static void execute(void)
{
	execl("/proc/self/exe", "hookfire", "nothing", NULL);
	_exit(1);
}

/* Makes tasks end in each way, ROUNDS times. */
static void ends(void)
{
	for (int i = 0; i < ROUNDS; i++) {
		pid_t killed;

		reap(child_of(exit_group));
		reap(child_of(exit_alone));
		reap(child_of(execute));
		killed = child_of(be_killed);
		kill(killed, SIGKILL);
		reap(killed);
	}
	/* execute() also ends by exit_group. */
	printf("ends exit %d\nends exit_group %d\nends execve %d\nends tasks %d\n", ROUNDS,
	       2 * ROUNDS, ROUNDS, 4 * ROUNDS);
}

/* ---- by the module ---- */

/*
 * Returns the sum of a line of /proc/interrupts; 0 if the line is missing, as in 7.2 before the
 * first interrupt.
 */
static long interrupts(const char *name)
{
	FILE *file = fopen("/proc/interrupts", "r");
	char line[1024], *p, *end;
	long sum = 0;

	while (file && fgets(line, sizeof(line), file)) {
		p = line + strspn(line, " ");
		if (strncmp(p, name, strlen(name)) || p[strlen(name)] != ':')
			continue;
		for (sum = 0, p += strlen(name) + 1;; p = end) {
			long n = strtol(p, &end, 10);

			if (end == p)
				break;
			sum += n;
		}
	}
	if (file)
		fclose(file);
	return sum;
}

/* Prints COUNT as -1 if the module cannot do it, or did not report it. */
static void fire(const char *what, unsigned number, int count)
{
	static uint32_t next = 20000;
	int fd = open("/proc/kutrace_test", O_WRONLY), length;
	char text[64];
	ssize_t done;

	length = snprintf(text, sizeof(text), "%s %u %d", what, number, count);
	mark(next);
	done = fd < 0 ? -1 : write(fd, text, (size_t)length);
	mark(next + 1);
	printf("fired %u %s %u %d\n", next, what, number, done == length ? count : -1);
	next += 2;
	if (fd >= 0)
		close(fd);
}

static void module(void)
{
	static const unsigned exceptions[] = { 1, 3, 4, 5, 9, 10, 11, 12, 15, 17, 18, 19 };
	static const unsigned vectors[] = {
		2, 32, 236, 240, 241, 242, 243, 244, 245, 246, 247, 249, 250, 251, 252, 253,
		254, 255,
	};
	static const char *const locks[] = {
		"mutex", "rwsem", "percpu_rwsem", "semaphore", "rtmutex", "spinlock", "rwlock",
	};
	long checks = interrupts("MCE"), errors = interrupts("ERR");

	for (size_t i = 0; i < sizeof(exceptions) / sizeof(exceptions[0]); i++)
		/* A kernel without machine checks has no handler for that vector. */
		if (exceptions[i] != 18 || checks >= 0)
			fire("exception", exceptions[i], ROUNDS);
	/* The handler leaves its stack by a jump, which a kernel that checks its stacks reports. */
	fire("exception", 8, 1);
	for (size_t i = 0; i < sizeof(vectors) / sizeof(vectors[0]); i++)
		fire("vector", vectors[i], ROUNDS);
	printf("interrupts MCE %ld\ninterrupts ERR %ld\n", interrupts("MCE") - checks,
	       interrupts("ERR") - errors);
	for (unsigned kind = 0; kind < 10; kind++)
		fire("softirq", kind, ROUNDS);
	fire("irq_work", 0, ROUNDS);
	for (size_t i = 0; i < sizeof(locks) / sizeof(locks[0]); i++)
		fire(locks[i], 0, ROUNDS);
	fire("freq", 0, ROUNDS);
	fire("freq", 1, ROUNDS);
}

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "";

	if (!strcmp(what, "nothing"))
		return 0;
	setvbuf(stdout, NULL, _IOLBF, 0);
	if (!strcmp(what, "warns")) {
		fire("exception", 7, ROUNDS);
		return 0;
	}
	if (!strcmp(what, "packets")) {
		all_packets();
		return 0;
	}
	if (!strcmp(what, "traps")) {
		traps();
		return 0;
	}
	mark(1000);
	calls32();
	mark(1001);
	mark(2000);
	callsx32();
	mark(2001);
	mark(2100);
	callsx32only();
	mark(2101);
	mark(3000);
	badcalls();
	mark(3001);
	calls1023();
	mark(4000);
	traps();
	mark(4001);
	faults();
	all_packets();
	mark(6000);
	locks();
	mark(6001);
	tasks();
	mark(7000);
	restarts();
	mark(7001);
	mark(8000);
	ends();
	mark(8001);
	module();
	return 0;
}
