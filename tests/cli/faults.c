// SPDX-License-Identifier: BSD-3-Clause
/*
 * Makes one allocation of a program fail, when it is preloaded by tests/cli/faults.sh.
 *
 *	KUTRACE_FAIL_ALLOC=N	makes the N-th call of malloc(), calloc() or realloc() in any
 *				thread fail
 *	KUTRACE_COUNT_ALLOC=FILE	writes the number of calls to the file at the end
 *
 * Allocations by the C library itself are counted and fail as well.
 */
#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *old, size_t size);
void *malloc(size_t size);
void *calloc(size_t count, size_t size);
void *realloc(void *old, size_t size);

static unsigned long calls, failing;
static int ready;

/* Starts counting before main(), after the allocations of the loader. */
__attribute__((constructor)) static void begin(void)
{
	const char *text = getenv("KUTRACE_FAIL_ALLOC");

	failing = text ? strtoul(text, NULL, 10) : 0;
	__atomic_store_n(&ready, 1, __ATOMIC_RELEASE);
}

__attribute__((destructor)) static void end(void)
{
	const char *name = getenv("KUTRACE_COUNT_ALLOC");
	char text[24];
	int fd, n;

	if (!name)
		return;
	n = snprintf(text, sizeof(text), "%lu\n", calls);
	fd = open(name, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	if (fd < 0 || write(fd, text, (size_t)n) != n)
		_exit(98);
	close(fd);
}

static int fails(void)
{
	if (!__atomic_load_n(&ready, __ATOMIC_ACQUIRE) ||
	    __atomic_add_fetch(&calls, 1, __ATOMIC_RELAXED) != failing)
		return 0;
	errno = ENOMEM;
	return 1;
}

void *malloc(size_t size)
{
	return fails() ? NULL : __libc_malloc(size);
}

void *calloc(size_t count, size_t size)
{
	return fails() ? NULL : __libc_calloc(count, size);
}

void *realloc(void *old, size_t size)
{
	return fails() ? NULL : __libc_realloc(old, size);
}
