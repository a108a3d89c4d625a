// SPDX-License-Identifier: BSD-3-Clause
/*
 * Writes folders and archives (export/folder.h). An archive has the format ustar, and its files are
 * in the order in which they were added. An archive has no owner and no time, so that its bytes do
 * not depend on the machine.
 */
#include "export/folder.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/output.h"
#include "base/progress.h"
#include "base/temp.h"
#include "base/text.h"
#include "base/tool.h"

#define TRIES		100	/* number of attempts to find a free temporary name */
#define TAR_BLOCK	512u
#define TAR_SIZE_MAX	077777777777ull	/* largest number of eleven octal digits: 8 GiB */

#define fail(folder, ...)	kp_message((folder)->message, sizeof((folder)->message), __VA_ARGS__)

/* Returns whether @path exists and is not an empty folder. */
static bool is_taken(const char *path)
{
	struct dirent *entry;
	struct stat st;
	bool taken = false;
	DIR *dir;

	if (lstat(path, &st))
		return false;
	dir = S_ISDIR(st.st_mode) ? opendir(path) : NULL;
	if (!dir)
		return true;
	while (!taken && (entry = readdir(dir)))
		taken = strcmp(entry->d_name, ".") && strcmp(entry->d_name, "..");
	closedir(dir);
	return taken;
}

/*
 * Makes a folder beside folder->path. If the name exists (the folder of a killed program), tries
 * the next name. Returns 0 or errno.
 */
static int make_part(struct kp_folder *folder)
{
	const char *last = strrchr(folder->path, '/');
	int i, err = EEXIST;

	last = last ? last + 1 : folder->path;
	for (i = 1; i <= TRIES && err == EEXIST; i++) {
		if (asprintf(&folder->part, "%.*s.%s.%ld-%d.part", (int)(last - folder->path),
			     folder->path, last, (long)getpid(), i) < 0) {
			folder->part = NULL;
			return ENOMEM;
		}
		if (!mkdir(folder->part, 0777))
			return 0;
		err = errno;
		free(folder->part);
		folder->part = NULL;
	}
	return err;
}

const char *kp_folder_chosen(void)
{
	const char *path = kp_chosen_output();
	size_t len = path ? strlen(path) : 0;
	struct stat st, out;

	if (path && !(len > 4 && !strcmp(path + len - 4, ".tar")) &&
	    (stat(path, &st) || S_ISDIR(st.st_mode) ||
	     (S_ISREG(st.st_mode) && (fstat(STDOUT_FILENO, &out) || st.st_dev != out.st_dev ||
				      st.st_ino != out.st_ino))))
		return path;
	kp_open_output();
	return NULL;
}

int kp_folder_open(struct kp_folder *folder, const char *path)
{
	int err;

	memset(folder, 0, sizeof(*folder));
	if (!path)
		return 0;
	folder->path = strdup(path);
	if (!folder->path)
		return fail(folder, "no memory");
	for (size_t len = strlen(path); len > 1 && path[len - 1] == '/'; len--)
		folder->path[len - 1] = '\0';
	if (is_taken(folder->path))
		return fail(folder, "cannot write %s: it exists and is not an empty folder; remove it or choose another name",
			    path);
	err = make_part(folder);
	return err ? fail(folder, "cannot write %s: %s", path, strerror(err)) : 0;
}

int kp_folder_add(struct kp_folder *folder, const char *name)
{
	struct kp_folder_file *file;
	char *path;
	FILE *temp;
	int fd;

	if (KP_ROOM(folder->files, folder->count, folder->room))
		return fail(folder, "no memory");
	file = &folder->files[folder->count];
	snprintf(file->name, sizeof(file->name), "%s", name);
	if (folder->path) {
		if (asprintf(&path, "%s/%s", folder->part, name) < 0)
			return fail(folder, "no memory");
		fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
		free(path);
		if (fd < 0)
			return fail(folder, "cannot write %s/%s: %s", folder->path, name,
				    strerror(errno));
	} else {
		temp = kp_temp_file();
		fd = temp ? fcntl(fileno(temp), F_DUPFD_CLOEXEC, 3) : -1;
		if (fd < 0)
			fail(folder, "cannot create a temporary file: %s%s", strerror(errno),
			     kp_temp_remedy(errno));
		if (temp)
			fclose(temp);
		if (fd < 0)
			return -1;
	}
	file->fd = fd;
	folder->count++;
	return fd;
}

int kp_folder_write(struct kp_folder *folder, int fd, const void *data, size_t bytes)
{
	const char *p = data;
	ssize_t done;
	size_t i;

	while (bytes) {
		done = write(fd, p, bytes);
		if (done < 0 && errno == EINTR)
			continue;
		if (done < 0)
			break;
		p += done;
		bytes -= (size_t)done;
	}
	if (!bytes)
		return 0;
	for (i = 0; i < folder->count && folder->files[i].fd != fd;)
		i++;
	if (!folder->path)
		return fail(folder, "cannot write a temporary file: %s%s", strerror(errno),
			    kp_temp_remedy(errno));
	return fail(folder, "cannot write %s/%s: %s", folder->path,
		    i < folder->count ? folder->files[i].name : "?", strerror(errno));
}

static uint64_t all_bytes(const struct kp_folder *folder)
{
	uint64_t bytes = 0;
	struct stat st;

	for (size_t i = 0; i < folder->count; i++)
		if (!fstat(folder->files[i].fd, &st))
			bytes += (uint64_t)st.st_size;
	return bytes;
}

static int put_header(const struct kp_folder_file *file, uint64_t bytes, FILE *out)
{
	char block[TAR_BLOCK] = "";
	unsigned int sum = 0;

	memcpy(block, file->name, strlen(file->name));
	strcpy(block + 100, "0000600");
	strcpy(block + 108, "0000000");		/* owner */
	strcpy(block + 116, "0000000");		/* group */
	sprintf(block + 124, "%011llo", (unsigned long long)bytes);
	strcpy(block + 136, "00000000000");	/* time */
	/* spaces in place of the checksum, while the checksum is computed */
	memset(block + 148, ' ', 8);
	block[156] = '0';			/* a regular file */
	memcpy(block + 257, "ustar\00000", 8);
	for (size_t i = 0; i < sizeof(block); i++)
		sum += (unsigned char)block[i];
	sprintf(block + 148, "%06o", sum);
	return fwrite(block, 1, sizeof(block), out) == sizeof(block) ? 0 : -1;
}

/* Writes a file to the archive, adds its size to *@copied, and shows the progress up to @total. */
static int put_file(struct kp_folder *folder, const struct kp_folder_file *file, FILE *out,
		    uint64_t *copied, uint64_t total)
{
	static char buffer[1 << 16];
	static const char zeros[TAR_BLOCK];
	struct stat st;
	uint64_t at = 0, bytes;
	size_t pad;

	if (fstat(file->fd, &st))
		return fail(folder, "cannot read a temporary file: %s", strerror(errno));
	bytes = (uint64_t)st.st_size;
	if (bytes > TAR_SIZE_MAX)
		return fail(folder, "cannot write %s: an archive holds files up to 8 GiB; try -o DIR",
			    file->name);
	if (put_header(file, bytes, out))
		return -1;
	while (at < bytes) {
		ssize_t got = pread(file->fd, buffer, sizeof(buffer), (off_t)at);

		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			return fail(folder, "cannot read a temporary file: %s",
				    got ? strerror(errno) : "it became shorter");
		if (fwrite(buffer, 1, (size_t)got, out) != (size_t)got)
			return -1;
		at += (uint64_t)got;
		*copied += (uint64_t)got;
		kp_progress(*copied, total);
	}
	pad = (TAR_BLOCK - bytes % TAR_BLOCK) % TAR_BLOCK;
	return fwrite(zeros, 1, pad, out) == pad ? 0 : -1;
}

int kp_folder_archive(struct kp_folder *folder, FILE *out)
{
	static const char end[2 * TAR_BLOCK];
	uint64_t copied = 0, total = all_bytes(folder);

	if (folder->path)
		return 0;
	kp_progress_phase("copying", NULL);
	for (size_t i = 0; i < folder->count; i++)
		if (put_file(folder, &folder->files[i], out, &copied, total))
			return -1;
	return fwrite(end, 1, sizeof(end), out) == sizeof(end) ? 0 : -1;
}

static void close_files(struct kp_folder *folder)
{
	while (folder->count)
		close(folder->files[--folder->count].fd);
}

/* Syncs the files of the folder to the disk. Returns 0, or -1 and sets the message. */
static int kp_folder_sync(struct kp_folder *folder)
{
	uint64_t stored = 0, total = all_bytes(folder);
	int err;

	kp_progress_phase("storing", NULL);
	for (size_t i = 0; i < folder->count; i++) {
		err = kp_output_store(folder->files[i].fd, &stored, total, kp_interrupted);
		if (err)
			return fail(folder, "cannot write %s/%s: %s", folder->path,
				    folder->files[i].name, strerror(-err));
	}
	return 0;
}

/* Syncs the names of the files. Returns 0 or a negative errno. */
static int sync_names(const struct kp_folder *folder)
{
	char *inside;
	int err;

	if (asprintf(&inside, "%s/", folder->part) < 0)
		return -ENOMEM;
	err = ku_sync_folder(inside);
	free(inside);
	return err;
}

void kp_folder_close(struct kp_folder *folder)
{
	char *path;

	for (size_t i = 0; folder->part && i < folder->count; i++) {
		if (asprintf(&path, "%s/%s", folder->part, folder->files[i].name) < 0)
			continue;
		unlink(path);
		free(path);
	}
	if (folder->part)
		rmdir(folder->part);
	close_files(folder);
	free(folder->files);
	free(folder->part);
	free(folder->path);
	folder->files = NULL;
	folder->part = folder->path = NULL;
}

/*
 * ---- partitions ----
 *
 * New files are complete before they are renamed from a hidden folder into the collection. So a
 * reader sees either the old or the new file.
 */

/* maximum length of an escaped host name; an escaped byte takes three characters */
#define HOST_MAX	(3 * 64)

#define cannot_write(folder, path, err)	fail(folder, "cannot write %.400s: %s", path, strerror(err))

static int make_collection(struct kp_folder *folder, const char *dir)
{
	char *parent;
	int err;

	if (mkdir(dir, 0777))
		return errno == EEXIST ? 0 : cannot_write(folder, dir, errno);
	/* the suffix /../ also works if @dir ends with a slash */
	if (asprintf(&parent, "%s/../", dir) < 0)
		return cannot_write(folder, dir, ENOMEM);
	err = ku_sync_folder(parent);
	free(parent);
	return err ? cannot_write(folder, dir, -err) : 0;
}

int kp_partition_open(struct kp_folder *folder, const struct kp_partition *partition)
{
	char *path;
	int err;

	memset(folder, 0, sizeof(*folder));
	if (make_collection(folder, partition->dir))
		return -1;
	if (asprintf(&path, "%s/.%s", partition->dir, partition->id) < 0)
		return cannot_write(folder, partition->dir, ENOMEM);
	err = kp_folder_open(folder, path);
	free(path);
	folder->partition = *partition;
	return err;
}

/* Converts a host name to a folder name: bytes that are not in plain[] become %XX, as in Hive. */
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

/* Syncs the name of @path. Without this, a power failure can remove the name. */
static int sync_name(struct kp_folder *folder, const char *path)
{
	int err = ku_sync_folder(path);

	return err ? cannot_write(folder, path, -err) : 0;
}

/* Makes a folder with the permissions of the collection, unless it exists. */
static int make_folder(struct kp_folder *folder, const char *path, mode_t mode)
{
	if (mkdir(path, 0700))
		return errno == EEXIST ? 0 : cannot_write(folder, path, errno);
	return chmod(path, mode) ? cannot_write(folder, path, errno) : sync_name(folder, path);
}

/* Writes the path of a file in the collection to @path, and makes its folders. */
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
		return cannot_write(folder, partition->dir, ENAMETOOLONG);
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
		return cannot_write(folder, folder->part, ENAMETOOLONG);
	if (make_place(folder, partition, file->name, mode, to, sizeof(to)))
		return -1;
	if (fchmod(file->fd, mode & 0666) || rename(from, to))
		return cannot_write(folder, to, errno);
	return sync_name(folder, to);
}

/*
 * Moves all files into the collection. The first file is moved last, because its presence marks a
 * complete trace.
 */
static int place_all(struct kp_folder *folder)
{
	struct stat st;

	if (stat(folder->partition.dir, &st))
		return cannot_write(folder, folder->partition.dir, errno);
	for (size_t i = 1; i <= folder->count; i++)
		if (place_file(folder, &folder->partition, &folder->files[i % folder->count],
			       st.st_mode & 0777))
			return -1;
	return 0;
}

int kp_folder_commit(struct kp_folder *folder)
{
	int err;

	if (!folder->path)
		return 0;
	/* report delayed write errors before a file gets its final name */
	if (kp_folder_sync(folder))
		return -1;
	if (folder->partition.dir)
		return place_all(folder);
	err = sync_names(folder);
	if (!err && rename(folder->part, folder->path))
		err = -errno;
	if (err)
		return cannot_write(folder, folder->path, -err);
	free(folder->part);
	folder->part = NULL;
	return sync_name(folder, folder->path);
}

int kp_folder_end(struct kp_folder *folder, int status)
{
	if (kp_interrupted() || kp_memory_failed() || kp_input_failed() || !kp_folder_commit(folder))
		return status;
	if (!kp_interrupted())
		kp_error("%s", folder->message);
	return KP_BAD;
}
