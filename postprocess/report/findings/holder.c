// SPDX-License-Identifier: BSD-3-Clause
/*
 * Finds locks whose holder did not run while other threads waited for the lock: it was preempted
 * (with a less important thread: priority inversion), or it slept. Must not count the time in which
 * the holder ran.
 */
#include "base/text.h"
#include "report/findings/detectors.h"
#include "report/findings/locks.h"

/* Attempts that are examined for each time in which a lock was held, so that the cost stays linear. */
#define TRIES	64

struct off {
	struct kp_finding_sum preempted, asleep;	/* preempted.what: the lock */
	const struct kp_str *lock;	/* lock that the holder had in the longest part of asleep */
};

static int64_t overlap(int64_t a, int64_t b, int64_t c, int64_t d)
{
	const int64_t start = a > c ? a : c, end = b < d ? b : d;

	return end > start ? end - start : 0;
}

/* Returns how long other threads waited for the lock between two times. */
static int64_t waited(const struct kp_lock_tries *tries, const struct kp_why_wait *hold, size_t holder, int64_t start,
		      int64_t end)
{
	int64_t time = 0;
	size_t i;

	KP_FIND(i, tries->list.count, tries->list.items[i].lock < hold->arg0 ||
		(tries->list.items[i].lock == hold->arg0 && tries->list.items[i].start < end));
	for (size_t n = 0; n < TRIES && i-- > 0 && tries->list.items[i].lock == hold->arg0; n++)
		if (tries->list.items[i].pid != holder)
			time += overlap(start, end, tries->list.items[i].start, tries->list.items[i].end);
	return time;
}

/* Adds the gaps of the holder during one time in which it held the lock. */
static void add_hold(struct kp_findings *findings, const struct kp_lock_tries *tries, size_t holder,
		     const struct kp_why_wait *hold, struct off *off)
{
	const struct kp_why_pid *pid = &findings->why->pids.items[holder];
	size_t i = kp_why_run_after(pid->runs.items, pid->runs.count, hold->start);

	for (; i < pid->runs.count && pid->runs.items[i].start <= hold->end; i++) {
		struct kp_finding_taken parts[KP_FINDING_TAKEN];
		struct kp_why_gap gap;
		int64_t asleep, queued, longest = 0;
		size_t count, most = 0;

		if (pid->runs.items[i].start <= hold->start || !kp_why_is_gap(findings->why, pid, i))
			continue;
		kp_why_explain(findings->why, holder, i, &gap);
		if (gap.start < hold->start)
			continue;
		asleep = waited(tries, hold, holder, gap.start, gap.runnable);
		if (asleep > off->asleep.longest)
			off->lock = hold->name;
		if (asleep)
			kp_finding_part(&off->asleep, holder, gap.start, gap.end, asleep, holder + 1,
					gap.in ? gap.in->name : NULL);
		count = kp_finding_taken(findings, &gap, parts);
		queued = 0;
		for (size_t k = 0; k < count; k++) {
			const int64_t time = waited(tries, hold, holder, parts[k].start, parts[k].end);

			queued += time;
			if (time > longest) {
				longest = time;
				most = k;
			}
		}
		if (queued)
			kp_finding_part(&off->preempted, holder, gap.start, gap.end, queued, parts[most].pid + 1, hold->name);
	}
}

static void report(struct kp_findings *findings, size_t holder, const struct off *off)
{
	char time[KP_TIME_TEXT], times[KP_FINDING_TIMES];

	if (kp_finding_counts(findings, off->preempted.time))
		kp_finding_add(findings, &kp_detect_holder, holder, &off->preempted,
			       "%s held the lock %s while %s had its CPU, %s: other threads waited %s longer for the lock.",
			       kp_finding_name(findings, (int64_t)holder), off->preempted.what->text,
			       kp_finding_name(findings, (int64_t)off->preempted.culprit - 1), kp_finding_times(off->preempted.count, times),
			       kp_time_text(off->preempted.time, time));
	if (kp_finding_counts(findings, off->asleep.time))
		kp_finding_add(findings, &kp_detect_holder, holder, &off->asleep,
			       "%s slept while it held the lock %s, %s, mostly in %s: other threads waited %s longer for the lock.",
			       kp_finding_name(findings, (int64_t)holder), off->lock->text, kp_finding_times(off->asleep.count, times),
			       off->asleep.what ? off->asleep.what->text : "an unknown call",
			       kp_time_text(off->asleep.time, time));
}

static void end(struct kp_findings *findings, struct kp_finding_sum *sums)
{
	struct kp_lock_tries tries;

	(void)sums;
	if (kp_lock_tries_find(&tries, findings->why))
		findings->no_memory = true;
	for (size_t i = 0; i < findings->why->pids.count && !findings->no_memory; i++) {
		const struct kp_why_pid *pid = &findings->why->pids.items[i];
		struct off off = {0};
		int64_t until = INT64_MIN;

		for (size_t k = 0; k < pid->holds.count; k++) {
			/* of locks that are held at the same time, the outermost counts, so that each gap counts once */
			if (pid->holds.items[k].start < until)
				continue;
			until = pid->holds.items[k].end;
			add_hold(findings, &tries, i, &pid->holds.items[k], &off);
		}
		report(findings, i, &off);
	}
	kp_lock_tries_free(&tries);
}

const struct kp_detector kp_detect_holder = {
	.key = "lock_holder", .end = end,
	.advice = "Do less while the lock is held, or give the holder at least the priority of the waiting threads (PTHREAD_PRIO_INHERIT).",
};
