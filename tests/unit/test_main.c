// SPDX-License-Identifier: BSD-3-Clause
/*
 * Tests base/tool: messages, exit status, write errors and interrupts. Each case runs in a
 * child process, and the test checks its stdout, stderr and exit status.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/progress.h"
#include "base/tool.h"

static const struct kp_tool tool = {
	.name = "tool",
	.usage = "[file]",
	.help = "What it does.\n",
};

struct outcome {
	int status;		/* exit status, or 1000 + signal */
	char out[8192], err[8192];
};

enum { OUT_PIPE, OUT_FULL, OUT_CLOSED_PIPE, OUT_CLOSED };

static void begin(int argc, ...)
{
	char *argv[8] = { NULL };
	va_list args;
	int i;

	va_start(args, argc);
	for (i = 0; i < argc; i++)
		argv[i] = va_arg(args, char *);
	va_end(args);
	kp_begin(&tool, argc, argv);
}

/* Reads both pipes until both are closed. */
static void collect(int out, int err, struct outcome *o)
{
	struct pollfd fds[2] = { { out, POLLIN, 0 }, { err, POLLIN, 0 } };
	char *text[2] = { o->out, o->err };
	size_t used[2] = { 0, 0 };
	int i, open_count = 2;

	while (open_count) {
		assert_true(poll(fds, 2, 20000) > 0);
		for (i = 0; i < 2; i++) {
			char block[4096];
			ssize_t n;

			if (fds[i].fd < 0 || !fds[i].revents)
				continue;
			n = read(fds[i].fd, block, sizeof(block));
			if (n <= 0) {
				fds[i].fd = -1;
				open_count--;
				continue;
			}
			for (ssize_t k = 0; k < n && used[i] < sizeof(o->out) - 1; k++)
				text[i][used[i]++] = block[k];
		}
	}
	o->out[used[0]] = '\0';
	o->err[used[1]] = '\0';
}

/* Runs body in a child process, which exits with its return value. */
static struct outcome run(int (*body)(void), int where)
{
	struct outcome o = { 0 };
	int out[2], err[2], status, fd;
	pid_t pid;

	assert_int_equal(pipe(out), 0);
	assert_int_equal(pipe(err), 0);
	fflush(NULL);
	pid = fork();
	assert_true(pid >= 0);
	if (!pid) {
		dup2(err[1], STDERR_FILENO);
		dup2(out[1], STDOUT_FILENO);
		if (where == OUT_FULL) {
			fd = open("/dev/full", O_WRONLY);
			dup2(fd, STDOUT_FILENO);
			close(fd);
		} else if (where == OUT_CLOSED_PIPE) {
			int gone[2];

			if (pipe(gone))
				_exit(99);
			dup2(gone[1], STDOUT_FILENO);
			close(gone[0]);
			close(gone[1]);
		} else if (where == OUT_CLOSED) {
			close(STDOUT_FILENO);
		}
		close(out[0]);
		close(out[1]);
		close(err[0]);
		close(err[1]);
		signal(SIGPIPE, SIG_DFL);
		/* exit() would also run the exit handlers of the test runner */
		_exit(body());
	}
	close(out[1]);
	close(err[1]);
	collect(out[0], err[0], &o);
	close(out[0]);
	close(err[0]);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	o.status = WIFSIGNALED(status) ? 1000 + WTERMSIG(status) : WEXITSTATUS(status);
	return o;
}

static int body_help(void)
{
	begin(3, "tool", "x", "--help");
	return 50;
}

static int body_version(void)
{
	begin(2, "tool", "--version");
	return 50;
}

static int body_no_option(void)
{
	begin(3, "tool", "--", "--help");
	return 50;
}

static void answers_help_and_version(void **state)
{
	struct outcome o = run(body_help, OUT_PIPE);

	(void)state;
	assert_int_equal(o.status, 0);
	assert_string_equal(o.out, "usage: tool [file]\n\nWhat it does.\n");
	assert_string_equal(o.err, "");
	o = run(body_version, OUT_PIPE);
	assert_int_equal(o.status, 0);
	assert_string_equal(o.out, "tool (KUtrace) " KUTRACE_VERSION "\n");
	o = run(body_no_option, OUT_PIPE);
	assert_int_equal(o.status, 50);
	assert_string_equal(o.out, "");
	o = run(body_help, OUT_FULL);
	assert_int_equal(o.status, 1);
	assert_string_equal(o.err, "tool: cannot write standard output: No space left on device\n");
}

static int body_messages(void)
{
	char huge[6000];

	begin(1, "tool");
	memset(huge, 'h', sizeof(huge) - 1);
	huge[sizeof(huge) - 1] = '\0';
	kp_error("a\nb\x1B[31m\x7F\xC2\x9B %s \xFF %d", "\u00e9", 7);
	kp_error("%s", huge);
	kp_die(KP_BAD, "cannot read %s: %s", "x", "y");
}

static void messages_are_single_harmless_lines(void **state)
{
	struct outcome o = run(body_messages, OUT_PIPE);
	char *line;

	(void)state;
	assert_int_equal(o.status, 1);
	line = strtok(o.err, "\n");
	assert_string_equal(line, "tool: a?b?[31m??? \u00e9 ? 7");
	line = strtok(NULL, "\n");
	assert_int_equal(strlen(line), 6 + 4095);
	assert_string_equal(line + strlen(line) - 4, "h...");
	line = strtok(NULL, "\n");
	assert_string_equal(line, "tool: cannot read x: y");
	assert_null(strtok(NULL, "\n"));
}

static int body_usage(void)
{
	begin(1, "tool");
	kp_usage_error("bad %s", "thing");
}

static void usage_errors_exit_2(void **state)
{
	struct outcome o = run(body_usage, OUT_PIPE);

	(void)state;
	assert_int_equal(o.status, 2);
	assert_string_equal(o.err, "tool: bad thing\ntry 'tool --help'\n");
	assert_string_equal(o.out, "");
}

static int body_little(void)
{
	begin(1, "tool");
	printf("x\n");
	return kp_finish(KP_OK);
}

static int body_much(void)
{
	int i;

	begin(1, "tool");
	for (i = 0; i < 1000000 && !ferror(stdout); i++)
		printf("%d\n", i);
	errno = 0;
	return kp_finish(KP_OK);
}

static int body_bad(void)
{
	begin(1, "tool");
	printf("x\n");
	return kp_finish(KP_BAD);
}

/* The exit handler of kp_begin() kills the process before those of the test runner. */
static int body_unread(void)
{
	begin(1, "tool");
	printf("x\n");
	kp_error("a summary");
	exit(kp_finish(KP_OK));
}

static int body_unread_dies(void)
{
	begin(1, "tool");
	printf("x\n");
	fflush(stdout);
	kp_die(KP_BAD, "cannot write");
}

/* Checks that a message without any output appears. */
static int body_unread_bad(void)
{
	begin(1, "tool");
	kp_error("bad");
	return kp_finish(KP_BAD);
}

static int body_unread_ignored(void)
{
	signal(SIGPIPE, SIG_IGN);
	return body_little();
}

static void a_closed_pipe_ends_the_process_by_its_signal(void **state)
{
	static int (*const bodies[])(void) = { body_unread, body_unread_dies, body_help };
	struct outcome o;
	size_t i;

	(void)state;
	for (i = 0; i < 3; i++) {
		o = run(bodies[i], OUT_CLOSED_PIPE);
		assert_int_equal(o.status, 1000 + SIGPIPE);
		assert_string_equal(o.err, "");
	}
	o = run(body_unread_bad, OUT_CLOSED_PIPE);
	assert_int_equal(o.status, 1);
	assert_string_equal(o.err, "tool: bad\n");
	o = run(body_unread_ignored, OUT_CLOSED_PIPE);
	assert_int_equal(o.status, 1);
	assert_string_equal(o.err, "tool: cannot write standard output: Broken pipe\n");
}

static void write_errors_are_reported(void **state)
{
	static int (*const bodies[])(void) = { body_little, body_much, body_bad };
	struct outcome o;
	size_t i;

	(void)state;
	o = run(body_little, OUT_PIPE);
	assert_int_equal(o.status, 0);
	assert_string_equal(o.out, "x\n");
	assert_string_equal(o.err, "");
	o = run(body_bad, OUT_PIPE);
	assert_int_equal(o.status, 1);
	assert_string_equal(o.err, "");
	for (i = 0; i < 3; i++) {
		o = run(bodies[i], OUT_FULL);
		assert_int_equal(o.status, 1);
		assert_string_equal(o.err, "tool: cannot write standard output: No space left on device\n");
		o = run(bodies[i], OUT_CLOSED);
		assert_int_equal(o.status, 1);
		assert_string_equal(o.err, "tool: cannot write standard output: Bad file descriptor\n");
	}
}

static const char *input_path;

static int body_open(void)
{
	const char *shown;
	FILE *in;
	int c;

	begin(1, "tool");
	in = kp_open_input(input_path, &shown);
	printf("%s:", shown);
	while ((c = getc(in)) != EOF)
		putchar(c);
	return kp_finish(KP_OK);
}

static int body_open_stdin(void)
{
	int fd = open("/dev/null", O_RDONLY);

	dup2(fd, STDIN_FILENO);
	return body_open();
}

static int body_open_closed(void)
{
	close(STDIN_FILENO);
	return body_open();
}

static int body_open_stdin_directory(void)
{
	int fd = open("/", O_RDONLY);

	dup2(fd, STDIN_FILENO);
	return body_open();
}

static void inputs_are_opened_or_named(void **state)
{
	struct outcome o;

	(void)state;
	input_path = "/dev/null";
	o = run(body_open, OUT_PIPE);
	assert_int_equal(o.status, 0);
	assert_string_equal(o.out, "/dev/null:");
	input_path = "/";
	o = run(body_open, OUT_PIPE);
	assert_int_equal(o.status, 1);
	assert_string_equal(o.err, "tool: cannot read /: it is a directory, give a file\n");
	input_path = "/nonexistent/\n";
	o = run(body_open, OUT_PIPE);
	assert_int_equal(o.status, 1);
	assert_string_equal(o.err, "tool: cannot read /nonexistent/?: No such file or directory\n");
	input_path = "-";
	o = run(body_open_stdin, OUT_PIPE);
	assert_string_equal(o.out, "standard input:");
	assert_string_equal(o.err, "");
	input_path = NULL;
	o = run(body_open_stdin_directory, OUT_PIPE);
	assert_int_equal(o.status, 1);
	assert_string_equal(o.err, "tool: cannot read standard input: it is a directory, give a file\n");
	o = run(body_open_closed, OUT_PIPE);
	assert_int_equal(o.status, 1);
	assert_string_equal(o.err, "tool: cannot read standard input: Bad file descriptor\n");
}

/*
 * Checks that an ignored signal stays ignored, as under nohup and for programs in the background.
 */
static int body_ignored(void)
{
	signal(SIGINT, SIG_IGN);
	signal(SIGTERM, SIG_IGN);
	signal(SIGHUP, SIG_IGN);
	signal(SIGQUIT, SIG_IGN);
	begin(1, "tool");
	raise(SIGINT);
	raise(SIGTERM);
	raise(SIGHUP);
	raise(SIGQUIT);
	return kp_finish(KP_OK);
}

static int signal_number;

/* Waits until the process sleeps, as it does when it reads from an empty pipe. */
static void until_asleep(pid_t pid)
{
	char name[40], text[400];
	const char *state;
	FILE *f;

	snprintf(name, sizeof(name), "/proc/%d/stat", (int)pid);
	for (;;) {
		f = fopen(name, "r");
		state = f && fgets(text, sizeof(text), f) ? strrchr(text, ')') : NULL;
		if (f)
			fclose(f);
		if (!state || state[2] == 'S')
			return;
		usleep(1000);
	}
}

static int body_interrupted(void)
{
	char byte;
	int fds[2];

	begin(1, "tool");
	printf("half\n");
	if (pipe(fds) || kp_interrupted())
		return 90;
	/* blocks until the signal ends the read */
	if (!fork()) {
		until_asleep(getppid());
		kill(getppid(), signal_number);
		_exit(0);
	}
	if (read(fds[0], &byte, 1) != -1 || errno != EINTR || !kp_interrupted())
		return 91;
	exit(kp_finish(KP_OK));
}

static int body_interrupted_dies(void)
{
	begin(1, "tool");
	raise(SIGINT);
	kp_die(KP_BAD, "cannot read: Interrupted system call");
}

/* The second signal comes later, so it is no copy of the first one. SIGALRM ends each sleep early. */
static int body_interrupted_twice(void)
{
	begin(1, "tool");
	raise(SIGINT);
	for (int i = 0; i < 50; i++)
		usleep(20000);
	raise(SIGINT);
	return 92;
}

static int body_interrupted_by_a_copy(void)
{
	begin(1, "tool");
	raise(SIGINT);
	raise(SIGINT);
	exit(kp_finish(KP_OK));
}

static void an_interrupt_ends_the_process_by_its_signal(void **state)
{
	static const int signals[] = { SIGINT, SIGTERM, SIGHUP, SIGQUIT };
	struct outcome o;
	size_t i;

	(void)state;
	for (i = 0; i < 4; i++) {
		signal_number = signals[i];
		o = run(body_interrupted, OUT_PIPE);
		assert_int_equal(o.status, 1000 + signal_number);
		assert_string_equal(o.err, "tool: interrupted; the output is incomplete\n");
	}
	o = run(body_interrupted_dies, OUT_PIPE);
	assert_int_equal(o.status, 1000 + SIGINT);
	assert_string_equal(o.err, "tool: interrupted; the output is incomplete\n");
	o = run(body_ignored, OUT_PIPE);
	assert_int_equal(o.status, 0);
	assert_string_equal(o.err, "");
	o = run(body_interrupted_twice, OUT_PIPE);
	assert_int_equal(o.status, 1000 + SIGINT);
	o = run(body_interrupted_by_a_copy, OUT_PIPE);
	assert_int_equal(o.status, 1000 + SIGINT);
	assert_string_equal(o.err, "tool: interrupted; the output is incomplete\n");
}

static int body_progress(void)
{
	int i;

	begin(1, "tool");
	for (i = 0; i < 1000; i++)
		kp_progress(1, 100);
	return kp_finish(KP_OK);
}

static void no_progress_without_a_terminal(void **state)
{
	struct outcome o = run(body_progress, OUT_PIPE);

	(void)state;
	assert_int_equal(o.status, 0);
	assert_string_equal(o.err, "");
}

/* Reads until @wanted has arrived. A terminal delivers text in parts and with delays. */
static bool read_terminal(int master, char *text, size_t size, const char *wanted)
{
	struct pollfd fd = {.fd = master, .events = POLLIN};
	size_t used = 0;
	ssize_t n;

	do {
		n = poll(&fd, 1, 60000) == 1 ? read(master, text + used, size - 1 - used) : 0;
		used += n > 0 ? (size_t)n : 0;
		text[used] = '\0';
	} while (n > 0 && !strstr(text, wanted));
	return n > 0;
}

/* Checks progress on a terminal: it appears after two seconds, and is wiped at the end. */
static int body_progress_terminal(void)
{
	int master = posix_openpt(O_RDWR | O_NOCTTY), slave, i;
	char text[4096];

	if (master < 0 || grantpt(master) || unlockpt(master))
		return 77;
	slave = open(ptsname(master), O_RDWR | O_NOCTTY);
	if (slave < 0 || dup2(slave, STDERR_FILENO) < 0)
		return 77;
	fcntl(master, F_SETFL, O_NONBLOCK);
	begin(1, "tool");
	kp_progress(1, 100);
	if (read(master, text, sizeof(text)) > 0)
		return 81;	/* the progress came too early */
	for (i = 0; i < 23; i++) {
		usleep(100000);
		kp_progress(41000000, 100000000);
	}
	if (!read_terminal(master, text, sizeof(text), "tool: reading 41 %, 41.0 of 100.0 MB, "))
		return 83;
	kp_error("x");
	/* a message wipes the progress first */
	if (!read_terminal(master, text, sizeof(text), "tool: x\r\n"))
		return 82;
	if (!strstr(text, "\r\033[Ktool: x\r\n"))
		return 84;
	return kp_finish(KP_OK);
}

static void progress_on_a_terminal(void **state)
{
	struct outcome o = run(body_progress_terminal, OUT_PIPE);

	(void)state;
	if (o.status == 77)
		skip();
	assert_int_equal(o.status, 0);
}

/* Checks that pipes at the input and output hold half a megabyte instead of 64 KiB. */
static int body_wide_pipes(void)
{
	int fds[2];

	if (pipe(fds) || dup2(fds[0], STDIN_FILENO) < 0)
		return 98;
	begin(1, "tool");
	return fcntl(STDIN_FILENO, F_GETPIPE_SZ) < 1 << 19 ||
	       fcntl(STDOUT_FILENO, F_GETPIPE_SZ) < 1 << 19;
}

static void test_wide_pipes(void **state)
{
	struct outcome o = run(body_wide_pipes, OUT_PIPE);

	(void)state;
	assert_int_equal(o.status, 0);
	assert_string_equal(o.err, "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(answers_help_and_version),
		cmocka_unit_test(messages_are_single_harmless_lines),
		cmocka_unit_test(usage_errors_exit_2),
		cmocka_unit_test(write_errors_are_reported),
		cmocka_unit_test(inputs_are_opened_or_named),
		cmocka_unit_test(an_interrupt_ends_the_process_by_its_signal),
		cmocka_unit_test(a_closed_pipe_ends_the_process_by_its_signal),
		cmocka_unit_test(no_progress_without_a_terminal),
		cmocka_unit_test(progress_on_a_terminal),
		cmocka_unit_test(test_wide_pipes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
