// SPDX-License-Identifier: BSD-3-Clause
/*
 * Compares the times of marks in a trace with the data of tests/guest/prog/clocks.c. Decodes the
 * words of the trace without the filters.
 *
 *	clocks TRACE order FIRST COUNT	checks the marks mark_d FIRST, FIRST + 1 ... A program made them one after
 *			the other, each on another CPU than the previous mark. Prints the number of marks;
 *			pairs, the number of changes of the CPU; early, the number of marks that are earlier
 *			than the previous mark by more than one count; least, the smallest distance of two
 *			marks in counts.
 *	clocks TRACE raw KHZ SHIFT <PAIRS	reads lines NUMBER CPU BEFORE AFTER: two readings of another clock in ns,
 *			before and after the mark. KHZ and SHIFT belong to the trace's time counter. Chooses the
 *			rate and the offset of the counter that minimize error_ns, and prints:
 *			ppb		difference of this rate from KHZ, in 10^-9
 *			error_ns	largest distance of a mark from the interval of its readings
 *			cpu N error_ns	the same for the marks of each CPU
 *			p50_ns, p99_ns, worst_ns	distances from the middle of the two readings
 *
 * Exit status: 0; 1 with a message if a mark is missing or occurs twice; 2 usage.
 */
#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "../unit/ring_decode.h"

#define CPUS	256

struct mark {
	uint64_t ts;
	uint32_t cpu;
	uint32_t times;
};

struct pair {
	double at, before, after;	/* ns since the first mark; ns since the first reading */
	uint32_t cpu;
};

static struct mark *marks;
static uint32_t first_mark, mark_count;

_Noreturn static void die(const char *what, uint64_t number)
{
	fprintf(stderr, "clocks: %s %" PRIu64 "\n", what, number);
	exit(1);
}

static void read_trace(const char *path)
{
	static uint64_t words[KUTRACE_BLOCK_WORDS];
	FILE *file = fopen(path, "rb");
	struct decode d = { 0 };
	uint64_t blocks;
	size_t i;

	if (!file)
		die("cannot open the trace", 0);
	for (blocks = 0; fread(words, sizeof(words), 1, file) == 1; blocks++) {
		/* The first block has only names. In the other blocks, skip padding. */
		for (i = 0; i < KUTRACE_BLOCK_WORDS; i++)
			if (words[i] == ~0ULL)
				words[i] = 0;
		d.count = 0;
		if (blocks)
			decode_block(&d, words, (uint32_t)blocks);
		if (d.error)
			die(d.error, blocks);
		for (i = 0; i < d.count; i++) {
			uint32_t n = d.list[i].arg - first_mark;

			if (d.list[i].event != KUTRACE_MARKD || n >= mark_count)
				continue;
			marks[n].ts = d.list[i].ts;
			marks[n].cpu = (uint32_t)(words[0] >> 56);
			marks[n].times++;
		}
	}
	fclose(file);
	for (i = 0; i < mark_count; i++)
		if (marks[i].times != 1)
			die(marks[i].times ? "a mark that is there twice:" : "a mark that is not there:",
			    first_mark + i);
}

static void order(void)
{
	int64_t least = INT64_MAX;
	uint32_t i, early = 0, pairs = 0;

	for (i = 1; i < mark_count; i++) {
		int64_t step = (int64_t)(marks[i].ts - marks[i - 1].ts);

		pairs += marks[i].cpu != marks[i - 1].cpu;
		early += step < -1;
		least = step < least ? step : least;
	}
	printf("marks %u\npairs %u\nearly %u\nleast %" PRId64 "\n", mark_count, pairs, early, least);
}

static struct pair *list;

/*
 * Returns the largest distance of a mark from the interval of its readings, for a given rate, and
 * sets the best offset. The result is negative if all marks lie inside of their intervals.
 */
static double error_of(double ppb, double *offset)
{
	double most = -INFINITY, least = INFINITY;
	uint32_t i;

	for (i = 0; i < mark_count; i++) {
		double at = list[i].at * (1 + ppb * 1e-9);

		most = fmax(most, list[i].before - at);
		least = fmin(least, list[i].after - at);
	}
	*offset = (most + least) / 2;
	return (most - least) / 2;
}

/* Searches the rate with the smallest error. The error is a convex function of the rate. */
static double best_ratio(double *offset)
{
	double low = -2000, high = 2000;
	int i;

	for (i = 0; i < 100; i++) {
		double a = low + (high - low) / 3, b = high - (high - low) / 3, unused;

		if (error_of(a, &unused) <= error_of(b, &unused))
			high = b;
		else
			low = a;
	}
	error_of((low + high) / 2, offset);
	return (low + high) / 2;
}

static int compare(const void *left, const void *right)
{
	double a = *(const double *)left, b = *(const double *)right;

	return a < b ? -1 : a > b;
}

static void raw(double khz, unsigned int shift)
{
	double *far = calloc(mark_count, sizeof(*far)), offset, ppb, worst[CPUS] = { 0 };
	uint32_t i, of[CPUS] = { 0 };
	double ns = 1e6 / khz * (double)(1ULL << shift);

	for (i = 0; i < mark_count; i++) {
		if (list[i].cpu != marks[i].cpu)
			die("a mark of another CPU:", first_mark + i);
		list[i].at = (double)(marks[i].ts - marks[0].ts) * ns;
	}
	ppb = best_ratio(&offset);
	for (i = 0; i < mark_count; i++) {
		double at = list[i].at * (1 + ppb * 1e-9) + offset;
		double out = fmax(list[i].before - at, at - list[i].after);

		worst[list[i].cpu] = fmax(worst[list[i].cpu], out);
		of[list[i].cpu]++;
		far[i] = fabs(at - (list[i].before + list[i].after) / 2);
	}
	qsort(far, mark_count, sizeof(*far), compare);
	printf("marks %u\ncount_ns %.3f\nppb %.1f\nerror_ns %.1f\n", mark_count, ns, ppb, fmax(0, error_of(ppb, &offset)));
	for (i = 0; i < CPUS; i++)
		if (of[i])
			printf("cpu %u error_ns %.1f of %u\n", i, worst[i], of[i]);
	printf("p50_ns %.0f\np99_ns %.0f\nworst_ns %.0f\n", far[mark_count / 2], far[mark_count / 100 * 99],
	       far[mark_count - 1]);
	free(far);
}

static void read_pairs(void)
{
	uint64_t before, after, zero = 0;
	uint32_t number, cpu, room = 0;
	char line[200];

	while (fgets(line, sizeof(line), stdin)) {
		if (sscanf(line, "%" SCNu32 " %" SCNu32 " %" SCNu64 " %" SCNu64, &number, &cpu, &before, &after) != 4)
			continue;
		if (!mark_count) {
			first_mark = number;
			zero = before;
		}
		if (number != first_mark + mark_count || cpu >= CPUS)
			die("no line of clocks.c at", number);
		if (mark_count == room) {
			room = room ? 2 * room : 4096;
			list = realloc(list, room * sizeof(*list));
		}
		list[mark_count++] = (struct pair){ .before = (double)(before - zero), .after = (double)(after - zero),
						    .cpu = cpu };
	}
	if (mark_count < 2)
		die("pairs:", mark_count);
}

int main(int argc, char **argv)
{
	bool in_order = argc == 5 && strcmp(argv[2], "order") == 0;

	if (!in_order && (argc != 5 || strcmp(argv[2], "raw") != 0)) {
		fprintf(stderr, "usage: clocks TRACE order FIRST COUNT | clocks TRACE raw KHZ SHIFT\n");
		return 2;
	}
	if (in_order) {
		first_mark = (uint32_t)strtoul(argv[3], NULL, 10);
		mark_count = (uint32_t)strtoul(argv[4], NULL, 10);
	} else {
		read_pairs();
	}
	marks = calloc(mark_count + 1, sizeof(*marks));
	if (!marks || mark_count < 2)
		die("marks:", mark_count);
	read_trace(argv[1]);
	if (in_order)
		order();
	else
		raw(strtod(argv[3], NULL), (unsigned int)strtoul(argv[4], NULL, 10) & 31);
	free(marks);
	free(list);
	return 0;
}
