// SPDX-License-Identifier: BSD-3-Clause
/*
 * Makes short-lived processes, and names that change. For tests/guest/test_names.sh.
 *
 *	shortlived run CPUS FILE	makes short-lived processes until SIGTERM, three quarters of
 *			them on the first of the given CPUs. Writes "PID NAME" for each to FILE
 *	shortlived idle		makes some processes on the last CPU
 *	shortlived rename THREADS SECONDS	runs threads that rename themselves all the time
 *
 * A process is forked with its parent's name and then names itself, as an exec does.
 */
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static volatile sig_atomic_t ended;

static void end(int signal_number)
{
	(void)signal_number;
	ended = 1;
}

static int on_cpu(int cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET((size_t)cpu, &set);
	return sched_setaffinity(0, sizeof(set), &set);
}

/* Makes one process. Returns its pid. */
static pid_t one(unsigned int n, int cpu, FILE *file)
{
	char name[16];
	pid_t pid;

	snprintf(name, sizeof(name), "p%u-of-many", n);
	pid = fork();
	if (pid < 0)
		return -1;
	if (!pid) {
		if (on_cpu(cpu) || (n % 4 && prctl(PR_SET_NAME, name, 0, 0, 0)))
			_exit(1);
		usleep(1);
		_exit(0);
	}
	fprintf(file, "%d %s\n", (int)pid, n % 4 ? name : "shortlived");
	while (waitpid(pid, NULL, 0) < 0)
		if (errno != EINTR)
			return -1;
	return pid;
}

static int run(int cpus, const char *path)
{
	FILE *file = fopen(path, "w");
	unsigned int n;

	if (!file) {
		perror(path);
		return 1;
	}
	signal(SIGTERM, end);
	for (n = 1; !ended; n++) {
		if (one(n, (int)n % cpus, file) < 0) {
			perror("shortlived");
			return 1;
		}
	}
	if (fclose(file)) {
		perror(path);
		return 1;
	}
	printf("%u\n", n - 1);
	return 0;
}

static int idle(const char *path)
{
	int cpu = (int)sysconf(_SC_NPROCESSORS_ONLN) - 1;
	FILE *file = fopen(path, "w");
	unsigned int n;

	for (n = 1; file && n <= 20; n++)
		if (one(n, cpu, file) < 0)
			return 1;
	return !file || fclose(file);
}

static void *renamer(void *arg)
{
	uint64_t seed = (uintptr_t)arg + 1;
	char name[16];
	size_t i;

	while (!ended) {
		for (i = 0; i < 15; i++) {
			seed = seed * 6364136223846793005ULL + 1442695040888963407ULL;
			name[i] = (char)(seed >> 33) ? (char)(seed >> 33) : 1;
		}
		name[seed >> 60] = '\0';
		name[15] = '\0';
		prctl(PR_SET_NAME, name, 0, 0, 0);
	}
	return NULL;
}

static int rename_all(int threads, unsigned int seconds)
{
	pthread_t thread;
	int i;

	for (i = 0; i < threads; i++)
		if (pthread_create(&thread, NULL, renamer, (void *)(intptr_t)i))
			return 1;
	sleep(seconds);
	return 0;
}

int main(int argc, char **argv)
{
	if (argc == 4 && !strcmp(argv[1], "run"))
		return run(atoi(argv[2]), argv[3]);
	if (argc == 3 && !strcmp(argv[1], "idle"))
		return idle(argv[2]);
	if (argc == 4 && !strcmp(argv[1], "rename"))
		return rename_all(atoi(argv[2]), (unsigned int)atoi(argv[3]));
	fputs("usage: shortlived run CPUS FILE | idle FILE | rename THREADS SECONDS\n", stderr);
	return 2;
}
