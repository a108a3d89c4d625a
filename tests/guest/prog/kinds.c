/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Makes rare kinds of events, in prime numbers, between marks, for the guest tests to count: 32-bit
 * system calls from a 64-bit program (int 0x80), divide errors, breakpoints and invalid
 * instructions, all survived by signal handlers, and a rename. On arm64 and riscv64 it makes only
 * breakpoints, invalid instructions and the rename, because there is no int 0x80, and a division by
 * zero is no error. It must make no other event of the counted kinds between the marks.
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

/* Counts the signal and continues after the instruction. */
static void handler(int sig, siginfo_t *info, void *context)
{
	ucontext_t *uc = context;

	(void)info;
	taken[sig]++;
#ifdef __x86_64__
	uc->uc_mcontext.gregs[REG_RIP] += (greg_t)instruction_bytes;
#elif defined(__riscv)
	uc->uc_mcontext.__gregs[REG_PC] += instruction_bytes;
#else
	uc->uc_mcontext.pc += instruction_bytes;
#endif
}

static void catch(int sig)
{
	struct sigaction action = { .sa_sigaction = handler, .sa_flags = SA_SIGINFO };

	if (sigaction(sig, &action, NULL)) {
		perror("kinds: sigaction");
		exit(1);
	}
}

#ifdef __x86_64__

#define BREAKPOINT		"int3"
#define BREAKPOINT_BYTES	0	/* the instruction has ended when it is reported */
#define INVALID			"ud2"
#define INVALID_BYTES		2
#define DIVIDES_TAKEN		DIVIDES

static void int80_and_divide(void)
{
	long pid = 0;

	kutrace_mark_a("int80");
	for (int i = 0; i < CALLS32; i++) {
		pid = 20;	/* getpid of the 32-bit table */
		__asm__ volatile("int $0x80" : "+a"(pid) : : "r8", "r9", "r10", "r11", "memory");
	}
	kutrace_mark_a("/int80");
	if (pid != getpid()) {
		fprintf(stderr, "kinds: int 0x80 gave %ld\n", pid);
		exit(1);
	}

	instruction_bytes = 2;
	kutrace_mark_a("div");
	for (int i = 0; i < DIVIDES; i++)
		__asm__ volatile("xor %%ecx, %%ecx; mov $1, %%eax; cltd; idiv %%ecx"
				 : : : "eax", "ecx", "edx", "memory");
	kutrace_mark_a("/div");
}

#elif defined(__riscv)

#define BREAKPOINT		".option push; .option norvc; ebreak; .option pop"
#define BREAKPOINT_BYTES	4
#define INVALID			".4byte 0xc0001073"	/* unimp: writes to a counter */
#define INVALID_BYTES		4
#define DIVIDES_TAKEN		0

#else

#define BREAKPOINT		"brk #1"
#define BREAKPOINT_BYTES	4
#define INVALID			"udf #1"
#define INVALID_BYTES		4
#define DIVIDES_TAKEN		0

#endif

int main(void)
{
	catch(SIGFPE);
	catch(SIGTRAP);
	catch(SIGILL);
	kutrace_mark_a("warm");

#ifdef __x86_64__
	int80_and_divide();
#endif
	instruction_bytes = BREAKPOINT_BYTES;
	kutrace_mark_a("int3");
	for (int i = 0; i < BREAKPOINTS; i++)
		__asm__ volatile(BREAKPOINT : : : "memory");
	kutrace_mark_a("/int3");

	instruction_bytes = INVALID_BYTES;
	kutrace_mark_a("ud2");
	for (int i = 0; i < INVALIDS; i++)
		__asm__ volatile(INVALID : : : "memory");
	kutrace_mark_a("/ud2");

	prctl(PR_SET_NAME, "x </script>\"y");
	printf("pid main main %d\n", getpid());
#ifdef __x86_64__
	printf("count int80 getpid %d\n", CALLS32);
#endif
	printf("count div taken %d\ncount int3 taken %d\ncount ud2 taken %d\n",
	       taken[SIGFPE], taken[SIGTRAP], taken[SIGILL]);
	return taken[SIGFPE] != DIVIDES_TAKEN || taken[SIGTRAP] != BREAKPOINTS ||
	       taken[SIGILL] != INVALIDS;
}
