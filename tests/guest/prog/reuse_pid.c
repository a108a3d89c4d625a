/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Kills a process in a system call, and later makes another process with the same pid, whose first
 * event is the return from its fork. Prints the pid, waits for a line on stdin, and prints "again"
 * when the kernel has used the pid again. Lowers /proc/sys/kernel/pid_max for this. Exit status: 0;
 * 1 if the pid was not used again.
 */
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#define TRIES	5000

static void fail(const char *what)
{
	perror(what);
	exit(1);
}

static pid_t child(const int *go)
{
	pid_t pid = fork();
	char byte;

	if (pid < 0)
		fail("fork");
	if (pid)
		return pid;
	if (read(go[0], &byte, 1) == 1)
		pause();
	_exit(1);
}

/* Makes a child that ends immediately. */
static pid_t short_child(void)
{
	pid_t pid = fork();

	if (pid < 0)
		fail("fork");
	if (!pid)
		_exit(0);
	waitpid(pid, NULL, 0);
	return pid;
}

static int comes_again(pid_t wanted)
{
	for (int i = 0; i < TRIES; i++)
		if (short_child() == wanted)
			return 1;
	return 0;
}

int main(void)
{
	int fd = open("/proc/sys/kernel/pid_max", O_WRONLY), go[2];
	char line[16];
	pid_t pid;

	if (fd < 0 || write(fd, "400", 3) != 3 || pipe(go))
		fail("pid_max");
	/* The kernel does not reuse pids below 300. */
	while (short_child() < 300)
		;
	pid = child(go);
	printf("%d\n", pid);
	fflush(stdout);
	if (!fgets(line, sizeof(line), stdin))
		return 1;
	if (write(go[1], "g", 1) != 1)
		fail("write");
	usleep(300000);
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	usleep(1500000);
	if (!comes_again(pid))
		return 1;
	printf("again\n");
	return 0;
}
