// SPDX-License-Identifier: BSD-3-Clause
/*
 * The file that a trace is written to. A regular file gets its name only when it is complete
 * (common/file.h). Other files (device, pipe, socket) are written directly. A write to them must
 * not wait inside the kernel for a reader: a signal just before such a call would not end it.
 *
 * Must not leave a part behind, replace a device by a file, or let other users read what only the
 * owner may read.
 */
#include "lib/trace/recording.h"

#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <sys/socket.h>
#include <unistd.h>

#define PATIENCE_MS	200	/* interval for calling go_on */
#define READER_MS	20	/* interval for checking for a reader */

/* Converts an errno of a file. The library uses some errors for the device only. */
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

static int check_patience(const struct ku_trace_file *file)
{
	return file->patience.go_on ? file->patience.go_on(file->patience.arg) : 0;
}

/* Opens a device or pipe. For a pipe, waits until it has a reader. */
static int open_special(struct ku_trace_file *file, const char *fname, mode_t type)
{
	int flags = O_WRONLY | O_CLOEXEC | O_NOCTTY, ret = 0;

	for (;;) {
		file->part.fd = open(fname, S_ISFIFO(type) ? flags | O_NONBLOCK : flags);
		if (file->part.fd >= 0)
			return 0;
		if (errno != EINTR && !(errno == ENXIO && S_ISFIFO(type)))
			return file_error(errno);
		ret = check_patience(file);
		if (ret)
			return ret;
		kutrace_msleep(READER_MS);
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
		target = realpath(fname, NULL);	/* the file that a symbolic link names */
	} else {
		target = ku_output_target(fname);
	}
	if (!target)
		return file_error(errno);
	ret = ku_part_open(&file->part, target, 0600);
	free(target);
	return ret ? file_error(-ret) : 0;
}

/*
 * Calls writev(), and returns EFBIG where the kernel would end the program by SIGXFSZ. The kernel
 * sends the signal to this thread, so this function can block and remove it. The program's own
 * handling of the signal does not change.
 */
static ssize_t write_without_signal(int fd, const struct iovec *iov, int count)
{
	const struct timespec no_wait = {0};
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
		while (sigtimedwait(&too_large, NULL, &no_wait) < 0 && errno == EINTR)
			;
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	errno = error;
	return n;
}

/*
 * Sets the owner by the descriptor, before the file has its name: a user who may write to the
 * folder could replace a named file. On file systems without owners, nothing changes.
 */
void ku_file_set_owner(const struct ku_trace_file *file, const struct kutrace_dump_options *options)
{
	if (options && options->owner_uid && !file->replaces && file->part.name && !geteuid())
		(void)!fchown(file->part.fd, options->owner_uid, options->owner_gid);
}

/* Waits until the file can be written to, or a write would return an error. */
static int wait_until_ready(const struct ku_trace_file *file)
{
	struct pollfd poll_fd = {.fd = file->part.fd, .events = POLLOUT};
	int ret;

	for (;;) {
		ret = poll(&poll_fd, 1, PATIENCE_MS);
		if (ret == 1 || (ret < 0 && errno != EINTR))
			return 0;
		ret = check_patience(file);
		if (ret)
			return ret;
	}
}

/* How to write to a file without waiting in the write. */
enum write_mode {
	WRITE_ALL,	/* write all bytes: this file never waits for a reader */
	WRITE_NONBLOCK,	/* write as many bytes as fit: the file is non-blocking */
	WRITE_SOCKET,	/* write with MSG_DONTWAIT in each call: the file is a socket */
	/*
	 * write at most PIPE_BUF bytes after poll(): other processes share the file's flags, so the
	 * flags must not change
	 */
	WRITE_PARTS,
};

static enum write_mode write_mode_of(int fd)
{
	struct stat st;

	if (fstat(fd, &st) < 0 || S_ISREG(st.st_mode) || S_ISBLK(st.st_mode))
		return WRITE_ALL;
	if (S_ISSOCK(st.st_mode))
		return WRITE_SOCKET;
	return fcntl(fd, F_GETFL) & O_NONBLOCK ? WRITE_NONBLOCK : WRITE_PARTS;
}

static ssize_t write_some(int fd, enum write_mode write_mode, struct iovec *iov, int count)
{
	struct iovec part = *iov;
	struct msghdr message = {.msg_iov = iov, .msg_iovlen = (size_t)count};

	switch (write_mode) {
	case WRITE_SOCKET:
		return sendmsg(fd, &message, MSG_DONTWAIT);
	case WRITE_PARTS:
		if (part.iov_len > PIPE_BUF)
			part.iov_len = PIPE_BUF;
		return writev(fd, &part, 1);
	default:
		return write_without_signal(fd, iov, count);
	}
}

int ku_file_write(struct ku_trace_file *file, struct iovec *iov, int count)
{
	enum write_mode write_mode = write_mode_of(file->part.fd);
	int ret;

	file->last_bytes = 0;
	while (count > 0) {
		ssize_t n;

		ret = write_mode == WRITE_ALL ? 0 : wait_until_ready(file);
		if (ret)
			return ret;
		n = write_some(file->part.fd, write_mode, iov, count < IOV_MAX ? count : IOV_MAX);
		if (n < 0 && (errno == EINTR || (errno == EAGAIN && write_mode != WRITE_ALL)))
			continue;
		if (n <= 0)
			return n < 0 ? file_error(errno) : -EIO;
		file->written_bytes += (uint64_t)n;
		file->last_bytes += (size_t)n;
		for (size_t rest = (size_t)n; rest; ) {
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

	/* delayed errors of the file system must be known before the file gets its name */
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
