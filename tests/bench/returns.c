// SPDX-License-Identifier: BSD-3-Clause
/*
 * Measures the cost of a direct hook's return on this processor, which instruction counts do not
 * show: a mispredicted return costs as much as tens of instructions. Compares a plain wrapper, the
 * module's hook, and a hook that skips the body's return address.
 *
 *	returns FILE.json
 */
#include <stdio.h>
#include <time.h>

#define CALLS	2000
#define ROUNDS	3000

void returns_wrapper_plain(void);
void returns_hook_plain(void);
void returns_skip_plain(void);
void returns_wrapper_thunks(void);
void returns_hook_thunks(void);
void returns_skip_thunks(void);

static const struct {
	const char *name, *what;
	void (*run)(void);
} shapes[] = {
	{ "wrapper", "a wrapper", returns_wrapper_plain },
	{ "hook", "the direct hook", returns_hook_plain },
	{ "skip", "a hook that skips an address", returns_skip_plain },
	{ "wrapper-srso", "a wrapper, returns by SRSO's thunk", returns_wrapper_thunks },
	{ "hook-srso", "the plain hook, returns by SRSO's thunk", returns_hook_thunks },
	{ "skip-srso", "the hook for SRSO, which skips", returns_skip_thunks },
};

#define SHAPES (sizeof(shapes) / sizeof(shapes[0]))

static double now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static double measure(void (*run)(void))
{
	double best = 1e18;

	for (int round = 0; round < ROUNDS; round++) {
		double start = now_ns(), took;

		for (int i = 0; i < CALLS; i++)
			run();
		took = now_ns() - start;
		if (took < best)
			best = took;
	}
	return best / CALLS;
}

int main(int argc, char **argv)
{
	FILE *json = argc == 2 ? fopen(argv[1], "w") : NULL;

	if (!json) {
		fprintf(stderr, "usage: returns FILE.json\n");
		return 2;
	}
	printf("  calls and returns of a direct hook, ns each, best of %d rounds of %d\n", ROUNDS,
	       CALLS);
	fprintf(json, "[\n");
	for (size_t i = 0; i < SHAPES; i++) {
		double ns = measure(shapes[i].run);

		printf("  %-42s %8.1f ns\n", shapes[i].what, ns);
		fprintf(json, "{\"name\": \"returns-%s\", \"value\": %.2f, \"unit\": \"ns\"}%s\n",
			shapes[i].name, ns, i + 1 < SHAPES ? "," : "");
	}
	fprintf(json, "]\n");
	return fclose(json) ? 1 : 0;
}
