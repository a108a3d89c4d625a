/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Measures the cost of marks and dumps. Run it under QEMU's icount, where one instruction takes one
 * nanosecond of guest time; elsewhere its figures are nanoseconds.
 *
 *	control_cost mark NAME		one kutrace_mark_d
 *	control_cost stub NAME		a mark, with a stub of the module in this program: the
 *					library's part, NAME-off and NAME-on
 *	control_cost dump NAME FILE	kutrace_dump of the recording, per MB
 *	control_cost copy4k NAME FILE	a dump by the control call, 4 KiB at a time, per MB
 *	control_cost word NAME FILE	the same word by word
 *	control_cost write NAME FILE	the same number of words from memory: the cost of the file
 *	control_cost fill BLOCKS	makes marks until that number of blocks is used
 *	control_cost snapshot NAME FILE	kutrace_snapshot while recording, per MB
 *	control_cost work NAME		a fixed number of system calls
 *
 * Prints: NAME VALUE UNIT
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "kutrace_abi.h"
#include "kutrace_call.h"
#include "kutrace_events.h"
#include "lib/device/device.h"
#include "libkutrace.h"

#define MARKS	1000	/* less than a tick of 4 ms */
#define REPEATS	51
#define CALLS	1000000

static uint64_t now_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * 1000000000u + (uint64_t)ts.tv_nsec;
}

static void marks(const char *name)
{
	uint64_t best = UINT64_MAX;

	kutrace_mark_d(0);
	for (int i = 0; i < REPEATS; i++) {
		uint64_t start = now_ns();

		for (int j = 0; j < MARKS; j++)
			kutrace_mark_d((uint64_t)j);
		start = now_ns() - start;
		if (start < best)
			best = start;
	}
	printf("%s %.1f ns/mark\n", name, (double)best / MARKS);
}

static struct kutrace_meta_page stub_meta = {
	.length = sizeof(stub_meta), .abi_version = KUTRACE_ABI_VERSION,
};
static volatile unsigned long stub_entry;	/* the last mark */

static int stub_open(int flags)
{
	return flags == O_RDONLY ? 1000 : -EACCES;
}

static void stub_close(int fd)
{
	(void)fd;
}

static int stub_ioctl(int fd, unsigned long request, unsigned long arg)
{
	(void)fd;
	stub_entry = arg;
	return request == KUTRACE_IOC_MARK ? 0 : -EINVAL;
}

static void *stub_map(int fd, uint64_t offset, size_t bytes, int *error)
{
	(void)fd;
	(void)bytes;
	*error = 0;
	return offset == KUTRACE_MMAP_META ? &stub_meta : NULL;
}

static void stub_unmap(void *address, size_t bytes)
{
	(void)address;
	(void)bytes;
}

static int stub_marks(const char *name)
{
	static const struct ku_dev_ops stub = {
		.open = stub_open, .close = stub_close, .ioctl = stub_ioctl,
		.map = stub_map, .unmap = stub_unmap,
	};
	char which[100];

	ku_dev = &stub;
	snprintf(which, sizeof(which), "%s-off", name);
	marks(which);
	if (stub_entry)
		return 1;
	stub_meta.active = 1;
	snprintf(which, sizeof(which), "%s-on", name);
	marks(which);
	/* check that the marks arrived */
	return (stub_entry & UINT32_MAX) != MARKS - 1;
}

static uint64_t call(uint64_t command, uint64_t arg)
{
	return (uint64_t)syscall(KUTRACE_CALL, command, arg);
}

/* Dumps as the original's library does. */
static int copy(const char *file, char how)
{
	static uint64_t block[KUTRACE_BLOCK_WORDS];
	uint64_t count = call(KUTRACE_CMD_GETCOUNT, 0), i, j, bad = 0;
	int fd = open(file, O_CREAT | O_TRUNC | O_WRONLY, 0600);

	if (fd < 0 || count == ~0ULL)
		return 1;
	if (count >> 63)
		count = ~count;
	for (i = 0; i < count; i += KUTRACE_BLOCK_WORDS) {
		for (j = 0; j < KUTRACE_BLOCK_WORDS; j += how == 'w' ? 1 : 512) {
			if (how == 'w')
				block[j] = call(KUTRACE_CMD_GETWORD, i + j);
			else if (how == 'c')
				bad += call(KUTRACE_CMD_SET4KB, i + j) |
				       call(KUTRACE_CMD_GET4KB, (uintptr_t)&block[j]);
		}
		bad += write(fd, block, sizeof(block)) != sizeof(block);
	}
	return close(fd) || bad;
}

static int dumps(const char *how, const char *name, const char *file)
{
	uint64_t start = now_ns();
	struct stat st;
	int ret;

	if (!strcmp(how, "dump"))
		ret = kutrace_dump(file, NULL, NULL);
	else if (!strcmp(how, "snapshot"))
		ret = kutrace_snapshot(file, NULL, NULL);
	else
		ret = copy(file, strcmp(how, "write") ? *how : '-');
	start = now_ns() - start;
	if (ret || stat(file, &st) || !st.st_size || unlink(file)) {
		fprintf(stderr, "control_cost: %s: %s: %d\n", how, file, ret);
		return 1;
	}
	printf("%s %.1f us/MB\n", name, (double)start / 1e3 / ((double)st.st_size / 1e6));
	return 0;
}

static int fill(uint64_t blocks)
{
	struct kutrace_info info;

	do {
		for (int i = 0; i < MARKS; i++)
			kutrace_mark_d((uint64_t)i);
		if (kutrace_get_info(&info) < 0 || !info.recording)
			return 1;
	} while (info.used_blocks < blocks);
	return 0;
}

static void work(const char *name)
{
	uint64_t start = now_ns();

	for (int i = 0; i < CALLS; i++)
		syscall(SYS_getppid);
	printf("%s %.1f ns/call\n", name, (double)(now_ns() - start) / CALLS);
}

int main(int argc, char **argv)
{
	if (argc == 3 && !strcmp(argv[1], "work")) {
		work(argv[2]);
		return 0;
	}
	if (argc == 3 && !strcmp(argv[1], "mark")) {
		marks(argv[2]);
		return 0;
	}
	if (argc == 3 && !strcmp(argv[1], "stub"))
		return stub_marks(argv[2]);
	if (argc == 3 && !strcmp(argv[1], "fill"))
		return fill(strtoull(argv[2], NULL, 10));
	if (argc == 4)
		return dumps(argv[1], argv[2], argv[3]);
	fprintf(stderr, "usage: see the head of control_cost.c\n");
	return 2;
}
