// SPDX-License-Identifier: BSD-3-Clause
/*
 * Starts other programs for the commands. Must not start a program of the current folder, unless the folder is
 * in the PATH.
 */
#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "front/front.h"

bool front_ends_with(const char *text, const char *end)
{
	size_t length = strlen(text), size = strlen(end);

	return length > size && !strcmp(text + length - size, end);
}

bool front_find_program(const char *what, const char *program, char *path, size_t size)
{
	if (cmd_find_program(program, path, size))
		return true;
	cmd_fail("%s: cannot find %s, which this command needs: it is neither beside kutrace, nor in ../lib/kutrace/bin, nor in "
		 "the PATH; try \"make tools\" in the checkout, or install the package kutrace", what, program);
	return false;
}

char **front_words(int count)
{
	char **words = calloc((size_t)count, sizeof(*words));

	if (words)
		return words;
	cmd_fail("no memory");
	exit(CMD_RUN_FAILED);
}

int front_exec(const char *program, const char *first, int argc, char **argv)
{
	char path[4200], name[60], **list = front_words(argc + 2), **to = list;

	if (!front_find_program(argv[0], program, path, sizeof(path)))
		return CMD_RUN_NOT_FOUND;
	/* the filters use this name in their messages and help */
	snprintf(name, sizeof(name), "kutrace %s", argv[0]);
	setenv("KUTRACE_COMMAND", name, 1);
	*to++ = path;
	if (first)
		*to++ = (char *)(uintptr_t)first;
	/* argv ends with NULL */
	memcpy(to, argv + 1, (size_t)argc * sizeof(*argv));
	execv(path, list);
	free(list);
	cmd_fail("%s: cannot run %s: %s", argv[0], path, strerror(errno));
	return CMD_RUN_CANNOT;
}

/* Runs in the child: executes the program. */
static _Noreturn void execute(char **argv, int out, const struct cmd_user *user)
{
	int null = out >= 0 ? open("/dev/null", O_RDWR | O_CLOEXEC) : -1;

	if (out >= 0 && null >= 0) {
		dup2(null, STDIN_FILENO);
		dup2(null, STDERR_FILENO);
		dup2(out, STDOUT_FILENO);
	}
	if (!user || !cmd_become_user(user))
		execv(argv[0], argv);
	_exit(CMD_RUN_CANNOT);
}

pid_t front_start(char **argv, int out, const struct cmd_user *user)
{
	pid_t pid;

	fflush(NULL);
	pid = fork();
	if (!pid)
		execute(argv, out, user);
	return pid < 0 ? -errno : pid;
}

int front_wait(pid_t pid)
{
	int status;

	while (waitpid(pid, &status, 0) < 0)
		if (errno != EINTR)
			return CMD_FAILED;
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}
