// SPDX-License-Identifier: BSD-3-Clause
/*
 * A server with its own flight recorder, in a session beside any other recording on
 * the machine. When a request takes too long, the events before it are on disk.
 *
 *	cc -O2 recorder.c -lkutrace -o recorder
 *	recorder [DIRECTORY]
 *
 * Prints the number of slow requests. Without a module, or without permission, it serves
 * them all the same and reports that it does not record. If it is killed, its session ends.
 */
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include <libkutrace.h>

#define REQUESTS	20
#define SLOW_MS		50

static int64_t now_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

/* Every seventh request sleeps, for reasons that a trace would show. */
static void serve(uint32_t request)
{
	kutrace_rpc_request(request, request % 7 ? "quick" : "slow");
	kutrace_msleep(request % 7 ? 1 : 100);
	kutrace_rpc_end();
}

/* The last 2 MB of everything, of all tasks; NULL: not recorded. */
static struct kutrace_handle *begin(void)
{
	const struct kutrace_session_options options = {.mb = 2};
	struct kutrace_handle *recorder;
	char text[200];
	int ret;

	/* no name: one is made up */
	ret = kutrace_session_create(NULL, &options, &recorder);
	if (!ret) {
		kutrace_session_use(recorder);
		ret = kutrace_gowrap("recorder");
	}
	if (ret) {
		fprintf(stderr, "recorder: not recorded: %s\n",
			kutrace_explain(ret, text, sizeof(text)));
		kutrace_session_close(recorder);
		recorder = NULL;
	}
	return recorder;
}

int main(int argc, char **argv)
{
	struct kutrace_handle *recorder = begin();
	int slow = 0;
	uint32_t request;

	for (request = 1; request <= REQUESTS; request++) {
		int64_t start = now_ms();
		char name[500];

		serve(request);
		if (now_ms() - start < SLOW_MS)
			continue;
		snprintf(name, sizeof(name), "%.400s/slow.%u.trace", argc > 1 ? argv[1] : ".",
			 request);
		/* recording goes on */
		if (recorder && kutrace_snapshot(name, NULL, NULL))
			fprintf(stderr, "recorder: %s: not written\n", name);
		slow++;
	}
	printf("%d\n", slow);
	kutrace_session_close(recorder);
	return 0;
}
