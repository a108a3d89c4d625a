// SPDX-License-Identifier: BSD-3-Clause
/*
 * Checks conservation: between two readings of kutrace_conserve.ko, the hits that its probes counted
 * must equal the entries of the trace, plus the returns merged into their calls, plus the counted
 * losses, for each CPU and kind. Decodes the words of the trace without the filters.
 *
 *	conserve TRACE READING READING	files with the content of /proc/kutrace_conserve
 *	conserve --arguments		prints the arguments with which kutrace_conserve.ko is loaded
 *
 * Prints a line for each CPU and kind: CPU KIND HITS[..HITS] ENTRIES MERGED LOST, with "differs" at
 * the end if they do not add up, and "total" with the sums. Exit status: 0 all add up; 1 some do
 * not, or nothing was counted, or a file cannot be read; 2 usage.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Included for the offset of the module's counts of losses, and for the kind of an event. */
#include "core/block.h"
#include "core/kinds.c"

#define CPUS	256
/* Event of the marks at the readings, with the mark's number as argument. */
#define MARK_EVENT	KUTRACE_PSTATE2

enum slot { SYSCALL, SOFTIRQ, IRQ, IPI, SWITCH, WAKEUP, EXIT, SLOTS };

static const char *const slot_names[SLOTS] = {
	"syscall", "softirq", "irq", "ipi", "switch", "wakeup", "exit",
};

static int slot_of_kind(uint32_t kind)
{
	switch (kind) {
	case KUTRACE_KIND_CALL_SYSCALL64:
	case KUTRACE_KIND_CALL_SYSCALL32:
	case KUTRACE_KIND_CALL_SYSOTHER:
		return SYSCALL;
	case KUTRACE_KIND_CALL_BH:
		return SOFTIRQ;
	case KUTRACE_KIND_CALL_IRQ:
		return IRQ;
	case KUTRACE_KIND_CALL_IPI:
		return IPI;
	case KUTRACE_KIND_USERPID:
		return SWITCH;
	case KUTRACE_KIND_RUNNABLE:
		return WAKEUP;
	case KUTRACE_KIND_TASKEXIT:
		return EXIT;
	}
	return -1;
}

struct counts {
	uint64_t entries, merged;
};

struct reading {
	uint32_t mark;
	bool has[CPUS];
	uint64_t in_front[CPUS][SLOTS], behind[CPUS][SLOTS];
	uint64_t lost[CPUS][KUTRACE_KINDS];
};

/*
 * State of each CPU while its words are read, in the order in which the CPU claimed them. Counts
 * only words between the first and the last mark.
 */
static struct cpu {
	enum { BEFORE, BETWEEN, BEHIND } phase;
	struct counts slots[SLOTS];
} cpus[CPUS];

static struct reading first, last;

_Noreturn static void die(const char *what, const char *why)
{
	fprintf(stderr, "conserve: %s: %s\n", what, why);
	exit(1);
}

static void read_reading(struct reading *reading, const char *path)
{
	FILE *file = fopen(path, "r");
	char line[200], name[32];
	uint64_t a, b;
	uint32_t cpu, kind;
	int i;

	if (!file)
		die(path, strerror(errno));
	while (fgets(line, sizeof(line), file)) {
		if (sscanf(line, "- mark %" SCNu32, &reading->mark) == 1)
			continue;
		if (sscanf(line, "%" SCNu32 " lost %" SCNu32 " %" SCNu64, &cpu, &kind, &a) == 3 &&
		    cpu < CPUS && kind < KUTRACE_KINDS) {
			reading->lost[cpu][kind] = a;
			continue;
		}
		if (sscanf(line, "%" SCNu32 " hits %31s %" SCNu64 " %" SCNu64, &cpu, name, &a, &b) != 4 ||
		    cpu >= CPUS)
			die(path, "is no reading of kutrace_conserve.ko");
		for (i = 0; i < SLOTS && strcmp(name, slot_names[i]) != 0; i++)
			;
		if (i == SLOTS)
			die(path, "has a kind that is not known here");
		reading->has[cpu] = true;
		reading->in_front[cpu][i] = a;
		reading->behind[cpu][i] = b;
	}
	if (ferror(file) || fclose(file) != 0 || !reading->mark)
		die(path, "has no mark");
}

static void count_word(struct cpu *cpu, uint64_t word, uint32_t event)
{
	int slot = slot_of_kind(ku_kind_of(word));

	if (event == MARK_EVENT && (uint32_t)word == first.mark) {
		cpu->phase = BETWEEN;
		memset(cpu->slots, 0, sizeof(cpu->slots));
		return;
	}
	if (event == MARK_EVENT && (uint32_t)word == last.mark)
		cpu->phase = BEHIND;
	if (cpu->phase != BETWEEN || slot < 0)
		return;
	cpu->slots[slot].entries++;
	if (event >= KUTRACE_CALL_TRAP && !(event & KUTRACE_RETURN_BIT) &&
	    word >> KUTRACE_DELTA_SHIFT & KUTRACE_DELTA_MAX)
		cpu->slots[slot].merged++;
}

static void read_trace(const char *path)
{
	static uint64_t words[KUTRACE_BLOCK_WORDS];
	FILE *file = fopen(path, "rb");
	uint64_t blocks;
	uint32_t i;

	if (!file)
		die(path, strerror(errno));
	for (blocks = 0; fread(words, sizeof(words), 1, file) == 1; blocks++) {
		if (words[1] >> 56 & KUTRACE_FLAG_IPC)
			die(path, "has counters in it, which is not read here");
		/* Skip the first block, which has only names. */
		for (i = blocks ? KUTRACE_FIRST_WORD : KUTRACE_BLOCK_WORDS; i < KUTRACE_BLOCK_WORDS; ) {
			uint32_t event = words[i] >> KUTRACE_EVENT_SHIFT & KUTRACE_EVENT_MASK;

			if (words[i] != 0 && words[i] != ~0ULL) {
				count_word(&cpus[words[0] >> 56], words[i], event);
				i += ku_entry_words(event);
			} else {
				i++;
			}
		}
	}
	if (ferror(file) || !feof(file) || fclose(file) != 0 || blocks < 2)
		die(path, "is no whole trace");
}

/*
 * Sets the smallest and the largest possible number of hits. One count grows before kutrace's probe
 * runs, the other after it, so during a hit only one of them includes the hit.
 */
static void hits_between(uint32_t cpu, int slot, uint64_t *low, uint64_t *high)
{
	uint64_t f0 = first.in_front[cpu][slot], f1 = first.behind[cpu][slot];
	uint64_t l0 = last.in_front[cpu][slot], l1 = last.behind[cpu][slot];

	*low = (l0 < l1 ? l0 : l1) - (f0 > f1 ? f0 : f1);
	*high = (l0 > l1 ? l0 : l1) - (f0 < f1 ? f0 : f1);
}

/* Returns false if the numbers do not add up. */
static bool check(uint32_t cpu, int slot, struct counts *sum, uint64_t *hits, uint64_t *lost_sum)
{
	struct counts *c = &cpus[cpu].slots[slot];
	uint64_t low, high, lost = 0, all;
	bool good;
	uint32_t kind;

	for (kind = 0; kind < KUTRACE_KINDS; kind++)
		if (slot_of_kind(kind) == slot)
			lost += last.lost[cpu][kind] - first.lost[cpu][kind];
	hits_between(cpu, slot, &low, &high);
	all = c->entries + c->merged + lost;
	good = all >= low && all <= high;
	/* If the last mark was lost as well, an NMI after the last reading may have been recorded. */
	if (!good && slot == IRQ && cpus[cpu].phase == BETWEEN && all > high)
		good = lost > 0;
	if (low || high || all) {
		printf("%u %s %" PRIu64, cpu, slot_names[slot], low);
		if (low != high)
			printf("..%" PRIu64, high);
		printf(" %" PRIu64 " %" PRIu64 " %" PRIu64 "%s\n", c->entries, c->merged, lost,
		       good ? "" : " differs");
	}
	sum->entries += c->entries;
	sum->merged += c->merged;
	*hits += high;
	*lost_sum += lost;
	return good;
}

int main(int argc, char **argv)
{
	struct counts sum = { 0 };
	uint64_t hits = 0, lost = 0;
	uint32_t cpu, open = 0;
	bool good = true;
	int slot;

	if (argc == 2 && strcmp(argv[1], "--arguments") == 0)
		return printf("lost_at=%zu kinds=%d\n", offsetof(struct ku_cpu, lost.kinds),
			      (int)KUTRACE_KINDS) < 0;
	if (argc != 4) {
		fprintf(stderr, "usage: conserve TRACE READING READING | conserve --arguments\n");
		return 2;
	}
	ku_kinds_init();
	read_reading(&first, argv[2]);
	read_reading(&last, argv[3]);
	read_trace(argv[1]);
	for (cpu = 0; cpu < CPUS; cpu++) {
		if (!last.has[cpu])
			continue;
		open += cpus[cpu].phase != BEFORE;
		for (slot = 0; slot < SLOTS; slot++)
			good &= check(cpu, slot, &sum, &hits, &lost);
	}
	printf("total %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 "\n", hits, sum.entries, sum.merged, lost);
	if (!hits || !open)
		die(argv[1], "nothing was counted between the marks");
	return !good;
}
