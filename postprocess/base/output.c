// SPDX-License-Identifier: BSD-3-Clause
/* Must show progress only if the file is large. */
#include "base/output.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>

#include "base/progress.h"

#define STORE_BYTES	(16u << 20)	/* bytes between two checks of stopped() */

/* Writes the file in portions, so that an interrupt can end it. ku_sync_file() reports errors. */
int kp_output_store(int fd, uint64_t *stored, uint64_t total, bool (*stopped)(void))
{
	struct stat st;

	if (fstat(fd, &st))
		return -errno;
	for (off_t at = 0; S_ISREG(st.st_mode) && at < st.st_size; at += STORE_BYTES) {
		/* a single portion is written too fast to show progress */
		if (total > STORE_BYTES)
			kp_progress(*stored + (uint64_t)at, total);
		if (stopped())
			return -EINTR;
		sync_file_range(fd, at, STORE_BYTES, SYNC_FILE_RANGE_WAIT_BEFORE |
				SYNC_FILE_RANGE_WRITE | SYNC_FILE_RANGE_WAIT_AFTER);
	}
	*stored += (uint64_t)st.st_size;
	return ku_sync_file(fd);
}
