// SPDX-License-Identifier: BSD-3-Clause
/*
 * Writes partitions (export/partition.h). Files are written to a folder whose name begins with a
 * dot, and then renamed, so each file is either the complete new one or the old one.
 */
#include "export/partition.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "common/file.h"

#define HOST_MAX	(3 * 64)	/* size; an escaped byte takes three characters */

static int fail(struct kp_folder *folder, const char *path, int err)
{
	snprintf(folder->message, sizeof(folder->message), "cannot write %.400s: %s", path, strerror(err));
	return -1;
}

static int make_collection(struct kp_folder *folder, const char *dir)
{
	char *above;
	int err;

	if (mkdir(dir, 0700))
		return errno == EEXIST ? 0 : fail(folder, dir, errno);
	/* also correct if @dir ends with a slash */
	if (asprintf(&above, "%s/../", dir) < 0)
		return fail(folder, dir, ENOMEM);
	err = ku_sync_folder(above);
	free(above);
	return err ? fail(folder, dir, -err) : 0;
}

int kp_partition_open(struct kp_folder *folder, const struct kp_partition *partition)
{
	char *path;
	int err;

	memset(folder, 0, sizeof(*folder));
	if (make_collection(folder, partition->dir))
		return -1;
	if (asprintf(&path, "%s/.%s", partition->dir, partition->id) < 0)
		return fail(folder, partition->dir, ENOMEM);
	err = kp_folder_open(folder, path);
	free(path);
	return err;
}

/* Writes a host name for use in a folder name, with other bytes as %XX like Hive. */
static void name_host(char *out, const char *host)
{
	static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.";
	const char *end = out + HOST_MAX - 3;

	for (host = *host ? host : "unknown"; *host && out < end; host++)
		if (strchr(plain, *host))
			*out++ = *host;
		else
			out += sprintf(out, "%%%02X", (unsigned char)*host);
	*out = '\0';
}

/* Syncs the name of @path, which a power failure would remove otherwise. */
static int sync_name(struct kp_folder *folder, const char *path)
{
	int err = ku_sync_folder(path);

	return err ? fail(folder, path, -err) : 0;
}

/* Makes a folder in an existing one, with the mode of the collection. */
static int make_folder(struct kp_folder *folder, const char *path, mode_t mode)
{
	if (mkdir(path, 0700))
		return errno == EEXIST ? 0 : fail(folder, path, errno);
	return chmod(path, mode) ? fail(folder, path, errno) : sync_name(folder, path);
}

/* Builds the path of a file in the collection, and makes its folders. */
static int make_place(struct kp_folder *folder, const struct kp_partition *partition, const char *name,
		      mode_t mode, char *path, size_t room)
{
	const size_t table = strcspn(name, ".");
	const time_t start = (time_t)partition->start_s;
	char host[HOST_MAX + 1], date[32] = "unknown";
	struct tm tm;
	size_t used;

	name_host(host, partition->host);
	if (partition->start_s > 0 && partition->start_s < 4102444800 && gmtime_r(&start, &tm))
		strftime(date, sizeof(date), "%Y-%m-%d", &tm);
	used = (size_t)snprintf(path, room, "%s/%.*s", partition->dir, (int)table, name);
	if (used + strlen(date) + strlen(host) + strlen(partition->id) + 64 > room)
		return fail(folder, partition->dir, ENAMETOOLONG);
	if (make_folder(folder, path, mode))
		return -1;
	used += (size_t)sprintf(path + used, "/date=%s", date);
	if (make_folder(folder, path, mode))
		return -1;
	used += (size_t)sprintf(path + used, "/host=%s", host);
	if (make_folder(folder, path, mode))
		return -1;
	sprintf(path + used, "/%s%s", partition->id, name + table);
	return 0;
}

static int place_file(struct kp_folder *folder, const struct kp_partition *partition,
		      const struct kp_folder_file *file, mode_t mode)
{
	char from[PATH_MAX], to[PATH_MAX];
	int used = snprintf(from, sizeof(from), "%s/%s", folder->part, file->name);

	if (used < 0 || (size_t)used >= sizeof(from))
		return fail(folder, folder->part, ENAMETOOLONG);
	if (make_place(folder, partition, file->name, mode, to, sizeof(to)))
		return -1;
	if (fchmod(file->fd, mode & 0666) || rename(from, to))
		return fail(folder, to, errno);
	return sync_name(folder, to);
}

int kp_partition_commit(struct kp_folder *folder, const struct kp_partition *partition)
{
	struct stat st;
	size_t i;

	if (stat(partition->dir, &st))
		return fail(folder, partition->dir, errno);
	/* a delayed write error must be known before a file gets its name */
	if (kp_folder_sync(folder))
		return -1;
	for (i = 1; i <= folder->count; i++)
		if (place_file(folder, partition, &folder->files[i % folder->count], st.st_mode & 0777))
			return -1;
	return 0;
}
