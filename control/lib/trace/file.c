// SPDX-License-Identifier: BSD-3-Clause
/*
 * The file that a trace is written to. A regular one appears under its name only when it is
 * whole (common/file.h). What is none (device, pipe, socket) is written directly, without
 * waiting for its reader in a system call that only a signal at the right moment would end.
 * Must never leave a part behind, nor put a file in the place of a device, nor let others
 * read what only its owner may. Called by dump, snapshot and stream.
 */
#include "lib/trace/file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#define ASK_MS	200	/* how often: is it still wanted? */
#define LOOK_MS	20	/* how often: has a reader come? */

/* Errors that the library uses for the device must not come from a file. */
static int file_error(int error)
{
	switch (error) {
	case EPERM:
		return -EACCES;
	case ENODEV:
	case ENXIO:
	case EPROTO:
	case ENOSYS:
	case EBUSY:
	case ENODATA:
	case EBADMSG:
	case ESTALE:
	case EINVAL:
		return -EIO;
	default:
		return -error;
	}
}

static int ask(const struct ku_trace_file *file)
{
	return file->patience.go_on ? file->patience.go_on(file->patience.arg) : 0;
}

/* A pipe without a reader is opened when one comes. */
static int open_special(struct ku_trace_file *file, const char *fname, mode_t type)
{
	int flags = O_WRONLY | O_CLOEXEC | O_NOCTTY, ret = 0;

	for (;;) {
		file->part.fd = open(fname, S_ISFIFO(type) ? flags | O_NONBLOCK : flags);
		if (file->part.fd >= 0)
			return 0;
		if (errno != EINTR && !(errno == ENXIO && S_ISFIFO(type)))
			return file_error(errno);
		ret = ask(file);
		if (ret)
			return ret;
		kutrace_msleep(LOOK_MS);
	}
}

int ku_file_create(struct ku_trace_file *file, const char *fname, struct ku_patience patience)
{
	char *target = NULL;
	int ret;

	memset(file, 0, sizeof(*file));
	file->part.fd = -1;
	file->patience = patience;
	if (stat(fname, &file->before) == 0) {
		if (S_ISDIR(file->before.st_mode))
			return -EISDIR;
		if (!S_ISREG(file->before.st_mode))
			return open_special(file, fname, file->before.st_mode);
		file->replaces = true;
		target = realpath(fname, NULL);	/* not a link, but what it names */
		if (!target)
			return file_error(errno);
	}
	ret = ku_part_open(&file->part, target ? target : fname);
	free(target);
	return ret ? file_error(-ret) : 0;
}

/*
 * writev() that says EFBIG where the kernel would end the program by SIGXFSZ: the
 * signal is this thread's, so it is held up and taken away here. What the program does
 * with it otherwise stays as it is.
 */
static ssize_t write_without_signal(int fd, const struct iovec *iov, int count)
{
	const struct timespec at_once = {0};
	sigset_t too_large, before, pending;
	ssize_t n;
	int error;

	sigemptyset(&too_large);
	sigaddset(&too_large, SIGXFSZ);
	sigemptyset(&pending);
	sigpending(&pending);
	pthread_sigmask(SIG_BLOCK, &too_large, &before);
	n = writev(fd, iov, count);
	error = errno;
	if (n < 0 && error == EFBIG && !sigismember(&pending, SIGXFSZ))
		while (sigtimedwait(&too_large, NULL, &at_once) < 0 && errno == EINTR)
			;
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	errno = error;
	return n;
}

/*
 * By its descriptor, before it has its name: whoever may write to the directory could
 * put another file in its place. Where a file system has no owners it stays as it is.
 */
void ku_file_give(const struct ku_trace_file *file, const struct kutrace_dump_options *options)
{
	if (options && options->owner_uid && !file->replaces && file->part.name && !geteuid())
		(void)!fchown(file->part.fd, options->owner_uid, options->owner_gid);
}

/* Until something can be written, or writing says what is wrong. */
static int wait_until_ready(const struct ku_trace_file *file)
{
	struct pollfd poll_fd = {.fd = file->part.fd, .events = POLLOUT};
	int ret;

	for (;;) {
		ret = poll(&poll_fd, 1, ASK_MS);
		if (ret == 1 || (ret < 0 && errno != EINTR))
			return 0;
		ret = ask(file);
		if (ret)
			return ret;
	}
}

/* How a file is to be written to, so that it does not wait. */
enum way {
	WAY_ALL,	/* it never waits for a reader */
	WAY_NONBLOCK,	/* all that there is room for */
	WAY_SOCKET,	/* the same, said with each write */
	WAY_PIECES,	/* as much as has room where there is any: the flag is not ours to set */
};

static enum way way_of(int fd)
{
	struct stat st;

	if (fstat(fd, &st) < 0 || S_ISREG(st.st_mode) || S_ISBLK(st.st_mode))
		return WAY_ALL;
	if (S_ISSOCK(st.st_mode))
		return WAY_SOCKET;
	return fcntl(fd, F_GETFL) & O_NONBLOCK ? WAY_NONBLOCK : WAY_PIECES;
}

static ssize_t write_some(int fd, enum way way, struct iovec *iov, int count)
{
	struct iovec piece = *iov;
	struct msghdr message = {.msg_iov = iov, .msg_iovlen = (size_t)count};

	switch (way) {
	case WAY_SOCKET:
		return sendmsg(fd, &message, MSG_DONTWAIT);
	case WAY_PIECES:
		if (piece.iov_len > PIPE_BUF)
			piece.iov_len = PIPE_BUF;
		return writev(fd, &piece, 1);
	default:
		return write_without_signal(fd, iov, count);
	}
}

int ku_file_write(struct ku_trace_file *file, struct iovec *iov, int count)
{
	enum way way = way_of(file->part.fd);
	int ret;

	file->last_bytes = 0;
	while (count > 0) {
		ssize_t n;
		size_t rest;

		ret = way == WAY_ALL ? 0 : wait_until_ready(file);
		if (ret)
			return ret;
		n = write_some(file->part.fd, way, iov, count < IOV_MAX ? count : IOV_MAX);
		if (n < 0 && (errno == EINTR || (errno == EAGAIN && way != WAY_ALL)))
			continue;
		if (n <= 0)
			return n < 0 ? file_error(errno) : -EIO;
		file->written_bytes += (uint64_t)n;
		file->last_bytes += (size_t)n;
		for (rest = (size_t)n; rest; ) {
			size_t step = rest < iov->iov_len ? rest : iov->iov_len;

			iov->iov_base = (char *)iov->iov_base + step;
			iov->iov_len -= step;
			rest -= step;
			if (!iov->iov_len) {
				iov++;
				count--;
			}
		}
	}
	return 0;
}

int ku_file_commit(struct ku_trace_file *file)
{
	struct ku_part *part = &file->part;
	int ret = file->replaces ? ku_part_keep_mode(part->fd, &file->before) : 0;

	/* what a file system has put off must be known before the name is given */
	if (!ret && part->name)
		ret = ku_sync_file(part->fd);
	if (close(part->fd) && !ret && errno != EINTR)
		ret = -errno;
	part->fd = -1;
	if (!ret && part->name)
		ret = ku_part_rename(part);
	if (!ret && part->target)
		ret = ku_sync_folder(part->target);
	ku_part_abandon(part);
	return ret ? file_error(-ret) : 0;
}

void ku_file_abandon(struct ku_trace_file *file)
{
	ku_part_abandon(&file->part);
}
