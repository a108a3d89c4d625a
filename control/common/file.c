// SPDX-License-Identifier: BSD-3-Clause
/*
 * Files under a hidden name until they are complete. Must never give other users more permissions
 * than the replaced file gave them. The output of a program must not replace a device or a symbolic
 * link.
 */
#include "common/file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define TRIES 100	/* attempts to find a free name for a part */
#define LINKS_MAX 40	/* maximum number of symbolic links to follow, as in the kernel */

int ku_part_open(struct ku_part *part, const char *target, mode_t mode)
{
	const char *slash = strrchr(target, '/');
	const char *name = slash ? slash + 1 : target;
	static unsigned int serial;
	int i, ret = -EEXIST;

	*part = (struct ku_part){.fd = -1};
	if (!*name)
		return -EISDIR;
	if (strlen(name) > NAME_MAX)
		return -ENAMETOOLONG;
	part->target = strdup(target);
	if (!part->target)
		return -ENOMEM;
	for (i = 0; i < TRIES && ret == -EEXIST; i++) {
		unsigned int n = __atomic_add_fetch(&serial, 1, __ATOMIC_RELAXED);

		if (asprintf(&part->name, "%.*s.%.200s.%ld-%u.part", (int)(name - target),
			     target, name, (long)getpid(), n) < 0) {
			part->name = NULL;
			ret = -ENOMEM;
			break;
		}
		part->fd = open(part->name,
				O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, mode);
		if (part->fd >= 0)
			return 0;
		ret = -errno;
		free(part->name);
		part->name = NULL;
	}
	ku_part_abandon(part);
	return ret;
}

int ku_part_keep_mode(int fd, const struct stat *before)
{
	mode_t mode = before->st_mode & 0777;
	struct stat now;

	if (fchown(fd, before->st_uid, before->st_gid) &&
	    fchown(fd, (uid_t)-1, before->st_gid) &&
	    (fstat(fd, &now) || now.st_gid != before->st_gid))
		mode &= ~(mode_t)070;	/* the permissions were meant for another group */
	return fchmod(fd, mode) ? -errno : 0;
}

int ku_part_rename(struct ku_part *part)
{
	if (rename(part->name, part->target))
		return -errno;
	free(part->name);
	part->name = NULL;
	return 0;
}

void ku_part_abandon(struct ku_part *part)
{
	if (part->fd >= 0)
		close(part->fd);
	if (part->name)
		unlink(part->name);
	free(part->name);
	free(part->target);
	*part = (struct ku_part){.fd = -1};
}

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

char *ku_output_target(const char *path)
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
static int open_replacement(struct ku_part *output, const char *path)
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

int ku_output_open(struct ku_part *output, const char *path)
{
	char *target;
	int ret;

	*output = (struct ku_part){ .fd = open(path, O_WRONLY | O_CLOEXEC | O_NOCTTY) };
	if (output->fd >= 0) {
		ret = open_replacement(output, path);
	} else if (errno == ENOENT) {
		target = ku_output_target(path);
		ret = target ? ku_part_open(output, target, 0666) : -errno;
		free(target);
	} else {
		ret = -errno;
	}
	if (ret)
		ku_part_abandon(output);
	return ret;
}

int ku_output_commit(struct ku_part *output)
{
	int ret = output->name ? ku_part_rename(output) : 0;

	if (!ret && output->target)
		ret = ku_sync_folder(output->target);
	ku_part_abandon(output);
	return ret;
}

bool ku_read_line(const char *name, char *line, size_t size)
{
	FILE *f = fopen(name, "re");
	bool read = f && fgets(line, (int)size, f);

	if (f)
		fclose(f);
	if (read)
		line[strcspn(line, "\n")] = '\0';
	return read;
}

int ku_sync_file(int fd)
{
	return fsync(fd) && errno != EINVAL && errno != EROFS ? -errno : 0;
}

int ku_sync_folder(const char *target)
{
	const char *slash = strrchr(target, '/');
	char *folder = slash ? strndup(target, (size_t)(slash - target) + 1) : strdup(".");
	int fd, ret;

	if (!folder)
		return -ENOMEM;
	fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd >= 0) {
		ret = ku_sync_file(fd);
		close(fd);
	} else {
		/* a folder without read permission cannot be synced */
		ret = errno == EACCES ? 0 : -errno;
	}
	free(folder);
	return ret;
}
