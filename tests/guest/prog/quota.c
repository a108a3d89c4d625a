// SPDX-License-Identifier: BSD-3-Clause
/*
 * Uses the CPU time of a cgroup (tests/guest/test_quota.sh).
 *
 *	quota CGROUP MS MODE NAME [CPU]
 *
 * Joins the cgroup CGROUP (a folder), and runs for MS milliseconds of real time. MODE busy: computes.
 * MODE wakes: alternately sleeps for 2 ms and computes for 1 ms. With CPU, runs only there. Prints
 * "pid NAME quota PID" and, in us, the sum of the gaps of more than 3 ms in which the program did not
 * run although it had not slept: "count NAME gaps SUM".
 */
#include <fcntl.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

#define GAP_US	3000

static int64_t now_us(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (int64_t)ts.tv_sec * 1000000 + ts.tv_nsec / 1000;
}

/* Computes until @end. Returns the sum of the gaps. */
static int64_t compute(int64_t end)
{
	int64_t last = now_us(), gaps = 0, now;

	while ((now = now_us()) < end) {
		if (now - last > GAP_US)
			gaps += now - last;
		last = now;
	}
	return now - last > GAP_US ? gaps + now - last : gaps;
}

static void join(const char *cgroup)
{
	char path[256];
	int fd;

	snprintf(path, sizeof(path), "%s/cgroup.procs", cgroup);
	fd = open(path, O_WRONLY | O_CLOEXEC);
	if (fd < 0 || write(fd, "0", 1) != 1) {
		perror(path);
		exit(1);
	}
	close(fd);
}

int main(int argc, char **argv)
{
	int64_t gaps = 0, end;

	if (argc < 5)
		return 2;
	prctl(PR_SET_NAME, argv[4]);
	if (argc > 5) {
		cpu_set_t cpus;

		CPU_ZERO(&cpus);
		CPU_SET(atoi(argv[5]), &cpus);
		if (sched_setaffinity(0, sizeof(cpus), &cpus)) {
			perror("sched_setaffinity");
			return 1;
		}
	}
	join(argv[1]);
	printf("pid %s quota %d\n", argv[4], (int)getpid());
	fflush(stdout);
	end = now_us() + atoi(argv[2]) * 1000LL;
	if (!strcmp(argv[3], "busy"))
		gaps = compute(end);
	while (now_us() < end) {
		usleep(2000);
		gaps += compute(now_us() + 1000);
	}
	printf("count %s gaps %lld\n", argv[4], (long long)gaps);
	return 0;
}
