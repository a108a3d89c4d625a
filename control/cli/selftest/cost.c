// SPDX-License-Identifier: BSD-3-Clause
/*
 * Measures four operations while nothing is recorded and while this session records, alternately.
 * The smallest of many measurements has the fewest interruptions by other programs. Must measure
 * both states on the same CPU.
 */
#include <fcntl.h>
#include <linux/perf_event.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "cli/base/base.h"
#include "cli/selftest/selftest.h"

#define CALLS		1000
#define PAGES		64
#define TRIPS		100	/* round trips of a byte, with two switches each */
#define BATCHES		7	/* measurements of each operation in a round */
#define ROUNDS		16
#define ROUNDS_QUICK	6
#define ROUNDS_MIN	4
#define PHASE_MS	15000	/* no further round begins after this time */

struct bench {
	int counter;		/* descriptor of the counter of this CPU's cycles; -1: none */
	volatile char *area;
	size_t page_bytes;
	int to, from;		/* pipes of the process that returns each byte */
	/* picoseconds of one operation: [recording][operation][round and batch] */
	uint64_t ps[2][SELFTEST_OPERATIONS][ROUNDS * BATCHES];
	uint64_t cycles[2][SELFTEST_OPERATIONS];	/* of one operation, smallest */
};

static void calls(const struct bench *b)
{
	(void)b;
	for (int i = 0; i < CALLS; i++)
		syscall(SYS_getpid);
}

static void faults(const struct bench *b)
{
	for (size_t i = 0; i < PAGES; i++)
		b->area[i * b->page_bytes] = 1;
}

static void switches(const struct bench *b)
{
	char byte = 0;

	for (int i = 0; i < TRIPS; i++)
		if (write(b->to, &byte, 1) != 1 || read(b->from, &byte, 1) != 1)
			break;
}

static void marks(const struct bench *b)
{
	(void)b;
	for (uint64_t i = 0; i < CALLS; i++)
		kutrace_mark_d(i);
}

static const struct {
	void (*run)(const struct bench *b);
	unsigned int count;
} operations[SELFTEST_OPERATIONS] = {
	[SELFTEST_CALL] = {calls, CALLS}, [SELFTEST_FAULT] = {faults, PAGES},
	[SELFTEST_SWITCH] = {switches, 2 * TRIPS}, [SELFTEST_MARK] = {marks, CALLS},
};

static uint64_t read_cycles(const struct bench *b)
{
	uint64_t cycles;

	return b->counter >= 0 && read(b->counter, &cycles, 8) == 8 ? cycles : 0;
}

/* Measures all operations once, and stores the results at index @number. */
static void measure(struct bench *b, bool recording, unsigned int number)
{
	for (int i = 0; i < SELFTEST_OPERATIONS; i++) {
		uint64_t *smallest = &b->cycles[recording][i], start_ns, cycles, ns;

		if (i == SELFTEST_FAULT)
			madvise((void *)(uintptr_t)b->area, PAGES * b->page_bytes, MADV_DONTNEED);
		cycles = read_cycles(b);
		start_ns = selftest_now_ns();
		operations[i].run(b);
		ns = selftest_now_ns() - start_ns;
		cycles = (read_cycles(b) - cycles) / operations[i].count;
		if (!*smallest || cycles < *smallest)
			*smallest = cycles;
		b->ps[recording][i][number] = ns * 1000 / operations[i].count;
	}
}

static int measure_round(struct bench *b, unsigned int round)
{
	int ret;

	for (unsigned int i = 0; i < BATCHES; i++)
		measure(b, false, round * BATCHES + i);
	ret = selftest_on(true);
	if (ret)
		return ret;
	for (unsigned int i = 0; i < BATCHES; i++)
		measure(b, true, round * BATCHES + i);
	ret = selftest_off();
	return cmd_interrupted() ? -ECANCELED : ret;
}

/* --- before and after ---------------------------------------------------------- */

/* Opens the counter of this CPU's cycles in user and kernel code. Returns -1 if there is none. */
static int open_counter(int cpu)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_HARDWARE, .size = sizeof(attr),
		.config = PERF_COUNT_HW_CPU_CYCLES, .exclude_hv = 1,
	};

	return (int)syscall(SYS_perf_event_open, &attr, -1, cpu, -1, PERF_FLAG_FD_CLOEXEC);
}

static _Noreturn void echo(int from, int to)
{
	char byte;

	while (read(from, &byte, 1) == 1 && write(to, &byte, 1) == 1)
		;
	_exit(0);
}

/* Starts a process on @cpu that returns each byte. Returns its pid or -errno. */
static pid_t start_echo(struct bench *b, int cpu)
{
	int there[2], back[2], ret;
	pid_t pid;

	if (pipe2(there, O_CLOEXEC))
		return -errno;
	if (pipe2(back, O_CLOEXEC)) {
		ret = -errno;
		close(there[0]);
		close(there[1]);
		return ret;
	}
	pid = selftest_fork(cpu);
	if (!pid) {
		close(there[1]);
		echo(there[0], back[1]);
	}
	close(there[0]);
	close(back[1]);
	b->to = there[1];
	b->from = back[0];
	return pid;
}

static int compare(const void *a, const void *b)
{
	const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

static void summarize(struct bench *b, bool recording, int operation, unsigned int rounds,
		      struct selftest_sample *s)
{
	uint64_t *ps = b->ps[recording][operation], least[ROUNDS];

	for (unsigned int i = 0; i < rounds; i++) {
		qsort(ps + i * BATCHES, BATCHES, sizeof(*ps), compare);
		least[i] = ps[i * BATCHES];
	}
	qsort(least, rounds, sizeof(*least), compare);
	s->noise_ps = least[1] - least[0];
	qsort(ps, rounds * BATCHES, sizeof(*ps), compare);
	s->min_ps = ps[0];
	s->median_ps = ps[rounds * BATCHES / 2];
	s->cycles = b->cycles[recording][operation];
}

static int measure_all(struct selftest *t, struct bench *b)
{
	const unsigned int rounds = t->quick ? ROUNDS_QUICK : ROUNDS;
	const int64_t end_ms = cmd_now_ms() + PHASE_MS;
	int ret = 0;

	kutrace_mark_d(0);
	for (t->rounds = 0; t->rounds < rounds && !ret; t->rounds++) {
		if (t->rounds >= ROUNDS_MIN && cmd_now_ms() > end_ms)
			break;
		selftest_progress(t, "costs", t->rounds + 1, rounds);
		ret = measure_round(b, t->rounds);
	}
	for (int i = 0; i < SELFTEST_OPERATIONS && !ret; i++) {
		struct selftest_cost *c = &t->cost[i];

		summarize(b, false, i, t->rounds, &c->idle);
		summarize(b, true, i, t->rounds, &c->recording);
		c->added_ps = (int64_t)(c->recording.min_ps - c->idle.min_ps);
		c->in_noise = (uint64_t)llabs(c->added_ps) <= c->idle.noise_ps + c->recording.noise_ps;
	}
	return ret;
}

int selftest_cost(struct selftest *t)
{
	struct bench *b = calloc(1, sizeof(*b));
	const int cpu = sched_getcpu();
	pid_t pid;
	int ret;

	if (!b)
		return -ENOMEM;
	b->page_bytes = (size_t)sysconf(_SC_PAGESIZE);
	b->area = mmap(NULL, PAGES * b->page_bytes, PROT_READ | PROT_WRITE,
		       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (b->area == MAP_FAILED || cpu < 0 || !selftest_pin(cpu)) {
		free(b);
		return -ENOMEM;
	}
	madvise((void *)(uintptr_t)b->area, PAGES * b->page_bytes, MADV_NOHUGEPAGE);
	b->counter = open_counter(cpu);
	t->has_cycles = b->counter >= 0 && read_cycles(b);
	pid = start_echo(b, cpu);
	ret = pid < 0 ? pid : measure_all(t, b);
	if (pid > 0) {
		close(b->to);
		close(b->from);
		selftest_kill(&pid, 1);
	}
	if (b->counter >= 0)
		close(b->counter);
	munmap((void *)(uintptr_t)b->area, PAGES * b->page_bytes);
	free(b);
	selftest_unpin(t);
	return ret;
}
