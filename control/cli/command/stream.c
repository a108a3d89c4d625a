// SPDX-License-Identifier: BSD-3-Clause
/*
 * kutrace_control stream: writes blocks as they fill to standard output, to files of a certain
 * size, to a TCP connection, or to a receiver that acknowledges them (shared/send.c). Must not
 * delay the recording: blocks that cannot be written in time are overwritten in wrap mode, and
 * counted.
 */
#include <poll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/base/base.h"
#include "cli/command/commands.h"
#include "cli/shared/sending.h"

#define POLL_MS	200
/* seconds without an answer after which the connection counts as broken */
#define PATIENCE_S	30
#define STATE_IS_TRACE	"stream: --state: %s: is also the file of -o: name another"

struct stream_arguments {
	const char *file, *connect, *listen, *through, *state;
	bool acknowledged;
	uint32_t patience_s;
	struct cmd_rotation rotation;
};

static const char *output_name(const struct stream_arguments *a)
{
	return a->file ? a->file : a->connect ? a->connect : a->listen ? a->listen
					      : "standard output";
}

/* Returns whether the state file would replace the trace. */
static bool state_is_trace(const struct stream_arguments *a)
{
	struct stat file, state;

	return a->state && a->file &&
	       (!strcmp(a->state, a->file) ||
		(!stat(a->file, &file) && !stat(a->state, &state) && S_ISREG(file.st_mode) &&
		 file.st_dev == state.st_dev && file.st_ino == state.st_ino));
}

static int stream_once(const struct stream_arguments *a, struct cmd_output *o,
		       struct kutrace_stream_state *state)
{
	const struct kutrace_stream_options options = {
		.tool = CMD_TOOL " " KUTRACE_VERSION,
		.output = cmd_output_next, .complete = cmd_output_complete,
		.sent = cmd_output_sent, .arg = o,
	};
	struct kutrace_stream_result r;
	int ret, state_error = 0, queue_status = CMD_OK;
	bool is_trace = false;

	ret = kutrace_stream(&options, state, &r);
	if (o->queue)
		queue_status = cmd_queue_end(o->queue, state);
	/* blocks that are not on the disk count as not sent */
	if (!cmd_output_end(o) && a->state && state->start_counts) {
		is_trace = state_is_trace(a);
		state_error = is_trace ? 0 : cmd_write_state(a->state, state);
	}
	if (ret != -ENODEV && ret != -EPERM && ret != -EPROTO && ret != -ENODATA &&
	    (ret != -EPIPE || !cmd_stdout_unread()))
		fprintf(stderr, CMD_TOOL ": stream: %llu blocks, %llu KB, %llu blocks lost\n",
			(unsigned long long)r.data_blocks,
			(unsigned long long)r.bytes / 1024,
			(unsigned long long)r.lost_blocks);
	if (is_trace)
		return cmd_fail(STATE_IS_TRACE, a->state);
	if (state_error)
		return cmd_dump_error("stream: --state", a->state, state_error);
	if (queue_status && (!ret || ret == -EPIPE || ret == -ECANCELED))
		return queue_status;
	if (ret != -ECANCELED || o->queue)
		return ret == -ECANCELED ? CMD_OK : ret;
	/* an end on request is a success, except in the middle of a block */
	if (r.cut_bytes)
		return cmd_fail("stream: %s: ended in the middle of a block, because its reader "
				"stalled: rawtoevent drops that block", output_name(a));
	return 0;
}

static int serve(const struct stream_arguments *a, struct cmd_output *o,
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
		/* after a lost connection, the next client gets the following blocks */
		if (ret != -EPIPE && ret != -ECONNRESET)
			return ret;
	}
	return 0;
}

static int stream_tcp(const struct stream_arguments *a, struct cmd_output *o,
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

/* Streams to a receiver that acknowledges the blocks. Connects again after a lost connection. */
static int stream_acknowledged(const struct stream_arguments *a, struct cmd_output *o,
			       struct kutrace_stream_state *state)
{
	const char *where = a->through ? a->through : a->connect;
	struct cmd_send_queue queue = {
		.receiver = {.connect = a->connect, .through = a->through,
			  .patience_s = a->patience_s ? a->patience_s : PATIENCE_S},
		.rotation = a->rotation,
	};
	int ret;

	if (a->connect && !cmd_is_address(a->connect))
		return cmd_usage_error("stream: %s: needs " CMD_ADDRESS, a->connect);
	o->queue = &queue;
	ret = stream_once(a, o, state);
	return ret < 0 ? cmd_dump_error("stream", where, ret) : ret;
}

static int run_stream(const struct stream_arguments *a)
{
	struct cmd_output o = {.file = a->file, .rotation = a->rotation, .fd = -1,
			       .previous = -1};
	struct kutrace_stream_state state;
	int ret = 0;

	memset(&state, 0, sizeof(state));
	if (a->state)
		ret = cmd_read_state(a->state, &state);
	if (ret == -EILSEQ)
		return cmd_fail("stream: --state: %s: is not a state file: remove it, or name "
				"another file", a->state);
	if (ret)
		return cmd_dump_error("stream: --state", a->state, ret);
	if (a->through || a->acknowledged)
		return stream_acknowledged(a, &o, &state);
	if (a->connect || a->listen)
		return stream_tcp(a, &o, &state);
	if (!a->file) {
		if (isatty(STDOUT_FILENO))
			return cmd_usage_error("stream: standard output is a terminal: redirect it, "
					       "or give -o FILE");
		o.fd = STDOUT_FILENO;
	}
	ret = stream_once(a, &o, &state);
	ret = ret ?: o.error;
	return ret < 0 ? cmd_dump_error("stream", output_name(a), ret) : ret;
}

static int check_options(const struct stream_arguments *a)
{
	bool receiver = a->through || a->acknowledged;

	if (!!a->file + !!a->connect + !!a->listen + !!a->through > 1)
		return cmd_usage_error("stream: -o, --connect, --listen, --through: use only one");
	if (state_is_trace(a))
		return cmd_usage_error(STATE_IS_TRACE, a->state);
	if (a->acknowledged && !a->connect && !a->through)
		return cmd_usage_error("stream: --acknowledged: needs --connect");
	if (a->patience_s && !receiver)
		return cmd_usage_error("stream: --patience: needs --through or --acknowledged");
	if (cmd_rotates(&a->rotation) && !a->file && !receiver)
		return cmd_usage_error("stream: --rotate: needs -o, --through or "
				       "--acknowledged");
	return CMD_OK;
}

/* Parses the options. Returns CMD_OK, or the status to exit with. */
static int read_options(int argc, char **argv, struct stream_arguments *a, bool *end)
{
	enum { ROTATE = 256 };
	const struct cmd_option list[] = {
		{.name = "output", .id = 'o', .wants = "a file name", .text = &a->file},
		{.name = "connect", .wants = "HOST:PORT", .text = &a->connect},
		{.name = "listen", .wants = "[HOST:]PORT", .text = &a->listen},
		{.name = "state", .wants = "a file name", .text = &a->state},
		{.name = "through", .wants = "a command", .text = &a->through},
		{.name = "acknowledged", .flag = &a->acknowledged},
		{.name = "patience", .wants = "seconds", .number = &a->patience_s, .min = 1, .max = 86400},
		{.name = "rotate", .id = ROTATE, .wants = "megabytes or a time"}, {0},
	};
	struct cmd_options o = {.what = "stream", .list = list};
	int option;

	while ((option = cmd_next_option(&o, argc, argv)) >= 0)
		if (!cmd_parse_rotation(&a->rotation, optarg))
			return cmd_usage_error("stream: --rotate: %s: needs megabytes, 1 to 1000000, or a "
					       "time, 1 to 86400 s, m or h (examples: 64, 30s, 5m, 1h)",
					       optarg);
	*end = option == CMD_OPTION_STOP;
	if (*end)
		return o.status;
	if (optind < argc)
		return cmd_usage_error("stream: %s: no such option", argv[optind]);
	return check_options(a);
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
