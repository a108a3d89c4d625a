/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Two processes alternate in a read(), one always of 3 bytes and the other of 5. So a merged return
 * shows whose call it belongs to. Meanwhile the recording of context switches is switched off and
 * on.
 *
 *	merges ROUNDS
 *
 * Prints lines: fd BYTES NUMBER.
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "kutrace_abi.h"
#include "kutrace_events.h"
#include "libkutrace.h"

/* Forks a process that alternately reads @reads bytes and writes @writes bytes. */
static pid_t partner(int from, size_t reads, int to, size_t writes)
{
	char data[8] = { 0 };
	pid_t child = fork();

	if (child)
		return child;
	while (write(to, data, writes) == (ssize_t)writes)
		if (read(from, data, reads) != (ssize_t)reads)
			break;
	_exit(1);
}

static void mask(uint64_t value, uint64_t bits)
{
	char text[200];
	int ret = kutrace_mask(value, bits, NULL);

	if (ret >= 0)
		return;
	fprintf(stderr, "merges: mask: %s\n", kutrace_explain(ret, text, sizeof(text)));
	exit(1);
}

int main(int argc, char **argv)
{
	uint64_t calls = kutrace_kind_bits(KUTRACE_KIND_CALL_SYSCALL64) |
			 kutrace_kind_bits(KUTRACE_KIND_MARKD);
	long rounds = argc == 2 ? atol(argv[1]) : 0, i;
	int there[2], back[2];
	pid_t one, two;

	if (rounds < 1 || pipe(there) || pipe(back))
		return 2;
	printf("fd 3 %d\nfd 5 %d\n", there[0], back[0]);
	fflush(stdout);
	one = partner(back[0], 5, there[1], 3);
	two = partner(there[0], 3, back[1], 5);
	if (one < 0 || two < 0)
		return 1;
	for (i = 0; i < rounds; i++) {
		/* Record only calls. Then add all kinds, or the kinds that take long to attach. */
		mask(calls, KUTRACE_KINDS_ALL);
		kutrace_mark_d((uint64_t)i);
		usleep(2000);
		mask(KUTRACE_KINDS_ALL, i % 2 ? KUTRACE_KINDS_ALL :
		     kutrace_kind_bits(KUTRACE_KIND_USERPID) |
		     kutrace_kind_bits(KUTRACE_KIND_CALL_TRAP));
		usleep(2000);
	}
	kill(one, SIGKILL);
	kill(two, SIGKILL);
	waitpid(one, NULL, 0);
	waitpid(two, NULL, 0);
	return 0;
}
