// SPDX-License-Identifier: BSD-3-Clause
/* Opens the input of a filter. Must not wait for more bytes of a pipe than its format needs. */
#include "base/input.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/number.h"
#include "base/tool.h"

#define HEAD_BYTES	512	/* kp_format_of() recognizes each format in this many bytes */
#define LEAST_BYTES	16	/* fewer bytes do not suffice for any format */
#define MOST_STEPS	4	/* a packed file is unpacked and converted in at most this number of steps */
#define MOST_CHILDREN	(3 * MOST_STEPS)

/* A stream that first repeats the bytes that were read to recognize the format. */
struct stream {
	int fd;
	pid_t children[MOST_CHILDREN];	/* programs that the bytes pass through */
	int child_count;
	FILE *file;			/* the stream for the reader */
	struct stream *next;		/* next stream of this program */
	size_t used, len;
	char head[HEAD_BYTES];
};

struct conversion {
	enum kp_format from, to;
	const char *what;	/* description of @from; NULL: unpacks, and prints no message */
	const char *argv[4];	/* program and arguments */
	const char *next[4];	/* another program for its output; empty: none */
};

static const struct conversion conversions[] = {
	{ KP_FORMAT_RAW_TRACE, KP_FORMAT_SPAN_JSON, "a raw trace", { "rawtohtml", "--json" }, {0} },
	{ KP_FORMAT_PAGE, KP_FORMAT_SPAN_JSON, "a page", { "unmakeself" }, {0} },
	{ KP_FORMAT_EVENT_TEXT, KP_FORMAT_SPAN_JSON, "event text", { "eventtospan" }, { "env", "LC_ALL=C", "sort" } },
	{ KP_FORMAT_RAW_TRACE, KP_FORMAT_EVENT_TEXT, "a raw trace", { "rawtoevent" }, {0} },
	{ KP_FORMAT_XZ, KP_FORMAT_NONE, NULL, { "xz", "-dc" }, {0} },
	{ KP_FORMAT_GZIP, KP_FORMAT_NONE, NULL, { "gzip", "-dc" }, {0} },
	{ KP_FORMAT_ZSTD, KP_FORMAT_NONE, NULL, { "zstd", "-dcq" }, {0} },
};

static struct stream *streams;

/* Ends the programs of all streams when this program ends before the end of its input. */
static void kill_children(void)
{
	for (const struct stream *stream = streams; stream; stream = stream->next)
		for (int i = 0; i < stream->child_count; i++)
			kill(stream->children[i], SIGKILL);
}

/* Waits until the programs have ended. Their output has ended. */
static void end_children(struct stream *stream)
{
	bool failed = false;

	while (stream->child_count) {
		int status = 0;
		pid_t pid;

		do {
			pid = waitpid(stream->children[stream->child_count - 1], &status, 0);
		} while (pid < 0 && errno == EINTR);
		/* a program that has failed prints a message, unless a signal ended it */
		if (!failed && WIFSIGNALED(status))
			kp_error("a program that converts the input was ended by signal %d", WTERMSIG(status));
		failed |= pid < 0 || status;
		stream->child_count--;
	}
	if (failed)
		kp_fail_input();
}

static ssize_t read_stream(void *cookie, char *to, size_t size)
{
	struct stream *stream = cookie;
	size_t n = stream->len - stream->used;
	ssize_t got;

	if (!n) {
		got = read(stream->fd, to, size);
		if (!got)
			end_children(stream);
		return got;
	}
	n = n < size ? n : size;
	memcpy(to, stream->head + stream->used, n);
	stream->used += n;
	return (ssize_t)n;
}

static int close_stream(void *cookie)
{
	struct stream *stream = cookie, **place = &streams;

	while (*place != stream)
		place = &(*place)->next;
	*place = stream->next;
	close(stream->fd);
	free(stream);
	return 0;
}

/* Reads the first bytes: at most HEAD_BYTES, and at least LEAST_BYTES unless the input ends. */
static void read_head(struct stream *stream, const char *shown)
{
	ssize_t got = 1;

	while (stream->len < LEAST_BYTES && got > 0) {
		got = read(stream->fd, stream->head + stream->len, HEAD_BYTES - stream->len);
		if (got < 0 && errno == EINTR && !kp_interrupted())
			got = 1;
		else if (got < 0)
			kp_die(KP_BAD, "cannot read %s: %s", shown, strerror(errno));
		else
			stream->len += (size_t)got;
	}
	if (!got)
		end_children(stream);
}

/* Returns the path of a program: in the folder of this program, otherwise @name, found in PATH. */
static const char *program(const char *name, char path[PATH_MAX])
{
	ssize_t len = readlink("/proc/self/exe", path, PATH_MAX - 1);
	char *slash;

	path[len > 0 ? len : 0] = '\0';
	slash = strrchr(path, '/');
	if (!slash || (size_t)(slash - path) + strlen(name) + 2 > PATH_MAX)
		return name;
	strcpy(slash + 1, name);
	return access(path, X_OK) ? name : path;
}

/* Gives each signal its default action in a child, unless the caller of this program ignores it. */
static void reset_signals(void)
{
	static const int numbers[] = { SIGINT, SIGTERM, SIGHUP, SIGQUIT };
	struct sigaction action;

	for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++)
		if (!sigaction(numbers[i], NULL, &action) && action.sa_handler != SIG_IGN)
			signal(numbers[i], SIG_DFL);
	signal(SIGPIPE, SIG_DFL);
}

/* Runs in a child: writes the first bytes and the rest of @stream to @to, and exits. */
static _Noreturn void feed(const struct stream *stream, int to)
{
	char buffer[65536];
	ssize_t got = (ssize_t)stream->len, done, put;

	reset_signals();
	close(STDIN_FILENO);
	close(STDOUT_FILENO);
	memcpy(buffer, stream->head, stream->len);
	while (got > 0) {
		for (done = 0; done < got; done += put) {
			put = write(to, buffer + done, (size_t)(got - done));
			if (put < 0)
				_exit(1);
		}
		got = read(stream->fd, buffer, sizeof(buffer));
	}
	_exit(got < 0);
}

static void make_pipe(int ends[2])
{
	if (pipe2(ends, O_CLOEXEC))
		kp_die(KP_BAD, "cannot create a pipe: %s", strerror(errno));
}

/* Continues the stream with a pipe to which a child writes, instead of its present input. */
static void read_from(struct stream *stream, const int ends[2])
{
	close(ends[1]);
	close(stream->fd);
	stream->fd = ends[0];
	stream->len = 0;
}

/* Replaces a pipe whose first bytes were read by a new pipe that has all bytes. */
static void unread(struct stream *stream)
{
	int ends[2];
	pid_t feeder;

	make_pipe(ends);
	feeder = fork();
	if (feeder < 0)
		kp_die(KP_BAD, "cannot create a process: %s", strerror(errno));
	stream->children[stream->child_count++] = feeder;
	if (!feeder) {
		close(ends[0]);
		feed(stream, ends[1]);
	}
	read_from(stream, ends);
}

/* Passes @stream through the program of @argv. */
static void pass_through(struct stream *stream, const char *const *argv, const char *shown)
{
	char path[PATH_MAX];
	posix_spawn_file_actions_t actions;
	posix_spawnattr_t attributes;
	sigset_t defaults;
	int ends[2], err;

	make_pipe(ends);
	sigemptyset(&defaults);
	sigaddset(&defaults, SIGPIPE);
	sigaddset(&defaults, SIGXFSZ);
	posix_spawnattr_init(&attributes);
	posix_spawnattr_setsigdefault(&attributes, &defaults);
	posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF);
	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_adddup2(&actions, stream->fd, STDIN_FILENO);
	posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
	setenv(KP_CONVERTED_INPUT, shown, 1);
	err = posix_spawnp(&stream->children[stream->child_count], program(argv[0], path), &actions, &attributes,
			   (char **)argv, environ);
	unsetenv(KP_CONVERTED_INPUT);
	if (err)
		kp_die(KP_BAD, "cannot read %s: cannot run %s: %s", shown, argv[0], strerror(err));
	stream->child_count++;
	posix_spawn_file_actions_destroy(&actions);
	posix_spawnattr_destroy(&attributes);
	read_from(stream, ends);
}

static const struct conversion *conversion_of(enum kp_format from, enum kp_format to)
{
	size_t i;

	for (i = 0; i < sizeof(conversions) / sizeof(conversions[0]); i++)
		if (conversions[i].from == from && (conversions[i].to == to || conversions[i].to == KP_FORMAT_NONE))
			return &conversions[i];
	return NULL;
}

/* Reads the first bytes of a regular file without moving its position. Returns their number. */
static size_t peek(int fd, char head[HEAD_BYTES])
{
	const ssize_t got = pread(fd, head, HEAD_BYTES, lseek(fd, 0, SEEK_CUR));

	return got > 0 ? (size_t)got : 0;
}

/* Returns a stream with a duplicate of the descriptor of @file, and closes @file, unless it is stdin. */
static struct stream *new_stream(FILE *file, const char *shown)
{
	struct stream *stream = kp_needed(calloc(1, sizeof(*stream)));

	if (!streams) {
		signal(SIGCHLD, SIG_DFL);	/* otherwise waitpid() returns no status */
		atexit(kill_children);
	}
	stream->next = streams;
	streams = stream;
	stream->fd = fcntl(fileno(file), F_DUPFD_CLOEXEC, 3);
	if (stream->fd < 0)
		kp_die(KP_BAD, "cannot read %s: %s", shown, strerror(errno));
	if (file != stdin)
		fclose(file);
	return stream;
}

FILE *kp_open_format(const char *path, enum kp_format reads, const char **shown)
{
	static const cookie_io_functions_t io = { .read = read_stream, .close = close_stream };
	FILE *file = kp_open_input(path, shown);
	const int fd = fileno(file);
	const struct conversion *how;
	struct stream *stream;
	char head[HEAD_BYTES];
	struct stat st;
	bool regular = !fstat(fd, &st) && S_ISREG(st.st_mode);
	int steps = 0;

	if (isatty(fd) || (regular && !conversion_of(kp_format_of(head, peek(fd, head), reads), reads)))
		return file;
	stream = new_stream(file, *shown);
	if (regular)
		stream->len = peek(stream->fd, stream->head);
	else
		read_head(stream, *shown);
	while ((how = conversion_of(kp_format_of(stream->head, stream->len, reads), reads))) {
		if (steps++ == MOST_STEPS)
			kp_die(KP_BAD, "cannot read %s: it is packed more than %d times", *shown, MOST_STEPS);
		if (how->what)
			kp_error("%s is %s: reading it through %s", *shown, how->what, how->argv[0]);
		if (!regular)
			unread(stream);
		pass_through(stream, how->argv, *shown);
		if (how->next[0])
			pass_through(stream, how->next, *shown);
		regular = false;
		read_head(stream, *shown);
	}
	stream->file = kp_needed(fopencookie(stream, "r", io));
	return stream->file;
}

enum kp_format kp_path_format(const char *path)
{
	enum kp_format format;
	char head[HEAD_BYTES];
	struct stat st;
	int fd;

	/* not even open a named pipe: its writer would see that a reader comes and goes */
	if (stat(path, &st) || !S_ISREG(st.st_mode))
		return KP_FORMAT_NONE;
	fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (fd < 0)
		return KP_FORMAT_NONE;
	format = kp_format_of(head, peek(fd, head), KP_FORMAT_RAW_TRACE);
	close(fd);
	return format;
}

bool kp_can_convert(enum kp_format from, enum kp_format reads)
{
	return from && (from == reads || conversion_of(from, reads));
}

bool kp_is_format(const char *path, enum kp_format reads)
{
	struct stat st;

	if (!strcmp(path, "-") || (!stat(path, &st) && !S_ISREG(st.st_mode) && !S_ISDIR(st.st_mode)))
		return true;
	return kp_can_convert(kp_path_format(path), reads);
}

bool kp_is_path(const char *text)
{
	int64_t ignored;

	return strpbrk(text, "./") && kp_number_argument(text, 8, &ignored) == KP_NUMBER_NONE;
}
