// SPDX-License-Identifier: BSD-3-Clause
/*
 * Finds threads that were woken and waited for a busy CPU while another CPU was idle. Must not count
 * threads that were preempted.
 */
#include "base/text.h"
#include "report/findings/detectors.h"

static void gap(struct kp_findings *findings, struct kp_finding_sum *sums, const struct kp_why_gap *gap)
{
	/* crowded.c counts threads that were preempted */
	if (gap->runnable != gap->start)
		kp_finding_beside(findings, sums, gap);
}

static void end(struct kp_findings *findings, struct kp_finding_sum *sums)
{
	char time[KP_TIME_TEXT], longest[KP_TIME_TEXT], times[KP_FINDING_TIMES];

	for (size_t i = 0; i < findings->why->pids.count; i++) {
		const struct kp_finding_sum *sum = &sums[i];

		if (!kp_finding_counts(findings, sum->time))
			continue;
		kp_finding_add(findings, &kp_detect_beside, i, sum,
			       "%s waited for a busy CPU %s, for %s in all, while another CPU was idle; "
			       "the longest wait of %s was for %s.",
			       kp_finding_name(findings, (int64_t)i), kp_finding_times(sum->count, times), kp_time_text(sum->time, time),
			       kp_time_text(sum->longest, longest), kp_finding_name(findings, (int64_t)sum->culprit - 1));
	}
}

const struct kp_detector kp_detect_beside = {
	.key = "idle_beside", .gap = gap, .end = end,
	.advice = "Check which CPUs the thread may use (taskset -p, cpuset of its cgroup), and whether the busy thread has real-time priority.",
};
