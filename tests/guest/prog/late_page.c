// SPDX-License-Identifier: BSD-3-Clause
/*
 * Makes a thread wait in a page fault, for test_fault_end.sh. When the program reads a line, it
 * provides the page by userfaultfd.
 *
 *	late_page [MARK]	prints "waits PID TID" when the thread is in the fault; then, for
 *				each line that it reads, "comes". Exits at the end of the input
 *
 * With MARK it inserts mark_d(MARK) when the thread is in the fault, before the page comes, and
 * mark_d(MARK + 1) when the page has come.
 */
#include <fcntl.h>
#include <linux/userfaultfd.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "kutrace_abi.h"
#include "kutrace_events.h"

#define PAGE 4096

static volatile char *page;
static volatile int byte;
static volatile pid_t tid;

static void fail(const char *what)
{
	perror(what);
	exit(1);
}

static void *touch(void *unused)
{
	tid = (pid_t)syscall(SYS_gettid);
	byte = *page;
	return unused;
}

static void mark(int device, unsigned long number)
{
	unsigned long entry = (unsigned long)KUTRACE_MARKD << KUTRACE_EVENT_SHIFT | number;

	if (device >= 0 && ioctl(device, KUTRACE_IOC_MARK, entry))
		fail("mark");
}

int main(int argc, char **argv)
{
	unsigned long number = argc > 1 ? strtoul(argv[1], NULL, 10) : 0;
	int device = argc > 1 ? open(KUTRACE_DEVICE, O_RDONLY | O_CLOEXEC) : -1;
	int fd = (int)syscall(SYS_userfaultfd, O_CLOEXEC);
	struct uffdio_api api = {.api = UFFD_API};
	struct uffdio_register wanted = {.mode = UFFDIO_REGISTER_MODE_MISSING};
	static char content[PAGE] __attribute__((aligned(PAGE))) = {1};
	struct uffdio_copy copy;
	struct uffd_msg message;
	pthread_t thread;
	char line[10];

	setvbuf(stdout, NULL, _IOLBF, 0);
	page = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (fd < 0 || page == MAP_FAILED || ioctl(fd, UFFDIO_API, &api))
		fail("userfaultfd");
	wanted.range.start = (unsigned long)page;
	wanted.range.len = PAGE;
	if (ioctl(fd, UFFDIO_REGISTER, &wanted))
		fail("register");
	if (argc > 1 && device < 0)
		fail(KUTRACE_DEVICE);
	if (pthread_create(&thread, NULL, touch, NULL))
		fail("thread");
	if (read(fd, &message, sizeof(message)) != (ssize_t)sizeof(message))
		fail("fault");
	mark(device, number);
	close(device);
	printf("waits %d %d\n", (int)getpid(), (int)tid);
	if (!fgets(line, sizeof(line), stdin))
		_exit(0);
	device = argc > 1 ? open(KUTRACE_DEVICE, O_RDONLY | O_CLOEXEC) : -1;
	copy = (struct uffdio_copy){
		.dst = (unsigned long)page, .src = (unsigned long)content, .len = PAGE};
	if (ioctl(fd, UFFDIO_COPY, &copy))
		fail("copy");
	if (pthread_join(thread, NULL) || byte != 1)
		fail("the page");
	mark(device, number + 1);
	printf("comes\n");
	return 0;
}
