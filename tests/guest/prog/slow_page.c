// SPDX-License-Identifier: BSD-3-Clause
/*
 * Has a process with a typed tracepoint in a page that cannot be read for a long time, for
 * test_points_bytes.sh. The page is in a private mapping of a file. This program is the file's file
 * system (FUSE), and delays its answers. Only the process of the page may wait for it, but no
 * caller that switches the tracepoint or unloads the module. Run it as root, with fuse.ko. Prints a
 * line for each result.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/fuse.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "kutrace_abi.h"

#define PAGE 4096
#define NODE 2			/* the file; 1 is its directory */

/* Memory that the processes of this program share. */
static struct {
	volatile int hold;	/* reads wait */
	volatile int held;	/* a read waits */
	volatile int step;	/* number of steps that the victim has done */
	volatile int next;	/* number of steps that it may do */
	volatile int byte;	/* the value that was read */
} *shared;

static void nap(void)
{
	usleep(10000);
}

/* Waits up to ten seconds. */
static void await(volatile const int *what, int value)
{
	for (int i = 0; i < 1000 && *what != value; i++)
		nap();
	if (*what != value)
		printf("waited in vain\n");
}

/* ---- the file system ---- */

static void fill_attr(struct fuse_attr *attr, uint64_t node)
{
	attr->ino = node;
	attr->mode = node == NODE ? S_IFREG | 0644 : S_IFDIR | 0755;
	attr->nlink = 1;
	attr->size = PAGE;
	attr->blksize = PAGE;
}

/* Answers a request. Returns the answer's length, or -errno. */
static int answer(const struct fuse_in_header *in, void *out)
{
	struct fuse_entry_out *entry = out;
	struct fuse_attr_out *attr = out;
	struct fuse_init_out *init = out;
	struct fuse_open_out *opened = out;

	switch (in->opcode) {
	case FUSE_INIT:
		init->major = FUSE_KERNEL_VERSION;
		init->minor = FUSE_KERNEL_MINOR_VERSION;
		init->max_write = PAGE;
		return sizeof(*init);
	case FUSE_LOOKUP:
		entry->nodeid = NODE;
		entry->entry_valid = 1000;
		entry->attr_valid = 1000;
		fill_attr(&entry->attr, NODE);
		return sizeof(*entry);
	case FUSE_GETATTR:
		attr->attr_valid = 1000;
		fill_attr(&attr->attr, in->nodeid);
		return sizeof(*attr);
	case FUSE_OPEN:
		/* A flush would make a killed process wait for an answer of this program. */
		opened->open_flags = FOPEN_NOFLUSH;
		return sizeof(*opened);
	case FUSE_READ:
		while (shared->hold) {
			shared->held = 1;
			nap();
		}
		shared->held = 0;
		return PAGE;
	case FUSE_RELEASE:
		return 0;
	default:
		return -ENOSYS;
	}
}

static void serve(int fd)
{
	static char in[FUSE_MIN_READ_BUFFER * 2];
	static struct {
		struct fuse_out_header header;
		char data[PAGE];
	} out;

	while (read(fd, in, sizeof(in)) > 0) {
		const struct fuse_in_header *request = (void *)in;
		int length;

		if (request->opcode == FUSE_FORGET)
			continue;
		memset(&out, 0, sizeof(out));
		length = answer(request, out.data);
		out.header.unique = request->unique;
		out.header.error = length < 0 ? length : 0;
		out.header.len = (uint32_t)sizeof(out.header) + (length < 0 ? 0 : (uint32_t)length);
		if (write(fd, &out, out.header.len) < 0 && errno != ENOENT)
			break;
	}
	_exit(0);
}

/* ---- tracepoints ---- */

static int device(int flags)
{
	int fd = open(KUTRACE_DEVICE, flags | O_CLOEXEC);

	if (fd < 0)
		perror(KUTRACE_DEVICE);
	return fd;
}

/* Registers a byte. Returns the descriptor that was used. */
static int give(const volatile unsigned char *at)
{
	struct kutrace_point_def def = {.length = sizeof(def), .text = "slow|"};
	struct kutrace_point_byte byte = {.length = sizeof(byte), .address = (uintptr_t)at};
	int fd = device(O_RDONLY);

	if (ioctl(fd, KUTRACE_IOC_POINT_DEFINE, &def))
		perror("define");
	byte.id = def.id;
	if (ioctl(fd, KUTRACE_IOC_POINT_BYTE, &byte))
		perror("byte");
	return fd;
}

static volatile unsigned char own;	/* the byte of a normal process */

static void turn(const char *when, int on)
{
	struct kutrace_point_switch wanted = {.length = sizeof(wanted), .value = (uint32_t)on,
					      .name = "slow"};
	struct timespec before, after;
	int fd = device(O_RDWR);
	long ms;

	clock_gettime(CLOCK_MONOTONIC, &before);
	if (ioctl(fd, KUTRACE_IOC_POINT_SWITCH, &wanted))
		perror("switch");
	clock_gettime(CLOCK_MONOTONIC, &after);
	close(fd);
	ms = (after.tv_sec - before.tv_sec) * 1000 + (after.tv_nsec - before.tv_nsec) / 1000000;
	printf("%s: %s, behind %u, mine %d\n", when,
	       ms < 990 ? "at once" : ms < 2000 ? "after a second" : "late", wanted.behind, own);
}

/* Tries to unload the module in a process that has nothing of the module open. */
static void unload(const char *when, int own_fd)
{
	pid_t pid = fork();
	int status, i;

	if (!pid) {
		close(own_fd);
		_exit(syscall(SYS_delete_module, "kutrace", O_NONBLOCK) ? errno : 0);
	}
	for (i = 0; i < 1000 && !waitpid(pid, &status, WNOHANG); i++)
		nap();
	printf("%s: %s\n", when, i == 1000 ? "hangs" : WEXITSTATUS(status) == EWOULDBLOCK ?
	       "in use" : strerror(WEXITSTATUS(status)));
}

/* ---- the process with the page ---- */

static void victim(void)
{
	int fd = open("/tmp/slow/file", O_RDONLY);
	volatile unsigned char *at = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE, fd, 0);

	if (fd < 0 || at == MAP_FAILED) {
		perror("victim");
		_exit(1);
	}
	give(at);
	for (;;) {
		shared->byte = *at;
		shared->step++;
		while (shared->next != shared->step)
			nap();
		/* Drop the page, so that a later write to it must read it again. */
		madvise((void *)(uintptr_t)at, PAGE, MADV_DONTNEED);
		posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED);
		shared->hold = 1;
		shared->step++;
		while (shared->next != shared->step)
			nap();
	}
}

/* Lets the victim read its byte, or drop its page. */
static void let_victim(void)
{
	int next = shared->step + 1;

	shared->next = shared->step;
	await(&shared->step, next);
}

int main(void)
{
	int fuse = open("/dev/fuse", O_RDWR | O_CLOEXEC);
	char options[100];
	pid_t server, process;
	int own_fd;

	setvbuf(stdout, NULL, _IOLBF, 0);
	shared = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	snprintf(options, sizeof(options), "fd=%d,rootmode=40000,user_id=0,group_id=0", fuse);
	mkdir("/tmp/slow", 0700);
	if (fuse < 0 || mount("slow", "/tmp/slow", "fuse", 0, options)) {
		perror("fuse");
		return 1;
	}
	server = fork();
	if (!server)
		serve(fuse);
	close(fuse);
	own_fd = give(&own);
	shared->next = -1;
	process = fork();
	if (!process) {
		close(own_fd);
		victim();
	}
	await(&shared->step, 1);
	printf("at first: its %d, mine %d\n", shared->byte, own);

	let_victim();
	turn("its page is never read in", 0);
	await(&shared->held, 1);
	turn("still", 1);
	turn("still", 0);
	shared->hold = 0;
	await(&shared->held, 0);
	let_victim();
	printf("it has come: its %d\n", shared->byte);
	turn("it has come", 1);

	let_victim();
	turn("once more", 0);
	await(&shared->held, 1);
	kill(process, SIGKILL);
	turn("killed meanwhile", 1);
	turn("killed meanwhile", 0);
	/* Only the process that cannot end has the device open now. */
	close(own_fd);
	unload("killed meanwhile", own_fd);
	kill(server, SIGKILL);
	waitpid(server, NULL, 0);
	waitpid(process, NULL, 0);
	umount2("/tmp/slow", MNT_DETACH);
	return 0;
}
