// SPDX-License-Identifier: BSD-3-Clause
/*
 * kutrace_control receive: one trace of `stream --through` or `--acknowledged` from standard
 * input into a folder, for sshd, socat, stunnel or a systemd socket. Must never say that it
 * keeps what is not on the disk, nor give a trace its name that is not whole, nor write
 * anywhere else than a new file of the folder. Called by the table.
 *
 * NAME.part grows, and becomes NAME.trace when the sender has said that it is whole. A
 * connection that breaks leaves NAME.part, which the next one goes on with.
 */
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <linux/fs.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "cli/base/message.h"
#include "cli/base/options.h"
#include "cli/command/commands.h"
#include "cli/shared/wire.h"
#include "common/file.h"

#define SETTLE_BYTES	(4u << 20)	/* so much, at most, is not on the disk yet */
#define SETTLE_MS	20	/* nothing has come for so long: it is time */
#define PATH_BYTES	4352

struct receiver {
	const char *folder;
	char part[PATH_BYTES], whole[PATH_BYTES];
	int fd;
	uint64_t at;		/* bytes of the trace written, */
	uint64_t kept;		/* and of these on the disk */
	char in[CMD_WIRE_FRAME];
	size_t from, to;
};

/* To the sender. That it has gone shows when it is read from. */
static void __attribute__((format(printf, 1, 2))) reply(const char *fmt, ...)
{
	char line[CMD_WIRE_LINE];
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

/* To the sender and to who runs this. */
static int trouble(const char *what, const char *name, int error)
{
	const char *base = strrchr(name, '/');

	reply("%s %.200s: %s", what, base ? base + 1 : name, strerror(error));
	return cmd_fail("receive: %s %s: %s", what, name, strerror(error));
}

static int no_sense(const char *what)
{
	reply("that makes no sense: %s", what);
	return cmd_fail("receive: what came makes no sense: %s", what);
}

/* --- the disk ------------------------------------------------------------------------ */

/* What has come is on the disk, and the sender knows. */
static int settle(struct receiver *r)
{
	int ret = ku_sync_file(r->fd);

	if (ret)
		return trouble("cannot write", r->part, -ret);
	r->kept = r->at;
	reply("kept %llu", (unsigned long long)r->kept);
	return CMD_OK;
}

/* What has come is kept all the same: who sent it knows only what it has been told. */
static int cut_off(struct receiver *r)
{
	if (r->at != r->kept && settle(r))
		return CMD_FAILED;
	return cmd_fail("receive: the connection broke off: %s has %llu bytes, and waits for the "
			"rest", r->part, (unsigned long long)r->kept);
}

static int put(struct receiver *r, const char *bytes, size_t count)
{
	int error;

	while (count) {
		ssize_t n = pwrite(r->fd, bytes, count, (off_t)r->at);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0) {
			error = n ? errno : EIO;
			/* what had room is kept */
			if (r->at != r->kept && settle(r))
				return CMD_FAILED;
			return trouble("cannot write", r->part, error);
		}
		r->at += (uint64_t)n;
		bytes += n;
		count -= (size_t)n;
	}
	return CMD_OK;
}

/* The part of before, or a new one. */
static int open_part(struct receiver *r, uint64_t kept)
{
	struct stat st;
	int ret;

	r->fd = open(r->part, O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NOCTTY, 0600);
	if (r->fd < 0 || fstat(r->fd, &st))
		return trouble("cannot write", r->part, errno);
	if (!S_ISREG(st.st_mode))
		return trouble("cannot write", r->part, EEXIST);
	if ((uint64_t)st.st_size < kept) {
		reply("gone %llu", (unsigned long long)st.st_size);
		if (!st.st_size)
			unlink(r->part);
		return cmd_fail("receive: %s has only %llu bytes of %llu: has it been moved away?",
				r->part, (unsigned long long)st.st_size,
				(unsigned long long)kept);
	}
	ret = ku_sync_folder(r->part);
	if (ret)
		return trouble("cannot write", r->part, -ret);
	r->at = r->kept = kept;
	reply("kept %llu", (unsigned long long)kept);
	return CMD_OK;
}

/*
 * Claims the trace's name with an empty file, which fails if a file has that name, and renames
 * the part over it. Only for a file system that can do nothing better: a program that writes
 * to the empty file before the rename loses its bytes. 0, or -1 with errno.
 */
static int claim_name(struct receiver *r)
{
	int error, fd = open(r->whole, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);

	if (fd < 0)
		return -1;
	close(fd);
	if (!rename(r->part, r->whole))
		return 0;
	error = errno;
	unlink(r->whole);
	errno = error;
	return -1;
}

/*
 * Gives the trace its name unless a file has that name. A file system without RENAME_NOREPLACE
 * (EINVAL) gets a second link instead, which does not replace a file either. A file system
 * without hard links (EPERM: exFAT) gets the name by claim_name(). Returns 0,
 * or -1 with errno.
 */
static int name_whole(struct receiver *r)
{
	int ret = (int)syscall(SYS_renameat2, AT_FDCWD, r->part, AT_FDCWD, r->whole,
			       RENAME_NOREPLACE);

	if (!ret || errno != EINVAL)
		return ret;
	ret = link(r->part, r->whole);
	if (ret && errno == EPERM)
		return claim_name(r);
	return ret ? ret : unlink(r->part);
}

/* All of it has come. */
static int finish(struct receiver *r, uint64_t total)
{
	int ret;

	if (total > r->at)
		return no_sense("it has fewer bytes than its end says");
	if (ftruncate(r->fd, (off_t)total))
		return trouble("cannot write", r->part, errno);
	ret = ku_sync_file(r->fd);
	if (ret)
		return trouble("cannot write", r->part, -ret);
	if (!total)
		ret = unlink(r->part);
	else
		ret = name_whole(r);
	if (ret)
		return trouble("cannot name", r->whole, errno);
	ret = ku_sync_folder(r->whole);
	if (ret)
		return trouble("cannot name", r->whole, -ret);
	reply("whole %llu", (unsigned long long)total);
	return CMD_OK;
}

/* --- the sender ---------------------------------------------------------------------- */

/* More of what comes; 0: it has ended, negative: with that status. */
static int more(struct receiver *r)
{
	struct pollfd in = {.fd = STDIN_FILENO, .events = POLLIN};
	ssize_t n;

	/* not after every block of a stream that hurries: a disk takes its time for that */
	if (r->at != r->kept && (r->at - r->kept >= SETTLE_BYTES ||
				 poll(&in, 1, SETTLE_MS) != 1) && settle(r))
		return -1;
	do
		n = read(STDIN_FILENO, r->in, sizeof(r->in));
	while (n < 0 && errno == EINTR);
	r->from = 0;
	r->to = n > 0 ? (size_t)n : 0;
	return n > 0;
}

/* CMD_OK, or what to end with. */
static int read_line(struct receiver *r, char *line)
{
	size_t n = 0;
	int ret;

	for (;;) {
		if (r->from == r->to) {
			ret = more(r);
			if (ret < 0)
				return CMD_FAILED;
			if (!ret)
				return r->fd < 0 ? cmd_fail("receive: nothing came") : cut_off(r);
		}
		line[n] = r->in[r->from++];
		if (line[n] == '\n')
			break;
		if (++n == CMD_WIRE_LINE)
			return no_sense("a line that is too long");
	}
	line[n] = '\0';
	return CMD_OK;
}

static int take_frame(struct receiver *r, uint64_t left)
{
	size_t n;
	int ret;

	while (left) {
		if (r->from == r->to) {
			ret = more(r);
			if (ret <= 0)
				return ret ? CMD_FAILED : cut_off(r);
		}
		n = r->to - r->from < left ? r->to - r->from : (size_t)left;
		ret = put(r, r->in + r->from, n);
		if (ret)
			return ret;
		r->from += n;
		left -= n;
	}
	return CMD_OK;
}

/* A name that is a file of the folder, whatever is typed there. */
static bool is_name(const char *name)
{
	const char *c;

	for (c = name; *c; c++)
		if (!isalnum((unsigned char)*c) && !strchr("._-", *c))
			return false;
	return isalnum((unsigned char)name[0]) && c - name < CMD_WIRE_NAME;
}

/* false: it is no number, and nothing else. */
static bool number(const char *text, uint64_t *value)
{
	char *end;

	errno = 0;
	*value = strtoull(text, &end, 10);
	return isdigit((unsigned char)*text) && !*end && !errno && *value < INT64_MAX;
}

/* True if the trace has its name. An empty file beside the part is a claim_name() cut short. */
static bool has_come(const struct receiver *r, struct stat *st)
{
	struct stat part;

	return !lstat(r->whole, st) && (st->st_size || lstat(r->part, &part));
}

/* 1: that trace is here already, and the sender knows. */
static int greet(struct receiver *r)
{
	char line[CMD_WIRE_LINE + 1], *name = line + strlen(CMD_WIRE_HELLO), *blank;
	struct stat st;
	uint64_t kept;
	int ret = read_line(r, line);

	if (ret)
		return -ret;
	if (strncmp(line, CMD_WIRE_HELLO, strlen(CMD_WIRE_HELLO)))
		return -no_sense("no stream of kutrace_control with --through or "
				 "--acknowledged");
	blank = strchr(name, ' ');
	if (!blank || !number(blank + 1, &kept))
		return -no_sense("no name and number");
	*blank = '\0';
	if (!is_name(name))
		return -no_sense("a name that is none");
	snprintf(r->part, sizeof(r->part), "%.4000s/%.200s.part", r->folder, name);
	snprintf(r->whole, sizeof(r->whole), "%.4000s/%.200s.trace", r->folder, name);
	if (has_come(r, &st)) {
		reply("whole %llu", (unsigned long long)st.st_size);
		return 1;
	}
	return -open_part(r, kept);
}

static int receive(struct receiver *r)
{
	char line[CMD_WIRE_LINE + 1];
	uint64_t n;
	int ret = greet(r);

	if (ret)
		return ret < 0 ? -ret : CMD_OK;
	for (;;) {
		ret = read_line(r, line);
		if (ret)
			return ret;
		if (!strncmp(line, "end ", 4) && number(line + 4, &n))
			return finish(r, n);
		if (!number(line, &n) || n > CMD_WIRE_FRAME)
			return no_sense("neither bytes nor the end");
		ret = take_frame(r, n);
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
		return cmd_usage_error("receive: %s: one folder", argv[optind + 1]);
	signal(SIGPIPE, SIG_IGN);	/* what is there is kept, whoever has gone */
	r = (struct receiver){.folder = optind < argc ? argv[optind] : ".", .fd = -1};
	if (isatty(STDIN_FILENO))
		return cmd_usage_error("receive: standard input is a terminal: it is for the other "
				       "end of stream --through");
	if (stat(r.folder, &st))
		return trouble("cannot write into", r.folder, errno);
	if (!S_ISDIR(st.st_mode))
		return trouble("cannot write into", r.folder, ENOTDIR);
	status = receive(&r);
	/* What it was to keep has been synced. */
	if (r.fd >= 0)
		close(r.fd);
	return status;
}
