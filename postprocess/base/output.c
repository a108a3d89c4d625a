// SPDX-License-Identifier: BSD-3-Clause
/*
 * Output files that are whole or not there, see base/output.h. Must never put a file in
 * the place of a device or a symbolic link, nor make readable to others what was not.
 * Called by base/tool.c for -o.
 */
#include "base/output.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/progress.h"

#define STORE_BYTES	(16u << 20)	/* between two looks whether that is to end */
#define LINKS_MAX	40	/* as many as the kernel follows */

/* What the link path points to, if it is one; else a copy of path. NULL: errno says why. */
static char *follow_once(const char *path)
{
	const char *slash = strrchr(path, '/');
	char to[PATH_MAX], *result;
	ssize_t n = readlink(path, to, sizeof(to) - 1);

	if (n < 0)
		return errno == EINVAL || errno == ENOENT ? strdup(path) : NULL;
	to[n] = '\0';
	if (to[0] == '/' || !slash)
		return strdup(to);
	if (asprintf(&result, "%.*s%s", (int)(slash + 1 - path), path, to) < 0) {
		errno = ENOMEM;
		return NULL;
	}
	return result;
}

/* The file that would be made by opening path, behind links that lead to nothing yet. */
static char *target_of_new(const char *path)
{
	char *at = strdup(path), *next;
	int i;

	for (i = 0; at && i < LINKS_MAX; i++) {
		next = follow_once(at);
		if (next && !strcmp(next, at)) {
			free(next);
			return at;
		}
		free(at);
		at = next;
	}
	if (at)
		errno = ELOOP;
	free(at);
	return NULL;
}

/* The file is there and open for writing. */
static int replace(struct ku_part *output, const char *path)
{
	struct stat before, named;
	int direct = output->fd, ret;
	char *target;

	if (fstat(direct, &before))
		return -errno;
	if (!S_ISREG(before.st_mode))
		return 0;
	target = realpath(path, NULL);
	if (!target || stat(target, &named) ||
	    named.st_dev != before.st_dev || named.st_ino != before.st_ino) {
		/* /dev/fd/N of a file without a name: nothing to put another in place of */
		free(target);
		return ftruncate(direct, 0) ? -errno : 0;
	}
	close(direct);
	ret = ku_part_open(output, target);
	free(target);
	return ret ? ret : ku_part_keep_mode(output->fd, &before);
}

int kp_output_open(struct ku_part *output, const char *path)
{
	char *target;
	int ret;

	*output = (struct ku_part){ .fd = open(path, O_WRONLY | O_CLOEXEC | O_NOCTTY) };
	if (output->fd >= 0) {
		ret = replace(output, path);
	} else if (errno == ENOENT) {
		target = target_of_new(path);
		ret = target ? ku_part_open(output, target) : -errno;
		free(target);
	} else {
		ret = -errno;
	}
	if (ret)
		ku_part_abandon(output);
	return ret;
}

/* A piece at a time, which an fsync() of all could not be. What it says of errors, fsync() says, too. */
int kp_output_store(int fd, uint64_t *stored, uint64_t total, bool (*stopped)(void))
{
	struct stat st;
	off_t at;

	if (fstat(fd, &st))
		return -errno;
	for (at = 0; S_ISREG(st.st_mode) && at < st.st_size; at += STORE_BYTES) {
		if (total > STORE_BYTES)	/* else it is done at once */
			kp_progress(*stored + (uint64_t)at, total);
		if (stopped())
			return -EINTR;
		sync_file_range(fd, at, STORE_BYTES, SYNC_FILE_RANGE_WAIT_BEFORE |
				SYNC_FILE_RANGE_WRITE | SYNC_FILE_RANGE_WAIT_AFTER);
	}
	*stored += (uint64_t)st.st_size;
	return ku_sync_file(fd);
}

int kp_output_commit(struct ku_part *output)
{
	int ret = output->name ? ku_part_rename(output) : 0;

	if (!ret && output->target)
		ret = ku_sync_folder(output->target);
	ku_part_abandon(output);
	return ret;
}
