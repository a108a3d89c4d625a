// SPDX-License-Identifier: BSD-3-Clause
/*
 * Finds lock convoys: at least three threads wait for one lock at the same time. Must not count the time in which
 * one or two threads wait, which is normal for a lock.
 */
#include "base/text.h"
#include "report/findings/detectors.h"
#include "report/findings/locks.h"

#define CROWD	3	/* number of waiting threads */
#define WAITS	10	/* number of waits, so that a single meeting at the lock is no convoy */

/* Beginning (+1) or end (-1) of an attempt. */
struct edge {
	int64_t at;
	int step;
};

static int by_time(const void *a, const void *b)
{
	const struct edge *x = a, *y = b;

	KP_COMPARE(x->at, y->at);
	return x->step < y->step ? -1 : x->step > y->step;
}

/* Returns the waiting time of all threads while at least CROWD of them wait. Sorts the edges. */
static int64_t crowded(struct edge *edges, size_t count)
{
	int64_t time = 0, waiting = 0;

	qsort(edges, count, sizeof(*edges), by_time);
	for (size_t i = 0; i < count; i++) {
		if (i && waiting >= CROWD)
			time += waiting * (edges[i].at - edges[i - 1].at);
		waiting += edges[i].step;
	}
	return time;
}

/* Examines the attempts of one lock. */
static void one_lock(struct kp_findings *findings, const struct kp_lock_try *list, size_t count)
{
	struct kp_finding_sum sum = {0};
	char time[KP_TIME_TEXT];
	struct edge *edges;
	size_t victim;

	if (count < WAITS)
		return;
	edges = malloc(2 * count * sizeof(*edges));
	if (!edges) {
		findings->no_memory = true;
		return;
	}
	for (size_t i = 0; i < count; i++) {
		edges[2 * i] = (struct edge){ list[i].start, 1 };
		edges[2 * i + 1] = (struct edge){ list[i].end, -1 };
		kp_finding_part(&sum, list[i].pid, list[i].start, list[i].end,
				list[i].end - list[i].start, list[i].pid + 1, list[i].name);
	}
	sum.time = crowded(edges, 2 * count);
	free(edges);
	if (!kp_finding_counts(findings, sum.time))
		return;
	victim = sum.culprit - 1;
	sum.culprit = 0;
	kp_finding_add(findings, &kp_detect_convoy, victim, &sum,
		       "At least %d threads waited for the lock %s at the same time, for %s in all; %s waited longest.",
		       CROWD, list[0].name->text, kp_time_text(sum.time, time), kp_finding_name(findings, (int64_t)victim));
}

static void end(struct kp_findings *findings, struct kp_finding_sum *sums)
{
	struct kp_lock_tries tries;
	size_t first = 0;

	(void)sums;
	if (kp_lock_tries_find(&tries, findings->why))
		findings->no_memory = true;
	for (size_t i = 1; i <= tries.list.count && !findings->no_memory; i++) {
		if (i < tries.list.count && tries.list.items[i].lock == tries.list.items[first].lock)
			continue;
		one_lock(findings, &tries.list.items[first], i - first);
		first = i;
	}
	kp_lock_tries_free(&tries);
}

const struct kp_detector kp_detect_convoy = {
	.key = "lock_convoy", .end = end,
	.advice = "Hold the lock for a shorter time, or divide it into several locks.",
};
