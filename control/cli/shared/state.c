// SPDX-License-Identifier: BSD-3-Clause
/*
 * The file of stream --state: the blocks of a recording that have been sent, as one line of
 * numbers:
 *
 *	kutrace-stream START NEXT WAITING... [first TAKEN LEFT]
 *
 * TAKEN and LEFT are first_taken and first_left of struct kutrace_stream_state.
 *
 * A crash during writing must leave the previous line. So the new line goes into another file,
 * which is renamed after it is on the disk. Must not accept any other file as a state: blocks
 * would be sent twice, or never.
 */
#include "cli/shared/state.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/base/exit.h"
#include "common/file.h"

#define WAITING_MAX (sizeof(((struct kutrace_stream_state *)NULL)->number) / sizeof(uint64_t))

/* Reads the numbers of the line. Returns false if it is invalid. */
static bool parse(FILE *f, struct kutrace_stream_state *state)
{
	unsigned long long start, next, number, taken, left;
	int found = 1, end = 0;

	if (fscanf(f, "kutrace-stream %llu %llu", &start, &next) != 2)
		return false;
	state->start_counts = start;
	state->next = next;
	while (state->waiting < WAITING_MAX && (found = fscanf(f, "%llu", &number)) == 1)
		state->number[state->waiting++] = number;
	if (found != EOF && fscanf(f, " first%n %llu %llu", &end, &taken, &left) == 2) {
		state->first_taken = taken;
		state->first_left = left;
		found = 1;
	} else if (end) {
		return false;
	}
	/* the line must be complete, and nothing may follow it */
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
	if (c != EOF) {		/* an empty file is a new state */
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
	if (state->first_taken)
		fprintf(f, " first %llu %llu", (unsigned long long)state->first_taken,
			(unsigned long long)state->first_left);
	fputc('\n', f);
	/* sync has no effect on files that are not on a disk */
	ret = fflush(f) ? -errno : ku_sync_file(fd);
	if (fclose(f) && !ret)
		ret = -errno;
	return ret;
}

/* Replaces the file. @target is not a symbolic link. @before: the existing file, or NULL. */
static int replace(const char *target, const struct stat *before,
		   const struct kutrace_stream_state *state)
{
	struct ku_part part;
	int ret = ku_part_open(&part, target);

	if (ret)
		return ret;
	if (before)
		ku_part_keep_mode(part.fd, before);
	ret = put_state(part.fd, state);
	part.fd = -1;
	if (!ret)
		ret = ku_part_rename(&part);
	if (!ret)
		ret = ku_sync_folder(target);
	ku_part_abandon(&part);
	return ret;
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
