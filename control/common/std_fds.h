/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Descriptors 0 to 2 are taken before a program opens anything. If one was closed
 * when the program began, the next file it opened (a temporary file, a trace, the
 * device) would get that number: what is printed would go into that file, and
 * nobody would hear of it. Called first by the main() of every filter and of
 * kutrace_control.
 */
#ifndef KU_COMMON_STD_FDS_H
#define KU_COMMON_STD_FDS_H

#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

/*
 * Puts a descriptor in the place of each closed one of 0 to 2, which can be neither
 * read nor written (O_PATH): both fail with EBADF, as they would have. A program that
 * is started from here finds closed what was closed. Ends the program when that is
 * impossible: without it no output could be trusted.
 */
static inline void ku_take_std_fds(void)
{
	int fd;

	do {
		fd = open("/", O_PATH | O_CLOEXEC);
		if (fd < 0)
			abort();
	} while (fd <= STDERR_FILENO);
	close(fd);
}

#endif
