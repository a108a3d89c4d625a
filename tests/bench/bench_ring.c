// SPDX-License-Identifier: BSD-3-Clause
/*
 * Cost of an event, natively: the ring core as the module has it, beside what
 * bounds it from below (reading the time counter) and what a tracer's user
 * compares it with (a system call). Prints a table, writes JSON to the file
 * named as its argument. The smallest of many rounds counts: the machine may be
 * busy with other things.
 */
#include "core/emit.h"
#include "core/block.c"
#include "core/counted.c"
#include "core/kinds.c"
#include "core/move.c"
#include "core/ring.c"
#include "core/timed.c"
#include "core/twice.c"

#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "../unit/ring_pool.h"

#define EVENTS 200003
#define ROUNDS 31
#define BLOCKS 200

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
	{ "getpid", "a getpid system call, untraced", getpid_call, EVENTS / 10 },
};

#define NBENCHES (sizeof(benches) / sizeof(benches[0]))

static double measure(const struct bench *bench)
{
	double best = 1e18;
	int round;

	for (round = 0; round < ROUNDS; round++) {
		double start, took;

		ku_ring_reset(&ku_ring, false);
		ku_ring_init_cpu(&cpu);
		ku_ring.active = 1;
		start = now_ns();
		bench->run();
		took = now_ns() - start;
		if (took < best)
			best = took;
		if (cpu.lost[KUTRACE_LOST_FULL]) {
			fprintf(stderr, "bench_ring: pool too small\n");
			exit(1);
		}
	}
	return best / bench->events;
}

int main(int argc, char **argv)
{
	FILE *json = argc > 1 ? fopen(argv[1], "w") : NULL;
	size_t i;

	if (argc != 2 || !json) {
		fprintf(stderr, "usage: bench_ring FILE.json\n");
		return 2;
	}
	pool_alloc(BLOCKS);
	ku_env_cpu = &cpu;
	printf("  ring core in user space, ns each, best of %d rounds of %d\n", ROUNDS,
	       EVENTS);
	fprintf(json, "[\n");
	for (i = 0; i < NBENCHES; i++) {
		double ns = measure(&benches[i]);

		printf("  %-32s %8.1f ns\n", benches[i].what, ns);
		fprintf(json, "{\"name\": \"ring-%s\", \"value\": %.2f, \"unit\": \"ns\"}%s\n",
			benches[i].name, ns, i + 1 < NBENCHES ? "," : "");
	}
	fprintf(json, "]\n");
	return fclose(json) ? 1 : 0;
}
