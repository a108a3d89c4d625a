/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Makes system calls with numbers that the module could confuse: unknown numbers, -1, and calls
 * that lose their number, such as sigreturn. Meanwhile it makes many softirqs and context switches.
 *
 * Prints lines: count PHASE WHAT NUMBER, pid PHASE ROLE PID.
 */
#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include "libkutrace.h"

#define ROUNDS		1009
#define HANDLED		20000	/* number of signals */
#define STOPS		3001	/* number of the child's system calls that its debugger skips */

/* 0x800 + number has the low 12 bits of NOP, context switch, return of a softirq, getpid, ... */
static const long numbers[] = { 0x800, 0xA00, 0xFFF, 0x1027, 0x7FFFFFFF, -38, -0x601, -1 };

static void die(const char *what)
{
	fprintf(stderr, "numbers: %s: %s\n", what, strerror(errno));
	exit(1);
}

static void on_cpu(int cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	if (sched_setaffinity(0, sizeof(set), &set))
		die("sched_setaffinity");
}

/* ---- unknown numbers ---- */

static void plain(void)
{
	int n = sizeof(numbers) / sizeof(numbers[0]);
	long done = 0;

	for (int i = 0; i < ROUNDS; i++)
		for (int k = 0; k < n; k++)
			done += syscall(numbers[k]) == -1 && errno == ENOSYS;
	printf("count plain calls %ld\n", done);
	done = 0;
	for (int i = 0; i < ROUNDS; i++)
		for (int k = 0; k < n; k++) {
			long ret = (int)numbers[k];

			__asm__ volatile("int $0x80" : "+a"(ret) :
					 : "r8", "r9", "r10", "r11", "memory");
			done += (int)ret == -ENOSYS;
		}
	printf("count plain calls32 %ld\n", done);
}

/* ---- calls that return without their number ---- */

static volatile sig_atomic_t handled;

static void on_signal(int sig)
{
	(void)sig;
	handled++;
}

/* Counts handled signals. A timer also sends signals, and so makes softirqs at any point. */
static void handlers(void)
{
	struct itimerval often = { { 0, 1000 }, { 0, 1000 } }, never = { { 0, 0 }, { 0, 0 } };
	struct sigaction action = { .sa_handler = on_signal };
	pid_t self = getpid();

	/* One signal at a time, so that each is counted exactly once. */
	sigfillset(&action.sa_mask);
	if (sigaction(SIGUSR1, &action, NULL) || sigaction(SIGALRM, &action, NULL))
		die("sigaction");
	if (setitimer(ITIMER_REAL, &often, NULL))
		die("setitimer");
	while (handled < HANDLED)
		if (kill(self, SIGUSR1))
			die("kill");
	if (setitimer(ITIMER_REAL, &never, NULL))
		die("setitimer");
	printf("count handlers rt_sigreturn %d\n", (int)handled);
}

/* ---- calls that a debugger skips: only their returns are traced ---- */

static void emulated(long number)
{
	pid_t child = fork();
	int status, stops = 0;

	if (child < 0)
		die("fork");
	if (!child) {
		if (ptrace(PTRACE_TRACEME, 0, NULL, NULL))
			_exit(1);
		raise(SIGSTOP);
		for (;;)
			syscall(number);
	}
	if (waitpid(child, &status, 0) != child || !WIFSTOPPED(status))
		die("waitpid");
	while (stops < STOPS) {
		/* On one CPU, each stop and each continuation is a context switch. */
		if (ptrace(PTRACE_SYSEMU, child, NULL, NULL))
			die("PTRACE_SYSEMU");
		if (waitpid(child, &status, 0) != child || !WIFSTOPPED(status))
			die("waitpid");
		stops++;
	}
	kill(child, SIGKILL);
	waitpid(child, &status, 0);
	printf("count emulated %lx %d\n", (unsigned long)number, stops);
}

int main(void)
{
	printf("pid main main %d\n", (int)getpid());
	on_cpu(0);
	kutrace_mark_a("plain");
	plain();
	kutrace_mark_a("/plain");
	kutrace_mark_a("handl");
	handlers();
	kutrace_mark_a("/handl");
	kutrace_mark_a("emul");
	emulated(0xA00);
	emulated(0x800);
	kutrace_mark_a("/emul");
	return 0;
}
