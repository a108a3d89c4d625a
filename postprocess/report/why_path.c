// SPDX-License-Identifier: BSD-3-Clause
/*
 * Follows the critical path of a thread backwards (report/why.h). Each step must end where the
 * previous step in the list begins; the list is reversed at the end.
 */
#include "report/why.h"

#include "base/progress.h"
#include "base/tool.h"

#define MS	100000		/* one millisecond in units of 10 ns */

static int step(kp_why_steps *steps, enum kp_why_kind kind, int64_t start, int64_t end,
		size_t pid, uint32_t cpu, const struct kp_str *what)
{
	struct kp_why_step *last = steps->count ? &steps->items[steps->count - 1] : NULL;

	if (start >= end)
		return 0;
	if (last && last->kind == kind && last->pid == pid && last->cpu == cpu &&
	    last->what == what && last->start == end) {
		last->start = start;
		return 0;
	}
	return KP_APPEND(steps, (struct kp_why_step){
		.kind = kind, .start = start, .end = end, .pid = pid, .cpu = cpu, .what = what
	});
}

/* Adds the step in which the thread waited, from the start of the gap to @end. */
static int waited(kp_why_steps *steps, const struct kp_why_gap *gap, int64_t end, size_t pid)
{
	size_t before = steps->count;

	if (step(steps, gap->wait ? KP_WHY_WAIT : KP_WHY_UNKNOWN, gap->start, end, pid, 0,
		 gap->wait ? gap->wait->name : NULL))
		return -1;
	if (steps->count > before) {
		steps->items[before].wait = gap->wait;
		steps->items[before].in = gap->in;
		steps->items[before].lock = gap->lock;
	}
	return 0;
}

/*
 * Adds the steps in which the thread was runnable, from gap->runnable to @end: it waited for a CPU, or
 * was throttled.
 */
static int was_runnable(kp_why_steps *steps, const struct kp_why *why, const struct kp_why_gap *gap, int64_t end)
{
	const struct kp_why_pid *pid = &why->pids.items[gap->pid];
	int status = 0;
	size_t i;

	KP_FIND(i, pid->throttles.count, pid->throttles.items[i].start < end);
	while (!status && i-- > 0 && pid->throttles.items[i].end > gap->runnable) {
		const struct kp_why_wait *last = &pid->throttles.items[i];
		const int64_t to = last->end < end ? last->end : end;
		const int64_t from = last->start > gap->runnable ? last->start : gap->runnable;

		status = step(steps, KP_WHY_CPU, to, end, gap->pid, gap->next->cpu, NULL) ||
			 step(steps, KP_WHY_THROTTLED, from, to, gap->pid, gap->next->cpu, last->name);
		if (!status)
			steps->items[steps->count - 1].wait = last;
		end = from;
	}
	return status ? -1 : step(steps, KP_WHY_CPU, gap->runnable, end, gap->pid, gap->next->cpu, NULL);
}

int kp_why_sums_add(struct kp_why_sums *sums, const struct kp_str *name, int64_t time)
{
	const uint64_t key = (uintptr_t)name;	/* equal names have equal addresses */
	uint32_t place;

	if (!kp_map_get(&sums->place, key, &place)) {
		place = (uint32_t)sums->list.count;
		if (place == UINT32_MAX || KP_APPEND(&sums->list, (struct kp_why_sum){ name, 0, 0 }) ||
		    kp_map_set(&sums->place, key, place))
			return -1;
	}
	sums->list.items[place].time += time;
	sums->list.items[place].count++;
	return 0;
}

void kp_why_sums_free(struct kp_why_sums *sums)
{
	free(sums->list.items);
	kp_map_free(&sums->place);
	*sums = (struct kp_why_sums){0};
}

size_t kp_why_row_at(const struct kp_why_run *run, const struct kp_why_exec *execs, int64_t time)
{
	size_t i;

	KP_FIND(i, run->last - run->first, execs[run->first + 1 + i].start <= time);
	return run->first + i;
}

/*
 * Finds the name with the most time in the run between two times. Own code of the thread counts
 * under the newest name of the thread. Sets *@kernel if this name is kernel code. Returns 0, or -1
 * without memory or after an interrupt.
 */
static int most_of(const struct kp_why *why, const struct kp_why_run *run, int64_t start, int64_t end,
		   const struct kp_str **most, bool *kernel)
{
	const struct kp_why_exec *execs = why->cpus[run->cpu]->execs.items;
	struct kp_why_sums sums = {0};
	int64_t best = 0;
	int status = 0;

	*most = NULL;
	*kernel = false;
	for (size_t i = kp_why_row_at(run, execs, start); i <= run->last && execs[i].start < end && !status; i++) {
		int64_t from = execs[i].start > start ? execs[i].start : start;
		int64_t to = execs[i].end < end ? execs[i].end : end;

		if (from < to && !kp_why_is_stopped(&execs[i]))
			status = kp_why_sums_add(&sums, kp_why_is_user(&execs[i]) ?
						 why->pids.items[run->pid].name : execs[i].name, to - from);
		*kernel |= execs[i].kernel;
		if (!((i - run->first + 1) % KP_WHY_CHECK) && kp_interrupted())
			status = -1;
	}
	for (size_t i = 0; i < sums.list.count; i++) {
		if (sums.list.items[i].time <= best)
			continue;
		best = sums.list.items[i].time;
		*most = sums.list.items[i].name;
	}
	kp_why_sums_free(&sums);
	return status;
}

/* Returns whether the waker woke the thread by own code or a call, and not in an interrupt. */
static bool by_thread(const struct kp_why_gap *gap)
{
	int64_t event;

	if (!gap->waker_in || !gap->waker_in->pid)
		return false;
	event = gap->waker_in->event;
	return gap->inside || event < KUTRACE_CALL_IRQ || event > KUTRACE_CALL_BH;
}

/* Returns the last row before @at in which the CPU of the run did not run; NULL: there is none. */
static const struct kp_why_exec *last_stop(const struct kp_why *why, const struct kp_why_run *run, int64_t at)
{
	const struct kp_why_exec *execs = why->cpus[run->cpu]->execs.items;

	for (size_t i = kp_why_row_at(run, execs, at - 1) + 1; run->stopped && i-- > run->first;)
		if (kp_why_is_stopped(&execs[i]) && execs[i].start < at)
			return &execs[i];
	return NULL;
}

static void reverse(kp_why_steps *steps)
{
	for (size_t i = 0; i < steps->count / 2; i++) {
		struct kp_why_step *other = &steps->items[steps->count - 1 - i];
		const struct kp_why_step step = steps->items[i];

		steps->items[i] = *other;
		*other = step;
	}
}

int kp_why_path(const struct kp_why *why, size_t index, kp_why_steps *steps)
{
	const int64_t beginning = kp_why_beginning(why, index);
	const struct kp_why_pid *pid = &why->pids.items[index];
	int64_t at = pid->runs.count ? pid->runs.items[pid->runs.count - 1].end : why->from;
	const int64_t end = at;
	uint64_t looks = 0;
	int status = 0;

	memset(steps, 0, sizeof(*steps));
	kp_progress_phase("following the path", "ms");
	while (at > beginning && !status) {
		struct kp_why_gap gap;
		const struct kp_why_run *run;
		const struct kp_why_exec *stop;
		const struct kp_str *most;
		bool woken, kernel;
		int64_t start;
		size_t n;

		if (!(looks++ % KP_WHY_CHECK)) {
			kp_progress((uint64_t)(end - at) / MS, (uint64_t)(end - beginning) / MS);
			if (kp_interrupted())
				return -1;
		}

		pid = &why->pids.items[index];
		n = kp_why_run_after(pid->runs.items, pid->runs.count, at - 1);
		if (n == pid->runs.count || pid->runs.items[n].start >= at) {
			/* no row shows the thread running here */
			const int64_t last = n ? pid->runs.items[n - 1].end : beginning;
			const int64_t before = last > beginning ? last : beginning;
			const bool off = (n && before < why->complete) || kp_why_paused_between(why, before, at);

			status = step(steps, off ? KP_WHY_OFF : KP_WHY_UNKNOWN, before, at, index, 0, NULL);
			at = before;
			continue;
		}
		run = &pid->runs.items[n];
		start = run->start > beginning ? run->start : beginning;
		stop = last_stop(why, run, at);
		if (stop && stop->end >= at && stop->end > start) {
			start = stop->start > start ? stop->start : start;
			status = step(steps, KP_WHY_STOPPED, start, at, index, run->cpu, stop->name);
			at = start;
			continue;
		}
		if (stop && stop->end > start) {
			if (most_of(why, run, stop->end, at, &most, &kernel))
				return -1;
			status = step(steps, KP_WHY_RUN, stop->end, at, index, run->cpu, most);
			if (!status)
				steps->items[steps->count - 1].kernel = kernel;
			at = stop->end;
			continue;
		}
		if (most_of(why, run, start, at, &most, &kernel))
			return -1;
		status = step(steps, KP_WHY_RUN, start, at, index, run->cpu, most);
		if (!status)
			steps->items[steps->count - 1].kernel = kernel;
		at = start;
		if (status || at <= beginning || (n && !kp_why_is_gap(why, pid, n)))
			continue;
		kp_why_explain(why, index, n, &gap);
		/* the waker may have no run before a pause, so the path stays with the thread there */
		woken = gap.wake && gap.wake->at >= gap.start && by_thread(&gap) &&
			(!n || gap.start == run[-1].end);
		if (gap.start < beginning)
			gap.start = beginning;
		if (gap.runnable < gap.start)
			gap.runnable = gap.start;
		status = was_runnable(steps, why, &gap, at);
		at = gap.runnable;
		if (!status && woken) {
			int64_t waker = kp_why_at(why, gap.waker_in->pid, gap.wake->at);

			/* continue with the waker: its work had to be done before the wakeup */
			if (waker >= 0 && (size_t)waker != index) {
				index = (size_t)waker;
				continue;
			}
		}
		if (!status)
			status = waited(steps, &gap, at, index);
		at = gap.start;
		if (!n)
			break;
	}
	reverse(steps);
	return status;
}
