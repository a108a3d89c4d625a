// SPDX-License-Identifier: BSD-3-Clause
/*
 * Finds threads whose cgroup used up its quota of CPU time. Must not count the time in which the
 * thread only waited for a CPU.
 */
#include "base/text.h"
#include "report/findings/detectors.h"
#include "report/why_words.h"

static void gap(struct kp_findings *findings, struct kp_finding_sum *sums, const struct kp_why_gap *gap)
{
	struct kp_finding_sum *sum = &sums[gap->pid];

	if (!gap->throttled)
		return;
	kp_finding_part(sum, gap->pid, gap->start, gap->end, gap->throttled, 0,
			kp_why_cgroup(findings->why, gap->throttle));
	if (kp_why_is_inferred(gap->throttle))
		sum->other = 1;
}

static void end(struct kp_findings *findings, struct kp_finding_sum *sums)
{
	char time[KP_TIME_TEXT], times[KP_FINDING_TIMES];

	for (size_t i = 0; i < findings->why->pids.count; i++) {
		const struct kp_finding_sum *sum = &sums[i];

		if (!kp_finding_counts(findings, sum->time))
			continue;
		kp_finding_add(findings, &kp_detect_throttled, i, sum,
			       "%s was throttled%s %s, for %s in all, because its cgroup%s%s had used its quota of CPU time.",
			       kp_finding_name(findings, (int64_t)i), sum->other ? " (inferred)" : "", kp_finding_times(sum->count, times),
			       kp_time_text(sum->time, time), sum->what ? " " : "", sum->what ? sum->what->text : "");
	}
}

const struct kp_detector kp_detect_throttled = {
	.key = "throttled", .gap = gap, .end = end,
	.advice = "Raise the quota (cpu.max) of the cgroup, or run fewer threads in it.",
};
