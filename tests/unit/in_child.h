/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * For unit tests of what may hang: runs it in a child process, so that a hang is a
 * failed test and not the end of the program. Include it behind cmocka.h.
 */
#ifndef IN_CHILD_H
#define IN_CHILD_H

#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

/* A child's exit status; it is ended by SIGALRM, should it hang. */
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
