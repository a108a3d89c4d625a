// SPDX-License-Identifier: BSD-3-Clause
/*
 * Output files that are whole or not there, see kp_output.h. Must never put a file in
 * the place of a device or a symbolic link, nor make readable to others what was not.
 * Called by kp_main for -o.
 */
#include "kp_output.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define TRIES		100	/* for a name of the part that is free */
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

static int open_part(struct kp_output *output)
{
	const char *target = output->target, *slash = strrchr(target, '/');
	const char *name = slash ? slash + 1 : target;
	int i;

	if (!*name)
		return -EISDIR;
	if (strlen(name) > NAME_MAX)
		return -ENAMETOOLONG;
	for (i = 0; i < TRIES; i++) {
		if (asprintf(&output->part, "%.*s.%.200s.%ld-%d.part", (int)(name - target),
			     target, name, (long)getpid(), i) < 0) {
			output->part = NULL;
			return -ENOMEM;
		}
		output->fd = open(output->part, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
		if (output->fd >= 0)
			return 0;
		free(output->part);
		output->part = NULL;
		if (errno != EEXIST)
			return -errno;
	}
	return -EEXIST;
}

/* Whoever may read the file before may read this one, and nobody else. */
static int take_over(int fd, const struct stat *before)
{
	mode_t mode = before->st_mode & 0777;

	if (fchown(fd, before->st_uid, before->st_gid) &&
	    fchown(fd, (uid_t)-1, before->st_gid)) {
		struct stat now;

		/* what the group may do is said of another group */
		if (fstat(fd, &now) || now.st_gid != before->st_gid)
			mode &= ~(mode_t)070;
	}
	return fchmod(fd, mode) ? -errno : 0;
}

/* The file is there and open for writing. */
static int replace(struct kp_output *output, const char *path)
{
	struct stat before, named;
	int direct = output->fd, ret;

	if (fstat(direct, &before))
		return -errno;
	if (!S_ISREG(before.st_mode))
		return 0;
	output->target = realpath(path, NULL);
	if (!output->target || stat(output->target, &named) ||
	    named.st_dev != before.st_dev || named.st_ino != before.st_ino) {
		/* /dev/fd/N of a file without a name: nothing to put another in place of */
		free(output->target);
		output->target = NULL;
		return ftruncate(direct, 0) ? -errno : 0;
	}
	close(direct);
	output->fd = -1;
	ret = open_part(output);
	return ret ? ret : take_over(output->fd, &before);
}

int kp_output_open(struct kp_output *output, const char *path)
{
	int ret;

	memset(output, 0, sizeof(*output));
	output->fd = open(path, O_WRONLY | O_CLOEXEC | O_NOCTTY);
	if (output->fd >= 0) {
		ret = replace(output, path);
	} else if (errno == ENOENT) {
		output->target = target_of_new(path);
		ret = output->target ? open_part(output) : -errno;
	} else {
		ret = -errno;
	}
	if (ret)
		kp_output_abandon(output);
	return ret;
}

/* The new name is on the disk, too. Not every file system can be asked for that. */
static void sync_directory(const char *target)
{
	const char *slash = strrchr(target, '/');
	char *dir = slash ? strndup(target, (size_t)(slash + 1 - target)) : strdup(".");
	int fd = dir ? open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;

	if (fd >= 0) {
		fsync(fd);
		close(fd);
	}
	free(dir);
}

int kp_output_commit(struct kp_output *output)
{
	int ret = 0;

	if (output->part && rename(output->part, output->target))
		ret = -errno;
	if (!ret && output->part) {
		sync_directory(output->target);
		free(output->part);
		output->part = NULL;
	}
	kp_output_abandon(output);
	return ret;
}

void kp_output_abandon(struct kp_output *output)
{
	if (output->fd >= 0)
		close(output->fd);
	if (output->part)
		unlink(output->part);
	free(output->part);
	free(output->target);
	memset(output, 0, sizeof(*output));
	output->fd = -1;
}
