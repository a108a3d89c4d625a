// SPDX-License-Identifier: BSD-3-Clause
/*
 * kutrace_control receive: reads one trace of `stream --through` or `--acknowledged` from
 * standard input and stores it in a folder. sshd, socat, stunnel or a systemd socket starts this
 * command.
 *
 * Must not acknowledge a byte before it is on the disk. Must not give an incomplete trace its
 * final name. Must not write to any other file than NAME.part and a new NAME.trace in the folder.
 *
 * NAME.part grows until the sender reports the end; it then becomes NAME.trace. If the connection
 * breaks, NAME.part remains, and the next connection continues it. Protocol: cli/shared/sending.h.
 */
#include <ctype.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "cli/base/base.h"
#include "cli/command/commands.h"
#include "cli/shared/sending.h"
#include "common/file.h"

#define SYNC_BYTES	(4u << 20)	/* sync at the latest after this many bytes */
#define SYNC_MS	20	/* sync if no byte has arrived for this long */
#define PATH_BYTES	4352
#define HEAD_BYTES	4096	/* first bytes of a trace; a copy writes them last */

struct receiver {
	const char *folder;
	char part[PATH_BYTES], final_name[PATH_BYTES];
	int fd;
	uint64_t at;		/* number of bytes of the trace that have been written */
	/* number of bytes of the trace that are on the disk and acknowledged */
	uint64_t acked;
	char in[CMD_PROTOCOL_FRAME];
	size_t from, to;
};

/* Sends a line to the sender. Ignores errors: the next read reports a broken connection. */
static void __attribute__((format(printf, 1, 2))) reply(const char *fmt, ...)
{
	char line[CMD_PROTOCOL_LINE];
	va_list args;
	int n;

	va_start(args, fmt);
	n = vsnprintf(line, sizeof(line) - 1, fmt, args);
	va_end(args);
	if (n > (int)sizeof(line) - 2)
		n = (int)sizeof(line) - 2;
	line[n] = '\n';
	(void)!write(STDOUT_FILENO, line, (size_t)n + 1);
}

/* Reports an error to the sender and on standard error. Returns CMD_FAILED. */
static int report_error(const char *what, const char *name, int error)
{
	const char *base = strrchr(name, '/');

	reply("%s %.200s: %s", what, base ? base + 1 : name, strerror(error));
	return cmd_fail("receive: %s %s: %s", what, name, strerror(error));
}

static int protocol_error(const char *what)
{
	reply("protocol error: %s", what);
	return cmd_fail("receive: protocol error: %s", what);
}

/* --- the disk ------------------------------------------------------------------------ */

/* Syncs the received bytes to the disk, then acknowledges them to the sender. */
static int sync_received(struct receiver *r)
{
	int ret = ku_sync_file(r->fd);

	if (ret)
		return report_error("cannot write", r->part, -ret);
	r->acked = r->at;
	reply("kept %llu", (unsigned long long)r->acked);
	return CMD_OK;
}

/*
 * Handles a broken connection: syncs the received bytes and reports the break. When the sender
 * connects again, it resends from the last offset that it saw acknowledged.
 */
static int connection_lost(struct receiver *r)
{
	if (r->at != r->acked && sync_received(r))
		return CMD_FAILED;
	return cmd_fail("receive: cannot complete %s: the connection ended after %llu bytes; the "
			"next connection continues it", r->part, (unsigned long long)r->acked);
}

static int write_bytes(struct receiver *r, const char *bytes, size_t count)
{
	int error;

	while (count) {
		ssize_t n = pwrite(r->fd, bytes, count, (off_t)r->at);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0) {
			error = n ? errno : EIO;
			/* first acknowledge the bytes that the disk had room for */
			if (r->at != r->acked && sync_received(r))
				return CMD_FAILED;
			return report_error("cannot write", r->part, error);
		}
		r->at += (uint64_t)n;
		bytes += n;
		count -= (size_t)n;
	}
	return CMD_OK;
}

/* Opens NAME.part, old or new, at the sender's offset @acked, and acknowledges the offset. */
static int open_part(struct receiver *r, uint64_t acked)
{
	struct stat st;
	int ret;

	r->fd = open(r->part, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NOCTTY, 0600);
	if (r->fd < 0 || fstat(r->fd, &st))
		return report_error("cannot write", r->part, errno);
	if (!S_ISREG(st.st_mode))
		return report_error("cannot write", r->part, EEXIST);
	if ((uint64_t)st.st_size < acked) {
		reply("gone %llu", (unsigned long long)st.st_size);
		if (!st.st_size)
			unlink(r->part);
		return cmd_fail("receive: cannot continue %s: it has %llu bytes, and %llu were "
				"acknowledged; was it moved away?", r->part,
				(unsigned long long)st.st_size, (unsigned long long)acked);
	}
	ret = ku_sync_folder(r->part);
	if (ret)
		return report_error("cannot write", r->part, -ret);
	r->at = r->acked = acked;
	reply("kept %llu", (unsigned long long)acked);
	return CMD_OK;
}

/* Copies the bytes [@at, @end) of the part to the same offset of @to. Returns 0 or -errno. */
static int copy_range(struct receiver *r, int to, off_t at, off_t end)
{
	while (at < end) {
		size_t count = end - at < (off_t)sizeof(r->in) ? (size_t)(end - at) : sizeof(r->in);
		ssize_t got = pread(r->fd, r->in, count, at), written = 0, n;

		if (got <= 0)
			return got ? -errno : -EIO;
		while (written < got) {
			n = pwrite(to, r->in + written, (size_t)(got - written), at + written);
			if (n <= 0)
				return n ? -errno : -EIO;
			written += n;
		}
		at += got;
	}
	return 0;
}

/* Copies the part. The first bytes are copied last: without them the file is not a trace. */
static int copy_part(struct receiver *r, int to, off_t total)
{
	const off_t head = total < HEAD_BYTES ? total : HEAD_BYTES;
	int ret = copy_range(r, to, head, total);

	ret = ret ?: ku_sync_file(to);
	ret = ret ?: copy_range(r, to, 0, head);
	return ret ?: ku_sync_file(to);
}

static bool has_name(int fd, const char *name)
{
	struct stat file, named;

	return !fstat(fd, &file) && !lstat(name, &named) && file.st_dev == named.st_dev &&
	       file.st_ino == named.st_ino;
}

/*
 * Gives the trace its name by a copy, on a file system without hard links. A rename would replace
 * another file that gets the name meanwhile. Returns 0, or -1 with errno.
 */
static int copy_to_name(struct receiver *r, off_t total)
{
	int ret, fd = open(r->final_name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);

	if (fd < 0)
		return -1;
	ret = copy_part(r, fd, total);
	if (!has_name(fd, r->final_name))
		ret = ret ?: -EEXIST;
	else if (ret)
		unlink(r->final_name);
	close(fd);
	errno = -ret;
	return ret ? -1 : unlink(r->part);
}

/* Returns whether the file system, for example FUSE or SMB, does not support the call at all. */
static bool is_unsupported(int error)
{
	return error == ENOSYS || error == EOPNOTSUPP;
}

/*
 * Gives the trace its name, unless a file has that name. If the file system lacks RENAME_NOREPLACE
 * (mostly EINVAL), makes a second link, which also replaces no file. If it lacks hard links (mostly
 * EPERM: exFAT), makes a copy. Returns 0, or -1 with errno.
 */
static int rename_to_final(struct receiver *r, off_t total)
{
	int ret = (int)syscall(SYS_renameat2, AT_FDCWD, r->part, AT_FDCWD, r->final_name,
			       RENAME_NOREPLACE);

	if (!ret || (errno != EINVAL && !is_unsupported(errno)))
		return ret;
	ret = link(r->part, r->final_name);
	if (ret && (errno == EPERM || is_unsupported(errno)))
		return copy_to_name(r, total);
	return ret ?: unlink(r->part);
}

/* Cuts the complete trace to @total bytes, and gives it its final name. */
static int finish(struct receiver *r, uint64_t total)
{
	int ret;

	if (total > r->at)
		return protocol_error("fewer bytes than its \"end\" line states");
	if (ftruncate(r->fd, (off_t)total))
		return report_error("cannot write", r->part, errno);
	ret = ku_sync_file(r->fd);
	if (ret)
		return report_error("cannot write", r->part, -ret);
	if (!total)
		ret = unlink(r->part);
	else
		ret = rename_to_final(r, (off_t)total);
	if (ret)
		return report_error("cannot name", r->final_name, errno);
	ret = ku_sync_folder(r->final_name);
	if (ret)
		return report_error("cannot name", r->final_name, -ret);
	reply("whole %llu", (unsigned long long)total);
	return CMD_OK;
}

/* --- the sender ---------------------------------------------------------------------- */

/*
 * Reads bytes from the sender, unless the buffer still has some. Returns CMD_OK, or the status to
 * exit with.
 */
static int read_more(struct receiver *r)
{
	struct pollfd in = {.fd = STDIN_FILENO, .events = POLLIN};
	ssize_t n;

	if (r->from < r->to)
		return CMD_OK;
	/* a sync is slow: while bytes keep arriving, sync only every SYNC_BYTES */
	if (r->at != r->acked && (r->at - r->acked >= SYNC_BYTES ||
				  poll(&in, 1, SYNC_MS) != 1) && sync_received(r))
		return CMD_FAILED;
	do
		n = read(STDIN_FILENO, r->in, sizeof(r->in));
	while (n < 0 && errno == EINTR);
	r->from = 0;
	r->to = n > 0 ? (size_t)n : 0;
	if (n > 0)
		return CMD_OK;
	return r->fd < 0 ? cmd_fail("receive: no data received") : connection_lost(r);
}

/* Reads a line from the sender. Returns CMD_OK, or the status to exit with. */
static int read_line(struct receiver *r, char *line)
{
	size_t n = 0;
	int ret;

	for (;;) {
		ret = read_more(r);
		if (ret)
			return ret;
		line[n] = r->in[r->from++];
		if (line[n] == '\n')
			break;
		if (++n == CMD_PROTOCOL_LINE)
			return protocol_error("line too long");
	}
	line[n] = '\0';
	return CMD_OK;
}

static int receive_frame(struct receiver *r, uint64_t left)
{
	size_t n;
	int ret;

	while (left) {
		ret = read_more(r);
		if (ret)
			return ret;
		n = r->to - r->from < left ? r->to - r->from : (size_t)left;
		ret = write_bytes(r, r->in + r->from, n);
		if (ret)
			return ret;
		r->from += n;
		left -= n;
	}
	return CMD_OK;
}

/* Returns whether the sender's name is valid: a plain file name that cannot leave the folder. */
static bool is_name(const char *name)
{
	const char *c;

	for (c = name; *c; c++)
		if (!isalnum((unsigned char)*c) && !strchr("._-", *c))
			return false;
	return isalnum((unsigned char)name[0]) && c - name < CMD_PROTOCOL_NAME;
}

/* Converts @text, a decimal number. Returns false for any other text. */
static bool number(const char *text, uint64_t *value)
{
	char *end;

	errno = 0;
	*value = strtoull(text, &end, 10);
	return isdigit((unsigned char)*text) && !*end && !errno && *value < INT64_MAX;
}

/* Reads the first bytes of a file. Returns their number, or -1. Sets *@st. */
static ssize_t read_head(const char *path, char head[HEAD_BYTES], struct stat *st)
{
	const int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY);
	ssize_t n = -1;

	if (fd < 0)
		return -1;
	if (!fstat(fd, st) && S_ISREG(st->st_mode))
		n = pread(fd, head, HEAD_BYTES, 0);
	close(fd);
	return n;
}

/*
 * Returns whether a file has the trace's name and is the trace. If there is also a part, the
 * trace is complete only if both have the same size and the same first bytes. Otherwise a copy
 * was interrupted, or another file has the name.
 */
static bool is_complete(const struct receiver *r, struct stat *st)
{
	char whole_head[HEAD_BYTES], part_head[HEAD_BYTES];
	struct stat part;
	ssize_t n;

	if (lstat(r->final_name, st) || !S_ISREG(st->st_mode))
		return false;
	if (lstat(r->part, &part))
		return true;
	n = read_head(r->final_name, whole_head, st);
	return n > 0 && read_head(r->part, part_head, &part) == n && st->st_size == part.st_size &&
	       !memcmp(whole_head, part_head, (size_t)n);
}

/*
 * Reads the first line and opens the part. Returns 0 if the trace can continue; 1 if it is
 * complete, after informing the sender; or the exit status, negated.
 */
static int read_greeting(struct receiver *r)
{
	char line[CMD_PROTOCOL_LINE + 1], *name = line + strlen(CMD_PROTOCOL_HELLO), *blank;
	struct stat st;
	uint64_t acked;
	int ret = read_line(r, line);

	if (ret)
		return -ret;
	if (strncmp(line, CMD_PROTOCOL_HELLO, strlen(CMD_PROTOCOL_HELLO)))
		return -protocol_error("not a stream of kutrace_control stream --through or "
				       "--acknowledged");
	blank = strchr(name, ' ');
	if (!blank || !number(blank + 1, &acked))
		return -protocol_error("no name and offset in the first line");
	*blank = '\0';
	if (!is_name(name))
		return -protocol_error("invalid trace name");
	snprintf(r->part, sizeof(r->part), "%.4000s/%.200s.part", r->folder, name);
	snprintf(r->final_name, sizeof(r->final_name), "%.4000s/%.200s.trace", r->folder, name);
	if (is_complete(r, &st)) {
		reply("whole %llu", (unsigned long long)st.st_size);
		return 1;
	}
	return -open_part(r, acked);
}

static int receive(struct receiver *r)
{
	char line[CMD_PROTOCOL_LINE + 1];
	uint64_t n;
	int ret = read_greeting(r);

	if (ret)
		return ret < 0 ? -ret : CMD_OK;
	for (;;) {
		ret = read_line(r, line);
		if (ret)
			return ret;
		if (!strncmp(line, "end ", 4) && number(line + 4, &n))
			return finish(r, n);
		if (!number(line, &n) || n > CMD_PROTOCOL_FRAME)
			return protocol_error("neither a byte count nor \"end\"");
		ret = receive_frame(r, n);
		if (ret)
			return ret;
	}
}

int cmd_receive(int argc, char **argv)
{
	static const struct cmd_option list[] = {{0}};
	struct cmd_options o = {.what = "receive", .list = list};
	static struct receiver r;
	struct stat st;
	int status;

	if (cmd_next_option(&o, argc, argv) == CMD_OPTION_STOP)
		return o.status;
	if (argc - optind > 1)
		return cmd_usage_error("receive: %s: takes one folder", argv[optind + 1]);
	signal(SIGPIPE, SIG_IGN);	/* sync the received bytes even if the sender has closed */
	r = (struct receiver){.folder = optind < argc ? argv[optind] : ".", .fd = -1};
	if (isatty(STDIN_FILENO))
		return cmd_usage_error("receive: cannot read a trace from a terminal: start this "
				       "command by stream --through");
	if (stat(r.folder, &st))
		return report_error("cannot write into", r.folder, errno);
	if (!S_ISDIR(st.st_mode))
		return report_error("cannot write into", r.folder, ENOTDIR);
	status = receive(&r);
	/* receive() has synced every acknowledged byte */
	if (r.fd >= 0)
		close(r.fd);
	return status;
}
