// SPDX-License-Identifier: BSD-3-Clause
/* Sums and words of the reports about waits (report/why_words.h). Must not print anything. */
#include "report/why_words.h"

#include "base/progress.h"
#include "base/tool.h"

const char *kp_why_own_kind(const struct kp_why_exec *exec)
{
	return !exec->pid ? "idle" : exec->kernel ? "kernel" : "user";
}

bool kp_why_is_inferred(const struct kp_why_wait *wait)
{
	return kp_is_inferred(wait->name->text, wait->name->len);
}

bool kp_why_is_in_call(const struct kp_why_wait *wait, const struct kp_why_wait *lock, const struct kp_why_exec *in)
{
	return !lock && (!wait || wait->event == KUTRACE_MADE_WAITZ) && in && !kp_why_is_user(in);
}

struct kp_why_explained kp_why_begin_explaining(const struct kp_why *why, int64_t index)
{
	struct kp_why_explained explained = {0};

	for (size_t i = 0; i < why->pids.count; i++)
		if (index < 0 || (size_t)index == i)
			explained.total += kp_why_gap_count(why, i);
	kp_progress_phase("explaining", "gaps");
	return explained;
}

bool kp_why_go_on(struct kp_why_explained *explained)
{
	if (explained->done++ % KP_WHY_CHECK)
		return true;
	kp_progress(explained->done, explained->total);
	return !kp_interrupted();
}

int kp_why_sum_up(const struct kp_why *why, size_t index, struct kp_why_explained *explained,
		  struct kp_why_totals *t)
{
	const struct kp_why_pid *pid = &why->pids.items[index];
	size_t gaps = kp_why_gap_count(why, index);

	*t = (struct kp_why_totals){0};
	for (size_t i = 0; i < pid->runs.count; i++) {
		t->run += pid->runs.items[i].end - pid->runs.items[i].start - pid->runs.items[i].stopped;
		t->stopped += pid->runs.items[i].stopped;
	}
	for (size_t i = 0; i < gaps; i++) {
		struct kp_why_gap gap;

		if (!kp_why_go_on(explained))
			return -1;
		kp_why_gap(why, index, i, &gap);
		t->cpu += gap.end - gap.runnable - gap.throttled;
		t->wait[KP_THROTTLED - 'a'] += gap.throttled;
		t->throttled_inferred |= gap.throttle && kp_why_is_inferred(gap.throttle);
		if (gap.wait)
			t->wait[gap.wait->event - KUTRACE_MADE_WAITA] += gap.runnable - gap.start;
		else
			t->unknown += gap.runnable - gap.start;
		if (gap.runnable > gap.start && kp_why_is_in_call(gap.wait, NULL, gap.in) &&
		    kp_why_sums_add(&t->in, gap.in->name, gap.runnable - gap.start))
			return -1;
	}
	return 0;
}

const char *kp_why_reason_name(int letter)
{
	static const char *const names[26] = {
		['c' - 'a'] = "cpu", ['d' - 'a'] = "disk", ['k' - 'a'] = "task",
		['l' - 'a'] = "lock", ['m' - 'a'] = "mem", ['n' - 'a'] = "net",
		['p' - 'a'] = "pipe", [KP_THROTTLED - 'a'] = "throttled", ['r' - 'a'] = "rcu", ['s' - 'a'] = "sche",
		['t' - 'a'] = "time", ['v' - 'a'] = "reclaim", ['w' - 'a'] = "writeback", ['z' - 'a'] = "unk",
	};

	return names[letter] ? names[letter] : "other";
}
