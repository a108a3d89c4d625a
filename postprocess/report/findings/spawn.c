// SPDX-License-Identifier: BSD-3-Clause
/*
 * Finds threads that start many short-lived threads or programs. Must not count the user code of the
 * children, which is their work.
 */
#include "base/text.h"
#include "report/findings/detectors.h"

#define LEAST	100		/* children */
#define SHORT	(20 * KP_MS)	/* life of a child from its first to its last run */

/* Returns the time of the kernel in the thread's rows. */
static int64_t in_kernel(const struct kp_why *why, const struct kp_why_pid *pid)
{
	int64_t time = 0;

	for (size_t k = 0; k < pid->runs.count; k++) {
		const struct kp_why_run *run = &pid->runs.items[k];
		const struct kp_why_exec *execs = why->cpus[run->cpu]->execs.items;

		for (size_t n = run->first; n <= run->last; n++)
			if (!kp_why_is_user(&execs[n]) && !kp_why_is_stopped(&execs[n]))
				time += execs[n].end - execs[n].start;
	}
	return time;
}

static void end(struct kp_findings *findings, struct kp_finding_sum *sums)
{
	const struct kp_why *why = findings->why;
	char time[KP_TIME_TEXT];

	for (size_t i = 0; i < why->pids.count; i++) {
		const struct kp_why_pid *pid = &why->pids.items[i];
		struct kp_why_gap gap;
		int64_t parent, last;

		if (!pid->pid || !pid->runs.count)
			continue;
		last = pid->runs.items[pid->runs.count - 1].end;
		/* a child that runs at the end of the trace may live longer */
		if (last - pid->runs.items[0].start >= SHORT || last >= why->to)
			continue;
		kp_why_explain(why, i, 0, &gap);
		if (!gap.wake || !gap.waker_in || gap.waker_in->pid == KP_KTHREADD || !kp_why_makes_threads(gap.waker_in))
			continue;
		parent = kp_why_at(why, gap.wake->waker, gap.wake->at);
		if (parent < 0)
			continue;
		kp_finding_part(&sums[parent], i, gap.wake->at, last,
				in_kernel(why, pid) + gap.waker_in->end - gap.waker_in->start, (size_t)parent + 1, pid->name);
	}
	for (size_t i = 0; i < why->pids.count; i++)
		if (sums[i].count >= LEAST && kp_finding_counts(findings, sums[i].time))
			kp_finding_add(findings, &kp_detect_spawn, i, &sums[i],
				       "%s started %" PRIu64 " threads or programs that lived less than 20 ms, such as %s: "
				       "to start and end them took %s of CPU time.",
				       kp_finding_name(findings, (int64_t)i), sums[i].count, sums[i].what->text,
				       kp_time_text(sums[i].time, time));
}

const struct kp_detector kp_detect_spawn = {
	.key = "spawn_storm", .end = end,
	.advice = "Use threads that live longer (a pool), builtin commands of the shell, or one program for many items.",
};
