// SPDX-License-Identifier: BSD-3-Clause
/*
 * Controls the recordings and child processes of the selftest. Must not leave a recording on or a
 * child running when this process ends.
 */
#include "cli/selftest/selftest.h"

#include <sched.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/base/base.h"
#include "cli/shared/traces.h"

int selftest_on(bool wrap)
{
	int ret = kutrace_session_bind(cmd_handle(), 1);

	ret = ret ?: kutrace_do_reset(wrap ? KUTRACE_GO_WRAP : 0);
	ret = ret ?: kutrace_do_init(CMD_TOOL);
	return ret ?: kutrace_do_on();
}

int selftest_off(void)
{
	struct kutrace_info info;
	int ret = kutrace_get_info(&info);

	if (!ret && info.sessions > info.recording)
		ret = -EBUSY;
	return kutrace_do_off() ?: ret;
}

uint64_t selftest_lost(void)
{
	struct kutrace_info info;
	uint64_t lost = 0;

	if (kutrace_get_info(&info))
		return UINT64_MAX;
	for (size_t i = 0; i < KUTRACE_LOST_CAUSES; i++)
		lost += i == KUTRACE_LOST_NAMES ? 0 : info.lost[i];
	return lost;
}

uint64_t selftest_ns(const struct selftest *t, uint64_t counts)
{
	return t->info.clock_khz ? (uint64_t)(((unsigned __int128)counts << t->info.clock_shift) *
					      1000000 / t->info.clock_khz) : 0;
}

uint64_t selftest_now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

void *selftest_share(size_t bytes)
{
	void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	return memory == MAP_FAILED ? NULL : memory;
}

static bool run_on(const int *cpus, unsigned int count)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	for (unsigned int i = 0; i < count; i++)
		CPU_SET(cpus[i], &set);
	return !sched_setaffinity(0, sizeof(set), &set);
}

bool selftest_pin(int cpu)
{
	return run_on(&cpu, 1);
}

void selftest_unpin(const struct selftest *t)
{
	run_on(t->cpus, t->ncpus);
}

pid_t selftest_fork(int cpu)
{
	static const int signals[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT};
	const pid_t parent = getpid();
	pid_t pid = fork();

	if (pid)
		return pid < 0 ? -errno : pid;
	for (size_t i = 0; i < sizeof(signals) / sizeof(signals[0]); i++)
		signal(signals[i], SIG_DFL);
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent || (cpu >= 0 && !selftest_pin(cpu)))
		_exit(1);
	return 0;
}

void selftest_kill(const pid_t *pids, unsigned int count)
{
	for (unsigned int i = 0; i < count; i++) {
		if (pids[i] <= 0)
			continue;
		kill(pids[i], SIGKILL);
		while (waitpid(pids[i], NULL, 0) < 0 && errno == EINTR)
			;
	}
}

int selftest_wait(const pid_t *pids, unsigned int count)
{
	int status, ret = 0;

	for (unsigned int i = 0; i < count; i++) {
		if (pids[i] <= 0) {
			ret = pids[i];
			continue;
		}
		while (waitpid(pids[i], &status, 0) < 0) {
			if (errno == EINTR && !cmd_interrupted())
				continue;
			selftest_kill(pids + i, count - i);
			return cmd_interrupted() ? -ECANCELED : -ECHILD;
		}
		if (status)
			ret = -ECHILD;
	}
	return cmd_interrupted() ? -ECANCELED : ret;
}

void selftest_progress(const struct selftest *t, const char *what, unsigned int done,
		       unsigned int all)
{
	if (!t->progress)
		return;
	if (what)
		fprintf(stderr, "\rselftest: %s %u of %u      ", what, done, all);
	else
		fprintf(stderr, "\r%60s\r", "");
}
