// SPDX-License-Identifier: BSD-3-Clause
/*
 * A byte goes to a child and comes back, COUNT times:
 *
 *	pingpong COUNT		prints "main PID child PID"
 *
 * On one CPU these are as many switches to and fro as can be had, for test_switches.sh.
 */
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	int there[2], back[2];
	char byte = 0;
	long left;
	pid_t child;

	if (argc != 2 || pipe(there) || pipe(back))
		return 2;
	child = fork();
	if (child < 0)
		return 1;
	if (!child) {
		close(there[1]);
		while (read(there[0], &byte, 1) == 1)
			if (write(back[1], &byte, 1) != 1)
				break;
		_exit(0);
	}
	close(there[0]);
	for (left = atol(argv[1]); left > 0; left--)
		if (write(there[1], &byte, 1) != 1 || read(back[0], &byte, 1) != 1)
			return 1;
	close(there[1]);
	waitpid(child, NULL, 0);
	printf("main %d child %d\n", (int)getpid(), (int)child);
	return 0;
}
