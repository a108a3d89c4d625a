/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Makes the same system calls in every run: plain calls, calls that wait, are interrupted,
 * restarted or refused, calls of both ABIs, of threads and children, and calls that never return.
 * Two recordings of the program must have the same calls of each task in the same order. So nothing
 * may depend on the time, or on the order in which tasks run.
 *
 *	odd_calls [ROUNDS | --traced]
 *
 * With --traced, it makes one round, without its own debugger, because strace is the debugger. Each
 * task begins with close(5000 + N), which identifies the task by its number N. Exit status: 0, or 1
 * if a call had a wrong result.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/reboot.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#ifndef PR_SET_SYSCALL_USER_DISPATCH
#define PR_SET_SYSCALL_USER_DISPATCH 59
#define PR_SYS_DISPATCH_OFF 0
#define PR_SYS_DISPATCH_ON 1
#endif

#define ROLE	5000
#define STACK	65536

static char **program;

static void die(const char *what)
{
	fprintf(stderr, "odd_calls: %s: %s\n", what, strerror(errno));
	_exit(1);
}

static void role(int number)
{
	close(ROLE + number);
}

static void done(pid_t child, const char *what, int status)
{
	int got;

	if (waitpid(child, &got, __WALL) != child)
		die(what);
	if (got != status) {
		fprintf(stderr, "odd_calls: %s ended with %x, not %x\n", what, got, status);
		_exit(1);
	}
}

/* Forks a child that does @work as task @number. */
static pid_t begin(int number, void (*work)(void))
{
	pid_t child = fork();

	if (child < 0)
		die("fork");
	if (!child) {
		role(number);
		work();
		_exit(0);
	}
	return child;
}

/* Tasks wait for each other by a byte from a pipe. */
static int there[2], back[2];

static void pipes(void)
{
	if (pipe(there) || pipe(back))
		die("pipe");
}

static void no_pipes(void)
{
	close(there[0]);
	close(there[1]);
	close(back[0]);
	close(back[1]);
}

static void give(int *pipe)
{
	if (write(pipe[1], "x", 1) != 1)
		die("write");
}

static void take(int *pipe)
{
	char c;

	while (read(pipe[0], &c, 1) != 1)
		if (errno != EINTR)
			die("read");
}

/* ---- plain calls, with small and large results ---- */

static void plain(void)
{
	struct timespec short_time = { 0, 1000000 };
	char page[64];
	int fd;

	for (int i = 0; i < 100; i++)
		syscall(SYS_getppid);
	fd = open("/dev/zero", O_RDWR);
	for (int i = 0; i < 64; i++)
		if (read(fd, page, (size_t)i) != i)
			die("read");
	for (int i = 0; i < 600; i += 100)
		if (write(fd, page, 64) != 64)
			die("write");
	lseek(fd, 100000, SEEK_SET);
	close(fd);
	open("/no/such/file", O_RDONLY);
	close(-1);
	write(-1, page, 1);
	nanosleep(&short_time, NULL);
	sched_yield();
	/* A number without a function. */
	syscall(134);
	/* A fixed address, because the kernel's choice depends on its configuration. */
	munmap(mmap((void *)0x20003000, 65536, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED,
		    -1, 0), 65536);
}

/* ---- signals: sigreturn, restarts ---- */

static volatile sig_atomic_t handled;

static void on_signal(int sig)
{
	(void)sig;
	handled++;
}

/*
 * Waits until that task sleeps. A child without a number polls for this, because the number of
 * polls varies, and tests compare only tasks with a number.
 */
static void until_sleeping(pid_t pid)
{
	char name[64], line[256] = "";
	pid_t child = fork();
	ssize_t n;
	int fd;

	if (child < 0)
		die("fork");
	if (child) {
		done(child, "who looks", 0);
		return;
	}
	/* The task may still sleep in an earlier call: check again after a while. */
	for (int times = 0; times < 3; usleep(2000)) {
		snprintf(name, sizeof(name), "/proc/%d/stat", pid);
		fd = open(name, O_RDONLY);
		n = read(fd, line, sizeof(line) - 1);
		close(fd);
		line[n > 0 ? n : 0] = 0;
		times = strstr(line, ") S") ? times + 1 : 0;
	}
	_exit(0);
}

/* A signal with SA_RESTART restarts a read, and a signal without it interrupts a read. */
static void signalled(void)
{
	struct sigaction action = { .sa_handler = on_signal, .sa_flags = SA_RESTART };
	struct timespec while_time = { 3600, 0 };
	char c;

	sigaction(SIGUSR1, &action, NULL);
	action.sa_flags = 0;
	sigaction(SIGUSR2, &action, NULL);
	raise(SIGUSR1);
	give(back);
	if (read(there[0], &c, 1) != 1)
		die("restarted read");
	give(back);
	if (read(there[0], &c, 1) != -1 || errno != EINTR)
		die("interrupted read");
	/* The parent stops and continues this task: restart_syscall() continues the sleep. */
	give(back);
	if (nanosleep(&while_time, NULL) != -1 || errno != EINTR)
		die("interrupted nanosleep");
}

static void signals(void)
{
	pid_t child;
	int status;

	pipes();
	child = begin(10, signalled);
	take(back);
	until_sleeping(child);
	kill(child, SIGUSR1);
	until_sleeping(child);
	give(there);
	take(back);
	until_sleeping(child);
	kill(child, SIGUSR2);
	take(back);
	until_sleeping(child);
	kill(child, SIGSTOP);
	waitpid(child, &status, WUNTRACED);
	kill(child, SIGCONT);
	until_sleeping(child);
	kill(child, SIGUSR2);
	done(child, "signalled", 0);
	no_pipes();
}

/* ---- tasks ---- */

static char stack[STACK] __attribute__((aligned(16)));

/* clone() has returned, also for a debugger: now exec may end the thread that called clone(). */
static volatile int cloned;

static int thread_execs(void *unused)
{
	(void)unused;
	role(21);
	while (!cloned)
		;
	execv("/proc/self/exe", (char *[]){ program[0], "--exec", "22", NULL });
	die("exec of a thread");
	return 1;
}

/* A thread calls exec: the whole process becomes the new program. */
static void thread_exec(void)
{
	if (clone(thread_execs, stack + STACK,
		  CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SIGHAND | CLONE_THREAD | CLONE_SYSVSEM,
		  NULL) < 0)
		die("clone");
	cloned = 1;
	for (;;)
		;
}

static int thread_leaves(void *unused)
{
	(void)unused;
	role(24);
	syscall(SYS_exit, 3);
	return 0;
}

static void leaves(void)
{
	int tid = 1;

	if (clone(thread_leaves, stack + STACK,
		  CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SIGHAND | CLONE_THREAD | CLONE_SYSVSEM |
			  CLONE_CHILD_CLEARTID | CLONE_CHILD_SETTID,
		  NULL, NULL, NULL, &tid) < 0)
		die("clone");
	/* Do not use a futex: whether it waits depends on which task is first. */
	while (*(volatile int *)&tid)
		;
	role(23);
}

static void execs(void)
{
	execv("/no/such/program", (char *[]){ "no", NULL });
	execv("/proc/self/exe", (char *[]){ program[0], "--exec", "25", NULL });
	die("exec");
}

static void vforks(void)
{
	pid_t child = vfork();

	if (!child)
		execv("/proc/self/exe", (char *[]){ program[0], "--exec", "27", NULL });
	done(child, "a child by vfork", 0);
}

static void killed(void)
{
	char c;

	give(back);
	if (read(there[0], &c, 1) != 1)
		die("read");
}

static void tasks(void)
{
	pid_t child;

	done(begin(20, thread_exec), "a thread that execs", 0);
	done(begin(29, leaves), "a thread that exits", 0);
	done(begin(30, execs), "exec", 0);
	done(begin(26, vforks), "vfork", 0);
	pipes();
	child = begin(28, killed);
	take(back);
	until_sleeping(child);
	kill(child, SIGKILL);
	done(child, "a task that is killed", SIGKILL);
	no_pipes();
}

/* ---- the 32-bit ABI ---- */

static long call32(int nr, int first)
{
	int ret = nr;

	__asm__ volatile("int $0x80" : "+a"(ret) : "b"(first)
			 : "r8", "r9", "r10", "r11", "memory");
	return ret;
}

static void calls32(void)
{
	for (int i = 0; i < 20; i++)
		call32(20, 0);			/* getpid */
	call32(6, -1);				/* close */
	call32(162, 0);				/* nanosleep: a bad address */
	if (!call32(2, 0)) {			/* fork */
		role(41);
		call32(20, 0);
		call32(1, 0);			/* exit */
	}
	wait(NULL);
	call32(252, 0);				/* exit_group */
}

/* ---- refused calls ---- */

#define LOAD(field)	BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, field))
#define ANSWER(nr, action) \
	BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, nr, 0, 1), BPF_STMT(BPF_RET | BPF_K, action)

static void filtered(void)
{
	struct sock_filter code[] = {
		LOAD(nr),
		ANSWER(SYS_getppid, SECCOMP_RET_ERRNO | 77),
		ANSWER(SYS_getuid, SECCOMP_RET_ERRNO | 1234),
		ANSWER(SYS_getgid, SECCOMP_RET_TRAP),
		ANSWER(SYS_geteuid, SECCOMP_RET_KILL_THREAD),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog filter = { sizeof(code) / sizeof(code[0]), code };

	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) || prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter))
		die("seccomp");
}

static void refused(void)
{
	struct sigaction action = { .sa_handler = on_signal };

	sigaction(SIGSYS, &action, NULL);
	filtered();
	if (syscall(SYS_getppid) != -1 || errno != 77)
		die("refused getppid");
	syscall(SYS_getuid);
	syscall(SYS_getgid);
	if (!handled)
		die("no SIGSYS");
	syscall(SYS_getpid);
	/* Unknown numbers, in a task with a filter; the last one is x32's. */
	syscall(500);
	syscall(9999);
	syscall(-1);
	syscall(0x40000000 + 39);
	call32(20, 0);
	/* The filter checks only numbers, so it refuses this call. */
	call32(SYS_getppid, 0);
	call32(500, 0);
	call32(-1, 0);
}

static int thread_is_killed(void *unused)
{
	(void)unused;
	role(52);
	syscall(SYS_geteuid);
	return 0;
}

/* seccomp kills one thread in a call. */
static void thread_killed(void)
{
	int tid = 1;

	filtered();
	if (clone(thread_is_killed, stack + STACK,
		  CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SIGHAND | CLONE_THREAD | CLONE_SYSVSEM |
			  CLONE_CHILD_CLEARTID | CLONE_CHILD_SETTID,
		  NULL, NULL, NULL, &tid) < 0)
		die("clone");
	while (*(volatile int *)&tid)
		;
}

static void strict(void)
{
	prctl(PR_SET_SECCOMP, SECCOMP_MODE_STRICT);
	syscall(SYS_getpid);
}

static volatile char dispatch = PR_SYS_DISPATCH_OFF;

static void on_dispatch(int sig)
{
	(void)sig;
	dispatch = PR_SYS_DISPATCH_OFF;
}

static void dispatched(void)
{
	struct sigaction action = { .sa_handler = on_dispatch };

	sigaction(SIGSYS, &action, NULL);
	if (prctl(PR_SET_SYSCALL_USER_DISPATCH, PR_SYS_DISPATCH_ON, 0, 0, &dispatch))
		return;
	dispatch = PR_SYS_DISPATCH_ON;
	syscall(SYS_getppid);
	syscall(SYS_getpid);
	dispatch = PR_SYS_DISPATCH_ON;
	call32(20, 0);
	call32(20, 0);
}

static void debugged(void)
{
	ptrace(PTRACE_TRACEME, 0, NULL, NULL);
	raise(SIGSTOP);
	/* getppid() ignores this argument. The trace has it, and close() may replace getppid(). */
	for (int i = 0; i < 12; i++)
		syscall(SYS_getppid, 7777);
}

static void set_number(pid_t child, long nr)
{
	if (ptrace(PTRACE_POKEUSER, child, offsetof(struct user_regs_struct, orig_rax), nr))
		die("PTRACE_POKEUSER");
}

/* Debugs a child with twelve calls: replaces the numbers of four calls, and skips three others. */
static void debugger(void)
{
	static const long numbers[] = { SYS_getppid, SYS_getpid, -1, 9999, SYS_close };
	int status, call = 0;
	pid_t child = begin(61, debugged);

	if (waitpid(child, &status, 0) != child)
		die("waitpid");
	while (call < 9) {
		long request = call >= 6 ? PTRACE_SYSEMU : PTRACE_SYSCALL;

		if (ptrace(request, child, NULL, NULL) || waitpid(child, &status, 0) != child)
			die("at a call");
		if (call < 5 && numbers[call] != SYS_getppid)
			set_number(child, numbers[call]);
		/* Stop also at the end of the call. */
		if (request == PTRACE_SYSCALL &&
		    (ptrace(request, child, NULL, NULL) || waitpid(child, &status, 0) != child))
			die("at its end");
		call++;
	}
	ptrace(PTRACE_DETACH, child, NULL, NULL);
	done(child, "the debugged", 0);
}

/* ---- a container's first process ends itself by reboot() ---- */

static int powers_off(void *unused)
{
	(void)unused;
	role(71);
	syscall(SYS_reboot, LINUX_REBOOT_MAGIC1, LINUX_REBOOT_MAGIC2, 12345, NULL);
	syscall(SYS_reboot, LINUX_REBOOT_MAGIC1, LINUX_REBOOT_MAGIC2, LINUX_REBOOT_CMD_POWER_OFF, NULL);
	return 1;
}

static void container(void)
{
	pid_t child = clone(powers_off, stack + STACK, CLONE_NEWPID | SIGCHLD, NULL);

	if (child < 0)
		die("clone of a container");
	done(child, "the container", SIGINT);
}

int main(int argc, char **argv)
{
	bool traced = argc > 1 && !strcmp(argv[1], "--traced");
	int rounds = argc > 1 && !traced ? atoi(argv[1]) : 1;

	program = argv;
	if (argc > 2) {
		role(atoi(argv[2]));
		return 0;
	}
	for (int i = 0; i < rounds; i++) {
		done(begin(1, plain), "plain", 0);
		done(begin(2, signals), "signals", 0);
		done(begin(3, tasks), "tasks", 0);
		done(begin(40, calls32), "calls32", 0);
		done(begin(50, refused), "refused", 0);
		done(begin(51, thread_killed), "thread_killed", 0);
		done(begin(53, strict), "strict", SIGKILL);
		done(begin(54, dispatched), "dispatched", 0);
		if (!traced)
			done(begin(60, debugger), "debugger", 0);
		done(begin(70, container), "container", 0);
	}
	return 0;
}
