/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Loads a kernel module by one call, where busybox's insmod tries a second time when the first fails: for
 * tests that have it fail.
 *
 *	insert FILE [ARGUMENTS]
 *
 * Exit status: 0; 1 with what the kernel said; 2 usage.
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
