// SPDX-License-Identifier: BSD-3-Clause
/*
 * kutrace_control run: records while a program runs. Must never lose the
 * program's exit status, nor run it when recording could not begin, nor leave
 * recording on behind it.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cmd.h"

#define STATUS_NOT_RUN		126	/* as shells say it */
#define STATUS_NOT_FOUND	127

static volatile sig_atomic_t child_pid;

/* What is sent to this process alone is meant for the program. */
static void pass_on(int signal_number)
{
	int saved = errno;

	if (child_pid > 0)
		kill(child_pid, signal_number);
	errno = saved;
}

struct saved_signals {
	struct sigaction interrupt, quit, terminate, hangup;
};

/*
 * A terminal sends SIGINT and SIGQUIT to the program as well: here they are
 * ignored, so that the trace is written however the program ends.
 */
static void hold_signals(struct saved_signals *saved)
{
	struct sigaction ignore = {.sa_handler = SIG_IGN};
	struct sigaction pass = {.sa_handler = pass_on, .sa_flags = SA_RESTART};

	sigaction(SIGINT, &ignore, &saved->interrupt);
	sigaction(SIGQUIT, &ignore, &saved->quit);
	sigaction(SIGTERM, &pass, &saved->terminate);
	sigaction(SIGHUP, &pass, &saved->hangup);
}

static void release_signals(const struct saved_signals *saved)
{
	sigaction(SIGINT, &saved->interrupt, NULL);
	sigaction(SIGQUIT, &saved->quit, NULL);
	sigaction(SIGTERM, &saved->terminate, NULL);
	sigaction(SIGHUP, &saved->hangup, NULL);
}

/* In the child: becomes the program, or sends the errno into the pipe. */
static _Noreturn void become(char **argv, int report, const struct saved_signals *saved)
{
	ssize_t n;
	int error;

	release_signals(saved);
	signal(SIGPIPE, SIG_DFL);
	execvp(argv[0], argv);
	error = errno;
	n = write(report, &error, sizeof(error));
	_exit(n == sizeof(error) ? STATUS_NOT_RUN : STATUS_NOT_FOUND);
}

/*
 * Runs it and waits. *exec_error: why it did not become the program, 0 if it
 * did. Returns the status of waitpid(), or a negative errno.
 */
static int run_program(char **argv, const struct saved_signals *saved, int *exec_error)
{
	int report[2], status = 0, error = 0;
	sigset_t passed, mask;
	ssize_t n;
	pid_t pid;

	if (pipe2(report, O_CLOEXEC) < 0)
		return -errno;
	/* not before it is known to whom they are passed on */
	sigemptyset(&passed);
	sigaddset(&passed, SIGTERM);
	sigaddset(&passed, SIGHUP);
	sigprocmask(SIG_BLOCK, &passed, &mask);
	pid = fork();
	error = -errno;
	if (!pid) {
		sigprocmask(SIG_SETMASK, &mask, NULL);
		become(argv, report[1], saved);
	}
	child_pid = pid;
	sigprocmask(SIG_SETMASK, &mask, NULL);
	if (pid < 0) {
		close(report[0]);
		close(report[1]);
		return error;
	}
	close(report[1]);
	do
		n = read(report[0], exec_error, sizeof(*exec_error));
	while (n < 0 && errno == EINTR);
	if (n != sizeof(*exec_error))
		*exec_error = 0;
	close(report[0]);
	while (waitpid(pid, &status, 0) < 0)
		if (errno != EINTR)
			return -errno;
	child_pid = 0;
	return status;
}

static int record(char **argv, const char *fname, bool wrap)
{
	struct saved_signals saved;
	int status, exec_error = 0, ret;

	fflush(NULL);
	hold_signals(&saved);
	ret = wrap ? kutrace_gowrap(CMD_TOOL) : kutrace_go(CMD_TOOL);
	if (ret < 0) {
		release_signals(&saved);
		return cmd_error("run", ret);
	}
	status = run_program(argv, &saved, &exec_error);
	ret = kutrace_do_off();
	release_signals(&saved);
	if (status < 0 || exec_error) {
		if (status >= 0)
			status = -exec_error;
		fprintf(stderr, CMD_TOOL ": run: %s: %s: no trace was written\n", argv[0],
			strerror(-status));
		return !exec_error ? CMD_FAILED
		       : exec_error == ENOENT ? STATUS_NOT_FOUND : STATUS_NOT_RUN;
	}
	if (!ret)
		ret = kutrace_do_flush();
	if (ret < 0)
		return cmd_error("run", ret);
	if (cmd_write_trace("run", fname, true) != CMD_OK)
		return CMD_FAILED;
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

int cmd_run(int argc, char **argv)
{
	const char *fname = NULL;
	bool wrap = false;
	int i;

	for (i = 1; i < argc && argv[i][0] == '-'; i++) {
		if (!strcmp(argv[i], "--")) {
			i++;
			break;
		}
		if (!strcmp(argv[i], "--wrap")) {
			wrap = true;
		} else if (!strcmp(argv[i], "-o") || !strcmp(argv[i], "--output")) {
			if (++i == argc || !*argv[i])
				return cmd_usage_error("run: -o: wants a file name");
			fname = argv[i];
		} else {
			return cmd_usage_error("run: %s: no such option", argv[i]);
		}
	}
	if (i >= argc)
		return cmd_usage_error("run: wants a program to run: run -- PROGRAM");
	return record(argv + i, fname, wrap);
}
