// SPDX-License-Identifier: BSD-3-Clause
/*
 * Runs a command and appends its cost to the file $COST, as a line "UNIT COUNT STATUS CPU_US
 * AFTER_US".
 *
 *	COST=file cost [-s SIGNAL CPU_US] CMD...
 *
 * UNIT is "instructions" (of user code in all threads) if the machine counts them, otherwise "ns"
 * of CPU time. STATUS is the exit status as in the shell. With -s, the command gets SIGNAL after it
 * has used CPU_US, and AFTER_US is the CPU time that it used after that. No value depends on the
 * wall clock.
 */
#include <errno.h>
#include <linux/perf_event.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/*
 * Returns a counter of the instructions of pid after its exec, or -1 if the machine has none or
 * users may not read it.
 */
static int count_instructions(pid_t pid)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_HARDWARE, .size = sizeof(attr), .config = PERF_COUNT_HW_INSTRUCTIONS,
		.disabled = 1, .inherit = 1, .exclude_kernel = 1, .exclude_hv = 1, .enable_on_exec = 1,
	};

	return (int)syscall(SYS_perf_event_open, &attr, pid, -1, -1, 0);
}

static int64_t us_of(const struct timeval *t)
{
	return (int64_t)t->tv_sec * 1000000 + t->tv_usec;
}

/*
 * Sends the signal when the process has used @cpu_us of CPU time. Returns the CPU time used then,
 * or -1 if the process ended first.
 */
static int64_t signal_after(pid_t pid, int signal, int64_t cpu_us)
{
	const struct timespec step = { .tv_nsec = 1000000 };
	struct timespec used;
	siginfo_t info;
	clockid_t clock;
	int64_t us;

	if (clock_getcpuclockid(pid, &clock))
		return -1;
	for (;;) {
		info.si_pid = 0;
		if (clock_gettime(clock, &used) || waitid(P_PID, (id_t)pid, &info, WEXITED | WNOHANG | WNOWAIT) ||
		    info.si_pid)
			return -1;
		us = (int64_t)used.tv_sec * 1000000 + used.tv_nsec / 1000;
		if (us >= cpu_us)
			return kill(pid, signal) ? -1 : us;
		nanosleep(&step, NULL);
	}
}

int main(int argc, char **argv)
{
	const char *path = getenv("COST");
	int64_t cpu_us = 0, at_us = -1, total;
	int first = 1, signal = 0, status, begin[2], counter;
	uint64_t instructions = 0;
	struct rusage usage;
	const char *unit;
	char go;
	pid_t pid;
	FILE *out;

	if (argc > 4 && !strcmp(argv[1], "-s")) {
		signal = atoi(argv[2]);
		cpu_us = atoll(argv[3]);
		first = 4;
	}
	if (first >= argc || !path) {
		fprintf(stderr, "usage: COST=file cost [-s SIGNAL CPU_US] CMD...\n");
		return 2;
	}
	if (pipe(begin)) {
		perror("cost");
		return 1;
	}
	pid = fork();
	if (!pid) {
		close(begin[1]);
		if (read(begin[0], &go, 1) != 1)
			_exit(127);
		close(begin[0]);
		execvp(argv[first], argv + first);
		perror(argv[first]);
		_exit(127);
	}
	counter = pid < 0 ? -1 : count_instructions(pid);
	close(begin[0]);
	if (pid < 0 || write(begin[1], "", 1) != 1) {
		perror("cost");
		return 1;
	}
	close(begin[1]);
	if (signal)
		at_us = signal_after(pid, signal, cpu_us);
	while (wait4(pid, &status, 0, &usage) < 0)
		if (errno != EINTR)
			return 1;
	total = us_of(&usage.ru_utime) + us_of(&usage.ru_stime);
	if (counter < 0 || read(counter, &instructions, sizeof(instructions)) != sizeof(instructions))
		instructions = 0;
	unit = instructions ? "instructions" : "ns";
	out = fopen(path, "a");
	if (!out || fprintf(out, "%s %llu %d %lld %lld\n", unit,
			    (unsigned long long)(instructions ? instructions : (uint64_t)total * 1000),
			    WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status), (long long)total,
			    (long long)(at_us < 0 ? -1 : total - at_us)) < 0 || fclose(out)) {
		perror(path);
		return 1;
	}
	return 0;
}
