// SPDX-License-Identifier: BSD-3-Clause
/*
 * kutrace_control stream: blocks as they fill to standard output, files of a certain
 * size, or a TCP connection. Must never keep the recording waiting: what cannot be
 * written in time is overwritten in wrap mode, and counted. Called by the table.
 */
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <poll.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/base/message.h"
#include "cli/base/options.h"
#include "cli/base/signals.h"
#include "cli/command/commands.h"
#include "cli/shared/address.h"
#include "cli/shared/state.h"
#include "cli/shared/user.h"
#include "libkutrace.h"

#define POLL_MS	200
#define LOOK_MS	20	/* how often: has a reader of the pipe come? */

struct stream_output {
	const char *file;
	uint64_t rotate_bytes;	/* 0: one file */
	unsigned int number;	/* of the file, when rotating */
	int fd;			/* -1: none yet */
	int previous;		/* the file before, until it is complete; or -1 */
	int error;		/* of open(), -errno */
	char name[4200];
};

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

static int open_next(struct stream_output *o)
{
	if (o->rotate_bytes)
		snprintf(o->name, sizeof(o->name), "%.4000s.%04u", o->file, ++o->number);
	else
		snprintf(o->name, sizeof(o->name), "%.4000s", o->file);
	o->previous = o->fd;
	o->fd = open_file(o->name);
	if (o->fd < 0 && o->fd != -ECANCELED)
		o->error = o->fd;
	return o->fd < 0 ? o->fd : 1;
}

/* The reader of a pipe or connection has gone, though nothing is written now. */
static bool reader_gone(int fd)
{
	struct pollfd poll_fd = {.fd = fd, .events = 0};

	return poll(&poll_fd, 1, 0) == 1 && poll_fd.revents & (POLLERR | POLLHUP);
}

static int next_output(void *arg, uint64_t bytes, int *fd)
{
	struct stream_output *o = arg;
	int ret = 0;

	if (cmd_interrupted())
		return -ECANCELED;
	if (o->file && (o->fd < 0 || (o->rotate_bytes && bytes >= o->rotate_bytes)))
		ret = open_next(o);
	else if (!bytes)
		ret = 1;
	else if (!o->file && reader_gone(o->fd))
		return -EPIPE;
	*fd = o->fd;
	return ret;
}

/* The real stop time into the first block, where it can be written to still: not in a pipe. */
static void complete(void *arg, const uint64_t words[2])
{
	struct stream_output *o = arg;
	int fd = o->previous >= 0 ? o->previous : o->fd;
	ssize_t n = o->file ? pwrite(fd, words, 16, 32) : 16;

	if (n >= 0 && n != 16)
		o->error = -EIO;
	else if (n < 0 && errno != ESPIPE)
		o->error = -errno;
	if (o->previous >= 0)
		close(o->previous);
	o->previous = -1;
}

/* --- the command ----------------------------------------------------------------- */

struct stream_arguments {
	const char *file, *connect, *listen, *state;
	uint64_t rotate_bytes;
};

static const char *output_name(const struct stream_arguments *a)
{
	return a->file ? a->file : a->connect ? a->connect : a->listen ? a->listen
					      : "standard output";
}

static int stream_once(const struct stream_arguments *a, struct stream_output *o,
		       struct kutrace_stream_state *state)
{
	const struct kutrace_stream_options options = {
		.tool = CMD_TOOL " " KUTRACE_VERSION,
		.output = next_output, .complete = complete, .arg = o,
	};
	struct kutrace_stream_result r;
	int ret, state_error = 0;

	ret = kutrace_stream(&options, state, &r);
	if (a->state && state->start_counts)
		state_error = cmd_write_state(a->state, state);
	if (ret != -ENODEV && ret != -EPERM && ret != -EPROTO && ret != -ENODATA)
		fprintf(stderr, CMD_TOOL ": stream: %llu blocks, %llu KB, %llu blocks lost\n",
			(unsigned long long)r.data_blocks,
			(unsigned long long)r.bytes / 1024,
			(unsigned long long)r.lost_blocks);
	if (state_error)
		return cmd_dump_error("stream: --state", a->state, state_error);
	if (ret != -ECANCELED)
		return ret;
	/* asked to end: well done, unless that was in the middle of a block */
	if (r.cut_bytes)
		return cmd_fail("stream: %s: ended in the middle of a block, as its reader "
				"stalled: rawtoevent leaves that out", output_name(a));
	return 0;
}

static int serve(const struct stream_arguments *a, struct stream_output *o,
		 struct kutrace_stream_state *state, int listener)
{
	struct pollfd poll_fd = {.fd = listener, .events = POLLIN};
	int ret;

	while (!cmd_interrupted()) {
		if (poll(&poll_fd, 1, POLL_MS) != 1)
			continue;
		o->fd = accept4(listener, NULL, NULL, SOCK_CLOEXEC);
		if (o->fd < 0)
			continue;
		ret = stream_once(a, o, state);
		close(o->fd);
		o->fd = -1;
		/* the reader may come again, and gets what is new */
		if (ret != -EPIPE && ret != -ECONNRESET)
			return ret;
	}
	return 0;
}

static int stream_tcp(const struct stream_arguments *a, struct stream_output *o,
		      struct kutrace_stream_state *state)
{
	const char *where = a->connect ? a->connect : a->listen;
	int status, fd = cmd_socket("stream", where, !a->connect, &status), ret;

	if (fd < 0)
		return status;
	if (a->connect) {
		o->fd = fd;
		ret = stream_once(a, o, state);
	} else {
		ret = serve(a, o, state, fd);
	}
	close(fd);
	return ret < 0 ? cmd_dump_error("stream", where, ret) : ret;
}

static int run_stream(const struct stream_arguments *a)
{
	struct stream_output o = {.file = a->file, .rotate_bytes = a->rotate_bytes, .fd = -1,
			   .previous = -1};
	struct kutrace_stream_state state;
	int ret = 0;

	memset(&state, 0, sizeof(state));
	if (a->state)
		ret = cmd_read_state(a->state, &state);
	if (ret == -EILSEQ)
		return cmd_fail("stream: --state: %s: says nothing about what was sent: remove "
				"it, or name another file", a->state);
	if (ret)
		return cmd_dump_error("stream: --state", a->state, ret);
	if (a->connect || a->listen)
		return stream_tcp(a, &o, &state);
	if (!a->file) {
		if (isatty(STDOUT_FILENO))
			return cmd_usage_error("stream: standard output is a terminal: redirect it, "
					       "or give -o FILE");
		o.fd = STDOUT_FILENO;
	}
	ret = stream_once(a, &o, &state);
	if (a->file && o.fd >= 0 && close(o.fd) && !ret)
		ret = -errno;
	if (!ret)
		ret = o.error;
	return ret < 0 ? cmd_dump_error("stream", output_name(a), ret) : ret;
}

/* CMD_OK, or what to end with. */
static int read_options(int argc, char **argv, struct stream_arguments *a, bool *end)
{
	enum { CONNECT = 256, LISTEN, STATE, ROTATE };
	static const struct cmd_option list[] = {
		{"output", 'o', "a file name"}, {"connect", CONNECT, "HOST:PORT"},
		{"listen", LISTEN, "[HOST:]PORT"}, {"state", STATE, "a file name"},
		{"rotate", ROTATE, "megabytes"}, {0},
	};
	struct cmd_options o = {.what = "stream", .list = list};
	char *rest;
	int option;

	while ((option = cmd_next_option(&o, argc, argv)) >= 0) {
		if (option == 'o') {
			a->file = optarg;
		} else if (option == CONNECT) {
			a->connect = optarg;
		} else if (option == LISTEN) {
			a->listen = optarg;
		} else if (option == STATE) {
			a->state = optarg;
		} else {
			a->rotate_bytes = strtoull(optarg, &rest, 10) << 20;
			if (*rest || !a->rotate_bytes || *optarg == '-')
				return cmd_usage_error("stream: --rotate: %s: wants megabytes",
						       optarg);
		}
	}
	*end = option == CMD_OPTION_STOP;
	if (*end)
		return o.status;
	if (optind < argc)
		return cmd_usage_error("stream: %s: no such option", argv[optind]);
	if (!!a->file + !!a->connect + !!a->listen > 1)
		return cmd_usage_error("stream: -o, --connect, --listen: one of them");
	if (a->rotate_bytes && !a->file)
		return cmd_usage_error("stream: --rotate: goes with -o");
	return CMD_OK;
}

int cmd_stream(int argc, char **argv)
{
	struct stream_arguments a = {0};
	bool end = false;
	int ret = read_options(argc, argv, &a, &end);

	if (ret || end)
		return ret;
	cmd_catch_signals();
	ret = run_stream(&a);
	cmd_release_signals();
	return ret;
}
