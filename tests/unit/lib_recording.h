/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Builds a recording in the fake device (lib_fake.h) block by block and name by name, and makes
 * a directory for its dump. One file of each program includes it.
 */
#ifndef LIB_RECORDING_H
#define LIB_RECORDING_H

#include <dirent.h>
#include <sys/stat.h>

#include "lib_fake.h"
#include "lib_trace.h"

#define START	0x0000123450000ULL
/* end of the recording: 3.2 s after START, at 32 ns per count */
#define STOP	(START + 100000000)
#define START_NS 1700000000123456789ULL
#define STOP_NS	(START_NS + 3200000000ULL)

static char dir[] = "/tmp/kutrace_test.XXXXXX";
static char path[sizeof(dir) + 20];

static int fresh(void **state)
{
	(void)state;
	fake_reset();
	memset(fake->block, 0, sizeof(fake->block));
	fake->info.start.counts = START;
	fake->info.start.real_ns = START_NS;
	fake->info.stop.counts = STOP;
	fake->info.stop.real_ns = STOP_NS;
	fake->info.start_cpu = 1;
	fake->info.start_pid = 4711;
	strcpy(fake->info.start_comm, "starter");
	fake->info.clock_khz = 2000000;
	unlink(path);
	return 0;
}

/*
 * Adds the block @index, claimed as the @seq-th block by @cpu at @counts, while @pid with the
 * name @comm ran.
 */
static uint64_t *add_block(uint32_t index, uint64_t seq, uint32_t cpu, uint64_t counts,
			   uint32_t pid, const char *comm)
{
	uint64_t *w = fake->block[index];
	int i;

	fake->table[index].seq = seq;
	fake->table[index].cpu = cpu;
	fake->table[index].state = KUTRACE_BLOCK_DONE;
	fake->info.used_blocks++;
	fake->info.taken_blocks++;
	w[0] = (uint64_t)cpu << 56 | counts;
	w[2] = pid;
	strncpy((char *)(w + 4), comm, 15);
	for (i = 6; i < KUTRACE_BLOCK_WORDS - 8; i++)	/* each block has different words */
		w[i] = (counts + (uint64_t)i) << 44 |
		       (uint64_t)KUTRACE_MARKD << 32 | (index * 10007U + (uint32_t)i);
	return w;
}

/* Adds an entry to the name buffer and returns its position. */
static inline uint64_t add_aux(uint16_t base, uint16_t cpu, uint64_t counts, uint32_t number,
			const char *text)
{
	struct kutrace_aux_entry entry = {.base = base, .cpu = cpu, .counts = counts,
					  .number = number, .pid = 99};
	uint32_t length = KUTRACE_AUX_HEADER + (((uint32_t)strlen(text) + 7) & ~7U);
	uint64_t at = fake->info.aux_last;
	char bytes[KUTRACE_AUX_HEADER + 128] = {0};
	uint32_t i;

	entry.head = length << 1;
	memcpy(bytes, &entry, KUTRACE_AUX_HEADER);
	memcpy(bytes + KUTRACE_AUX_HEADER, text, strlen(text));
	for (i = 0; i < length; i++)
		fake->aux[(at + i) % FAKE_AUX_BYTES] = bytes[i];
	fake->info.aux_last += length;
	return at;
}

static inline int files_in_dir(void)
{
	DIR *d = opendir(dir);
	int count = -2;	/* . and .. are not counted */

	assert_non_null(d);
	while (readdir(d))
		count++;
	closedir(d);
	return count;
}

static inline void dump_and_read(struct trace *t, struct kutrace_dump_result *result)
{
	assert_int_equal(kutrace_dump(path, NULL, result), 0);
	assert_true(trace_read(t, path, result->name_blocks));
	assert_int_equal(t->blocks, result->name_blocks + result->data_blocks);
	assert_int_equal(result->bytes, t->blocks * 65536);
	assert_int_equal(files_in_dir(), 1);
	fake_assert_no_leak();
}

static int make_dir(void **state)
{
	(void)state;
	if (!mkdtemp(dir))
		return -1;
	snprintf(path, sizeof(path), "%s/out.trace", dir);
	return 0;
}

static int remove_dir(void **state)
{
	(void)state;
	unlink(path);
	return rmdir(dir);
}

#endif
