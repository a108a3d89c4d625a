/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Runs threads with misleading names, for tests/guest/test_kernel_threads.sh.
 *
 *	misleading_names compute NAME	computes under that name, without system calls
 *	misleading_names worker NAME	makes io_uring's workers read under that name, until the file
 *					/tmp/stop exists
 *
 *	misleading_names names		prints "NAME KIND" for each name of a task in the first block of the
 *				recording, which it reads by GETWORD; KIND: enum kutrace_task_kind
 *
 * The first two create the file /tmp/NAME, without the slashes of NAME, when the threads have the
 * name. "worker" exits with 77 if the kernel has no io_uring.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/io_uring.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "common/entry.h"
#include "kutrace_abi.h"

#define READ_BYTES	(1u << 20)

static void die(const char *what)
{
	fprintf(stderr, "misleading_names: %s: %s\n", what, strerror(errno));
	exit(1);
}

static void ready(const char *name)
{
	char path[64] = "/tmp/";
	size_t len = strlen(path);
	int fd;

	for (; *name && len < sizeof(path) - 1; name++)
		if (*name != '/')
			path[len++] = *name;
	fd = open(path, O_CREAT | O_WRONLY, 0600);
	if (fd < 0)
		die(path);
	close(fd);
}

static void compute(const char *name)
{
	volatile unsigned long sum = 0;

	if (prctl(PR_SET_NAME, name) || setpriority(PRIO_PROCESS, 0, 19))
		die("name and priority");
	ready(name);
	for (;;)
		sum = sum + 1;
}

/* Gives @name to all threads of this process except the caller. Returns their number. */
static int name_others(const char *name)
{
	DIR *dir = opendir("/proc/self/task");
	const struct dirent *entry;
	char path[300];
	int count = 0, fd;

	if (!dir)
		die("/proc/self/task");
	while ((entry = readdir(dir))) {
		if (entry->d_name[0] == '.' || atoi(entry->d_name) == getpid())
			continue;
		snprintf(path, sizeof(path), "/proc/self/task/%s/comm", entry->d_name);
		fd = open(path, O_WRONLY);
		if (fd < 0)
			continue;	/* the thread has ended */
		count += write(fd, name, strlen(name)) > 0;
		close(fd);
	}
	closedir(dir);
	return count;
}

static void worker(const char *name)
{
	struct io_uring_params params = { 0 };
	int fd = (int)syscall(SYS_io_uring_setup, 1, &params);
	int zero = open("/dev/zero", O_RDONLY);
	struct io_uring_sqe *sqes;
	size_t bytes, cq_bytes;
	uint32_t *tail, *head;
	char *ring, *into;
	int named = 0;

	if (fd < 0 && (errno == ENOSYS || errno == EPERM))
		exit(77);
	if (fd < 0 || zero < 0)
		die("io_uring_setup");
	bytes = params.sq_off.array + params.sq_entries * sizeof(uint32_t);
	cq_bytes = params.cq_off.cqes + params.cq_entries * sizeof(struct io_uring_cqe);
	ring = mmap(NULL, bytes > cq_bytes ? bytes : cq_bytes, PROT_READ | PROT_WRITE,
		    MAP_SHARED | MAP_POPULATE, fd, IORING_OFF_SQ_RING);
	sqes = mmap(NULL, params.sq_entries * sizeof(*sqes), PROT_READ | PROT_WRITE,
		    MAP_SHARED | MAP_POPULATE, fd, IORING_OFF_SQES);
	into = malloc(READ_BYTES);
	if (ring == MAP_FAILED || sqes == MAP_FAILED || !into)
		die("mmap");
	tail = (uint32_t *)(ring + params.sq_off.tail);
	head = (uint32_t *)(ring + params.cq_off.head);
	while (access("/tmp/stop", F_OK)) {
		memset(&sqes[0], 0, sizeof(sqes[0]));
		sqes[0].opcode = IORING_OP_READ;
		sqes[0].flags = IOSQE_ASYNC;
		sqes[0].fd = zero;
		sqes[0].addr = (uintptr_t)into;
		sqes[0].len = READ_BYTES;
		__atomic_store_n(tail, *tail + 1, __ATOMIC_RELEASE);
		if (syscall(SYS_io_uring_enter, fd, 1, 1, IORING_ENTER_GETEVENTS, NULL, 0) < 0)
			die("io_uring_enter");
		__atomic_store_n(head, *head + 1, __ATOMIC_RELEASE);
		if (!named && name_others(name)) {
			named = 1;
			ready(name);
		}
		usleep(2000);
	}
}

static void names(void)
{
	static uint64_t block[KUTRACE_BLOCK_WORDS];
	int fd = open(KUTRACE_DEVICE, O_RDWR);
	uint32_t w, length;

	for (w = 0; w < KUTRACE_BLOCK_WORDS; w++) {
		struct kutrace_control get = { .command = KUTRACE_CMD_GETWORD, .arg = w };

		if (ioctl(fd, KUTRACE_IOC_CONTROL, &get))
			die("GETWORD");
		block[w] = get.result;
	}
	for (w = KUTRACE_FIRST_WORD0; w < KUTRACE_BLOCK_WORDS && block[w]; w += length) {
		uint32_t event = ku_entry_event(block[w]);
		const char *text = (const char *)&block[w + 1];
		size_t room;

		length = ku_event_is_name(event) ? event >> KUTRACE_NAME_LEN_SHIFT & 15 : 1;
		room = (length - 1) * sizeof(*block);
		if (KU_NAME_BASE(event) == KUTRACE_NAME_PID && room)
			printf("%.*s %d\n", (int)room, text, ku_entry_task_kind(text, room));
	}
}

int main(int argc, char **argv)
{
	if (argc == 3 && !strcmp(argv[1], "compute"))
		compute(argv[2]);
	else if (argc == 3 && !strcmp(argv[1], "worker"))
		worker(argv[2]);
	else if (argc == 2 && !strcmp(argv[1], "names"))
		names();
	else
		return 2;
	return 0;
}
