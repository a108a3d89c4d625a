// SPDX-License-Identifier: BSD-3-Clause
/*
 * Finds threads that repeat a call which returns immediately without a result. Must not count calls
 * that slept: such a thread waits, and leaves its CPU to others.
 */
#include "base/text.h"
#include "report/findings/detectors.h"

#define LEAST	1000	/* calls in a row of runs */
#define SHARE	50	/* percent of the thread's time on a CPU */
#define AGAIN	(uint16_t)-11	/* -EAGAIN */

static bool is_one_of(const struct kp_str *name, const char *const *names)
{
	for (; *names; names++)
		if (!strcmp(name->text, *names))
			return true;
	return false;
}

/* Returns whether the call returned without a result. */
static bool is_empty(const struct kp_why_exec *exec)
{
	static const char *const polls[] = { "poll", "ppoll", "select", "pselect6", "epoll_wait", "epoll_pwait", "epoll_pwait2", NULL };
	static const char *const yields[] = { "sched_yield", NULL };

	return exec->retval == AGAIN || (!exec->retval && is_one_of(exec->name, polls)) || is_one_of(exec->name, yields);
}

/* Adds the empty calls of a run, each with the user code after it. */
static void add_run(struct kp_finding_sum *sum, const struct kp_why_exec *execs, const struct kp_why_run *run)
{
	for (size_t i = run->first + 1; i < run->last; i++) {
		/* user code on both sides: the call began and ended in this row */
		if (execs[i].event < KUTRACE_CALL_SYSCALL64 || kp_why_is_user(&execs[i]) ||
		    !kp_why_is_user(&execs[i - 1]) || !kp_why_is_user(&execs[i + 1]) || !is_empty(&execs[i]))
			continue;
		kp_finding_part(sum, run->pid, execs[i].start, execs[i + 1].end, execs[i + 1].end - execs[i].start, 0, execs[i].name);
	}
}

static void end(struct kp_findings *findings, struct kp_finding_sum *sums)
{
	char time[KP_TIME_TEXT];

	for (size_t i = 0; i < findings->why->pids.count; i++) {
		const struct kp_why_pid *pid = &findings->why->pids.items[i];
		struct kp_finding_sum *sum = &sums[i];

		for (size_t k = 0; pid->pid && k < pid->runs.count; k++)
			add_run(sum, findings->why->cpus[pid->runs.items[k].cpu]->execs.items, &pid->runs.items[k]);
		if (sum->count < LEAST || !kp_finding_counts(findings, sum->time) ||
		    sum->time * 100 < SHARE * kp_finding_ran(pid))
			continue;
		kp_finding_add(findings, &kp_detect_polling, i, sum,
			       "%s called %s and similar calls %" PRIu64 " times without a result, and used %s of CPU time for that.",
			       kp_finding_name(findings, (int64_t)i), sum->what->text, sum->count, kp_time_text(sum->time, time));
	}
}

const struct kp_detector kp_detect_polling = {
	.key = "busy_polling", .end = end,
	.advice = "Wait in the kernel instead: poll() with a timeout, a blocking read, or a condition variable.",
};
