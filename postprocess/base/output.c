// SPDX-License-Identifier: BSD-3-Clause
/* Must not replace a device or a symbolic link, nor make a private file readable to others. */
#include "base/output.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/progress.h"

#define STORE_BYTES	(16u << 20)	/* bytes between two checks of stopped() */
#define LINKS_MAX	40	/* maximum number of symbolic links to follow, as in the kernel */

/* Returns the target of @path, or a copy of @path if it is no link; NULL with errno set. */
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

/* Returns the file that open() would create for @path, after following dangling links. */
static char *target_of_new(const char *path)
{
	char *at = strdup(path), *next;

	for (int i = 0; at && i < LINKS_MAX; i++) {
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

/*
 * Opens a part file that will replace @path, which @output has open for writing. If the open file
 * is not a regular file, it remains open and gets the output.
 */
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
		/* the file has no name to replace (/dev/fd/N of an unlinked file): overwrite it */
		free(target);
		return ftruncate(direct, 0) ? -errno : 0;
	}
	close(direct);
	ret = ku_part_open(output, target, 0600);
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
		ret = target ? ku_part_open(output, target, 0666) : -errno;
		free(target);
	} else {
		ret = -errno;
	}
	if (ret)
		ku_part_abandon(output);
	return ret;
}

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

int kp_output_commit(struct ku_part *output)
{
	int ret = output->name ? ku_part_rename(output) : 0;

	if (!ret && output->target)
		ret = ku_sync_folder(output->target);
	ku_part_abandon(output);
	return ret;
}
