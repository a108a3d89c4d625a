/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Rare kinds of events, in prime numbers, between marks, for the guest tests to
 * count: 32-bit system calls out of a 64-bit program (int 0x80), divide errors,
 * breakpoints, invalid instructions, all survived by signal handlers; a rename.
 * It must make no other event of the counted kind between the marks.
 *
 * Prints lines: count PHASE WHAT NUMBER, pid PHASE ROLE PID.
 */
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <ucontext.h>
#include <unistd.h>

#include "libkutrace.h"

#define CALLS32		311
#define DIVIDES		13
#define BREAKPOINTS	17
#define INVALIDS	19

static volatile int taken[65];
static volatile size_t instruction_bytes;

/* Counts the signal and goes on behind the instruction. */
static void handler(int sig, siginfo_t *info, void *context)
{
	ucontext_t *uc = context;

	(void)info;
	taken[sig]++;
	uc->uc_mcontext.gregs[REG_RIP] += (greg_t)instruction_bytes;
}

static void catch(int sig)
{
	struct sigaction action = { .sa_sigaction = handler, .sa_flags = SA_SIGINFO };

	if (sigaction(sig, &action, NULL)) {
		perror("kinds: sigaction");
		exit(1);
	}
}

int main(void)
{
	long pid = 0;

	catch(SIGFPE);
	catch(SIGTRAP);
	catch(SIGILL);
	kutrace_mark_a("warm");

	kutrace_mark_a("int80");
	for (int i = 0; i < CALLS32; i++) {
		pid = 20;	/* getpid of the 32-bit table */
		__asm__ volatile("int $0x80" : "+a"(pid) : : "r8", "r9", "r10", "r11", "memory");
	}
	kutrace_mark_a("/int80");
	if (pid != getpid()) {
		fprintf(stderr, "kinds: int 0x80 gave %ld\n", pid);
		return 1;
	}

	instruction_bytes = 2;
	kutrace_mark_a("div");
	for (int i = 0; i < DIVIDES; i++)
		__asm__ volatile("xor %%ecx, %%ecx; mov $1, %%eax; cltd; idiv %%ecx"
				 : : : "eax", "ecx", "edx", "memory");
	kutrace_mark_a("/div");

	instruction_bytes = 0;	/* a breakpoint is over when it is reported */
	kutrace_mark_a("int3");
	for (int i = 0; i < BREAKPOINTS; i++)
		__asm__ volatile("int3" : : : "memory");
	kutrace_mark_a("/int3");

	instruction_bytes = 2;
	kutrace_mark_a("ud2");
	for (int i = 0; i < INVALIDS; i++)
		__asm__ volatile("ud2" : : : "memory");
	kutrace_mark_a("/ud2");

	prctl(PR_SET_NAME, "x </script>\"y");
	printf("pid main main %d\n", getpid());
	printf("count int80 getpid %d\n", CALLS32);
	printf("count div taken %d\ncount int3 taken %d\ncount ud2 taken %d\n",
	       taken[SIGFPE], taken[SIGTRAP], taken[SIGILL]);
	return taken[SIGFPE] != DIVIDES || taken[SIGTRAP] != BREAKPOINTS ||
	       taken[SIGILL] != INVALIDS;
}
