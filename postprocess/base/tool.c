// SPDX-License-Identifier: BSD-3-Clause
/* Common parts of main(). Must not write to stdout, except for --help and --version. */
#include "base/tool.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio_ext.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/output.h"
#include "base/pager.h"
#include "base/progress.h"
#include "base/text.h"
#include "common/die.h"
#include "common/std_fds.h"
#include "common/utf8.h"

#ifndef KUTRACE_VERSION
#define KUTRACE_VERSION "unknown"
#endif

#define STDOUT_BUFFER_BYTES	(256 * 1024)
#define PIPE_BYTES		(1024 * 1024)	/* kernel's default limit for unprivileged users */
#define REPEAT_TICKS		5	/* an earlier second signal is a copy of the first one */
#define TICK_US			20000	/* after a signal, a blocked call ends within this time */
/* ticks after which a blocked write ends, after kp_interrupt_ends_input() and a signal */
#define STALL_TICKS		20

/* Variable by which kutrace passes the name of its command. */
#define FRONT_COMMAND		"KUTRACE_COMMAND"

static const char *tool_name = "kutrace";
static const struct kp_tool *current_tool;
static const char *wanted_output;	/* path of -o; NULL: standard output */
static volatile sig_atomic_t interrupted;
/* number of the first signal; the next signal kills the process */
static volatile sig_atomic_t signaled;
static volatile sig_atomic_t ticks_since;	/* number of ticks since then, up to REPEAT_TICKS */
static int end_signal;		/* signal by which the process ends; 0: it exits */
static bool pipe_ignored;	/* the caller ignores SIGPIPE: EPIPE is an ordinary error */
static bool ends_input;		/* an interrupt ends the input and does nothing else */
static bool input_ended;		/* an interrupt has ended the input */
static const char *output_name = "standard output";
static struct ku_part output = { .fd = -1 };	/* output file of -o; fd is -1 without one */
/* name of the part, to remove if a signal kills the process */
static const char *volatile output_part;
static bool output_retained;	/* keep the output with any exit status */
struct input {
	dev_t dev;
	ino_t ino;
};

static KP_VECTOR(struct input) inputs;	/* regular files that this filter reads */
static int write_errno;		/* errno of the first error of writing stdout; 0: none */
/* name of the input that this filter converts for another filter; NULL: it runs for itself */
static const char *converted_input;
static bool output_closed;	/* kp_finish() has closed stdout */
static bool input_failed;	/* a program that converts the input has failed, and printed why */
static bool message_printed;		/* a message has been printed */

/*
 * Records the first signal. A second signal kills the process when this function returns.
 *
 * The signal may arrive just before a read that then blocks forever, or during a read that the
 * program repeats. SIGALRM ends each of them.
 */
static void on_signal(int number)
{
	static const struct itimerval ticks = { { 0, TICK_US }, { 0, TICK_US } };

	/* timeout(1) sends its signal to the process and to the group: that is one request */
	if (signaled && ticks_since < REPEAT_TICKS)
		return;
	/* keys such as ^C are for the pager, and this process must not end before the pager */
	if (signaled && kp_pager_runs() && (number == SIGINT || number == SIGQUIT))
		return;
	if (signaled) {
		if (output_part)
			unlink(output_part);
		signal(number, SIG_DFL);
		raise(number);
		return;
	}
	signaled = number;
	interrupted = 1;
	setitimer(ITIMER_REAL, &ticks, NULL);
}

static void on_tick(int number)
{
	(void)number;
	if (ticks_since < REPEAT_TICKS)
		ticks_since++;
}

/* Runs after all other exit handlers, which remove files, because it is registered first. */
static void die_at_exit(void)
{
	if (end_signal)
		ku_die_of(end_signal);
}

/* Returns whether the process must end like a program that SIGPIPE has killed. */
static bool reader_gone(void)
{
	return write_errno == EPIPE && !pipe_ignored;
}

bool kp_interrupted(void)
{
	return interrupted;
}

void kp_interrupt_ends_input(void)
{
	ends_input = true;
}

bool kp_take_interrupt(void)
{
	if (!interrupted)
		return false;
	interrupted = 0;
	input_ended = true;
	return true;
}

bool kp_output_unread(void)
{
	if (!write_errno && ku_reader_gone(STDOUT_FILENO))
		write_errno = EPIPE;
	return write_errno == EPIPE;
}

/* Replaces control characters and invalid UTF-8 in @text by ?. */
static void make_printable(char *text)
{
	size_t left = strlen(text);

	while (left) {
		size_t n = ku_utf8_sequence(text, left);
		unsigned char c = (unsigned char)text[0];
		/* C1 controls are C2 80 to C2 9F */
		bool c1 = n == 2 && c == 0xC2 && (unsigned char)text[1] < 0xA0;

		if (!n || c < 0x20 || c == 0x7F || c1) {
			text[0] = '?';
			n = 1;
		}
		text += n;
		left -= n;
	}
}

static void __attribute__((format(printf, 1, 0)))
print_message(const char *fmt, va_list args)
{
	static const char cut[] = "...";
	char text[4096];
	int len = vsnprintf(text, sizeof(text), fmt, args);

	if (!output_closed && __fpending(stdout))
		kp_output_unread();
	if (reader_gone() || (!output_closed && (interrupted || input_failed)))
		return;
	if (len < 0)
		text[0] = '\0';
	else if ((size_t)len >= sizeof(text))
		memcpy(text + sizeof(text) - sizeof(cut), cut, sizeof(cut));
	make_printable(text);
	kp_progress_clear();
	fprintf(stderr, "%s: %s\n", tool_name, text);
	message_printed = true;
}

void kp_error(const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	print_message(fmt, args);
	va_end(args);
}

void kp_die(int status, const char *fmt, ...)
{
	va_list args;

	/* An interrupt makes reads and writes fail: report the interrupt, not their error. */
	if (interrupted || reader_gone())
		exit(kp_finish(status));
	va_start(args, fmt);
	print_message(fmt, args);
	va_end(args);
	exit(interrupted || reader_gone() ? kp_finish(status) : status);
}

void kp_print_count(uint64_t count, const char *text)
{
	if (count)
		fprintf(stderr, "  %" PRIu64 " %s\n", count, text);
}

void *kp_needed(void *what)
{
	if (!what)
		kp_die(KP_BAD, "no memory");
	return what;
}

void kp_usage_error(const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	print_message(fmt, args);
	va_end(args);
	fprintf(stderr, "try '%s --help'\n", tool_name);
	exit(KP_USAGE);
}

static char stdout_buffer[STDOUT_BUFFER_BYTES];

#ifdef __GLIBC__

/*
 * Writes for the stream stdout, and saves the first errno for kp_finish(), because stdio does not
 * save it.
 */
static ssize_t stdout_write(void *cookie, const char *data, size_t len)
{
	size_t done = 0;
	int ticks = 0;

	(void)cookie;
	if (write_errno)
		return 0;
	while (done < len) {
		ssize_t n = write(STDOUT_FILENO, data + done, len - done);

		if (n < 0) {
			if (errno == EINTR && (!signaled || (ends_input && ticks++ < STALL_TICKS)))
				continue;
			if (!write_errno)
				write_errno = errno;
			return 0;	/* for a cookie stream, 0 means an error */
		}
		done += (size_t)n;
		ticks = 0;
	}
	return (ssize_t)done;
}

/* Seeks in a regular file without O_APPEND. For any other file, ftello() fails. */
static int stdout_seek(void *cookie, off64_t *offset, int whence)
{
	struct stat st;
	off_t at;

	(void)cookie;
	if (fstat(STDOUT_FILENO, &st) || !S_ISREG(st.st_mode) ||
	    fcntl(STDOUT_FILENO, F_GETFL) & O_APPEND) {
		errno = ESPIPE;
		return -1;
	}
	at = lseek(STDOUT_FILENO, *offset, whence);
	if (at < 0)
		return -1;
	*offset = at;
	return 0;
}

static int stdout_close(void *cookie)
{
	(void)cookie;
	if (close(STDOUT_FILENO)) {
		if (!write_errno)
			write_errno = errno;
		return -1;
	}
	return 0;
}

static void open_stdout(void)
{
	static const cookie_io_functions_t io = {
		.write = stdout_write,
		.seek = stdout_seek,
		.close = stdout_close,
	};
	FILE *stream = fopencookie(NULL, "w", io);

	if (!stream)
		kp_die(KP_BAD, "cannot open standard output: %s", strerror(errno));
	setvbuf(stream, stdout_buffer, _IOFBF, sizeof(stdout_buffer));
	stdout = stream;
}

#else

/*
 * On C libraries other than glibc, stdout cannot be replaced: only the errno of the last write is
 * known.
 */
static void open_stdout(void)
{
	setvbuf(stdout, stdout_buffer, _IOFBF, sizeof(stdout_buffer));
}

#endif

void kp_answer_help(void)
{
	printf("usage: %s%s%s\n\n%s", tool_name, *current_tool->usage ? " " : "",
	       current_tool->usage, current_tool->help);
	exit(kp_finish(KP_OK));
}

void kp_answer_version(void)
{
	printf("%s (KUtrace) %s\n", tool_name, KUTRACE_VERSION);
	exit(kp_finish(KP_OK));
}

/*
 * Enlarges the pipes, so that the filter can continue while the next program of the pipeline does
 * not read.
 */
static void widen_pipes(void)
{
	fcntl(STDIN_FILENO, F_SETPIPE_SZ, PIPE_BYTES);
	fcntl(STDOUT_FILENO, F_SETPIPE_SZ, PIPE_BYTES);
}

/* Handles a signal, unless nohup or a shell made the process ignore it. */
static void unless_ignored(int number, const struct sigaction *action)
{
	struct sigaction before;

	if (!sigaction(number, NULL, &before) && before.sa_handler != SIG_IGN)
		sigaction(number, action, NULL);
}

/* Returns the name that the user typed: "kutrace why" if kutrace has started this program. */
static const char *name_to_show(const char *name)
{
	const char *typed = getenv(FRONT_COMMAND);

	typed = typed && !strncmp(typed, "kutrace ", 8) ? strdup(typed) : NULL;
	/* programs that this program starts have their own names */
	unsetenv(FRONT_COMMAND);
	if (typed)
		kp_formats_for_kutrace();
	return typed ? typed : name;
}

void kp_begin(const struct kp_tool *tool, int argc, char **argv)
{
	/* No SA_RESTART: a signal ends a blocked read or write. */
	struct sigaction stop = { .sa_handler = on_signal };
	struct sigaction wake = { .sa_handler = on_tick };
	int i;

	ku_take_std_fds();
	atexit(die_at_exit);
	tool_name = name_to_show(tool->name);
	converted_input = getenv(KP_CONVERTED_INPUT);
	current_tool = tool;
	kp_progress_begin(tool_name);
	unless_ignored(SIGINT, &stop);
	unless_ignored(SIGTERM, &stop);
	unless_ignored(SIGHUP, &stop);
	unless_ignored(SIGQUIT, &stop);
	pipe_ignored = signal(SIGPIPE, SIG_IGN) == SIG_IGN;
	signal(SIGXFSZ, SIG_IGN);
	sigaction(SIGALRM, &wake, NULL);
	open_stdout();
	widen_pipes();

	for (i = 1; i < argc && strcmp(argv[i], "--"); i++) {
		if (!strcmp(argv[i], "--help") || !strcmp(argv[i], "-h"))
			kp_answer_help();
		if (!strcmp(argv[i], "--version") || !strcmp(argv[i], "-V"))
			kp_answer_version();
	}
}

void kp_file_argument(const char *arg, const char **path)
{
	if (*path)
		kp_usage_error("more than one file: %s", arg);
	*path = arg;
}

/* Returns false if @fd is closed, open with O_PATH, or open only for the access mode @other. */
static bool can_use(int fd, int other)
{
	int flags = fcntl(fd, F_GETFL);

	return flags >= 0 && !(flags & O_PATH) && (flags & O_ACCMODE) != other;
}

/* Records an input that is a regular file. A device or a pipe may be both input and output. */
static void note_input(const struct stat *st)
{
	if (S_ISREG(st->st_mode) && KP_APPEND(&inputs, (struct input){ st->st_dev, st->st_ino }))
		kp_die(KP_BAD, "no memory");
}

static bool is_input(const struct stat *st)
{
	size_t i;

	for (i = 0; i < inputs.count; i++)
		if (inputs.items[i].dev == st->st_dev && inputs.items[i].ino == st->st_ino)
			return true;
	return false;
}

void kp_fail_input(void)
{
	input_failed = true;
}

bool kp_input_failed(void)
{
	return input_failed;
}

void kp_record_input(const char *path)
{
	struct stat st;

	if (!stat(path, &st))
		note_input(&st);
}

FILE *kp_open_input(const char *path, const char **shown)
{
	bool is_stdin = !path || !strcmp(path, "-");
	FILE *file = is_stdin ? stdin : fopen(path, "re");
	const char *name = !is_stdin ? path : converted_input ? converted_input : "standard input";
	struct stat st;

	if (is_stdin && !can_use(STDIN_FILENO, O_WRONLY))
		kp_die(KP_BAD, "cannot read %s: %s", name, strerror(EBADF));
	if (!file || fstat(fileno(file), &st))
		kp_die(KP_BAD, "cannot read %s: %s", name, strerror(errno));
	if (S_ISDIR(st.st_mode))
		kp_die(KP_BAD, "cannot read %s: it is a directory, give a file", name);
	if (is_stdin && isatty(STDIN_FILENO))
		kp_error("reading from the terminal (--help names the expected input)");
	note_input(&st);
	*shown = name;
	return file;
}

static void abandon_output(void)
{
	output_part = NULL;
	ku_part_abandon(&output);
}

/*
 * Returns whether @st is the file of stdout. It must not be replaced: other programs may have it
 * open.
 */
static bool is_stdout(const struct stat *st)
{
	struct stat own;

	return !fstat(STDOUT_FILENO, &own) && own.st_dev == st->st_dev &&
	       own.st_ino == st->st_ino && can_use(STDOUT_FILENO, O_RDONLY);
}

void kp_refuse_terminal(const char *what)
{
	if (!wanted_output && isatty(STDOUT_FILENO))
		kp_usage_error("cannot write %s to a terminal; name a file with -o FILE", what);
}

void kp_open_output(void)
{
	const char *path = wanted_output;
	struct stat st;
	bool there;
	int err;

	if (!path)
		return;
	there = !stat(path, &st);
	if (there && is_input(&st))
		kp_die(KP_BAD, "cannot write %s: it is the file that is read; give another name",
		       path);
	output_name = path;
	if (there && is_stdout(&st)) {
		wanted_output = NULL;
		return;
	}
	err = ku_output_open(&output, path);
	if (err)
		kp_die(KP_BAD, "cannot write %s: %s", path, strerror(-err));
	output_part = output.name;
	atexit(abandon_output);
	if (dup2(output.fd, STDOUT_FILENO) < 0)
		kp_die(KP_BAD, "cannot write %s: %s", path, strerror(errno));
	close(output.fd);
	output.fd = -1;
}

void kp_retain_output(void)
{
	output_retained = true;
}

void kp_choose_output(const char *path)
{
	if (!*path)
		kp_usage_error("the name of the output is empty");
	wanted_output = strcmp(path, "-") ? path : NULL;
}

const char *kp_chosen_output(void)
{
	return wanted_output;
}

/* Ends the output file after stdout was closed: gives it its name if @whole, or removes it. */
static void finish_output(bool whole)
{
	int err = 0;

	output_part = NULL;
	if (whole)
		err = ku_output_commit(&output);
	else
		ku_part_abandon(&output);
	if (err && !write_errno)
		write_errno = -err;
}

/* Writes the output to the disk before it gets its name, so that delayed write errors are known. */
static void store_output(void)
{
	struct stat st;
	uint64_t stored = 0;
	int err;

	kp_progress_phase("storing", NULL);
	err = fstat(STDOUT_FILENO, &st) ? -errno :
					  kp_output_store(STDOUT_FILENO, &stored, (uint64_t)st.st_size, kp_interrupted);
	kp_progress_clear();
	if (err && !interrupted)
		write_errno = -err;
}

int kp_finish(int status)
{
	bool whole = !input_failed && (status == KP_OK || output_retained), no_memory = false, stopped, paged;

	kp_progress_clear();
	/* the tool may have continued after a failed allocation, or ended silently */
	if (kp_memory_failed() && (status == KP_OK || !message_printed)) {
		no_memory = true;
		whole = false;
		status = KP_BAD;
	}
	if (input_failed && status == KP_OK)
		status = KP_BAD;
	if (fflush(stdout) && !write_errno)
		write_errno = errno;
	if (ferror(stdout) && !write_errno)
		write_errno = EIO;
	whole &= !interrupted && !write_errno;
	if (whole && output.name)
		store_output();
	if (fclose(stdout) && !write_errno)
		write_errno = errno;
	output_closed = true;
	/* a signal from now on is too late to stop the filter */
	stopped = interrupted || write_errno == EINTR;
	paged = kp_pager_runs();
	kp_pager_wait();
	finish_output(whole && !write_errno && !stopped);
	alarm(0);	/* the interrupt has been handled */
	/* a signal that came while the pager ran ends this process now */
	if (stopped || input_ended || (paged && interrupted))
		end_signal = signaled;
	else if (reader_gone())
		end_signal = SIGPIPE;
	if (stopped) {
		if (!converted_input)
			kp_error(wanted_output ? "interrupted; no file was written" :
				 "interrupted; the output is incomplete");
		return KP_BAD;
	}
	if (no_memory)
		kp_error("no memory");
	if (write_errno) {
		kp_error("cannot write %s: %s", output_name, strerror(write_errno));
		return status == KP_OK ? KP_BAD : status;
	}
	if (input_ended)
		kp_error("interrupted; all events that had arrived are printed");
	return status;
}
