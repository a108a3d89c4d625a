// SPDX-License-Identifier: BSD-3-Clause
/* Starts the pager and waits for its end (base/pager.h). Must not print anything itself. */
#include "base/pager.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/progress.h"

#define WORDS_MAX	32
/* options of less: end if the text fits the screen, show colours, leave the text on the screen */
#define LESS_OPTIONS	"FRX"

static pid_t pager;
static int own_stderr = -1;	/* standard error of this process, while the pager shows messages; -1: none */
static volatile sig_atomic_t runs;	/* 1 from the start of the pager until its end */

bool kp_pager_runs(void)
{
	return runs;
}

void kp_pager_wait(void)
{
	if (!runs)
		return;
	/* the pager waits for the end of each descriptor of its pipe */
	if (own_stderr >= 0)
		dup2(own_stderr, STDERR_FILENO);
	while (waitpid(pager, NULL, 0) < 0 && errno == EINTR)
		;
	runs = 0;
}

/* Waits for the pager if the process ends without kp_finish(). */
static void wait_at_exit(void)
{
	if (!runs)
		return;
	fflush(stdout);
	close(STDOUT_FILENO);
	kp_pager_wait();
}

/* Splits @command at blanks, and changes it. If @command needs a shell, makes a call of sh instead. */
static void split(char *command, char *words[WORDS_MAX + 1])
{
	size_t count = 0;
	char *word, *rest = NULL;

	if (strpbrk(command, "|&;<>()$`\\\"'*?[#~=%")) {
		words[0] = "sh";
		words[1] = "-c";
		words[2] = command;
		return;
	}
	for (word = strtok_r(command, " \t\n", &rest); word && count < WORDS_MAX; word = strtok_r(NULL, " \t\n", &rest))
		words[count++] = word;
}

/* Runs the program with @fd as its standard input. Returns whether it runs. */
static bool spawn(char *const *words, int fd)
{
	/* the program gets the default actions of these signals, which this process ignores */
	static const int numbers[] = { SIGPIPE, SIGXFSZ };
	posix_spawn_file_actions_t actions;
	posix_spawnattr_t attributes;
	sigset_t defaults;
	int err;

	sigemptyset(&defaults);
	for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++)
		sigaddset(&defaults, numbers[i]);
	posix_spawnattr_init(&attributes);
	posix_spawnattr_setsigdefault(&attributes, &defaults);
	posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF);
	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_adddup2(&actions, fd, STDIN_FILENO);
	err = posix_spawnp(&pager, words[0], &actions, &attributes, words, environ);
	posix_spawn_file_actions_destroy(&actions);
	posix_spawnattr_destroy(&attributes);
	return !err;
}

bool kp_pager_start(void)
{
	char *words[WORDS_MAX + 1] = { "less", "-" LESS_OPTIONS, NULL };
	const char *wanted = getenv("KUTRACE_PAGER");
	char command[1024];
	bool started;
	int ends[2];

	if (!wanted)
		wanted = getenv("PAGER");
	if (wanted) {
		if (strlen(wanted) >= sizeof(command))
			return false;
		words[0] = words[1] = NULL;
		split(strcpy(command, wanted), words);
	}
	if (!words[0] || !strcmp(words[0], "cat") || pipe2(ends, O_CLOEXEC))
		return false;
	setenv("LESS", LESS_OPTIONS, 0);
	started = spawn(words, ends[0]);
	close(ends[0]);
	if (started) {
		/* progress would be written over the text of the pager */
		kp_progress_end();
		fflush(stdout);
		dup2(ends[1], STDOUT_FILENO);
		/* messages would also be written over the text of the pager */
		if (isatty(STDERR_FILENO)) {
			own_stderr = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 3);
			if (own_stderr >= 0)
				dup2(ends[1], STDERR_FILENO);
		}
		runs = 1;
		atexit(wait_at_exit);
	}
	close(ends[1]);
	return started;
}
