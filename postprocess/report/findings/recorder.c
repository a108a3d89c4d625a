// SPDX-License-Identifier: BSD-3-Clause
/*
 * Finds threads that waited because the recording program had their CPU, so that the recording
 * itself delayed them. Must not count kernel threads, or the start of a program that the recorder itself runs.
 */
#include "base/text.h"
#include "report/findings/detectors.h"

static void gap(struct kp_findings *findings, struct kp_finding_sum *sums, const struct kp_why_gap *gap)
{
	const struct kp_why *why = findings->why;
	struct kp_finding_taken parts[KP_FINDING_TAKEN];
	int64_t time = 0;
	size_t recorder = 0, count;

	if (gap->is_new || kp_finding_is_recorder(&why->pids.items[gap->pid]) ||
	    kp_finding_is_kernel(&why->pids.items[gap->pid]))
		return;
	count = kp_finding_taken(findings, gap, parts);
	for (size_t i = 0; i < count; i++) {
		if (!kp_finding_is_recorder(&why->pids.items[parts[i].pid]))
			continue;
		time += parts[i].end - parts[i].start;
		recorder = parts[i].pid + 1;
	}
	if (time)
		kp_finding_part(&sums[gap->pid], gap->pid, gap->start, gap->end, time, recorder, NULL);
}

static void end(struct kp_findings *findings, struct kp_finding_sum *sums)
{
	char time[KP_TIME_TEXT], times[KP_FINDING_TIMES];

	for (size_t i = 0; i < findings->why->pids.count; i++)
		if (kp_finding_counts(findings, sums[i].time))
			kp_finding_add(findings, &kp_detect_recorder, i, &sums[i],
				       "%s waited %s for CPUs on which %s recorded, %s: the trace itself caused this time.",
				       kp_finding_name(findings, (int64_t)i), kp_time_text(sums[i].time, time),
				       kp_finding_name(findings, (int64_t)sums[i].culprit - 1), kp_finding_times(sums[i].count, times));
}

const struct kp_detector kp_detect_recorder = {
	.key = "recorder", .gap = gap, .end = end,
	.advice = "Record fewer categories, record into memory instead of a file, or keep the recorder on another CPU (taskset).",
};
