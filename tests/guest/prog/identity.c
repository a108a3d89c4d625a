// SPDX-License-Identifier: BSD-3-Clause
/*
 * Makes tasks of all kinds, and prints what the kernel shows of each in /proc
 * (tests/guest/test_identity.sh).
 *
 *	identity CGROUP		in the order of main(); CGROUP is a folder
 *	identity run NAME	prints a line, computes for 2 ms, and exits
 *	identity waits		prints a line, and waits for a line on stdin
 *
 * Each line is "task NAME PID process PID parent PID own PID level N cgroup PATH start TICKS": NAME is
 * the name of the step, PATH the cgroup of version 2, and TICKS are in 10 ms since boot.
 */
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static char self[256];	/* path of this program */

static void fail(const char *what)
{
	perror(what);
	exit(1);
}

static void compute(long ms)
{
	struct timespec from, now;

	clock_gettime(CLOCK_MONOTONIC, &from);
	do
		clock_gettime(CLOCK_MONOTONIC, &now);
	while ((now.tv_sec - from.tv_sec) * 1000 + (now.tv_nsec - from.tv_nsec) / 1000000 < ms);
}

/* Opens a file of the calling thread in /proc of the initial pid namespace. */
static FILE *proc(const char *file)
{
	char path[64];
	FILE *f;

	snprintf(path, sizeof(path), "/proc/thread-self/%s", file);
	f = fopen(path, "re");
	if (!f)
		fail(path);
	return f;
}

/* Prints the line of the calling thread in one write, because tasks of several processes print. */
static void witness(const char *name)
{
	char line[512], text[1024], group[128] = "?", out[1024], *last;
	int pid = 0, tgid = 0, parent = 0, own = 0, level = 0, at, len;
	unsigned long long start = 0;
	FILE *f = proc("status");

	while (fgets(line, sizeof(line), f)) {
		sscanf(line, "Tgid: %d", &tgid);
		sscanf(line, "Pid: %d", &pid);
		sscanf(line, "PPid: %d", &parent);
		if (strncmp(line, "NSpid:", 6))
			continue;
		level = -1;
		for (last = line + 6; sscanf(last, "%d%n", &own, &at) == 1; last += at)
			level++;
	}
	fclose(f);
	f = proc("stat");
	if (!fgets(text, sizeof(text), f))
		fail("stat");
	fclose(f);
	last = strrchr(text, ')');
	/* field 22; the text after the name begins with field 3 */
	if (!last || sscanf(last + 2, "%*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %*u %*u %*d %*d %*d %*d "
			    "%*d %*d %llu", &start) != 1)
		fail("stat");
	f = proc("cgroup");
	while (fgets(line, sizeof(line), f))
		sscanf(line, "0::%127s", group);
	fclose(f);
	len = snprintf(out, sizeof(out), "task %s %d process %d parent %d own %d level %d cgroup %s start %llu\n",
		       name, pid, tgid, parent, own, level, group, start);
	if (write(1, out, (size_t)len) != len)
		fail("write");
	compute(2);
}

/* Moves a process to a cgroup. @pid 0: the calling process. */
static void move(const char *cgroup, pid_t pid)
{
	char path[256];
	int fd;

	snprintf(path, sizeof(path), "%s/cgroup.procs", cgroup);
	fd = open(path, O_WRONLY | O_CLOEXEC);
	if (fd < 0 || dprintf(fd, "%d", pid) < 1)
		fail(path);
	close(fd);
}

static void join(const char *cgroup)
{
	move(cgroup, 0);
}

static void *thread(void *name)
{
	witness(name);
	return NULL;
}

/* Executes this program from a thread that is not the first one. */
static void *execute(void *unused)
{
	char tid[16];

	(void)unused;
	snprintf(tid, sizeof(tid), "%ld", syscall(SYS_gettid));
	printf("before leader %s\n", tid);
	fflush(stdout);
	execl(self, "identity", "run", "leader", NULL);
	fail("exec");
	return NULL;
}

static pid_t start(void (*step)(const char *), const char *argument)
{
	pid_t pid = fork();

	if (pid < 0)
		fail("fork");
	if (pid)
		return pid;
	step(argument);
	_exit(0);
}

static void finish(pid_t pid)
{
	int status;

	if (waitpid(pid, &status, 0) != pid || status) {
		fprintf(stderr, "identity: a step failed: %x\n", status);
		exit(1);
	}
}

static void forked(const char *unused)
{
	(void)unused;
	witness("forked");
}

static void executed(const char *name)
{
	execl(self, "identity", "run", name, NULL);
	fail("exec");
}

/* Executes two programs, one after the other. */
static void chain(const char *unused)
{
	(void)unused;
	execl("/bin/sh", "sh", "-c", "exec \"$0\" run chain", self, NULL);
	fail("exec");
}

static void leader(const char *unused)
{
	pthread_t t;

	(void)unused;
	if (pthread_create(&t, NULL, execute, NULL))
		fail("pthread_create");
	pthread_join(t, NULL);
}

static void moved(const char *cgroup)
{
	pthread_t t;

	witness("before");
	join(cgroup);
	witness("moved");
	if (pthread_create(&t, NULL, thread, "thread"))
		fail("pthread_create");
	pthread_join(t, NULL);
}

/* A process whose threads move with it. */
static pthread_barrier_t barrier;

static void *moves(void *unused)
{
	(void)unused;
	pthread_barrier_wait(&barrier);
	pthread_barrier_wait(&barrier);
	witness("along");
	return NULL;
}

static void along(const char *cgroup)
{
	pthread_t t;

	pthread_barrier_init(&barrier, NULL, 2);
	if (pthread_create(&t, NULL, moves, NULL))
		fail("pthread_create");
	pthread_barrier_wait(&barrier);
	join(cgroup);
	pthread_barrier_wait(&barrier);
	pthread_join(t, NULL);
}

static void nothing(const char *unused)
{
	(void)unused;
}

/* Writes a process that has exited to the file of a cgroup. The kernel accepts it, and moves nothing. */
static void move_zombie(const char *cgroup)
{
	pid_t pid = start(nothing, NULL);
	siginfo_t info;

	if (waitid(P_PID, (id_t)pid, &info, WEXITED | WNOWAIT))
		fail("waitid");
	move(cgroup, pid);
	printf("zombie %d\n", pid);
	fflush(stdout);
	finish(pid);
}

/* Gives the next process the number @pid. */
static pid_t again(pid_t pid)
{
	FILE *f = fopen("/proc/sys/kernel/ns_last_pid", "we");
	pid_t got;

	if (!f || fprintf(f, "%d", pid - 1) < 0 || fclose(f))
		fail("ns_last_pid");
	got = start(forked, NULL);
	finish(got);
	return got;
}

int main(int argc, char **argv)
{
	pid_t pid;

	if (argc == 3 && !strcmp(argv[1], "run")) {
		witness(argv[2]);
		return 0;
	}
	if (argc == 2 && !strcmp(argv[1], "waits")) {
		witness("present");
		return getchar() == EOF;
	}
	if (argc != 2 || readlink("/proc/self/exe", self, sizeof(self) - 1) < 0)
		return 2;
	prctl(PR_SET_NAME, "maker");
	witness("maker");
	pid = start(forked, NULL);
	finish(pid);
	finish(start(executed, "executed"));
	finish(start(chain, NULL));
	finish(start(leader, NULL));
	finish(start(moved, argv[1]));
	finish(start(along, argv[1]));
	move_zombie(argv[1]);
	for (int i = 0; i < 2; i++)
		if (again(pid) != pid) {
			fprintf(stderr, "identity: pid %d is in use\n", pid);
			return 1;
		}
	join(argv[1]);
	if (unshare(CLONE_NEWPID))
		fail("unshare");
	finish(start(executed, "init"));
	return 0;
}
