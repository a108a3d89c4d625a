/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Loads a kernel module by exactly one call, because busybox's insmod tries a second time after a
 * failure. For tests that let loading fail.
 *
 *	insert FILE [ARGUMENTS]
 *
 * Exit status: 0; 1 with the kernel's error; 2 usage.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	int fd;

	if (argc < 2 || argc > 3) {
		fprintf(stderr, "usage: insert FILE [ARGUMENTS]\n");
		return 2;
	}
	fd = open(argv[1], O_RDONLY | O_CLOEXEC);
	if (fd < 0 || syscall(SYS_finit_module, fd, argc == 3 ? argv[2] : "", 0)) {
		fprintf(stderr, "insert: %s: %s\n", argv[1], strerror(errno));
		return 1;
	}
	return 0;
}
