// SPDX-License-Identifier: BSD-3-Clause
/*
 * Where the blocks of a stream go: a descriptor that is there, a file, files that rotate, or a
 * receiver (carried.c). Must never keep the recording waiting, nor take a file for complete
 * before its stop time is in it. Called by stream.
 */
#include "cli/shared/output.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/base/clock.h"
#include "cli/base/signals.h"
#include "cli/shared/user.h"
#include "common/file.h"
#include "libkutrace.h"

#define LOOK_MS	20	/* how often: has a reader of the pipe come? */

/*
 * A descriptor, or -errno. A pipe has one when somebody reads it, which may take as long as
 * it takes, or until a signal.
 */
static int open_file(const char *name)
{
	int flags = O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOCTTY, fd;
	struct stat st;
	uint32_t uid, gid;

	if (!stat(name, &st) && S_ISFIFO(st.st_mode))
		flags = O_WRONLY | O_NONBLOCK | O_CLOEXEC;
	for (;;) {
		/* a trace shows what everybody did: a new file is its owner's alone */
		fd = open(name, flags | (flags & O_CREAT ? O_EXCL : 0), 0600);
		if (fd >= 0 && flags & O_CREAT && cmd_sudo_user(&uid, &gid))
			(void)!fchown(fd, uid, gid);	/* the other traces are theirs, too */
		else if (fd < 0 && errno == EEXIST)
			fd = open(name, flags, 0600);
		if (fd >= 0)
			return fd;
		if (errno != EINTR && !(errno == ENXIO && flags & O_NONBLOCK))
			return -errno;
		if (cmd_interrupted())
			return -ECANCELED;
		kutrace_msleep(LOOK_MS);
	}
}

static bool is_there(const char *name)
{
	struct stat st;

	return !lstat(name, &st);
}

/* The next number that no file has, of an earlier stream: that may not have been fetched yet. */
static void next_number(struct cmd_output *o)
{
	do {
		snprintf(o->whole, sizeof(o->whole), "%.4000s.%04u", o->file, ++o->number);
		snprintf(o->name, sizeof(o->name), "%s.part", o->whole);
	} while (is_there(o->whole) || is_there(o->name));
}

static int open_next(struct cmd_output *o)
{
	o->previous = o->fd;
	memcpy(o->previous_name, o->name, sizeof(o->name));
	memcpy(o->previous_whole, o->whole, sizeof(o->whole));
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

/* A file that is one of several gets its name: it is whole, and on the disk. */
static int give_name(int fd, const char *name, const char *whole)
{
	int ret = ku_sync_file(fd);

	if (!ret && rename(name, whole))
		ret = -errno;
	return ret ? ret : ku_sync_folder(whole);
}

/* The reader of a pipe or connection has gone, though nothing is written now. */
static bool reader_gone(int fd)
{
	struct pollfd poll_fd = {.fd = fd, .events = 0};

	return poll(&poll_fd, 1, 0) == 1 && poll_fd.revents & (POLLERR | POLLHUP);
}

int cmd_output_next(void *arg, uint64_t bytes, int *fd)
{
	struct cmd_output *o = arg;
	int ret = 0;

	if (o->carried)
		return cmd_carried_output(o->carried, bytes, fd);
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

/* The real stop time into the first block, where it can be written to still: not in a pipe. */
void cmd_output_complete(void *arg, const uint64_t words[2])
{
	struct cmd_output *o = arg;
	int fd = o->previous >= 0 ? o->previous : o->fd;
	ssize_t n;

	if (o->carried)		/* its beginning is with the receiver */
		return;
	n = o->file ? pwrite(fd, words, 16, 32) : 16;
	if (n >= 0 && n != 16)
		o->error = -EIO;
	else if (n < 0 && errno != ESPIPE)
		o->error = -errno;
}

/* The file before has all that it will have. */
static void put_away_previous(struct cmd_output *o)
{
	int ret = o->previous_whole[0] ? give_name(o->previous, o->previous_name,
						   o->previous_whole) : 0;

	if (close(o->previous) && !ret)
		ret = -errno;
	if (ret)
		o->error = ret;
	o->previous = -1;
}

int cmd_output_end(struct cmd_output *o)
{
	int ret = o->error;

	if (!o->file || o->fd < 0)
		return ret;
	if (o->previous >= 0)
		put_away_previous(o);
	/* without the block in the middle of which it ended, which is sent the next time */
	if (cmd_rotates(&o->rotation) && o->bytes && !ret) {
		if (ftruncate(o->fd, (off_t)o->bytes))
			ret = -errno;
		if (!ret)
			ret = give_name(o->fd, o->name, o->whole);
	}
	/* or nobody may rely on it: --state names what is in it */
	if (!cmd_rotates(&o->rotation) && !ret)
		ret = ku_sync_file(o->fd);
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

	if (o->carried)
		cmd_carried_sent(o->carried, number, bytes);
	if (o->previous >= 0)
		put_away_previous(o);
	o->bytes = bytes;
}
