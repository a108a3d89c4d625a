// SPDX-License-Identifier: BSD-3-Clause
/*
 * Writes the raw traces of the corpus of broken inputs to a directory: make_traces DIR. Most files
 * are a small valid trace with one fault; README.md lists them. The traces follow kutrace-trace(5),
 * without the project's code, so that they test that code.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define WORDS		8192
#define COUNTS_PER_S	100000000ull		/* a count is 10 ns */
#define T0		0x0000001012345000ull
#define US0		1795164611000000ull	/* 2026-11-20 08:50:11 UTC */
#define US_PER_S	1000000ull

static uint64_t block[WORDS];
static unsigned used;
static uint64_t now;

static void put(uint64_t word)
{
	if (used < WORDS)
		block[used++] = word;
}

/* Adds an entry @dt counts after the previous one. */
static void entry(uint64_t dt, unsigned event, unsigned delta, unsigned retval, uint32_t arg)
{
	now += dt;
	put((now & 0xFFFFF) << 44 | (uint64_t)event << 32 | (uint64_t)delta << 24 |
	    (uint64_t)retval << 16 | arg);
}

static void point(uint64_t dt, unsigned event, uint32_t arg)
{
	now += dt;
	put((now & 0xFFFFF) << 44 | (uint64_t)event << 32 | arg);
}

static void name_bytes(unsigned event, uint32_t number, const char *text, size_t len)
{
	unsigned words = 1 + (unsigned)((len + 7) / 8);
	size_t i;

	point(10, event | words << 4, number);
	for (i = 0; i < len; i += 8) {
		uint64_t word = 0;

		memcpy(&word, text + i, len - i < 8 ? len - i : 8);
		put(word);
	}
}

static void name(unsigned event, uint32_t number, const char *text)
{
	name_bytes(event, number, text, strlen(text));
}

/* Writes the header of the first block, words 0 to 11. The running process is init, pid 1. */
static void begin_first(unsigned flags)
{
	memset(block, 0, sizeof(block));
	now = T0;
	block[0] = T0;
	block[1] = (uint64_t)flags << 56 | US0;
	block[2] = T0;
	block[3] = US0;
	block[4] = T0 + COUNTS_PER_S;
	block[5] = US0 + US_PER_S;
	block[8] = 1;
	memcpy(&block[10], "init", 4);
	used = 12;
}

static void begin_other(unsigned cpu, uint64_t count, uint32_t pid, const char *comm)
{
	memset(block, 0, sizeof(block));
	now = count;
	block[0] = (uint64_t)cpu << 56 | count;
	block[1] = US0 + (count - T0) / 100;
	block[2] = pid;
	memcpy(&block[4], comm, strlen(comm));
	used = 6;
}

static void names(void)
{
	name(0x002, 0, "-idle-");
	name(0x002, 1, "init");
	name(0x002, 51, "work");
	name(0x004, 14, "page_fault");
	name(0x005, 236, "local_timer");
	name(0x008, 39, "getpid");
	name(0x008, 1, "write");
	name(0x00C, 511, "-sched-");
}

/* Adds 40 us of ordinary events of a CPU. */
static void life(void)
{
	point(100, 0x200, 51);			/* switch to work */
	entry(100, 0x827, 20, 51, 0);		/* getpid, merged */
	entry(200, 0x801, 0, 0, 1);		/* write */
	entry(300, 0x40E, 0, 0, 0);		/* page fault in the call */
	entry(100, 0x60E, 0, 0, 0);
	entry(200, 0xA01, 0, 0, 5);		/* returns 5 */
	point(50, 0x20A, 433696207);		/* mark_a getpid */
	entry(50, 0x5EC, 0, 0, 0);		/* timer */
	entry(500, 0x7EC, 0, 0, 0);
	point(10, 0x206, 1);			/* make init runnable */
	entry(10, 0xDFF, 0, 0, 0);		/* scheduler */
	point(200, 0x200, 0);			/* idle */
	entry(10, 0xFFF, 0, 0, 0);
	point(2000, 0x200, 1);
}

static FILE *out;
static const char *dir;

static void open_out(const char *file)
{
	char path[4096];

	snprintf(path, sizeof(path), "%s/%s", dir, file);
	out = fopen(path, "wb");
	if (!out) {
		perror(path);
		exit(1);
	}
}

static void write_bytes(const void *data, size_t len)
{
	if (fwrite(data, 1, len, out) != len) {
		perror(dir);
		exit(1);
	}
}

static void close_out(void)
{
	if (fclose(out)) {
		perror(dir);
		exit(1);
	}
}

/* Saves the present block as the only block of a file. */
static void save(const char *file)
{
	open_out(file);
	write_bytes(block, sizeof(block));
	close_out();
}

static void good_first(void)
{
	begin_first(3);
	names();
	life();
}

static void save_bytes(const char *file, const void *data, size_t len)
{
	open_out(file);
	write_bytes(data, len);
	close_out();
}

/*
 * Writes a trace as the original recorded it until 2023: the scheduler is the last 64-bit system
 * call.
 */
static void old_scheduler(void)
{
	unsigned i;

	begin_first(3);
	names();
	name(0x008, 511, "-sched-");
	point(100, 0x200, 51);
	for (i = 0; i < 4; i++) {
		entry(100, 0x801, 0, 0, 1);	/* write, which blocks */
		entry(300, 0x9FF, 0, 0, 0);
		point(200, 0x200, 0);
		entry(10, 0xBFF, 0, 0, 0);
		point(10, 0x208, 255);		/* idle state as on AMD */
		entry(4000, 0x9FF, 0, 0, 0);
		point(200, 0x200, 51);
		entry(10, 0xBFF, 0, 0, 0);
		entry(200, 0xA01, 0, 0, 5);
	}
	save("old-sched.trace");
}

/*
 * Writes a trace of two CPUs that sleep deeply, with an mwait hint for which the original has an
 * exit latency of 85 us. Each CPU is idle, handles a timer, is idle again, and works. CPU 1 begins 7
 * us later.
 */
static void deep_idle(void)
{
	unsigned cpu, i;

	open_out("deep-idle.trace");
	for (cpu = 0; cpu < 2; cpu++) {
		if (cpu) {
			begin_other(1, T0 + 700, 0, "swapper/1");
		} else {
			begin_first(3);
			names();
		}
		point(100, 0x200, 51 + cpu);
		for (i = 0; i < 4; i++) {
			entry(100, 0x827, 20, 51, 0);
			entry(300, 0xDFF, 0, 0, 0);
			point(200, 0x200, 0);
			entry(10, 0xFFF, 0, 0, 0);
			point(30, 0x208, 0x20);
			/* leaves idle for a timer */
			entry(30000 + 1000 * i, 0x5EC, 0, 0, 0);
			entry(500, 0x7EC, 0, 0, 0);
			point(40, 0x208, 0x20);
			point(20000 - 3000 * i, 0x200, 51 + cpu);	/* leaves idle for work */
		}
		point(500, 0x200, 0);
		point(300, 0x200, 51 + cpu);
		write_bytes(block, sizeof(block));
	}
	close_out();
}

/*
 * Writes a trace of a client, pid 51, that sends two requests to a server, pid 1, both as RPC 7. In
 * the first request, the RPC is in a queue of the server, and the server waits for a lock. There are
 * also two frequencies, and packets with the same hash.
 */
static void rpcs(void)
{
	unsigned i;

	begin_first(3);
	names();
	name(0x003, 7, "ask");
	name(0x007, 33, "lru");
	name(0x105, 2, "todo");
	point(10, 0x209, 2400);
	for (i = 0; i < 2; i++) {
		point(100, 0x200, 51);
		point(100, 0x201, 7);			/* the client begins to ask */
		point(100, 0x217, 0x12340 + i);
		point(10, 0x215, 0x12340 + i);
		point(10, 0x205, 100u << 16 | 7);	/* 1024 bytes */
		point(100, 0x201, 0);
		point(100, 0x200, 1);
		point(10, 0x214, 0x12340 + i);
		point(10, 0x204, 100u << 16 | 7);
		point(100, 0x201, 7);			/* the server has got it */
		if (!i) {
			point(100, 0x21A, 2);
			point(100, 0x201, 0);
			point(500, 0x21B, 2);
			point(10, 0x203, 7);
			point(50, 0x210, 33);
			point(300, 0x211, 33);
			point(200, 0x212, 33);
			point(10, 0x21C, 800);
		}
		point(100, 0x205, 70u << 16 | 7);
		point(100, 0x203, 0);
		point(100, 0x200, 51);
		point(100, 0x204, 70u << 16 | 7);
		point(100, 0x202, 7);			/* the client has the answer */
		point(300, 0x202, 0);
	}
	point(100, 0x200, 0);
	save("good-rpc.trace");
}

/*
 * Writes a trace of a recording that is off from 100 us to 0.5001 s after the start. Before the
 * pause, pid 51 is in write on CPU 0, and pid 1 has left CPU 1. After the pause, pid 51 returns. Then
 * pid 1 is woken, runs, returns and calls write again. @exits: instead of the write, pid 51 has recorded its
 * exit, and still runs when the recording goes off.
 */
static void paused(const char *path, int exits)
{
	const uint64_t off = T0 + 10000, on = off + COUNTS_PER_S / 2;
	char fact[60];

	open_out(path);
	begin_first(3);
	names();
	name(0x10F, 0, "backend=tracepoint");
	snprintf(fact, sizeof(fact), "pause=%llu:%llu", (unsigned long long)off, (unsigned long long)on);
	name(0x10F, 0, fact);
	point(100, 0x200, 51);
	if (exits)
		point(100, 0x213, 51);
	else
		entry(100, 0x801, 0, 0, 1);	/* write, open */
	write_bytes(block, sizeof(block));
	begin_other(1, T0 + 700, 1, "init");
	entry(100, 0x827, 20, 1, 0);		/* getpid */
	entry(100, 0x801, 0, 0, 1);		/* write, which blocks */
	point(100, 0x200, 0);
	write_bytes(block, sizeof(block));
	begin_other(0, on + 300, 51, "work");
	entry(100, 0xA01, 0, 0, 5);
	point(200, 0x206, 1);			/* make init runnable */
	entry(100, 0x827, 20, 51, 0);
	write_bytes(block, sizeof(block));
	begin_other(1, on + 800, 0, "swapper/1");
	point(100, 0x200, 1);
	entry(300, 0xA01, 0, 0, 5);
	entry(100, 0x801, 20, 5, 0);
	point(200, 0x200, 0);
	write_bytes(block, sizeof(block));
	close_out();
}

/* Adds @count ticks of a kernel that ticks 250 times a second. */
static void ticks(int count)
{
	while (count--) {
		entry(COUNTS_PER_S / 250 - 100, 0x5EC, 0, 0, 0);
		entry(100, 0x7EC, 0, 0, 0);
	}
}

/*
 * Writes a trace in which pid 51 computes on CPU 0, and pid 1 writes on CPU 1. Then the machine does not run
 * for half a second: the tick of CPU 0 comes late, and after it write returns. @one: only CPU 0 does not
 * run, and pid 1 computes on CPU 1.
 */
static void stopped(const char *path, int one)
{
	const uint64_t on = T0 + COUNTS_PER_S / 25 + COUNTS_PER_S / 2;

	open_out(path);
	begin_first(3);
	names();
	name(0x10F, 0, "backend=tracepoint");
	point(100, 0x200, 51);
	entry(100, 0x827, 20, 51, 0);		/* getpid */
	ticks(10);
	write_bytes(block, sizeof(block));
	begin_other(1, T0 + 700, 1, "init");
	entry(100, 0x827, 20, 1, 0);
	if (one)
		ticks(140);
	else
		entry(100, 0x801, 0, 0, 1);	/* write */
	write_bytes(block, sizeof(block));
	begin_other(0, on, 51, "work");
	ticks(5);
	write_bytes(block, sizeof(block));
	begin_other(1, on + COUNTS_PER_S / 100, 1, "init");
	if (!one)
		entry(100, 0xA01, 0, 0, 5);
	entry(100, 0x827, 20, 1, 0);
	write_bytes(block, sizeof(block));
	close_out();
}

/*
 * Writes a trace in which three threads with the same pid and name run one after the other, 5 ms
 * apart. @woken: the trace has a wakeup of each thread.
 */
static void reused(const char *file, int woken)
{
	int i;

	begin_first(3);
	names();
	name(0x008, 231, "exit_group");
	point(100, 0x200, 51);
	for (i = 0; i < 3; i++) {
		point(500000, 0x20A, 1);	/* mark_a */
		name(0x002, 300, "job");
		if (woken)
			point(100, 0x206, 300);
		point(1000, 0x200, 300);
		entry(1000, 0x827, 20, 44, 0);		/* getpid, merged */
		entry(1000, 0x8E7, 0, 0, 0);		/* exit_group */
		point(1000, 0x213, 300);
		point(1000, 0x200, 51);
	}
	point(1000, 0x200, 0);
	save(file);
}

/*
 * Writes a trace in which a thread exits on CPU 1. Before it leaves the CPU, another thread with
 * its pid and name runs on CPU 0.
 */
static void reused_at_once(const char *file)
{
	open_out(file);
	begin_first(3);
	names();
	name(0x008, 231, "exit_group");
	point(100, 0x200, 51);
	point(50000, 0x20A, 1);	/* mark_a */
	name(0x002, 300, "job");
	point(100, 0x206, 300);
	point(1000, 0x200, 300);
	entry(1000, 0x827, 20, 44, 0);		/* getpid, merged */
	entry(500000, 0x827, 20, 44, 0);
	point(1000, 0x200, 0);
	point(1000, 0x200, 51);
	write_bytes(block, sizeof(block));
	begin_other(1, T0 + 700, 0, "swapper/1");
	name(0x002, 300, "job");
	point(1000, 0x200, 300);
	entry(1000, 0x827, 20, 44, 0);
	entry(1000, 0x8E7, 0, 0, 0);		/* exit_group */
	point(1000, 0x213, 300);
	point(200000, 0x200, 0);
	point(1000, 0x200, 52);
	write_bytes(block, sizeof(block));
	close_out();
}

/*
 * Writes a trace in which thread 300 exits on CPU 1. Before it leaves the CPU, CPU 0 names the next
 * thread with this pid @next. If @at_once, CPU 0 also wakes the next thread, which then runs on
 * CPU 0 while the first one leaves its CPU, otherwise later on CPU 1.
 */
static void reused_early(const char *file, const char *next, int at_once)
{
	open_out(file);
	begin_first(3);
	names();
	name(0x008, 231, "exit_group");
	name(0x002, 300, "job");
	point(100, 0x200, 51);
	point(5000, 0x20A, 1);			/* mark_a */
	name(0x002, 300, next);
	point(at_once ? 100 : 10000, 0x206, 300);
	if (at_once) {
		point(100, 0x200, 300);
		entry(100, 0x827, 20, 44, 0);	/* getpid, merged */
		entry(20000, 0x827, 20, 44, 0);
	}
	point(50000, 0x200, 0);
	point(1000, 0x200, 51);
	point(1000, 0x200, 0);
	write_bytes(block, sizeof(block));
	begin_other(1, T0 + 700, 0, "swapper/1");
	point(100, 0x200, 300);
	entry(1000, 0x827, 20, 44, 0);
	entry(1000, 0x8E7, 0, 0, 0);		/* exit_group */
	point(1000, 0x213, 300);
	point(5000, 0x200, 0);
	if (!at_once) {
		point(20000, 0x200, 300);
		entry(1000, 0x827, 20, 44, 0);
		point(1000, 0x200, 0);
	}
	point(1000, 0x200, 52);
	write_bytes(block, sizeof(block));
	close_out();
}

static void good_traces(void)
{
	static unsigned char ipc[WORDS];

	good_first();
	save("good.trace");

	/* a trace with two CPUs and two blocks */
	open_out("good2.trace");
	good_first();
	write_bytes(block, sizeof(block));
	begin_other(1, T0 + 700, 0, "swapper/1");
	life();
	life();
	write_bytes(block, sizeof(block));
	close_out();

	old_scheduler();
	deep_idle();
	rpcs();
	paused("paused.trace", 0);
	paused("paused-exit.trace", 1);
	stopped("stopped.trace", 0);
	stopped("stolen.trace", 1);
	reused("reused.trace", 0);
	reused("reused-woken.trace", 1);
	reused_at_once("reused-at-once.trace");
	reused_early("reused-early.trace", "job", 0);
	reused_early("reused-early-other.trace", "next", 0);
	reused_early("reused-early-both.trace", "next", 1);

	/* a trace with IPC bytes */
	open_out("good-ipc.trace");
	begin_first(0x83);
	names();
	life();
	memset(ipc, 0x35, sizeof(ipc));
	write_bytes(block, sizeof(block));
	write_bytes(ipc, sizeof(ipc));
	close_out();
}

/* Writes files with a wrong size, version or clock pair. */
static void broken_files(void)
{
	static unsigned char bytes[3 * 65536];
	uint32_t random = 12345;
	size_t i;

	good_first();
	save_bytes("empty.trace", "", 0);
	save_bytes("one-byte.trace", block, 1);
	save_bytes("short-block.trace", block, 65535);
	save_bytes("words-only.trace", block, 16);
	open_out("cut-second-block.trace");
	write_bytes(block, sizeof(block));
	write_bytes(block, 1000);
	close_out();

	memset(bytes, 0, sizeof(bytes));
	save_bytes("zeros.trace", bytes, 65536);
	memset(bytes, 0xFF, sizeof(bytes));
	save_bytes("ones.trace", bytes, 65536);
	for (i = 0; i < sizeof(bytes); i++) {
		random = random * 1664525 + 1013904223;
		bytes[i] = (unsigned char)(random >> 24);
	}
	save_bytes("random.trace", bytes, sizeof(bytes));
	/* after a good header, reading continues through noise */
	good_first();
	memcpy(block + 40, bytes, sizeof(block) - 40 * 8);
	save("noise.trace");

	begin_first(2);
	names();
	life();
	save("version2.trace");
	begin_first(15);
	life();
	save("version15.trace");

	good_first();
	memset(&block[2], 0, 32);
	save("zero-pairs.trace");
	good_first();
	block[4] = block[2];
	block[5] = block[3];
	save("equal-pairs.trace");
	good_first();
	block[4] = block[2] - 1000;
	save("counts-back.trace");
	good_first();
	block[5] = block[3] - 1000;
	save("clock-back.trace");
	good_first();
	block[5] = ~0ull >> 1;
	save("clock-far.trace");
	good_first();
	block[4] = block[2] + 1;
	save("clock-steep.trace");

	/* the flags announce IPC, but the IPC bytes are missing or cut */
	open_out("ipc-missing.trace");
	begin_first(0x83);
	names();
	life();
	write_bytes(block, sizeof(block));
	close_out();
	open_out("ipc-cut.trace");
	write_bytes(block, sizeof(block));
	write_bytes(bytes, 8191);
	close_out();
}

/* Writes files with wrong numbers inside a block. */
static void broken_numbers(void)
{
	good_first();
	block[0] |= 255ull << 56;
	save("cpu255.trace");
	good_first();
	block[8] = 0xFFFFFFFF;
	point(100, 0x200, 0xFFFFFFFF);
	life();
	save("pid-huge.trace");
	good_first();
	point(10, 0x206, 0xFFFFFFFF);
	point(10, 0x207, 0xFFFFFFFF);
	save("args-huge.trace");
}

/* Writes files with entries that are too long for their block, or have an impossible length. */
static void broken_lengths(void)
{
	unsigned i;

	begin_first(3);		/* the last entry is a name */
	names();
	life();
	used = WORDS - 1;
	now += 100;
	block[used++] = (now & 0xFFFFF) << 44 | 0x082ull << 32 | 51;
	save("name-over-end.trace");
	begin_first(3);
	name(0x002, 1, "init");
	used = WORDS - 1;
	now += 100;
	block[used++] = (now & 0xFFFFF) << 44 | 0x280ull << 32 | 2400;
	save("pc-over-end.trace");
	begin_first(3);
	point(10, 0x012, 77);		/* a name with length 1, so without text */
	life();
	save("name-no-text.trace");
	begin_first(3);
	point(10, 0x192, 77);		/* length 9 does not exist */
	for (i = 0; i < 9; i++)
		put(0x4141414141414141);
	life();
	save("name-length9.trace");

	begin_first(3);		/* entries follow the end mark */
	put(~0ull);
	names();
	life();
	save("end-early.trace");
	begin_first(3);
	for (i = 0; i < 1000; i++)
		put(0);
	names();
	life();
	save("nops.trace");
	begin_first(3);
	save("no-entries.trace");
}

static void broken_times(void)
{
	unsigned i;

	good_first();
	point(0, 0x21D, 1999999999);
	entry(1999999999, 0x827, 20, 51, 0);
	save("tsdelta-huge.trace");
	good_first();
	point(0, 0x21D, 0x80000000);
	life();
	save("tsdelta-negative.trace");
	good_first();
	for (i = 0; i < 4000; i++)
		point(0, 0x21D, 1999999999);
	save("tsdelta-many.trace");
	good_first();
	for (i = 0; i < 2000; i++)	/* each entry looks like a wrap or a late store */
		point(i & 1 ? 0xFFFFF - 0x1FFFF : 0xE0000, 0x20D, i);
	save("time-jumps.trace");
	open_out("block-back.trace");
	good_first();
	write_bytes(block, sizeof(block));
	begin_other(0, T0 - 600 * COUNTS_PER_S, 51, "work");
	life();
	write_bytes(block, sizeof(block));
	close_out();
}

/* Writes files with calls and returns that do not match. */
static void broken_calls(void)
{
	unsigned i;

	begin_first(3);
	names();
	for (i = 0; i < 300; i++)
		entry(10, 0xA27, 0, 0, 0);
	save("returns-only.trace");
	begin_first(3);
	names();
	for (i = 0; i < 300; i++)
		entry(10, 0x827, 0, 0, 0);
	save("calls-only.trace");
	begin_first(3);
	names();
	for (i = 0; i < 4096; i++)
		entry(10, i, i & 255, i & 127, i);
	save("every-event.trace");
}

static void hostile_names(void)
{
	char text[64];
	unsigned i;

	begin_first(3);
	names();
	name(0x002, 51, "</script>");
	name(0x002, 52, "a\"b'c\\d");
	name(0x002, 53, "line\nbreak");
	name(0x002, 54, "\xFF\xC3\x28\xED\xA0\x80");
	name(0x002, 55, "\x1B[31m\x07");
	name(0x002, 56, "']} ], 0, 0");
	for (i = 51; i <= 56; i++) {
		point(1000, 0x200, i);
		entry(100, 0x827, 20, 51, 0);
	}
	save("hostile-names.trace");
	begin_first(3);
	memset(text, 'N', 56);
	name_bytes(0x002, 51, text, 56);
	name(0x008, 39, "x\ny\" 1 2 3");
	name(0x103, 0, "cpu \"model\"\n\xFF");
	name(0x104, 0, "</script><b>");
	memset(&block[10], 0xFF, 16);
	life();
	save("hostile-header.trace");
	open_out("hostile-comm.trace");
	good_first();
	write_bytes(block, sizeof(block));
	begin_other(1, T0 + 700, 0x7FFFFFFF, "\n\"\\</script>\xFE");
	life();
	write_bytes(block, sizeof(block));
	close_out();
}

static void define_point(unsigned id, unsigned piece, const char *text)
{
	name(0x10E, 0x10000 * (1 + piece) + id, text);
}

/* Writes files with typed tracepoints, valid and hostile. */
static void points(void)
{
	char text[57] = "";
	unsigned i;

	begin_first(3);
	names();
	define_point(1, 0, "disk_io u32 dev, u64 sector, str file|dev=%u sector=%lu ");
	define_point(1, 1, "file=%s");
	define_point(2, 0, "tick|");
	life();
	name(0x109, 2, "");
	for (i = 0; i < 5; i++) {
		point(100, 0x149, 1);
		put(i);
		put(7 * i);
		put(0x632E61);		/* a.c */
	}
	life();
	save("points.trace");

	begin_first(3);
	names();
	define_point(1, 0, "n u32 x, str s|%n%s%n %9999999999999d");
	define_point(2, 0, "s str s|%s%s%s%s%s%s%s%s");
	define_point(3, 0, "w u8 a, u8 b|%99.99x%99.99x");
	define_point(4, 0, "</script>\n\" u8 a|%u");
	define_point(5, 0, "e double d, double e|%99.99f%99.99f");
	define_point(6, 7, "last piece only|");
	define_point(0xFFFF, 0xFFFE, "number overflows");
	memset(text, 'p', 56);
	for (i = 0; i < 9; i++)
		define_point(7, i, text);	/* the definition has no end */
	define_point(8, 0, "c str s, s8 c|\x1B[2J%s\\x0a%c");
	for (i = 0; i < 64; i++) {
		point(100, 0x109 | (1 + (i & 7)) << 4, i / 7);
		for (unsigned word = i & 7; word--;)
			put(word & 1 ? ~0ull : 0x7FEFFFFFFFFFFFFF);
	}
	point(100, 0x149, 0xFFFF0008);
	put(0x0A223C3E001B5B32);
	put(0x3E7470697263732F);
	put(0xFF);
	life();
	while (used < 8190)
		put(0);
	point(0, 0x189, 1);		/* the entry extends beyond the end */
	put(1);
	save("hostile-points.trace");
}

/* Writes a file with 300 blocks on 256 CPUs at the same time. */
static void many_cpus(void)
{
	unsigned i;

	open_out("many-cpus.trace");
	good_first();
	write_bytes(block, sizeof(block));
	for (i = 1; i < 300; i++) {
		begin_other(i & 255, T0 + 100 + i, i, "work");
		life();
		write_bytes(block, sizeof(block));
	}
	close_out();
}

int main(int argc, char **argv)
{
	if (argc != 2) {
		fprintf(stderr, "usage: make_traces DIR\n");
		return 2;
	}
	dir = argv[1];
	good_traces();
	broken_files();
	broken_numbers();
	broken_lengths();
	broken_times();
	broken_calls();
	hostile_names();
	points();
	many_cpus();
	return 0;
}
