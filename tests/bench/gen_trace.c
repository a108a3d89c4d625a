// SPDX-License-Identifier: BSD-3-Clause
/*
 * Makes a valid raw trace (version 3) of any size from a recorded one. It repeats the recorded
 * events with continued and jittered times, packed into full blocks. Used for benchmarks, and for
 * tests of everything that grows with the size. The output depends only on the arguments. With
 * COPIES, that number of copies of the recorded machine run side by side, each with its own CPUs
 * and processes, a little later than the previous copy.
 *
 *	gen_trace recorded.trace MIB out.trace [COPIES]
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/entry.h"
#include "base/tool.h"
#include "rawtrace/blocks.h"

static const struct kp_tool tool = {
	.name = "gen_trace",
	.usage = "recorded.trace MiB out.trace [copies]",
	.help =
"Repeats a recorded trace, with jitter, until it has the given size. With copies,\n"
"that number of machines run side by side, each with its own CPUs and processes.\n",
};

#define NAME_WORDS	8
#define CPUS_MAX	256u
#define COPY_LATER	1000u	/* counts by which each copy is later than the previous one */
#define COPY_PIDS	100000u	/* difference to the pids of the previous copy */

struct entry {
	uint64_t count;
	uint64_t words[NAME_WORDS];
	uint8_t length, cpu;
	bool fixed;		/* the entry is not an event: repeat_entry() does not vary its time */
};

struct cpu {
	uint64_t words[KUTRACE_BLOCK_WORDS];
	size_t used;		/* number of used words of the block; 0: no block yet */
	size_t block;
	uint64_t count;		/* time of the last entry, in counts */
	uint64_t before;	/* time of the CPU's last event plus its duration, in counts */
	uint32_t pid;
};

struct gen {
	struct kp_raw raw;
	struct entry *entries;
	size_t count, room;
	struct cpu cpus[CPUS_MAX];
	FILE *out;
	size_t blocks;		/* number of blocks taken so far */
	unsigned int copies;	/* number of copies of the machine */
	unsigned int cpu_count;	/* number of CPUs of one copy */
	uint64_t last;		/* latest count that was written */
	uint64_t random;
};

static uint64_t below(struct gen *gen, uint64_t limit)
{
	gen->random = gen->random * 6364136223846793005ull + 1442695040888963407ull;
	return limit ? (gen->random >> 33) % limit : 0;
}

static int take(void *self, const struct kp_raw_merged *taken)
{
	const struct kp_raw_source *source = taken->item.source;
	const struct kp_raw_entry *entry = kp_raw_entry_of(&taken->item);
	struct gen *gen = self;
	const uint64_t *words = &source->words.word[entry->index];
	struct entry *e;

	if (entry->kind == KP_RAW_HEADER)
		return 0;
	if (gen->count == gen->room) {
		gen->room = gen->room ? gen->room * 2 : 65536;
		gen->entries = realloc(gen->entries, gen->room * sizeof(*e));
		if (!gen->entries)
			kp_die(KP_BAD, "no memory");
	}
	e = &gen->entries[gen->count++];
	e->count = entry->count;
	e->cpu = source->block.cpu;
	if (e->cpu >= gen->cpu_count)
		gen->cpu_count = e->cpu + 1u;
	e->fixed = entry->kind != KP_RAW_EVENT;
	e->length = entry->kind == KP_RAW_NAME ?
		    (uint8_t)((ku_entry_event(*words) >> KUTRACE_NAME_LEN_SHIFT) & 15) :
		    entry->kind == KP_RAW_PC ? 2 : 1;
	memcpy(e->words, words, e->length * sizeof(*words));
	return 0;
}

static void put_block(struct gen *gen, struct cpu *cpu)
{
	if (!cpu->used)
		return;
	memset(cpu->words + cpu->used, 0,
	       (KUTRACE_BLOCK_WORDS - cpu->used) * sizeof(*cpu->words));
	if (pwrite(fileno(gen->out), cpu->words, sizeof(cpu->words),
		   (off_t)(cpu->block * sizeof(cpu->words))) != sizeof(cpu->words))
		kp_die(KP_BAD, "cannot write: %s", strerror(errno));
	cpu->used = 0;
}

static uint64_t usec_of(const struct kp_raw *raw, uint64_t count)
{
	return raw->start_usec +
	       (uint64_t)((unsigned __int128)(count - raw->start_count) *
			  (raw->stop_usec - raw->start_usec) /
			  (raw->stop_count - raw->start_count));
}

static void begin_block(struct gen *gen, struct cpu *cpu, unsigned id, uint64_t count)
{
	memset(cpu->words, 0, sizeof(cpu->words));
	cpu->words[0] = (uint64_t)id << 56 | count;
	cpu->words[1] = usec_of(&gen->raw, count);
	cpu->words[2] = cpu->pid;
	cpu->used = KUTRACE_FIRST_WORD;
	cpu->block = gen->blocks++;
	cpu->count = count;
}

static void put(struct gen *gen, unsigned int id, const struct entry *e, uint64_t count,
		uint64_t word)
{
	struct cpu *cpu = &gen->cpus[id];

	if (cpu->used + e->length + 1u > KUTRACE_BLOCK_WORDS)
		put_block(gen, cpu);
	if (!cpu->used)
		begin_block(gen, cpu, id, count);
	if (count - cpu->count > KUTRACE_GAP_MAX)
		cpu->words[cpu->used++] =
			(count & KUTRACE_TS_MASK) << KUTRACE_TS_SHIFT |
			(uint64_t)KUTRACE_TSDELTA << KUTRACE_EVENT_SHIFT |
			(uint32_t)(count - cpu->count);
	memcpy(cpu->words + cpu->used, e->words, e->length * sizeof(*e->words));
	cpu->words[cpu->used] = (word & ~(KUTRACE_TS_MASK << KUTRACE_TS_SHIFT)) |
				(count & KUTRACE_TS_MASK) << KUTRACE_TS_SHIFT;
	cpu->used += e->length;
	cpu->count = count;
	if (count > gen->last)
		gen->last = count;
}

/* Returns a word with the pids and CPUs of a copy of the machine. */
static uint64_t word_of_copy(const struct gen *gen, uint64_t word, unsigned int copy)
{
	uint32_t event = ku_entry_event(word);
	bool pid = event == KUTRACE_USERPID || event == KUTRACE_RUNNABLE ||
		   (ku_event_is_name(event) && KU_NAME_BASE(event) == KUTRACE_NAME_PID);

	if (pid && (uint32_t)word)
		word += (uint64_t)copy * COPY_PIDS;
	else if (event == KUTRACE_IPI)
		word += (uint64_t)copy * gen->cpu_count;
	return word;
}

/* Writes one entry of a copy of the machine, @shift counts later. */
static void repeat_entry(struct gen *gen, const struct entry *e, unsigned int copy,
			 uint64_t shift, bool names)
{
	unsigned int id = e->cpu + copy * gen->cpu_count;
	struct cpu *cpu = &gen->cpus[id];
	uint64_t word = word_of_copy(gen, e->words[0], copy);
	uint64_t count = e->count + shift + copy * COPY_LATER, end;
	uint32_t event = ku_entry_event(word);
	uint64_t delta = event >= KUTRACE_CALL_TRAP && !(event & KUTRACE_RETURN_BIT) ?
			 (word >> KUTRACE_DELTA_SHIFT) & KUTRACE_DELTA_MAX : 0;

	if (ku_event_is_name(event) && !names)
		return;
	/* Move back by up to a quarter of the gap, and shorten the entry by up to a quarter. */
	if (!e->fixed && !names && count > cpu->before)
		count -= below(gen, (count - cpu->before) / 4);
	end = count + delta;
	if (delta > 4 && !e->fixed) {
		uint64_t less = below(gen, delta / 4);

		word -= less << KUTRACE_DELTA_SHIFT;
		end -= less;
	}
	if (event == KUTRACE_USERPID)
		cpu->pid = (uint32_t)word;
	put(gen, id, e, count, word);
	if (!e->fixed)
		cpu->before = end;
}

/* Writes all entries again, @shift counts later. Writes names only if @names is set. */
static void repeat(struct gen *gen, uint64_t shift, bool names)
{
	unsigned int copy;
	size_t i;

	for (i = 0; i < gen->count; i++)
		for (copy = 0; copy < gen->copies; copy++)
			repeat_entry(gen, &gen->entries[i], copy, shift, names);
}

/* Writes block 0, which has the clock and no entries. */
static void put_first(struct gen *gen)
{
	uint64_t words[KUTRACE_BLOCK_WORDS] = { 0 };
	const struct kp_raw *raw = &gen->raw;
	uint64_t stop = gen->last + 1000;

	words[0] = (uint64_t)gen->entries[0].cpu << 56 | raw->start_count;
	words[1] = (uint64_t)KUTRACE_FILE_VERSION << 56 | raw->start_usec;
	words[2] = raw->start_count;
	words[3] = raw->start_usec;
	words[4] = stop;
	words[5] = usec_of(raw, stop);
	if (pwrite(fileno(gen->out), words, sizeof(words), 0) != sizeof(words))
		kp_die(KP_BAD, "cannot write: %s", strerror(errno));
}

int main(int argc, char **argv)
{
	static struct gen gen;
	struct kp_raw_heap heap = { .raw = &gen.raw };
	uint64_t period, shift = 0;
	const char *shown;
	size_t want, i;
	FILE *in;

	kp_begin(&tool, argc, argv);
	if (argc != 4 && argc != 5)
		kp_usage_error("needs three or four arguments");
	want = (size_t)strtoull(argv[2], NULL, 10) * 16;
	in = kp_open_input(argv[1], &shown);
	if (kp_raw_open(&gen.raw, in, shown))
		kp_die(KP_BAD, "%s", gen.raw.message);
	kp_raw_heap_add_all(&heap);
	if (kp_raw_heap_run(&heap, UINT64_MAX, take, &gen))
		kp_die(KP_BAD, "%s", gen.raw.message);
	kp_raw_heap_free(&heap);
	if (!gen.count)
		kp_die(KP_BAD, "%s: nothing in it", shown);
	gen.copies = argc == 5 ? (unsigned int)strtoul(argv[4], NULL, 10) : 1;
	if (!gen.copies || gen.copies > CPUS_MAX / gen.cpu_count)
		kp_usage_error("copies: 1 to %u", CPUS_MAX / gen.cpu_count);
	gen.out = fopen(argv[3], "wb");
	if (!gen.out)
		kp_die(KP_BAD, "cannot write %s: %s", argv[3], strerror(errno));
	gen.blocks = 1;
	gen.random = 42;
	for (i = 0; i < CPUS_MAX; i++)
		gen.cpus[i].before = gen.raw.start_count;
	period = gen.entries[gen.count - 1].count - gen.entries[0].count + 2000;
	do {
		repeat(&gen, shift, !shift);
		shift += period + below(&gen, 4096);
	} while (gen.blocks < want && !kp_interrupted());
	for (i = 0; i < CPUS_MAX; i++)
		put_block(&gen, &gen.cpus[i]);
	put_first(&gen);
	if (fclose(gen.out))
		kp_die(KP_BAD, "cannot write %s: %s", argv[3], strerror(errno));
	free(gen.entries);
	kp_raw_close(&gen.raw);
	return kp_finish(KP_OK);
}
