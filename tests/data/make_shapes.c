// SPDX-License-Identifier: BSD-3-Clause
/*
 * Writes a raw trace of about N entries in one of several shapes: make_shapes SHAPE N FILE. Each
 * shape makes one table or list of a filter long. Without arguments, prints the names of the shapes.
 * The words follow kutrace-trace(5), without the project's code.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define WORDS	8192u
#define CPUS	256u
#define C0	(1ull << 33)		/* first count; a count is 1 ns */
#define US0	1795171576000000ull	/* 2026-11-20 10:46:16 UTC */
#define STEP	1000u			/* number of counts between two entries */

struct block {
	uint64_t words[WORDS];
	unsigned used;		/* number of used words; 0: the block is not begun */
	uint64_t now;
};

static struct block *blocks[CPUS];
static FILE *out;
static const char *path;
static int first = 1;
static unsigned running;	/* pid in the block headers; 0: none */
static uint64_t now = C0 + STEP, last;

static void fail(void)
{
	perror(path);
	exit(1);
}

static void flush(unsigned cpu)
{
	struct block *block = blocks[cpu];

	if (!block || !block->used)
		return;
	memset(block->words + block->used, 0xFF, (WORDS - block->used) * sizeof(uint64_t));
	if (fwrite(block->words, sizeof(uint64_t), WORDS, out) != WORDS)
		fail();
	block->used = 0;
}

static void begin(unsigned cpu, uint64_t time)
{
	const uint64_t us = US0 + (time - C0) / 1000;
	struct block *block = blocks[cpu];
	unsigned used = 0;

	memset(block->words, 0, 12 * sizeof(uint64_t));
	block->words[used++] = (uint64_t)cpu << 56 | time;
	block->words[used++] = (first ? 3ull << 56 : 0) | us;
	if (first) {
		block->words[2] = C0;
		block->words[3] = US0;
		used = 8;	/* end() writes the second pair */
	}
	first = 0;
	block->words[used] = running;
	block->used = used + 4;	/* no name */
	block->now = time;
}

/* Appends an entry of count words. The first word gets the time. */
static void entry(unsigned cpu, uint64_t time, uint64_t *words, unsigned count)
{
	struct block *block = blocks[cpu];

	if (!block)
		block = blocks[cpu] = calloc(1, sizeof(*block));
	if (!block)
		fail();
	if (block->used && block->used + count + 1 > WORDS - 1)
		flush(cpu);
	if (!block->used)
		begin(cpu, time);
	/* the gap does not fit into the timestamp */
	if (time < block->now || time - block->now > 0xD0000)
		block->words[block->used++] = (time & 0xFFFFF) << 44 | 0x21Dull << 32 |
					      ((time - block->now) & 0xFFFFFFFF);
	words[0] |= (time & 0xFFFFF) << 44;
	memcpy(block->words + block->used, words, count * sizeof(*words));
	block->used += count;
	block->now = time;
	last = time > last ? time : last;
}

static void at(unsigned cpu, uint64_t time, unsigned event, unsigned arg)
{
	uint64_t word = (uint64_t)event << 32 | arg;

	entry(cpu, time, &word, 1);
}

/* Appends an event of CPU 0, STEP counts after the previous event. */
static void next(unsigned event, unsigned arg)
{
	now += STEP;
	at(0, now, event, arg);
}

static void name(unsigned base, unsigned number, unsigned text)
{
	uint64_t words[2] = { (uint64_t)(base | 2 << 4) << 32 | number };
	char bytes[16];

	snprintf(bytes, sizeof(bytes), "n%07u", text % 10000000);
	memcpy(&words[1], bytes, 8);
	now += STEP;
	entry(0, now, words, 2);
}

/* ---- shapes ---- */

enum {
	SWITCH = 0x200, RPC_BEGIN = 0x201, RUNNABLE = 0x206, IPI = 0x207, MARK = 0x20A, LOCK_WAIT = 0x210,
	LOCK_GOT = 0x211, LOCK_FREE = 0x212, EXIT = 0x213, PACKET_IN = 0x214, PACKET_OUT = 0x215, QUEUE = 0x21A,
	DEQUEUE = 0x21B, THROTTLE = 0x220, UNTHROTTLE = 0x221, DISK_QUEUED = 0x223, DISK_ISSUED = 0x224, DISK_DONE = 0x225,
	DISK_REQUEUED = 0x226, DISK_MERGED = 0x227, INHERITS = 0x22A, TIMER_WAKES = 0x22B, SAMPLE = 0x280, FAULT = 0x40E, TIMER = 0x5EC, TIMER_END = 0x7EC, CALL = 0x800,
	NAME_PID = 2, NAME_RPC = 3, NAME_IRQ = 5, NAME_TASK = 0x10D, NAME_FACT = 0x10F,
	OWN = 1 << 23,	/* bit of THROTTLE: the running thread is in the cgroup */
};

static void new_threads(unsigned n)
{
	for (unsigned i = 0; i < n / 2; i++) {
		next(SWITCH, i + 1);
		next(CALL, 3);
	}
}

/* Makes many threads share one CPU, so that all other threads run in each gap of a thread. */
static void round_robin(unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		next(SWITCH, 1000 + i % (n / 20 + 1));
}

/*
 * Makes all threads sleep, then wakes all, then runs all: in the gap of a thread, all threads run
 * that were woken before it.
 */
static void wait_all(unsigned n)
{
	for (unsigned i = 0; i < n / 4; i++) {
		next(SWITCH, i + 1);
		next(CALL + 7, 3);
	}
	next(SWITCH, 0);
	for (unsigned i = 0; i < n / 4; i++) {
		now += STEP;
		at(1, now, RUNNABLE, i + 1);
	}
	for (unsigned i = 0; i < n / 4; i++)
		next(SWITCH, i + 1);
}

static void nest(unsigned n)
{
	static const unsigned events[] = { CALL, FAULT, TIMER, 0x5FF };

	next(SWITCH, 100);
	for (unsigned i = 0; i < n; i++)
		next(events[i % 4] + (i % 4 < 2 ? i / 4 % 50 : 0), 3);
}

static void wake_many(unsigned n)
{
	next(SWITCH, 100);
	for (unsigned i = 0; i < n; i++)
		next(RUNNABLE, 1000 + i);
}

static void wake_one(unsigned n)
{
	next(SWITCH, 100);
	for (unsigned i = 0; i < n; i++)
		next(RUNNABLE, 7);
}

static void marks(unsigned n)
{
	next(SWITCH, 100);
	for (unsigned i = 0; i < n; i++)
		next(MARK + i % 4, i * 7919 & 0x3FFFFFF);
}

/* Makes each thread i hold lock i and wait for the next lock. */
static void lock_chain(unsigned n)
{
	for (unsigned i = 0; i < n / 4; i++) {
		next(SWITCH, i + 1);
		next(LOCK_WAIT, i);
		next(LOCK_GOT, i);
		next(LOCK_WAIT, i + 1);
	}
}

static void lock_one(unsigned n)
{
	for (unsigned i = 0; i < n / 4; i++) {
		next(SWITCH, i + 1);
		next(LOCK_WAIT, 5);
	}
	for (unsigned i = 0; i < n / 4; i++) {
		next(LOCK_GOT, 5);
		next(LOCK_FREE, 5);
	}
}

/* Puts RPCs into one queue, and takes them out from its end. */
static void queue(unsigned n)
{
	next(SWITCH, 100);
	for (unsigned i = 0; i < n / 4; i++) {
		next(RPC_BEGIN, i % 65535 + 1);
		next(QUEUE, 7);
	}
	for (unsigned i = n / 4; i-- > 0;) {
		next(RPC_BEGIN, i % 65535 + 1);
		next(DEQUEUE, 7);
	}
}

/* Puts RPCs into one queue, and takes them out in the same order. */
static void queue_fifo(unsigned n)
{
	next(SWITCH, 100);
	for (unsigned i = 0; i < n / 2; i++)
		next(QUEUE, 7);
	for (unsigned i = 0; i < n / 2; i++)
		next(DEQUEUE, 7);
}

/* Puts RPCs into a queue that is never emptied, and into a queue that is emptied each time. */
static void queue_left(unsigned n)
{
	next(SWITCH, 100);
	for (unsigned i = 0; i < n / 3; i++) {
		next(QUEUE, 1);
		next(QUEUE, 2);
		next(DEQUEUE, 2);
	}
}

static void packets(unsigned n)
{
	next(SWITCH, 100);
	for (unsigned i = 0; i < n; i++)
		next(i & 1 ? PACKET_OUT : PACKET_IN, i);
}

static void ipis(unsigned n)
{
	next(SWITCH, 100);
	for (unsigned i = 0; i < n; i++)
		next(IPI, 3);
}

static void rename_one(unsigned n)
{
	next(SWITCH, 100);
	for (unsigned i = 0; i < n / 2; i++)
		name(NAME_PID, 100, i);
}

/* One pid has many owners, which exec and exit, and of which many seem to have the same start. */
static void identities(unsigned n)
{
	for (unsigned i = 0; i < n / 8; i++) {
		uint64_t words[4] = { (uint64_t)(NAME_TASK | 4 << 4) << 32 | 100 };
		char text[25];

		snprintf(text, sizeof(text), "%c p1 c%04x s%06x", "fxgo"[i % 4], i % 5000, i % 8 ? 0 : i);
		memcpy(&words[1], text, strlen(text));
		now += STEP;
		entry(0, now, words, 4);
		next(SWITCH, 100);
		next(EXIT, 100);
		next(SWITCH, 0);
		now += 1000 * STEP;
	}
}

static void rpc_names(unsigned n)
{
	next(SWITCH, 100);
	for (unsigned i = 0; i < n / 3; i++) {
		name(NAME_RPC, i & 0xFFFF, i);
		next(RPC_BEGIN, i % 65535 + 1);
	}
}

/* Begins an RPC in each thread, and ends none. */
static void rpc_threads(unsigned n)
{
	for (unsigned i = 0; i < n / 2; i++) {
		next(SWITCH, i + 1);
		next(RPC_BEGIN, i % 32768 + 1);
	}
}

static void samples(unsigned n)
{
	next(SWITCH, 100);
	for (unsigned i = 0; i < n / 2; i++) {
		uint64_t words[2] = { (uint64_t)SAMPLE << 32, 0x400000 + i * 16ull };

		now += STEP;
		entry(0, now, words, 2);
	}
}

/* Moves one thread between two CPUs. */
static void ping_pong(unsigned n)
{
	for (unsigned i = 0; i < n / 3; i++) {
		at(i & 1, now += STEP, SWITCH, 100);
		at(i & 1, now += STEP, SWITCH, 0);
		at(~i & 1, now += STEP, RUNNABLE, 100);
	}
}

/* Makes every second entry earlier than the previous one. */
static void back(unsigned n)
{
	next(SWITCH, 100);
	for (unsigned i = 0; i < n; i++)
		at(0, now + (i % 2 ? 1000 : 100) + i * 550ull, CALL + 0x27, 5u << 24 | 7);
}

static void all_cpus(unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		at(i % CPUS, now += STEP, CALL + 0x27, 5u << 24 | 7);
}

static void exits(unsigned n)
{
	for (unsigned i = 0; i < n / 3; i++) {
		next(SWITCH, i + 1);
		next(CALL + 231, 0);
		next(EXIT, i + 1);
	}
}

/* Uses a hundred pids again and again. Each thread exits while it works on an RPC. */
static void rpc_exits(unsigned n)
{
	for (unsigned i = 0; i < n / 4; i++) {
		next(SWITCH, i % 100 + 1);
		next(RPC_BEGIN, i % 65535 + 1);
		next(CALL + 231, 0);
		next(EXIT, i % 100 + 1);
	}
}

/* Interrupts one call again and again. */
static void interrupted(unsigned n)
{
	next(SWITCH, 100);
	next(CALL, 3);
	for (unsigned i = 0; i < n / 2; i++) {
		next(TIMER, 0);
		next(TIMER_END, 0);
	}
}

/*
 * Uses pids whose hash values are below 64 in a hash table of 65,536 slots. The hash function
 * multiplies by the golden ratio.
 */
static void alike(unsigned n)
{
	uint64_t pid = 0;

	for (unsigned i = 0; i < n; i++) {
		do
			pid++;
		while ((pid * 0x9E3779B97F4A7C15ull >> 32 & 0xFFFF) >= 64);
		next(SWITCH, (unsigned)pid);
	}
}

/* Turns the recording off after each call. */
static void pauses(unsigned n)
{
	uint64_t words[5], off;
	char fact[40];

	next(SWITCH, 100);
	for (unsigned i = 0; i < n / 2; i++) {
		next(CALL + 0x27, 5u << 24 | 1u << 16 | 7);
		off = now += STEP;
		memset(fact, 0, sizeof(fact));
		snprintf(fact, sizeof(fact), "pause=%llu:%llu", (unsigned long long)off,
			 (unsigned long long)(now += STEP));
		memset(words, 0, sizeof(words));
		words[0] = (uint64_t)(NAME_FACT | 5 << 4) << 32;
		memcpy(&words[1], fact, 32);
		now += STEP;
		entry(0, now, words, 5);
	}
}

/* Puts each thread into its own cgroup, and throttles all cgroups, one after another. */
static void cgroups(unsigned n)
{
	for (unsigned i = 0; i < n / 5; i++) {
		next(SWITCH, i + 1);
		next(THROTTLE, OWN | (i + 1));
		next(SWITCH, 0);
		next(UNTHROTTLE, i + 1);
		next(SWITCH, i + 1);
	}
}

/* Throttles a cgroup again and again, while its only thread waits. */
static void throttles(unsigned n)
{
	next(SWITCH, 100);
	next(THROTTLE, OWN | 7);
	next(SWITCH, 0);
	for (unsigned i = 0; i < n / 2; i++) {
		next(UNTHROTTLE, 7);
		next(THROTTLE, 7);
	}
	next(UNTHROTTLE, 7);
	next(SWITCH, 100);
	next(CALL, 3);
}

/* Lets a thread inherit a priority and lose it, again and again, while another thread preempts it. */
static void inherits(unsigned n)
{
	next(SWITCH, 100);
	for (unsigned i = 0; i < n / 4; i++) {
		next(INHERITS, 70u << 22 | 100);
		next(SWITCH, 101);
		next(SWITCH, 100);
		next(INHERITS, 255u << 22 | 100);
	}
}

/* Stops the machine for 52 ms after each eight ticks of 1 ms. One thread runs all the time. */
static void stops(unsigned n)
{
	uint64_t words[2] = { (uint64_t)(NAME_IRQ | 2 << 4) << 32 | (TIMER & 0xFF) };

	memcpy(&words[1], "timer\0\0", 8);
	running = 100;
	entry(0, now += STEP, words, 2);
	next(SWITCH, running);
	next(CALL, 3);
	next(CALL + 0x200, 0);
	for (unsigned i = 0; i < n / 2; i++) {
		now += (i % 8 ? 1000 : 52000) * STEP;
		next(TIMER, 0);
		next(TIMER_END, 0);
	}
}

/* An event about a read of 4 KiB from disk 254:0. */
static void disk(unsigned event, unsigned number, uint64_t sector)
{
	uint64_t words[3] = {
		(uint64_t)event << 32 | 254 << 20, (uint64_t)number << 32 | 4096, 1ULL << 52 | sector,
	};

	entry(0, now += STEP, words, 3);
}

/* Queues and issues all requests of as many numbers and sectors, then completes them. Each wakes a thread. */
static void disk_many(unsigned n)
{
	for (unsigned i = 0; i < n / 8; i++) {
		next(SWITCH, i + 1);
		disk(DISK_QUEUED, 0, i * 8);
		disk(DISK_ISSUED, i, i * 8);
	}
	next(SWITCH, 0);
	for (unsigned i = 0; i < n / 8; i++) {
		disk(DISK_DONE, i, i * 8);
		next(RUNNABLE, i + 1);
		next(SWITCH, i + 1);
	}
}

/* Queues all requests of the same sector, moves them to another one, and issues them with one number. */
static void disk_one(unsigned n)
{
	next(SWITCH, 1);
	for (unsigned i = 0; i < n / 4; i++)
		disk(DISK_QUEUED, 0, 80);
	for (unsigned i = 0; i < n / 4; i++)
		disk(DISK_MERGED, 0, 72);
	for (unsigned i = 0; i < n / 4; i++) {
		disk(DISK_ISSUED, 7, 72);
		disk(i % 2 ? DISK_REQUEUED : DISK_DONE, 7, 72);
	}
}

/* Each thread sleeps, and a timer wakes it, which was due 60 us before. */
static void timers(unsigned n)
{
	const unsigned threads = 50;

	for (unsigned i = 0; i < n / 4; i++) {
		const unsigned pid = i % threads + 1;
		uint64_t words[4] = { (uint64_t)TIMER_WAKES << 32 | pid, 60600, 50000, i % 2 ? 1ULL << 32 | 200 : 200 };

		next(SWITCH, pid);
		now += 10000 * STEP;
		next(SWITCH, 0);
		next(TIMER, 0);
		entry(0, now += STEP, words, 4);
		next(RUNNABLE, pid);
		next(TIMER_END, 0);
	}
}

static const struct {
	const char *name;
	void (*write)(unsigned n);
} shapes[] = {
	{ "new_threads", new_threads }, { "round_robin", round_robin }, { "wait_all", wait_all },
	{ "nest", nest }, { "wake_many", wake_many }, { "wake_one", wake_one }, { "marks", marks },
	{ "lock_chain", lock_chain }, { "lock_one", lock_one }, { "queue", queue },
	{ "queue_fifo", queue_fifo }, { "queue_left", queue_left }, { "packets", packets },
	{ "ipis", ipis }, { "rename_one", rename_one }, { "identities", identities }, { "rpc_names", rpc_names }, { "rpc_threads", rpc_threads },
	{ "samples", samples },
	{ "ping_pong", ping_pong }, { "back", back }, { "all_cpus", all_cpus }, { "exits", exits },
	{ "rpc_exits", rpc_exits },
	{ "interrupted", interrupted }, { "alike", alike }, { "pauses", pauses },
	{ "cgroups", cgroups }, { "throttles", throttles }, { "stops", stops }, { "inherits", inherits },
	{ "disk_many", disk_many }, { "disk_one", disk_one }, { "timers", timers },
};

#define SHAPES	(sizeof(shapes) / sizeof(shapes[0]))

/* Completes the first block's second pair of clock values, and closes the file. */
static void end(void)
{
	uint64_t pair[2];

	for (unsigned cpu = 0; cpu < CPUS; cpu++) {
		flush(cpu);
		free(blocks[cpu]);
	}
	pair[0] = last + 1000;
	pair[1] = US0 + (pair[0] - C0) / 1000;
	if (fseek(out, 32, SEEK_SET) || fwrite(pair, sizeof(pair), 1, out) != 1 || fclose(out))
		fail();
}

int main(int argc, char **argv)
{
	if (argc == 1)
		for (size_t i = 0; i < SHAPES; i++)
			puts(shapes[i].name);
	if (argc != 4)
		return argc == 1 ? 0 : 2;
	for (size_t i = 0; i < SHAPES; i++) {
		if (strcmp(argv[1], shapes[i].name))
			continue;
		path = argv[3];
		out = fopen(path, "wb");
		if (!out)
			fail();
		shapes[i].write((unsigned)strtoul(argv[2], NULL, 10));
		/* every shape has a thread that runs twice */
		next(SWITCH, 100);
		next(SWITCH, 0);
		next(SWITCH, 100);
		next(SWITCH, 0);
		end();
		return 0;
	}
	fprintf(stderr, "make_shapes: no shape %s\n", argv[1]);
	return 2;
}
