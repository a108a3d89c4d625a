// SPDX-License-Identifier: BSD-3-Clause
/*
 * kutrace_control stream --state: the file that says which blocks of which recording have
 * been sent, one line of numbers:
 *
 *	kutrace-stream START NEXT WAITING...
 *
 * Whoever is killed or loses power while it is written must find the line of before:
 * so it is written beside, and renamed when it is on the disk. Must never take a file for
 * a state that is none: blocks would be sent twice, or never.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cmd.h"

#define WAITING_MAX (sizeof(((struct kutrace_stream_state *)NULL)->number) / sizeof(uint64_t))

/* The numbers of the line; false: it is none. */
static bool parse(FILE *f, struct kutrace_stream_state *state)
{
	unsigned long long start, next, number;
	int found = 1, end = 0;

	if (fscanf(f, "kutrace-stream %llu %llu", &start, &next) != 2)
		return false;
	state->start_counts = start;
	state->next = next;
	while (state->waiting < WAITING_MAX && (found = fscanf(f, "%llu", &number)) == 1)
		state->number[state->waiting++] = number;
	/* a line has its end, and nothing is behind it */
	return fscanf(f, " %n", &end) <= 0 && found != 0 && fgetc(f) == EOF && !ferror(f);
}

int cmd_read_state(const char *name, struct kutrace_stream_state *state)
{
	FILE *f = fopen(name, "re");
	int ret = 0, c;

	memset(state, 0, sizeof(*state));
	if (!f)
		return errno == ENOENT ? 0 : -errno;
	c = fgetc(f);
	if (c != EOF) {		/* one that is empty has been made for us */
		ungetc(c, f);
		ret = parse(f, state) ? 0 : -EILSEQ;
	} else if (ferror(f)) {
		ret = -EIO;
	}
	fclose(f);
	return ret;
}

static int put_state(int fd, const struct kutrace_stream_state *state)
{
	FILE *f = fdopen(fd, "w");
	uint32_t i;
	int ret = 0;

	if (!f) {
		ret = -errno;
		close(fd);
		return ret;
	}
	fprintf(f, "kutrace-stream %llu %llu", (unsigned long long)state->start_counts,
		(unsigned long long)state->next);
	for (i = 0; i < state->waiting; i++)
		fprintf(f, " %llu", (unsigned long long)state->number[i]);
	fputc('\n', f);
	/* what is no file of a disk has nothing to be brought there */
	if (fflush(f) || (fsync(fd) && errno != EINVAL && errno != EROFS))
		ret = -errno;
	if (fclose(f) && !ret)
		ret = -errno;
	return ret;
}

/* So that the new name is on the disk, too, as far as that can be asked for. */
static int sync_folder(const char *target)
{
	const char *slash = strrchr(target, '/');
	char folder[4200];
	int fd, ret = 0;

	snprintf(folder, sizeof(folder), "%.*s", slash ? (int)(slash - target) + 1 : 1,
		 slash ? target : ".");
	fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0)
		return 0;
	if (fsync(fd) && errno != EINVAL && errno != EROFS)
		ret = -errno;
	close(fd);
	return ret;
}

/* target: no link. before: what is there, if it is replaced. */
static int replace(const char *target, const struct stat *before,
		   const struct kutrace_stream_state *state)
{
	const char *slash = strrchr(target, '/'), *name = slash ? slash + 1 : target;
	char part[4400];
	int fd, ret;

	snprintf(part, sizeof(part), "%.*s.%.200s.%ld.part", (int)(name - target), target, name,
		 (long)getpid());
	fd = open(part, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
	if (fd < 0)
		return -errno;
	if (before && !fchown(fd, before->st_uid, before->st_gid))
		fchmod(fd, before->st_mode & 0777);
	ret = put_state(fd, state);
	if (!ret && rename(part, target))
		ret = -errno;
	if (ret) {
		unlink(part);
		return ret;
	}
	return sync_folder(target);
}

int cmd_write_state(const char *name, const struct kutrace_stream_state *state)
{
	struct stat st;
	char *target;
	int fd, ret;

	if (stat(name, &st))
		return errno == ENOENT ? replace(name, NULL, state) : -errno;
	if (!S_ISREG(st.st_mode)) {
		fd = open(name, O_WRONLY | O_CLOEXEC);
		return fd < 0 ? -errno : put_state(fd, state);
	}
	target = realpath(name, NULL);
	if (!target)
		return -errno;
	ret = replace(target, &st, state);
	free(target);
	return ret;
}
