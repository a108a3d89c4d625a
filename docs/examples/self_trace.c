// SPDX-License-Identifier: BSD-3-Clause
/*
 * A program that records only the interesting part of itself, and only if a file is
 * named on its command line. It works the same whether or not it can be recorded.
 *
 *	cc self_trace.c -o self_trace $(pkg-config --cflags --libs libkutrace)
 *	./self_trace [FILE.trace]
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <libkutrace.h>

static void complain(const char *what, int error)
{
	char text[200];

	fprintf(stderr, "self_trace: %s: %s\n", what,
		kutrace_explain(error, text, sizeof(text)));
}

/* The measured code. The question is whether the second round costs less than the first. */
static int touch(char *memory, size_t bytes, const char *label, const char *end)
{
	size_t i;
	int sum = 0;

	kutrace_mark_a(label);
	for (i = 0; i < bytes; i += 4096)
		sum += ++memory[i];
	kutrace_mark_a(end);
	return sum;
}

int main(int argc, char **argv)
{
	const size_t bytes = 613 * 4096;	/* pages: a prime number */
	char *memory = calloc(1, bytes);
	int recording, ret, sum;

	if (!memory)
		return 1;
	ret = argc > 1 ? kutrace_go("self_trace") : -1;
	recording = argc > 1 && !ret;
	if (argc > 1 && ret)
		complain("not recorded", ret);

	sum = touch(memory, bytes, "cold", "/cold");
	sum += touch(memory, bytes, "warm", "/warm");
	kutrace_mark_d((uint64_t)sum);

	if (recording) {
		ret = kutrace_stop(argv[1]);
		if (ret)
			complain(argv[1], ret);
	}
	printf("%d\n", sum);
	free(memory);
	return recording && ret ? 1 : 0;
}
