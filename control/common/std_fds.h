/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Fills descriptors 0 to 2 before the program opens a file. Must be called first in main().
 *
 * If a descriptor from 0 to 2 was closed when the program began, the next opened file (a temporary
 * file, a trace, the device) would get its number. Printed text would then go into that file,
 * without an error.
 */
#ifndef KU_COMMON_STD_FDS_H
#define KU_COMMON_STD_FDS_H

#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

/*
 * Opens a placeholder for each closed descriptor from 0 to 2. The placeholder (O_PATH) can be
 * neither read nor written: both fail with EBADF, as for a closed descriptor. Programs that this
 * program executes inherit a closed descriptor.
 *
 * Aborts if it cannot open a placeholder, because no output could be trusted.
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
