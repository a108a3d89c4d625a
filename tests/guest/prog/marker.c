/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Makes marks, and nothing else, for the guest tests to count:
 *
 *	marker LABEL COUNT	COUNT times mark_c(LABEL), then mark_d(COUNT)
 *	marker --cost COUNT	prints how many instructions COUNT mark_c take, stepping
 *				through them one by one; on x86 only
 *
 * It must work the same, without a message, when nothing is recorded or no module is loaded.
 */
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

#include "libkutrace.h"

#ifdef __x86_64__
/* Makes marks between two breakpoints. An earlier mark finds the module. */
static void marks_between(long count)
{
	kutrace_mark_c("cost");
	ptrace(PTRACE_TRACEME, 0, NULL, NULL);
	__asm__ volatile("int3");
	for (long i = 0; i < count; i++)
		kutrace_mark_c("cost");
	__asm__ volatile("int3");
	_exit(0);
}

/* Returns true if the process has just executed an int3. */
static int at_breakpoint(pid_t pid)
{
	long rip = ptrace(PTRACE_PEEKUSER, pid, (void *)(16 * sizeof(long)), NULL);

	return (ptrace(PTRACE_PEEKTEXT, pid, (void *)(rip - 1), NULL) & 0xFF) == 0xCC;
}

/* Returns the number of instructions, or -1 after an error. */
static long steps(long count)
{
	long taken = 0;
	int status;
	pid_t pid = fork();

	if (pid == 0)
		marks_between(count);
	if (pid < 0 || waitpid(pid, &status, 0) < 0 || !WIFSTOPPED(status) ||
	    WSTOPSIG(status) != SIGTRAP || !at_breakpoint(pid))
		return -1;
	do {
		if (ptrace(PTRACE_SINGLESTEP, pid, NULL, NULL) ||
		    waitpid(pid, &status, 0) < 0 || !WIFSTOPPED(status))
			return -1;
		taken++;
	} while (!at_breakpoint(pid));
	ptrace(PTRACE_CONT, pid, NULL, NULL);
	waitpid(pid, &status, 0);
	return taken;
}
#else
/* Stepping is not available here. */
static long steps(long count)
{
	(void)count;
	return -1;
}
#endif

int main(int argc, char **argv)
{
	long count;

	if (argc != 3 || (count = strtol(argv[2], NULL, 10)) < 1) {
		fprintf(stderr, "usage: marker {LABEL|--cost} COUNT\n");
		return 2;
	}
	if (strcmp(argv[1], "--cost") == 0) {
		printf("%ld\n", steps(count));
		return 0;
	}
	for (long i = 0; i < count; i++)
		kutrace_mark_c(argv[1]);
	kutrace_mark_d((uint64_t)count);
	return 0;
}
