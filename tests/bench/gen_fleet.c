// SPDX-License-Identifier: BSD-3-Clause
/*
 * Makes the raw traces of a fleet of imaginary machines: one in four traces is of the same machine
 * on another day. The content depends only on the number. Prints for each trace what the tables
 * must contain: DATE HOST CALLS ELAPSED_NS SLOWEST_NS SLOWEST. Used by tests/bench/fleet.sh and
 * tests/cli/partitions.sh.
 *
 *	gen_fleet TRACES FOLDER >truth
 */
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "kutrace_events.h"

#define START_S		1793520000ULL	/* 2026-11-01, UTC */
#define COUNTS_PER_US	100ULL		/* so a count is 10 ns */
#define BLOCKS		2		/* number of blocks of each CPU */
#define CPUS_MAX	4
#define THREADS		3		/* number of threads on each CPU */
#define SLOW_IN		150		/* one of SLOW_IN calls waits */

enum { READ, WRITE, FUTEX, FSYNC, CALLS };
static const struct { uint32_t number; const char *name; } calls[CALLS] = {
	{0, "read"}, {1, "write"}, {202, "futex"}, {74, "fsync"},
};
static const char *const programs[THREADS] = {"web", "db", "log"};

struct machine {
	uint64_t random, start, end;
	uint64_t block[CPUS_MAX * BLOCKS][KUTRACE_BLOCK_WORDS];
	size_t blocks;
	unsigned int cpu;
	uint64_t *now;		/* words of the block that is being filled */
	size_t used, left;	/* number of words in the block, and of blocks after it */
	uint64_t at;
	uint32_t pid;
	/* the expected results */
	uint64_t calls, elapsed, slowest;
	unsigned int slowest_call;
};

static uint64_t below(struct machine *m, uint64_t limit)
{
	m->random = m->random * 6364136223846793005ULL + 1442695040888963407ULL;
	return (m->random >> 33) % limit;
}

static const char *name_of(uint32_t pid)
{
	return pid ? programs[pid % THREADS] : "swapper";
}

static void take_block(struct machine *m)
{
	m->now = m->block[m->blocks++];
	memset(m->now, 0, KUTRACE_BLOCK_BYTES);
	m->now[0] = (uint64_t)m->cpu << 56 | m->at;
	m->now[1] = START_S * 1000000 + m->at / COUNTS_PER_US;
	m->now[2] = m->pid;
	strcpy((char *)(m->now + 4), name_of(m->pid));
	m->used = KUTRACE_FIRST_WORD;
	m->left--;
}

static void put(struct machine *m, unsigned int event, uint32_t arg)
{
	if (m->used == KUTRACE_BLOCK_WORDS)
		take_block(m);
	m->now[m->used++] = m->at << KUTRACE_TS_SHIFT |
			    (uint64_t)event << KUTRACE_EVENT_SHIFT | arg;
}

static void switch_to(struct machine *m, uint32_t pid)
{
	m->pid = pid;
	put(m, KUTRACE_USERPID, pid);
}

static void make_call(struct machine *m)
{
	unsigned int which = (unsigned int)below(m, CALLS);
	uint64_t begin = m->at, elapsed;
	uint32_t pid = m->pid;

	put(m, 0x800 + calls[which].number, (uint32_t)below(m, 1000));
	m->at += 100 + below(m, 2000);
	if (!below(m, SLOW_IN)) {
		switch_to(m, 0);
		m->at += 50000 + below(m, 750000);
		put(m, KUTRACE_RUNNABLE, pid);
		m->at += 200 + below(m, 500);
		switch_to(m, pid);
		m->at += 100 + below(m, 300);
	}
	put(m, 0xA00 + calls[which].number, 300 + (uint32_t)below(m, 1000));
	elapsed = (m->at - begin) * 10;
	m->calls++;
	m->elapsed += elapsed;
	if (elapsed > m->slowest) {
		m->slowest = elapsed;
		m->slowest_call = which;
	}
}

static void run_cpu(struct machine *m, unsigned int cpu)
{
	m->cpu = cpu;
	m->left = BLOCKS;
	m->at = m->start + 1000 + below(m, 1000);
	m->pid = 1000 + cpu * THREADS;
	take_block(m);
	/* marks before and after the calls, so that neither the first nor the last call is cut */
	put(m, KUTRACE_MARKD, 1);
	while (m->left || m->used < KUTRACE_BLOCK_WORDS - 16) {
		m->at += 200 + below(m, 3000);
		make_call(m);
		m->at += 100;
		if (!below(m, 20))	/* another thread of this CPU */
			switch_to(m, 1000 + cpu * THREADS + (m->pid + 1 + (uint32_t)below(m, THREADS - 1) -
				     1000 - cpu * THREADS) % THREADS);
	}
	put(m, KUTRACE_MARKD, 2);
	if (m->at > m->end)
		m->end = m->at;
}

static int by_time(const void *a, const void *b)
{
	uint64_t x = **(const uint64_t *const *)a << 8, y = **(const uint64_t *const *)b << 8;

	return x < y ? -1 : x > y;
}

static size_t put_name(uint64_t *words, uint64_t at, unsigned int base, uint32_t number,
		       const char *text)
{
	size_t more = (strlen(text) + 7) / 8;

	words[0] = at << KUTRACE_TS_SHIFT | number |
		   (uint64_t)(base | (unsigned int)(1 + more) << KUTRACE_NAME_LEN_SHIFT)
			   << KUTRACE_EVENT_SHIFT;
	memset(words + 1, 0, more * 8);
	memcpy(words + 1, text, strlen(text));
	return 1 + more;
}

static void put_names(uint64_t *w, const struct machine *m, const char *host, size_t number)
{
	static const char *const facts[] = {
		"backend=tracepoint", "cats=0x2003", "caveat=sched_entry", "lost_full=0",
		"arch=x86_64", "utc_offset_s=0", "wrapped=0",
	};
	char boot[60];
	size_t used = KUTRACE_FIRST_WORD0, i;

	for (i = 0; i < CPUS_MAX * THREADS; i++)
		used += put_name(w + used, m->start, KUTRACE_NAME_PID, 1000 + (uint32_t)i,
				 programs[(1000 + i) % THREADS]);
	for (i = 0; i < CALLS; i++)
		used += put_name(w + used, m->start, KUTRACE_NAME_SYS64NAME, calls[i].number,
				 calls[i].name);
	used += put_name(w + used, m->start, KUTRACE_NAME_HOSTNAME, 0, host);
	used += put_name(w + used, m->start, KUTRACE_NAME_KERNELVER, 0, "6.1.0-generated");
	for (i = 0; i < sizeof(facts) / sizeof(facts[0]); i++)
		used += put_name(w + used, m->start, KUTRACE_NAME_META, 0, facts[i]);
	snprintf(boot, sizeof(boot), "boot_id=00000000-0000-4000-8000-%012zu", number);
	put_name(w + used, m->start, KUTRACE_NAME_META, 0, boot);
}

static int write_trace(struct machine *m, const char *file, const char *host, size_t number)
{
	static uint64_t first[KUTRACE_BLOCK_WORDS];
	const uint64_t *order[CPUS_MAX * BLOCKS];
	uint64_t us = START_S * 1000000;
	FILE *f = fopen(file, "wb");
	size_t i, bad = 0;

	if (!f)
		return -1;
	for (i = 0; i < m->blocks; i++)
		order[i] = m->block[i];
	qsort(order, m->blocks, sizeof(order[0]), by_time);
	memset(first, 0, sizeof(first));
	first[0] = m->start;
	first[1] = (uint64_t)KUTRACE_FILE_VERSION << 56 | (us + m->start / COUNTS_PER_US);
	first[2] = m->start;
	first[3] = us + m->start / COUNTS_PER_US;
	m->end += COUNTS_PER_US - m->end % COUNTS_PER_US;
	first[4] = m->end;
	first[5] = us + m->end / COUNTS_PER_US;
	first[8] = 1000;
	strcpy((char *)(first + 10), name_of(1000));
	put_names(first, m, host, number);
	bad += fwrite(first, sizeof(first), 1, f) != 1;
	for (i = 0; i < m->blocks; i++)
		bad += fwrite(order[i], KUTRACE_BLOCK_BYTES, 1, f) != 1;
	return fclose(f) || bad ? -1 : 0;
}

int main(int argc, char **argv)
{
	static struct machine m;
	size_t traces = argc == 3 ? strtoul(argv[1], NULL, 10) : 0, hosts = (traces + 3) / 4, i;
	char file[4096], host[40], date[40];
	unsigned int cpu, cpus;
	time_t when;

	if (!traces) {
		fprintf(stderr, "usage: gen_fleet TRACES FOLDER >truth\n");
		return 2;
	}
	for (i = 0; i < traces; i++) {
		memset(&m, 0, offsetof(struct machine, block));
		m.blocks = 0;
		m.calls = m.elapsed = m.slowest = 0;
		m.random = i * 0x9E3779B97F4A7C15ULL + 1;
		/* another day for each round of all machines, some minutes apart */
		m.start = (i / hosts * 86400 + 3600 + i % hosts * 60) * 1000000 * COUNTS_PER_US;
		m.end = 0;
		cpus = 1 + (unsigned int)(i % CPUS_MAX);
		for (cpu = 0; cpu < cpus; cpu++)
			run_cpu(&m, cpu);
		snprintf(host, sizeof(host), "m%04zu", i % hosts);
		snprintf(file, sizeof(file), "%s/%05zu.trace", argv[2], i);
		if (write_trace(&m, file, host, i)) {
			fprintf(stderr, "gen_fleet: cannot write %s\n", file);
			return 1;
		}
		when = (time_t)(START_S + m.start / COUNTS_PER_US / 1000000);
		strftime(date, sizeof(date), "%Y-%m-%d", gmtime(&when));
		printf("%s %s %llu %llu %llu %s\n", date, host, (unsigned long long)m.calls,
		       (unsigned long long)m.elapsed, (unsigned long long)m.slowest,
		       calls[m.slowest_call].name);
	}
	return 0;
}
