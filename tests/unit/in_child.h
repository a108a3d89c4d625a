/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Runs a function that may hang in a child process, so that a hang fails one test and does not
 * stop the whole program. Include it after cmocka.h.
 */
#ifndef IN_CHILD_H
#define IN_CHILD_H

#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

/* Returns the exit status of the child. SIGALRM ends a child that hangs. */
static int in_child(int (*what)(void))
{
	int status;
	pid_t pid;

	fflush(NULL);
	pid = fork();
	assert_true(pid >= 0);
	if (!pid) {
		alarm(60);
		_exit(what());
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	return status;
}

#endif
