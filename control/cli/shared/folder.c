// SPDX-License-Identifier: BSD-3-Clause
/*
 * A folder of traces with a size limit. Must remove only such traces of the same session, and
 * must not fill the disk.
 */
#include "cli/shared/folder.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <time.h>
#include <unistd.h>

#include "cli/base/message.h"

#define FREE_PART	20	/* 1/20 of the disk stays free */

/* "-20261124-041500.0017.trace", with n for each digit */
static const char ending[] = "-nnnnnnnn-nnnnnn.nnnn.trace";

/*
 * Returns the number of the trace; -1 if the file is not such a trace. Numbers above 9999 have
 * more digits.
 */
static long number_of(const struct cmd_folder *f, const char *file)
{
	size_t length = strlen(f->name), i;
	const char *digits;
	char *rest;
	long number;

	if (strncmp(file, f->name, length))
		return -1;
	file += length;
	for (i = 0; ending[i] != '.'; i++)
		if (ending[i] == 'n' ? !isdigit((unsigned char)file[i]) : file[i] != ending[i])
			return -1;
	if (file[i++] != '.' || !isdigit((unsigned char)file[i]))
		return -1;
	digits = file + i;
	number = strtol(digits, &rest, 10);
	return rest - digits >= 4 && !strcmp(rest, ".trace") ? number : -1;
}

/* A trace in the folder. */
struct kept {
	char file[NAME_MAX + 1];
	int64_t ns;		/* modification time */
	uint64_t bytes;
	long number;
};

static int64_t ns_of(const struct timespec *t)
{
	return t->tv_sec * 1000000000LL + t->tv_nsec;
}

/*
 * Calls @use for each trace, and returns the sum of the results. Returns 0 if the folder cannot
 * be read.
 */
static uint64_t each(const struct cmd_folder *f, uint64_t (*use)(const struct kept *, void *),
		     void *arg)
{
	DIR *dir = opendir(f->path);
	struct dirent *entry;
	struct kept kept;
	struct stat st;
	uint64_t sum = 0;

	while (dir && (entry = readdir(dir))) {
		kept.number = number_of(f, entry->d_name);
		if (kept.number < 0 ||
		    fstatat(dirfd(dir), entry->d_name, &st, AT_SYMLINK_NOFOLLOW) ||
		    !S_ISREG(st.st_mode))
			continue;
		snprintf(kept.file, sizeof(kept.file), "%s", entry->d_name);
		kept.ns = ns_of(&st.st_mtim);
		kept.bytes = (uint64_t)st.st_size;
		sum += use(&kept, arg);
	}
	if (dir)
		closedir(dir);
	return sum;
}

/* --- searching ----------------------------------------------------------------------- */

struct last {
	int64_t since_ns;
	long number;
};

static uint64_t note_last(const struct kept *kept, void *arg)
{
	struct last *last = arg;

	if (kept->ns >= last->since_ns && kept->number > last->number)
		last->number = kept->number;
	return 0;
}

uint32_t cmd_folder_last(const struct cmd_folder *f, int64_t since_ns)
{
	struct last last = {.since_ns = since_ns};

	each(f, note_last, &last);
	return (uint32_t)last.number;
}

/* Copies the oldest trace to *@arg; of two with the same time, the one with the lower number. */
static uint64_t note_oldest(const struct kept *kept, void *arg)
{
	struct kept *oldest = arg;

	if (!oldest->file[0] || kept->ns < oldest->ns ||
	    (kept->ns == oldest->ns && kept->number < oldest->number))
		*oldest = *kept;
	return kept->bytes;
}

/* --- making room ------------------------------------------------------------------- */

static bool remove_one(const char *what, const struct cmd_folder *f, const struct kept *kept,
		       const char *why)
{
	int dir = open(f->path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	bool done = dir >= 0 && !unlinkat(dir, kept->file, 0);

	if (done)
		fprintf(stderr, CMD_TOOL ": %s: %s/%s removed: %s\n", what, f->path, kept->file,
			why);
	else
		cmd_fail("%s: %s/%s cannot be removed: %s", what, f->path, kept->file,
			 strerror(errno));
	if (dir >= 0)
		close(dir);
	return done;
}

/*
 * Returns whether the disk has room for @bytes and the part that stays free. If unknown, returns
 * true.
 */
static bool disk_has(const struct cmd_folder *f, uint64_t bytes)
{
	struct statvfs disk;

	if (statvfs(f->path, &disk))
		return true;
	return (uint64_t)disk.f_bavail * disk.f_frsize >=
	       bytes + (uint64_t)disk.f_blocks / FREE_PART * disk.f_frsize;
}

int cmd_folder_make_room(const char *what, const struct cmd_folder *f, uint64_t bytes)
{
	char limit[80];

	snprintf(limit, sizeof(limit), "more than %llu MB (--keep)",
		 (unsigned long long)(f->keep_bytes >> 20));
	for (;;) {
		struct kept oldest = {.number = -1};
		uint64_t all = each(f, note_oldest, &oldest);
		bool room = disk_has(f, bytes);

		if (all + bytes <= f->keep_bytes && room)
			return 0;
		if (oldest.number < 0)
			return room ? 0 : -ENOSPC;
		if (!remove_one(what, f, &oldest, all + bytes > f->keep_bytes ?
				limit : "the disk is nearly full"))
			return -ENOSPC;
	}
}

void cmd_folder_name(const struct cmd_folder *f, uint32_t number, char *name, size_t size)
{
	char when[40] = "00000000-000000";
	time_t now = time(NULL);
	struct tm tm;

	if (localtime_r(&now, &tm))
		strftime(when, sizeof(when), "%Y%m%d-%H%M%S", &tm);
	snprintf(name, size, "%s/%s-%s.%04u.trace", f->path, f->name, when, number);
}

int cmd_folder_check(const char *what, const struct cmd_folder *f)
{
	struct stat st;

	if (stat(f->path, &st) || !S_ISDIR(st.st_mode))
		return cmd_fail("%s: %s: no such directory: make it, or name another with --into",
				what, f->path);
	if (access(f->path, W_OK | X_OK))
		return cmd_fail("%s: %s: %s: name another one with --into", what, f->path,
				strerror(errno));
	return CMD_OK;
}
