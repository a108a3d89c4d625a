// SPDX-License-Identifier: BSD-3-Clause
/*
 * Files under a hidden name until they are complete. Must never give other users more permissions
 * than the replaced file gave them.
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
