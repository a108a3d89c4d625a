// SPDX-License-Identifier: BSD-3-Clause
/*
 * Simulates a recording for libkutrace, in place of the device, for tests of stream transport on
 * machines without the module. All of kutrace_control is linked to it. Must never be installed.
 *
 * $KUTRACE_TEST_RECORDING names a file "TAKEN RECORDING BLOCKS", which the test changes: the
 * number of blocks claimed so far, whether the recording is on, and the number of blocks of the
 * buffer. The buffer wraps: block n overwrites block n - BLOCKS. Every word of block n is a
 * mark_d of the value n.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "kutrace_abi.h"
#include "kutrace_events.h"
#include "lib/device/device.h"

#define BLOCKS		4096
#define META_BYTES	(1 << 17)
#define AUX_BYTES	(1 << 16)
#define START		0x123450000ULL
#define BLOCK_COUNTS	50000ULL
#define EVENT_COUNTS	10ULL
#define COUNT_NS	32

static struct {
	struct kutrace_meta_page page;
	struct kutrace_block table[BLOCKS];
} meta;

static uint64_t taken, done;
static uint32_t recording, blocks;

static void look(void)
{
	const char *name = getenv("KUTRACE_TEST_RECORDING");
	unsigned long long now_taken;
	unsigned int now_recording, now_blocks;
	FILE *f = name ? fopen(name, "re") : NULL;

	/* ignore an incomplete line, which is still being written */
	if (f && fscanf(f, "%llu %u %u.", &now_taken, &now_recording, &now_blocks) == 3) {
		taken = now_taken;
		recording = now_recording;
		blocks = now_blocks;
	}
	if (f)
		fclose(f);
	meta.page.nblocks = blocks;
	for (; blocks && done < taken; done++) {
		struct kutrace_block *block = &meta.table[done % blocks];

		block->cpu = done % 2;
		block->state = KUTRACE_BLOCK_DONE;
		block->seq = done + 1;
	}
}

static int test_open(int flags)
{
	(void)flags;
	look();
	return blocks ? open("/dev/null", O_RDWR | O_CLOEXEC) : -ENODEV;
}

static void test_close(int fd)
{
	close(fd);
}

static int test_ioctl(int fd, unsigned long request, unsigned long arg)
{
	struct kutrace_info *info = (struct kutrace_info *)arg;

	(void)fd;
	if (request != KUTRACE_IOC_INFO)
		return -ENOTTY;
	look();
	memset(info, 0, sizeof(*info));
	info->length = sizeof(*info);
	info->abi_version = KUTRACE_ABI_VERSION;
	info->backend = KUTRACE_BACKEND_TRACEPOINTS;
	info->categories = 0x2003;
	info->flags = KUTRACE_RESET_WRAP;
	info->recording = recording;
	info->nblocks = blocks;
	info->ncpus = 2;
	info->taken_blocks = taken;
	info->used_blocks = (uint32_t)(taken < blocks ? taken : blocks);
	info->wrapped = taken > blocks;
	info->clock_khz = 2000000;
	info->clock_shift = 6;
	info->start.counts = START;
	info->start.real_ns = 1700000000ULL * 1000000000;
	info->stop.counts = START + (taken + 3) * BLOCK_COUNTS;
	info->stop.real_ns = info->start.real_ns + (taken + 3) * BLOCK_COUNTS * COUNT_NS;
	info->start_pid = 7;
	strcpy(info->start_comm, "recording");
	return 0;
}

static void fill(uint64_t *word, uint64_t seq)
{
	uint64_t at = START + seq * BLOCK_COUNTS;
	size_t i;

	word[0] = seq % 2 ? at : at | 1ULL << 56;
	word[2] = 7;
	memcpy(word + 4, "recording", 10);
	for (i = KUTRACE_FIRST_WORD; i < KUTRACE_BLOCK_WORDS; i++) {
		at += EVENT_COUNTS;
		word[i] = (at & KUTRACE_TS_MASK) << KUTRACE_TS_SHIFT |
			  (uint64_t)KUTRACE_MARKD << KUTRACE_EVENT_SHIFT | seq;
	}
}

static void *test_map(int fd, uint64_t offset, size_t bytes, int *error)
{
	uint64_t index = (offset - KUTRACE_MMAP_BLOCKS) / KUTRACE_BLOCK_BYTES;
	void *memory;

	(void)fd;
	if (offset == KUTRACE_MMAP_META)
		return &meta;
	memory = calloc(1, bytes);
	*error = memory ? 0 : -ENOMEM;
	if (memory && offset != KUTRACE_MMAP_AUX && bytes == KUTRACE_BLOCK_BYTES)
		fill(memory, meta.table[index % BLOCKS].seq);
	return memory;
}

static void test_unmap(void *address, size_t bytes)
{
	(void)bytes;
	if (address != &meta)
		free(address);
}

static bool test_wait(int fd, short events, int timeout_ms)
{
	const struct timespec a_while = {.tv_nsec = 10000000};

	(void)fd, (void)events, (void)timeout_ms;
	nanosleep(&a_while, NULL);
	return true;
}

static const struct ku_dev_ops test_ops = {
	.open = test_open, .close = test_close, .ioctl = test_ioctl,
	.map = test_map, .unmap = test_unmap, .wait = test_wait,
};

static void __attribute__((constructor)) begin(void)
{
	meta.page.length = sizeof(meta.page);
	meta.page.abi_version = KUTRACE_ABI_VERSION;
	meta.page.meta_bytes = META_BYTES;
	meta.page.table_offset = sizeof(meta.page);
	meta.page.aux_bytes = AUX_BYTES;
	ku_dev = &test_ops;
}
