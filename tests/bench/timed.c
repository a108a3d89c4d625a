// SPDX-License-Identifier: BSD-3-Clause
/*
 * Runs a command and writes "SECONDS KIB CPU" to the file named by $TIMES: wall clock time, peak
 * memory of the largest process, processor time of all processes. Used by post.sh.
 *
 *	TIMES=file timed CMD...
 */
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	const char *path = getenv("TIMES");
	struct timespec from, to;
	struct rusage usage;
	int status;
	pid_t pid;
	FILE *out;

	if (argc < 2 || !path) {
		fprintf(stderr, "usage: TIMES=file timed CMD...\n");
		return 2;
	}
	clock_gettime(CLOCK_MONOTONIC, &from);
	pid = fork();
	if (!pid) {
		execvp(argv[1], argv + 1);
		perror(argv[1]);
		_exit(127);
	}
	if (pid < 0 || waitpid(pid, &status, 0) < 0 || getrusage(RUSAGE_CHILDREN, &usage)) {
		perror("timed");
		return 1;
	}
	clock_gettime(CLOCK_MONOTONIC, &to);
	out = fopen(path, "w");
	if (!out || fprintf(out, "%.3f %ld %.3f\n",
			    (double)(to.tv_sec - from.tv_sec) +
				    (double)(to.tv_nsec - from.tv_nsec) / 1e9,
			    usage.ru_maxrss,
			    (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
				    (double)(usage.ru_utime.tv_usec +
					     usage.ru_stime.tv_usec) / 1e6) < 0 || fclose(out)) {
		perror(path);
		return 1;
	}
	return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}
