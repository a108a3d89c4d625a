// SPDX-License-Identifier: BSD-3-Clause
/*
 * Finds two threads that wake each other alternately from different CPUs. Must not count wakeups by an
 * interrupt that only came while the other thread ran.
 */
#include "base/text.h"
#include "report/findings/detectors.h"

#define LEAST	500	/* wakeups in each direction */
#define SHARE	20	/* percent of the time of the exchange that the wakeups cost; less is normal for cooperation */

static bool by_thread(const struct kp_why_gap *gap)
{
	return gap->waker_in && gap->waker_in->pid &&
	       (gap->inside || gap->waker_in->event < KUTRACE_CALL_IRQ || gap->waker_in->event > KUTRACE_CALL_BH);
}

/*
 * Counts wakeups from another CPU by the thread that wakes this one most often. other: its index + 1.
 * votes: its wakeups minus the wakeups by other threads; below 0, the next waker takes its place.
 */
static void gap(struct kp_findings *findings, struct kp_finding_sum *sums, const struct kp_why_gap *gap)
{
	struct kp_finding_sum *sum = &sums[gap->pid];
	int64_t waker;

	if (!gap->wake || gap->runnable == gap->start || gap->wake->cpu == (int32_t)gap->next->cpu || !by_thread(gap))
		return;
	waker = kp_why_at(findings->why, gap->wake->waker, gap->wake->at);
	if (waker < 0)
		return;
	if (sum->other != waker + 1 && --sum->votes >= 0)
		return;
	if (sum->other != waker + 1)
		*sum = (struct kp_finding_sum){ .other = waker + 1 };
	sum->votes++;
	kp_finding_part(sum, gap->pid, gap->start, gap->end, gap->end - gap->runnable,
			(size_t)waker + 1, NULL);
}

static void end(struct kp_findings *findings, struct kp_finding_sum *sums)
{
	char time[KP_TIME_TEXT];

	for (size_t i = 0; i < findings->why->pids.count; i++) {
		const size_t other = (size_t)(sums[i].other - 1);
		struct kp_finding_sum sum = sums[i];

		if (!sum.other || other <= i || sums[other].other != (int64_t)i + 1 || sum.count < LEAST ||
		    sums[other].count < LEAST)
			continue;
		sum.time += sums[other].time;
		sum.count += sums[other].count;
		if (!kp_finding_counts(findings, sum.time) || sum.time * 100 < SHARE * (sum.last - sum.first))
			continue;
		kp_finding_add(findings, &kp_detect_ping_pong, i, &sum,
			       "%s and %s woke each other %" PRIu64 " times from different CPUs, and waited %s from wakeup to run.",
			       kp_finding_name(findings, (int64_t)i), kp_finding_name(findings, (int64_t)other), sum.count,
			       kp_time_text(sum.time, time));
	}
}

const struct kp_detector kp_detect_ping_pong = {
	.key = "ping_pong", .gap = gap, .end = end,
	.advice = "Run both threads on one CPU (taskset), or exchange several items with one wakeup.",
};
