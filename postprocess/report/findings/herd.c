// SPDX-License-Identifier: BSD-3-Clause
/*
 * Finds thundering herds: one call wakes many threads, and most of them sleep again immediately. Must not
 * count threads that work after the wakeup, such as the threads of a barrier.
 */
#include "base/text.h"
#include "report/findings/detectors.h"

#define HERD	8		/* threads that one call wakes */
#define SHORT	(KP_MS / 10)	/* a shorter run did no work: it found that another thread was faster */
#define TIMES	10		/* herds; a single one can be the end of a program */

struct woken {
	const struct kp_why_exec *by;	/* row of the waker */
	int64_t at;
	size_t pid, waker;
};

typedef KP_VECTOR(struct woken) woken_list;

static int by_row(const void *a, const void *b)
{
	const struct woken *x = a, *y = b;

	KP_COMPARE(x->by->start, y->by->start);
	KP_COMPARE((uintptr_t)x->by, (uintptr_t)y->by);
	KP_COMPARE(x->at, y->at);
	return x->pid < y->pid ? -1 : x->pid > y->pid;
}

static int collect(const struct kp_why *why, woken_list *list)
{
	for (size_t i = 0; i < why->pids.count; i++) {
		const struct kp_why_pid *pid = &why->pids.items[i];

		for (size_t k = 0; k < pid->wakes.count; k++) {
			const struct kp_why_wake *wake = &pid->wakes.items[k];
			const struct kp_why_exec *by = kp_why_exec_at(why, wake->cpu, wake->at);
			int64_t waker;

			if (!by || !by->pid || wake->waker < 1)
				continue;
			waker = kp_why_at(why, wake->waker, wake->at);
			if (waker >= 0 && KP_APPEND(list, (struct woken){ by, wake->at, i, (size_t)waker }))
				return -1;
		}
	}
	return 0;
}

/* Returns the length of the run after a wakeup if the thread then slept again soon; otherwise -1. */
static int64_t useless_run(const struct kp_why *why, const struct woken *woken, int64_t *queued)
{
	const struct kp_why_pid *pid = &why->pids.items[woken->pid];
	const size_t i = kp_why_run_after(pid->runs.items, pid->runs.count, woken->at);
	struct kp_why_gap gap;

	*queued = 0;
	if (i + 1 >= pid->runs.count || pid->runs.items[i].start < woken->at)
		return -1;
	*queued = pid->runs.items[i].start - woken->at;
	if (pid->runs.items[i].end - pid->runs.items[i].start >= SHORT || !kp_why_is_gap(why, pid, i + 1))
		return -1;
	kp_why_explain(why, woken->pid, i + 1, &gap);
	return gap.runnable > gap.start ? pid->runs.items[i].end - pid->runs.items[i].start : -1;
}

/* Examines the threads that one row woke. */
static void one_herd(struct kp_findings *findings, struct kp_finding_sum *sums, const struct woken *list, size_t count)
{
	const struct kp_why *why = findings->why;
	int64_t cost = 0;
	size_t useless = 0;

	for (size_t i = 0; i < count; i++) {
		int64_t queued, run = useless_run(why, &list[i], &queued);

		useless += run >= 0;
		cost += run >= 0 ? run + queued : 0;
	}
	if (useless >= HERD && useless * 4 >= count * 3) {
		struct kp_finding_sum *sum = &sums[list[0].waker];

		sum->other += (int64_t)useless;
		kp_finding_part(sum, list[0].waker, list[0].by->start, list[0].by->end, cost,
				list[0].waker + 1, list[0].by->name);
	}
}

static void end(struct kp_findings *findings, struct kp_finding_sum *sums)
{
	woken_list list = {0};
	char time[KP_TIME_TEXT];
	size_t first = 0;

	if (collect(findings->why, &list))
		findings->no_memory = true;
	if (list.count)
		qsort(list.items, list.count, sizeof(*list.items), by_row);
	for (size_t i = 1; i <= list.count && !findings->no_memory; i++) {
		if (i < list.count && list.items[i].by == list.items[first].by)
			continue;
		if (i - first >= HERD)
			one_herd(findings, sums, &list.items[first], i - first);
		first = i;
	}
	free(list.items);
	for (size_t i = 0; i < findings->why->pids.count; i++)
		if (sums[i].count >= TIMES && kp_finding_counts(findings, sums[i].time))
			kp_finding_add(findings, &kp_detect_herd, i, &sums[i],
				       "%s woke many threads together %" PRIu64 " times, in %s: %" PRId64
				       " times a thread slept again without work, which cost %s.",
				       kp_finding_name(findings, (int64_t)i), sums[i].count, sums[i].what->text, sums[i].other,
				       kp_time_text(sums[i].time, time));
}

const struct kp_detector kp_detect_herd = {
	.key = "thundering_herd", .end = end,
	.advice = "Wake one thread (pthread_cond_signal, EPOLLEXCLUSIVE, FUTEX_WAKE with 1) instead of all.",
};
