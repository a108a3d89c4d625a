// SPDX-License-Identifier: BSD-3-Clause
/*
 * libkutrace: a file that appears under its name only when it is whole. Until
 * then it is ".NAME.PID-N.part" in the same directory. What is no regular file
 * (device, pipe, socket) is written directly, without waiting for its reader in a
 * system call that only a signal at the right moment would end. Must never leave a part behind, nor put a
 * file in the place of a device, nor let others read what only its owner may: a
 * trace shows what everybody did. A new file is its owner's alone (0600); one that
 * takes the place of another gets mode and owner of that one. Called by the dump.
 */
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

#include "ku_lib.h"

#define TRIES 100	/* for a temporary name that is free */
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

static int open_temporary(struct ku_file *file, const char *target)
{
	const char *slash = strrchr(target, '/');
	const char *name = slash ? slash + 1 : target;
	int dir_length = (int)(name - target), i;
	static unsigned int serial;

	if (!*name)
		return -EISDIR;
	if (strlen(name) > NAME_MAX)
		return -ENAMETOOLONG;
	for (i = 0; i < TRIES; i++) {
		unsigned int n = __atomic_add_fetch(&serial, 1, __ATOMIC_RELAXED);

		if (asprintf(&file->temporary, "%.*s.%.200s.%ld-%u.part", dir_length, target,
			     name, (long)getpid(), n) < 0) {
			file->temporary = NULL;
			return -ENOMEM;
		}
		file->fd = open(file->temporary,
				O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
		if (file->fd >= 0)
			return 0;
		free(file->temporary);
		file->temporary = NULL;
		if (errno != EEXIST)
			return file_error(errno);
	}
	return -EEXIST;
}

static int ask(const struct ku_file *file)
{
	return file->patience.go_on ? file->patience.go_on(file->patience.arg) : 0;
}

/* A pipe without a reader is opened when one comes. */
static int open_special(struct ku_file *file, const char *fname, mode_t type)
{
	int flags = O_WRONLY | O_CLOEXEC | O_NOCTTY, ret = 0;

	for (;;) {
		file->fd = open(fname, S_ISFIFO(type) ? flags | O_NONBLOCK : flags);
		if (file->fd >= 0)
			return 0;
		if (errno != EINTR && !(errno == ENXIO && S_ISFIFO(type)))
			return file_error(errno);
		ret = ask(file);
		if (ret)
			return ret;
		kutrace_msleep(LOOK_MS);
	}
}

int ku_file_create(struct ku_file *file, const char *fname, struct ku_patience patience)
{
	struct stat st;
	int ret;

	memset(file, 0, sizeof(*file));
	file->fd = -1;
	file->patience = patience;
	if (stat(fname, &st) == 0) {
		if (S_ISDIR(st.st_mode))
			return -EISDIR;
		if (!S_ISREG(st.st_mode))
			return open_special(file, fname, st.st_mode);
		file->replaces = true;
		file->mode = st.st_mode & 0777;
		file->uid = st.st_uid;
		file->gid = st.st_gid;
		file->target = realpath(fname, NULL);	/* not a link, but what it names */
		if (!file->target)
			return file_error(errno);
	} else {
		file->target = strdup(fname);
		if (!file->target)
			return -ENOMEM;
	}
	ret = open_temporary(file, file->target);
	if (ret < 0) {
		free(file->target);
		file->target = NULL;
	}
	return ret;
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
void ku_file_give(const struct ku_file *file, const struct kutrace_dump_options *options)
{
	if (options && options->owner_uid && !file->replaces && file->temporary && !geteuid())
		(void)!fchown(file->fd, options->owner_uid, options->owner_gid);
}

/* Until something can be written, or writing says what is wrong. */
static int wait_until_ready(const struct ku_file *file)
{
	struct pollfd poll_fd = {.fd = file->fd, .events = POLLOUT};
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

int ku_file_write(struct ku_file *file, struct iovec *iov, int count)
{
	enum way way = way_of(file->fd);
	int ret;

	file->last_bytes = 0;
	while (count > 0) {
		ssize_t n;
		size_t rest;

		ret = way == WAY_ALL ? 0 : wait_until_ready(file);
		if (ret)
			return ret;
		n = write_some(file->fd, way, iov, count < IOV_MAX ? count : IOV_MAX);
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

/* Frees what is held; the part is removed when remove is set. */
static void forget(struct ku_file *file, bool remove)
{
	if (file->fd >= 0)
		close(file->fd);
	if (remove && file->temporary)
		unlink(file->temporary);
	free(file->temporary);
	free(file->target);
	file->temporary = NULL;
	file->target = NULL;
	file->fd = -1;
}

/*
 * Mode and owner of the file that was there. What was given to a group is not given to
 * another one, where the group cannot be kept.
 */
static int keep_mode(const struct ku_file *file)
{
	mode_t mode = file->mode;
	struct stat st;

	if (fchown(file->fd, file->uid, file->gid) < 0 &&
	    fchown(file->fd, (uid_t)-1, file->gid) < 0 &&
	    (fstat(file->fd, &st) < 0 || st.st_gid != file->gid))
		mode &= (mode_t)~0070;
	return fchmod(file->fd, mode) < 0 ? file_error(errno) : 0;
}

/*
 * Brings the new name to the disk, as far as that can be asked for. The file is whole and
 * has its name, whatever becomes of this.
 */
static int sync_folder(const char *target)
{
	const char *slash = strrchr(target, '/');
	char *folder = slash ? strndup(target, (size_t)(slash - target) + 1) : strdup(".");
	int fd, ret = 0;

	if (!folder)
		return -ENOMEM;
	fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	free(folder);
	if (fd < 0)
		return 0;	/* one that may be written to but not read */
	if (fsync(fd) < 0 && errno != EINVAL && errno != EROFS)
		ret = file_error(errno);
	close(fd);
	return ret;
}

int ku_file_commit(struct ku_file *file)
{
	int ret = file->replaces ? keep_mode(file) : 0, fd = file->fd;

	/* what a file system has put off must be known before the name is given */
	if (!ret && file->temporary && fsync(fd) < 0 && errno != EINVAL && errno != EROFS)
		ret = file_error(errno);
	file->fd = -1;
	if (close(fd) < 0 && !ret && errno != EINTR)
		ret = file_error(errno);
	if (!ret && file->temporary && rename(file->temporary, file->target) < 0)
		ret = file_error(errno);
	if (!ret && file->temporary) {
		ret = sync_folder(file->target);
		free(file->temporary);
		file->temporary = NULL;	/* that is the file now */
	}
	forget(file, ret < 0);
	return ret;
}

void ku_file_abandon(struct ku_file *file)
{
	forget(file, true);
}
