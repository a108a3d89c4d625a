// SPDX-License-Identifier: BSD-3-Clause
/*
 * Measures the cost of an event on this processor: the ring core as in the module, compared with a
 * reading of the time counter, which is a lower bound, and with a system call. Prints a table, and
 * writes JSON to the file in its argument: the best of many rounds, which other load affects least,
 * and the median with the quartiles. On x86 a second table has counts of the TSC, whose rate is the
 * processor's nominal frequency.
 */
#include "core/emit.h"
#include "core/block.c"
#include "core/kinds.c"
#include "core/move.c"
#include "core/ring.c"

#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "../unit/ring_pool.h"

#define EVENTS 5003
#define ROUNDS 1001
#define BLOCKS 20

__thread struct ku_cpu *ku_env_cpu;
__thread struct ku_cpu *ku_env_cpu2;
u64 (*ku_env_clock)(void);
void (*ku_env_step)(char letter);
__thread bool ku_env_nmi;
__thread u32 ku_env_pid = 1;
unsigned int ku_clock_shift = 5;

static struct ku_cpu cpu;
static volatile u64 sink;

void ku_env_irq_save(unsigned long *flags)
{
	*flags = 0;
}

void ku_env_irq_restore(unsigned long flags)
{
	(void)flags;
}

u32 ku_this_cpu_number(void)
{
	return 0;
}

/* Returns the time counter of x86 in counts; 0 elsewhere. */
static double now_tsc(void)
{
#ifdef __x86_64__
	return (double)__builtin_ia32_rdtsc();
#else
	return 0;
#endif
}

static double now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static void read_clock(void)
{
	u32 i;

	for (i = 0; i < EVENTS; i++)
		sink = ku_clock();
}

static void emit(void)
{
	u32 i;

	for (i = 0; i < EVENTS; i++)
		ku_emit(KU_EVENT(KUTRACE_MARKD) | i);
}

static void emit_pair(void)
{
	u32 i;

	for (i = 0; i < EVENTS; i++) {
		ku_emit(KU_EVENT(KUTRACE_CALL_SYSCALL64 + 39) | (u16)i);
		ku_emit_return(KUTRACE_CALL_SYSCALL64 + 39, 5);
	}
}

/* Runs the hooks of a system call on a patched kernel, without the kernel. */
static void patched_call(s64 retval)
{
	u32 i;

	for (i = 0; i < EVENTS; i++) {
		u64 arg0 = i;

		ku_emit_call_fast(KUTRACE_CALL_SYSCALL64, 39, &arg0);
		if (!ku_emit_call_return(retval))
			ku_emit_unmerged(KUTRACE_CALL_SYSCALL64 + 39, retval);
	}
}

static void patched_merged(void)
{
	patched_call(5);
}

static void patched_apart(void)
{
	patched_call(100000);
}

static void getpid_call(void)
{
	u32 i;

	for (i = 0; i < EVENTS / 10; i++)
		syscall(SYS_getpid);
}

static const struct bench {
	const char *name;
	const char *what;
	void (*run)(void);
	double events;
} benches[] = {
	{ "clock", "reading the time counter", read_clock, EVENTS },
	{ "event", "one event", emit, EVENTS },
	{ "pair", "a call and its merged return", emit_pair, EVENTS },
	{ "patched", "hooks of a patched kernel: a call", patched_merged, EVENTS },
	{ "patched-apart", "a call, with its return in a separate entry", patched_apart, EVENTS },
	{ "getpid", "a getpid system call, untraced", getpid_call, EVENTS / 10 },
};

#define NBENCHES (sizeof(benches) / sizeof(benches[0]))

/* Time for each event in the rounds of one benchmark, smallest first. */
struct rounds {
	double ns[ROUNDS], tsc[ROUNDS];
};

static int by_size(const void *a, const void *b)
{
	const double *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

static void measure(const struct bench *bench, struct rounds *rounds)
{
	int round;

	for (round = 0; round < ROUNDS; round++) {
		double ns, tsc;

		ku_ring_reset(&ku_ring, false);
		ku_ring_init_cpu(&cpu);
		ku_ring.active = 1;
		ns = now_ns();
		tsc = now_tsc();
		bench->run();
		rounds->tsc[round] = (now_tsc() - tsc) / bench->events;
		rounds->ns[round] = (now_ns() - ns) / bench->events;
		if (cpu.lost.causes[KUTRACE_LOST_FULL]) {
			fprintf(stderr, "bench_ring: pool too small\n");
			exit(1);
		}
	}
	qsort(rounds->ns, ROUNDS, sizeof(double), by_size);
	qsort(rounds->tsc, ROUNDS, sizeof(double), by_size);
}

static void print_row(const char *what, const double *sorted)
{
	printf("  %-36s %8.1f %8.1f %8.1f .. %.1f\n", what, sorted[0], sorted[ROUNDS / 2],
	       sorted[ROUNDS / 4], sorted[ROUNDS - 1 - ROUNDS / 4]);
}

static void print_json(FILE *json, const char *name, const struct rounds *rounds, bool last)
{
	fprintf(json, "{\"name\": \"ring-%s\", \"value\": %.2f, \"unit\": \"ns\", "
		"\"median\": %.2f, \"quartiles\": [%.2f, %.2f], \"tsc_median\": %.1f}%s\n",
		name, rounds->ns[0], rounds->ns[ROUNDS / 2], rounds->ns[ROUNDS / 4],
		rounds->ns[ROUNDS - 1 - ROUNDS / 4], rounds->tsc[ROUNDS / 2], last ? "" : ",");
}

int main(int argc, char **argv)
{
	static struct rounds all[NBENCHES];
	FILE *json = argc > 1 ? fopen(argv[1], "w") : NULL;
	size_t i;

	if (argc != 2 || !json) {
		fprintf(stderr, "usage: bench_ring FILE.json\n");
		return 2;
	}
	pool_alloc(BLOCKS);
	ku_env_cpu = &cpu;
	printf("  ring core in user space, %d rounds of %d, in ns\n  %-36s %8s %8s  quartiles\n",
	       ROUNDS, EVENTS, "", "best", "median");
	fprintf(json, "[\n");
	for (i = 0; i < NBENCHES; i++) {
		measure(&benches[i], &all[i]);
		print_row(benches[i].what, all[i].ns);
		print_json(json, benches[i].name, &all[i], i + 1 == NBENCHES);
	}
	fprintf(json, "]\n");
	if (now_tsc() > 0) {
		printf("  the same in counts of the TSC\n");
		for (i = 0; i < NBENCHES; i++)
			print_row(benches[i].what, all[i].tsc);
	}
	return fclose(json) ? 1 : 0;
}
