// SPDX-License-Identifier: BSD-3-Clause
/*
 * The output of a stream: an open descriptor, a file, files that rotate, or a receiver
 * (send.c). Must not delay the recording. Must not give a file its name before the file has
 * its stop time.
 *
 * The file of stream --state lists the blocks of a recording that have been sent, as one line of
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
#include "cli/shared/sending.h"

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include "cli/base/base.h"
#include "cli/shared/traces.h"
#include "common/file.h"

#define POLL_MS	20	/* interval for checking whether a pipe has a reader */

/* Opens the file. Returns a descriptor or -errno. For a pipe, waits for a reader or a signal. */
static int open_file(const char *name)
{
	int flags = O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOCTTY, fd;
	struct stat st;
	uint32_t uid, gid;

	if (!stat(name, &st) && S_ISFIFO(st.st_mode))
		flags = O_WRONLY | O_NONBLOCK | O_CLOEXEC;
	for (;;) {
		/* mode 0600 for a new file, because a trace shows what all users did */
		fd = open(name, flags | (flags & O_CREAT ? O_EXCL : 0), 0600);
		if (fd >= 0 && flags & O_CREAT && cmd_sudo_user(&uid, &gid))
			/* the sudo user also owns the other traces */
			(void)!fchown(fd, uid, gid);
		else if (fd < 0 && errno == EEXIST)
			fd = open(name, flags, 0600);
		if (fd >= 0)
			return fd;
		if (errno != EINTR && !(errno == ENXIO && flags & O_NONBLOCK))
			return -errno;
		if (cmd_interrupted())
			return -ECANCELED;
		kutrace_msleep(POLL_MS);
	}
}

static bool exists(const char *name)
{
	struct stat st;

	return !lstat(name, &st);
}

/* Selects the next number that no file has: an earlier stream's file may still be needed. */
static void next_number(struct cmd_output *o)
{
	do {
		snprintf(o->final_name, sizeof(o->final_name), "%.4000s.%04u", o->file, ++o->number);
		snprintf(o->name, sizeof(o->name), "%s.part", o->final_name);
	} while (exists(o->final_name) || exists(o->name));
}

static int open_next(struct cmd_output *o)
{
	o->previous = o->fd;
	memcpy(o->previous_name, o->name, sizeof(o->name));
	memcpy(o->previous_final, o->final_name, sizeof(o->final_name));
	if (cmd_rotates(&o->rotation))
		next_number(o);
	else
		snprintf(o->name, sizeof(o->name), "%.4000s", o->file);
	o->fd = open_file(o->name);
	o->begun_ms = cmd_now_ms();
	o->bytes = 0;
	if (o->fd < 0 && o->fd != -ECANCELED)
		o->error = o->fd;
	return o->fd < 0 ? o->fd : 1;
}

/* Syncs a rotated file and gives it its final name. */
static int sync_and_rename(int fd, const char *name, const char *final_name)
{
	int ret = ku_sync_file(fd);

	if (!ret && rename(name, final_name))
		ret = -errno;
	return ret ?: ku_sync_folder(final_name);
}

/* Returns whether the reader of a pipe or connection has gone, even if nothing is being written. */
static bool reader_gone(int fd)
{
	struct pollfd poll_fd = {.fd = fd, .events = 0};

	return poll(&poll_fd, 1, 0) == 1 && poll_fd.revents & (POLLERR | POLLHUP);
}

int cmd_output_next(void *arg, uint64_t bytes, int *fd)
{
	struct cmd_output *o = arg;
	int ret = 0;

	if (o->queue)
		return cmd_queue_output(o->queue, bytes, fd);
	if (cmd_interrupted())
		return -ECANCELED;
	if (o->file && (o->fd < 0 || cmd_rotation_due(&o->rotation, bytes, o->begun_ms)))
		ret = open_next(o);
	else if (!bytes)
		ret = 1;
	else if (!o->file && reader_gone(o->fd))
		return -EPIPE;
	*fd = o->fd;
	return ret;
}

/* Writes the real stop time into the first block, except into a pipe, which cannot seek. */
void cmd_output_complete(void *arg, const uint64_t words[2])
{
	struct cmd_output *o = arg;
	int fd = o->previous >= 0 ? o->previous : o->fd;
	ssize_t n;

	if (o->queue)		/* the beginning of the trace has been sent already */
		return;
	n = o->file ? pwrite(fd, words, 16, 32) : 16;
	if (n >= 0 && n != 16)
		o->error = -EIO;
	else if (n < 0 && errno != ESPIPE)
		o->error = -errno;
}

/* Gives the complete previous file its name, and closes it. */
static void finish_previous(struct cmd_output *o)
{
	int ret = o->previous_final[0] ? sync_and_rename(o->previous, o->previous_name,
							 o->previous_final) : 0;

	if (close(o->previous) && !ret)
		ret = -errno;
	if (ret)
		o->error = ret;
	o->previous = -1;
}

int cmd_output_end(struct cmd_output *o)
{
	int ret = o->error;
	struct stat st;

	if (!o->file || o->fd < 0)
		return ret;
	if (o->previous >= 0)
		finish_previous(o);
	/* drop the incomplete last block, which the next stream sends again */
	if (cmd_rotates(&o->rotation) && o->bytes && !ret) {
		if (ftruncate(o->fd, (off_t)o->bytes))
			ret = -errno;
		ret = ret ?: sync_and_rename(o->fd, o->name, o->final_name);
	}
	/* sync the trace, because --state lists its blocks as sent */
	if (!cmd_rotates(&o->rotation) && !ret)
		ret = ku_sync_file(o->fd);
	/* the stream ended before the first block of this file */
	if (cmd_rotates(&o->rotation) && !o->bytes && !fstat(o->fd, &st) && !st.st_size)
		unlink(o->name);
	if (close(o->fd) && !ret)
		ret = -errno;
	if (!cmd_rotates(&o->rotation) && !ret)
		ret = ku_sync_folder(o->name);
	o->fd = -1;
	if (!o->error)
		o->error = ret;
	return o->error;
}

void cmd_output_sent(void *arg, uint64_t number, uint64_t bytes)
{
	struct cmd_output *o = arg;

	if (o->queue)
		cmd_queue_sent(o->queue, number, bytes);
	if (o->previous >= 0)
		finish_previous(o);
	o->bytes = bytes;
}

#define WAITING_MAX (sizeof(((struct kutrace_stream_state *)NULL)->number) / sizeof(uint64_t))

/* Reads the numbers of the line. Returns false if the line is invalid. */
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
	int ret = 0;

	if (!f) {
		ret = -errno;
		close(fd);
		return ret;
	}
	fprintf(f, "kutrace-stream %llu %llu", (unsigned long long)state->start_counts,
		(unsigned long long)state->next);
	for (uint32_t i = 0; i < state->waiting; i++)
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
	int ret = ku_part_open(&part, target, 0600);

	if (ret)
		return ret;
	if (before)
		ku_part_keep_mode(part.fd, before);
	ret = put_state(part.fd, state);
	part.fd = -1;
	ret = ret ?: ku_part_rename(&part);
	ret = ret ?: ku_sync_folder(target);
	ku_part_abandon(&part);
	return ret;
}

int cmd_write_state(const char *name, const struct kutrace_stream_state *state)
{
	struct stat st;
	char *target;
	int fd, ret;

	if (stat(name, &st)) {
		target = errno == ENOENT ? ku_output_target(name) : NULL;
		ret = target ? replace(target, NULL, state) : -errno;
		free(target);
		return ret;
	}
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
