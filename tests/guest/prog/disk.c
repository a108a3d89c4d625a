// SPDX-License-Identifier: BSD-3-Clause
/*
 * Uses a disk (tests/guest/test_disk.sh).
 *
 *	disk DEVICE NAME STEP...
 *
 * Steps: read: 40 reads with O_DIRECT of 4 to 32 KiB. write: 40 such writes. same: 20 times, two threads
 * read the same block at the same time. batch: 10 times, 16 adjacent blocks are written in one batch of
 * asynchronous writes, the last block first. sync: buffered writes of 2 MiB, then fsync(). Prints
 * "pid NAME disk PID" and for each read or write "request STEP SECTOR BYTES US".
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/aio_abi.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define BLOCK	4096
#define LARGEST	(8 * BLOCK)
#define BATCH	16

static int direct;	/* the device, opened with O_DIRECT */
static char *buffer;

static void fail(const char *what)
{
	perror(what);
	exit(1);
}

static int64_t now_us(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (int64_t)ts.tv_sec * 1000000 + ts.tv_nsec / 1000;
}

/* Reads or writes 40 times, with gaps between the blocks, so that no two requests are adjacent. */
static void direct_io(const char *step, bool writes)
{
	for (int i = 0; i < 40; i++) {
		const size_t bytes = BLOCK << i % 4;
		const off_t at = (off_t)((i * 17 % 40) * 2 + 1) * LARGEST;
		const int64_t begin = now_us();
		const ssize_t done = writes ? pwrite(direct, buffer, bytes, at) : pread(direct, buffer, bytes, at);
		const int64_t us = now_us() - begin;

		if (done != (ssize_t)bytes)
			fail(step);
		printf("request %s %lld %zu %lld\n", step, (long long)at / 512, bytes, (long long)us);
	}
}

static pthread_barrier_t together;

static void *read_same(void *name)
{
	char *own = aligned_alloc(BLOCK, BLOCK);

	prctl(PR_SET_NAME, name);
	for (int i = 0; i < 20; i++) {
		pthread_barrier_wait(&together);
		if (pread(direct, own, BLOCK, (off_t)i * 2 * BLOCK) != BLOCK)
			fail("same");
	}
	free(own);
	return NULL;
}

static void same(void)
{
	pthread_t other;

	pthread_barrier_init(&together, NULL, 2);
	if (pthread_create(&other, NULL, read_same, (char *)"twin"))
		fail("thread");
	read_same((char *)"first");
	pthread_join(other, NULL);
}

static void batch(void)
{
	aio_context_t context = 0;
	struct iocb iocbs[BATCH], *list[BATCH];
	struct io_event events[BATCH];

	if (syscall(SYS_io_setup, BATCH, &context))
		fail("io_setup");
	for (int n = 0; n < 10; n++) {
		for (int i = 0; i < BATCH; i++) {
			iocbs[i] = (struct iocb){
				.aio_fildes = (uint32_t)direct, .aio_lio_opcode = IOCB_CMD_PWRITE,
				.aio_buf = (uintptr_t)buffer, .aio_nbytes = BLOCK,
				.aio_offset = (n * 2 + 1) * BATCH * BLOCK + (BATCH - 1 - i) * BLOCK,
			};
			list[i] = &iocbs[i];
		}
		if (syscall(SYS_io_submit, context, BATCH, list) != BATCH ||
		    syscall(SYS_io_getevents, context, BATCH, BATCH, events, NULL) != BATCH)
			fail("batch");
	}
	syscall(SYS_io_destroy, context);
}

static void sync_writes(const char *device)
{
	const int fd = open(device, O_RDWR);

	if (fd < 0)
		fail(device);
	for (int i = 0; i < 2 << 20; i += LARGEST)
		if (pwrite(fd, buffer, LARGEST, (off_t)i) != LARGEST)
			fail("sync");
	if (fsync(fd))
		fail("fsync");
	close(fd);
}

int main(int argc, char **argv)
{
	if (argc < 3)
		return 2;
	prctl(PR_SET_NAME, argv[2]);
	direct = open(argv[1], O_RDWR | O_DIRECT);
	buffer = aligned_alloc(BLOCK, LARGEST);
	if (direct < 0 || !buffer)
		fail(argv[1]);
	memset(buffer, 7, LARGEST);
	printf("pid %s disk %d\n", argv[2], getpid());
	for (int i = 3; i < argc; i++) {
		if (!strcmp(argv[i], "read") || !strcmp(argv[i], "write"))
			direct_io(argv[i], *argv[i] == 'w');
		else if (!strcmp(argv[i], "same"))
			same();
		else if (!strcmp(argv[i], "batch"))
			batch();
		else
			sync_writes(argv[1]);
	}
	return 0;
}
