// SPDX-License-Identifier: BSD-3-Clause
/*
 * Measures how much memory the creation of a session takes, for tests/guest/test_memory.sh. Polls
 * the free memory each millisecond, on one CPU and with a higher priority than all other tasks.
 *
 *	memory create MB	creates a session, which ends with the program
 *	memory killed MB	creates a session in a process that it kills meanwhile
 *
 * Prints "ok" or the error, and the maximal decrease of free memory in MiB.
 */
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/sysinfo.h>
#include <sys/wait.h>
#include <unistd.h>

#include "kutrace_abi.h"

#define ENOUGH 32		/* MiB that the creation has allocated when it is killed */

static long free_mb(void)
{
	struct sysinfo info;

	sysinfo(&info);
	return (long)(info.freeram * info.mem_unit >> 20);
}

static int create(unsigned int mb)
{
	struct kutrace_session session = {.length = sizeof(session), .mb = mb};
	int fd = open(KUTRACE_DEVICE, O_RDWR | O_CLOEXEC);

	return ioctl(fd, KUTRACE_IOC_SESSION_CREATE, &session) ? errno : 0;
}

int main(int argc, char **argv)
{
	struct sched_param first = {.sched_priority = 1}, none = {0};
	long before = free_mb(), worst = 0, now;
	bool kill_it;
	int *result;
	pid_t pid;

	if (argc != 3) {
		fputs("usage: memory create|killed MB\n", stderr);
		return 2;
	}
	kill_it = !strcmp(argv[1], "killed");
	result = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	*result = -1;
	if (sched_setscheduler(0, SCHED_FIFO, &first)) {
		perror("memory: sched_setscheduler");
		return 1;
	}
	pid = fork();
	if (!pid) {
		sched_setscheduler(0, SCHED_OTHER, &none);
		*result = create((unsigned int)atoi(argv[2]));
		_exit(0);
	}
	while (!waitpid(pid, NULL, WNOHANG)) {
		now = before - free_mb();
		if (now > worst)
			worst = now;
		if (kill_it && now >= ENOUGH)
			kill(pid, SIGKILL);
		usleep(1000);
	}
	printf("%s %ld\n", *result < 0 ? "killed" : *result ? strerrorname_np(*result) : "ok",
	       worst);
	return 0;
}
