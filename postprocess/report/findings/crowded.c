// SPDX-License-Identifier: BSD-3-Clause
/*
 * Finds busy threads that preempted each other on one CPU while another CPU was idle. Must not count
 * threads that were woken.
 */
#include "base/text.h"
#include "report/findings/detectors.h"

static void gap(struct kp_findings *findings, struct kp_finding_sum *sums, const struct kp_why_gap *gap)
{
	if (gap->runnable == gap->start && !gap->is_new)
		kp_finding_beside(findings, sums, gap);
}

static void end(struct kp_findings *findings, struct kp_finding_sum *sums)
{
	char time[KP_TIME_TEXT];

	for (size_t i = 0; i < findings->why->pids.count; i++) {
		const struct kp_finding_sum *sum = &sums[i];
		const size_t other = sum->culprit ? sum->culprit - 1 : i;

		/* both threads lost time in this way, so both are busy; the thread that lost more is the victim */
		if (!kp_finding_counts(findings, sum->time) || sum->count < 2 || !sums[other].count ||
		    sums[other].time > sum->time || (sums[other].time == sum->time && other < i))
			continue;
		kp_finding_add(findings, &kp_detect_crowded, i, sum,
			       "%s and %s shared a CPU although another CPU was idle: %s was preempted %" PRIu64
			       " times, and lost %s.",
			       kp_finding_name(findings, (int64_t)i), kp_finding_name(findings, (int64_t)other),
			       kp_finding_name(findings, (int64_t)i), sum->count, kp_time_text(sum->time, time));
	}
}

const struct kp_detector kp_detect_crowded = {
	.key = "crowded", .gap = gap, .end = end,
	.advice = "Check which CPUs the two threads may use (taskset -p, cpuset of their cgroup): they need a CPU each.",
};
