// SPDX-License-Identifier: BSD-3-Clause
/*
 * In each round, one thread owns a lock of the kernel and another waits for it: the lock of a file
 * that both write to. The owner is in a page fault meanwhile, whose page the program provides
 * (userfaultfd) when the other thread waits. So the wait needs neither luck nor a second CPU.
 *
 *	lock_contention ROUNDS FILE
 *
 * Prints "waiter TID ROUNDS FUNCTION". FUNCTION is the kernel's own answer (wchan) to where the waiter
 * waits: the function that needs the lock. The waiter must make no other event of the lock kinds.
 */
#include <fcntl.h>
#include <linux/userfaultfd.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#define PAGE_MAX	65536

static char *page;		/* missing page of the lock's owner */
static size_t page_bytes;
static int file;
static long rounds;
static volatile pid_t waiter;
static char wchan[64];		/* function of the kernel in which the waiter waits */
static sem_t wait_now, waited;

static void fail(const char *what)
{
	fprintf(stderr, "lock_contention: ");
	perror(what);
	exit(1);
}

static void *hold(void *unused)
{
	if (pwrite(file, page, page_bytes, 0) != (ssize_t)page_bytes)
		fail("write of who holds");
	return unused;
}

static void *want(void *unused)
{
	static char own[PAGE_MAX] = { 2 };

	waiter = (pid_t)syscall(SYS_gettid);
	for (long i = 0; i < rounds; i++) {
		sem_wait(&wait_now);
		if (pwrite(file, own, page_bytes, 0) != (ssize_t)page_bytes)
			fail("write of who waits");
		sem_post(&waited);
	}
	return unused;
}

/* Reads a file of the waiter in /proc. */
static void ask(const char *what, char *answer, int size)
{
	char path[64];
	FILE *f;

	snprintf(path, sizeof(path), "/proc/self/task/%d/%s", (int)waiter, what);
	f = fopen(path, "r");
	if (!f || !fgets(answer, size, f))
		fail(path);
	fclose(f);
}

/*
 * Waits until the waiter sleeps uninterruptibly, as in the wait for such a lock, and is on no CPU:
 * /proc does not show the system call of a running task.
 */
static void see_it_wait(void)
{
	char stat[256], call[256], number[16];
	const char *at;

	snprintf(number, sizeof(number), "%d ", SYS_pwrite64);
	do {
		usleep(1000);
		ask("stat", stat, sizeof(stat));
		ask("syscall", call, sizeof(call));
		at = strrchr(stat, ')');
	} while (!at || strncmp(at, ") D", 3) || strncmp(call, number, strlen(number)));
	ask("wchan", wchan, sizeof(wchan));
}

static void one_round(int fd)
{
	static char content[PAGE_MAX] __attribute__((aligned(PAGE_MAX))) = { 1 };
	struct uffdio_copy copy = { .dst = (unsigned long)page, .src = (unsigned long)content,
				    .len = page_bytes };
	struct uffd_msg message;
	pthread_t holder;

	if (madvise(page, page_bytes, MADV_DONTNEED))
		fail("madvise");
	if (pthread_create(&holder, NULL, hold, NULL))
		fail("thread");
	if (read(fd, &message, sizeof(message)) != (ssize_t)sizeof(message))
		fail("fault");
	sem_post(&wait_now);
	see_it_wait();
	if (ioctl(fd, UFFDIO_COPY, &copy))
		fail("copy");
	sem_wait(&waited);
	pthread_join(holder, NULL);
}

int main(int argc, char **argv)
{
	int fd = (int)syscall(SYS_userfaultfd, O_CLOEXEC);
	struct uffdio_api api = { .api = UFFD_API };
	struct uffdio_register wanted = { .mode = UFFDIO_REGISTER_MODE_MISSING };
	pthread_t thread;

	if (argc != 3) {
		fprintf(stderr, "usage: lock_contention ROUNDS FILE\n");
		return 2;
	}
	rounds = atol(argv[1]);
	page_bytes = (size_t)sysconf(_SC_PAGESIZE);
	if (page_bytes > PAGE_MAX) {
		fprintf(stderr, "lock_contention: pages of %zu bytes are too large\n", page_bytes);
		return 2;
	}
	file = open(argv[2], O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
	page = mmap(NULL, page_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (file < 0 || fd < 0 || page == MAP_FAILED || ioctl(fd, UFFDIO_API, &api))
		fail("userfaultfd");
	wanted.range.start = (unsigned long)page;
	wanted.range.len = page_bytes;
	if (ioctl(fd, UFFDIO_REGISTER, &wanted))
		fail("register");
	sem_init(&wait_now, 0, 0);
	sem_init(&waited, 0, 0);
	if (pthread_create(&thread, NULL, want, NULL))
		fail("thread");
	while (!waiter)
		usleep(1000);
	for (long i = 0; i < rounds; i++)
		one_round(fd);
	pthread_join(thread, NULL);
	printf("waiter %d %ld %s\n", (int)waiter, rounds, wchan);
	return 0;
}
