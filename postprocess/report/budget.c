// SPDX-License-Identifier: BSD-3-Clause
/*
 * Adds up the time of intervals by category (report/budget.h). Each function must add exactly the
 * length of the interval that it was given.
 */
#include "report/budget.h"

#include "base/tool.h"
#include "report/why_words.h"

static const struct {
	const char *key, *text;
} categories[] = {
#define KP_CATEGORY(id, key, text) { key, text },
	KP_CATEGORIES
#undef KP_CATEGORY
};

const char *kp_category_key(enum kp_category category)
{
	return categories[category].key;
}

const char *kp_category_text(enum kp_category category)
{
	return categories[category].text;
}

void kp_budget_init(struct kp_budget *budget, struct kp_why *why, const struct kp_idle *idle)
{
	*budget = (struct kp_budget){ .why = why, .idle = idle };
}

void kp_budget_free(struct kp_budget *budget)
{
	free(budget->lines.items);
	kp_map_free(&budget->place);
}

static bool is_inferred(const struct kp_str *name)
{
	return name && kp_is_inferred(name->text, name->len);
}

/* Returns the line of these values, or a new one; NULL without memory. */
static struct kp_budget_line *line_of(struct kp_budget *budget, enum kp_category category, bool inferred,
				      const struct kp_str *what, int64_t other)
{
	/* strings have 8-byte alignment, so the low bits are free */
	uint64_t key = (uint64_t)(uintptr_t)what << 16 ^ (uint64_t)(other + 1) << 6 ^ (uint64_t)category << 1 ^ inferred;
	uint32_t place;

	for (; kp_map_get(&budget->place, key, &place); key += KP_NEXT_KEY) {
		struct kp_budget_line *line = &budget->lines.items[place];

		if (line->category == category && line->inferred == inferred && line->what == what && line->other == other)
			return line;
	}
	if (budget->lines.count >= UINT32_MAX || kp_map_set(&budget->place, key, (uint32_t)budget->lines.count) ||
	    KP_APPEND(&budget->lines, (struct kp_budget_line){ category, inferred, what, other, 0, 0 }))
		return NULL;
	return &budget->lines.items[budget->lines.count - 1];
}

static int add(struct kp_budget *budget, enum kp_category category, bool inferred, const struct kp_str *what,
	       int64_t other, int64_t time)
{
	struct kp_budget_line *line;

	if (time <= 0)
		return 0;
	line = line_of(budget, category, inferred, what, other);
	if (!line)
		return -1;
	line->time += time;
	line->count++;
	budget->total += time;
	return 0;
}

/* Returns the category of a row. Sets *@what to the name of the call, or to NULL. */
static enum kp_category category_of(const struct kp_why_exec *exec, const struct kp_str **what)
{
	*what = exec->name;
	if (kp_why_is_stopped(exec)) {
		*what = NULL;
		return exec->event == KUTRACE_MADE_STOPPED ? KP_CATEGORY_STOPPED : KP_CATEGORY_STOLEN;
	}
	if (kp_why_is_user(exec)) {
		*what = NULL;
		return !exec->pid ? KP_CATEGORY_IDLE : exec->kernel ? KP_CATEGORY_KERNEL : KP_CATEGORY_USER;
	}
	if (exec->event == KUTRACE_CALL_SCHED) {
		*what = NULL;
		return KP_CATEGORY_SCHED;
	}
	if (exec->event == KUTRACE_CALL_BH)
		return KP_CATEGORY_SOFTIRQ;
	if (exec->event >= KUTRACE_CALL_SYSCALL64)
		return KP_CATEGORY_SYSCALL;
	if (exec->event >= KUTRACE_CALL_IRQ && exec->event < KUTRACE_CALL_BH)
		return KP_CATEGORY_IRQ;
	return exec->event >= KUTRACE_CALL_TRAP && exec->event < KUTRACE_CALL_IRQ ? KP_CATEGORY_FAULT : KP_CATEGORY_OTHER;
}

/*
 * Adds the rows of a run between two times in it. @other: index of the thread that the lines name, or
 * -1.
 */
static int add_rows(struct kp_budget *budget, const struct kp_why_run *run, int64_t other, int64_t start, int64_t end)
{
	const struct kp_why_exec *execs = budget->why->cpus[run->cpu]->execs.items;

	for (size_t i = kp_why_row_at(run, execs, start); i <= run->last && start < end; i++) {
		const int64_t to = execs[i].end < end ? execs[i].end : end;
		const struct kp_str *what;
		enum kp_category category;

		if (to <= start)
			continue;
		category = category_of(&execs[i], &what);
		if (add(budget, category, is_inferred(execs[i].name), what, other, to - start))
			return -1;
		start = to;
		if (!(i % KP_WHY_CHECK) && kp_interrupted())
			return -1;
	}
	return add(budget, KP_CATEGORY_UNKNOWN, false, NULL, other, end - start);
}

/* Adds a time in which the thread of @run had the CPU that another thread waited for. */
static int cpu_taken(struct kp_budget *budget, const struct kp_why_run *run, enum kp_category category, int64_t start,
		  int64_t end)
{
	const struct kp_why_exec *execs = budget->why->cpus[run->cpu]->execs.items;
	int64_t beside, stopped = 0;

	for (size_t i = kp_why_row_at(run, execs, start); run->stopped && i <= run->last && execs[i].start < end; i++) {
		const int64_t from = execs[i].start > start ? execs[i].start : start;
		const int64_t to = execs[i].end < end ? execs[i].end : end;
		const struct kp_str *what;

		if (!kp_why_is_stopped(&execs[i]) || from >= to)
			continue;
		if (add(budget, category_of(&execs[i], &what), is_inferred(execs[i].name), NULL, -1, to - from))
			return -1;
		stopped += to - from;
	}
	if (!budget->why->pids.items[run->pid].pid)
		return add(budget, KP_CATEGORY_CPU_IDLE, false, NULL, -1, end - start - stopped);
	beside = kp_idle_between(budget->idle, start, end);
	/* if a CPU is idle during a stop, less than the whole time is left */
	if (beside > end - start - stopped)
		beside = end - start - stopped;
	return add(budget, KP_CATEGORY_IDLE_BESIDE, false, NULL, (int64_t)run->pid, beside) ||
	       add(budget, category, false, NULL, (int64_t)run->pid, end - start - stopped - beside) ? -1 : 0;
}

/* Adds a time in which the thread waited for CPU @number. */
static int waited_for_cpu(struct kp_budget *budget, uint32_t number, enum kp_category category, int64_t start,
			  int64_t end)
{
	const struct kp_why_cpu *cpu = budget->why->cpus[number];
	size_t i = kp_why_run_after(cpu->runs.items, cpu->runs.count, start);

	for (size_t steps = 1; start < end && i < cpu->runs.count && cpu->runs.items[i].start < end; i++, steps++) {
		const struct kp_why_run *run = &cpu->runs.items[i];
		const int64_t to = run->end < end ? run->end : end;

		if (run->start > start) {
			if (add(budget, KP_CATEGORY_UNKNOWN, false, NULL, -1, run->start - start))
				return -1;
			start = run->start;
		}
		if (to <= start)
			continue;
		if (cpu_taken(budget, run, category, start, to))
			return -1;
		start = to;
		if (!(steps % KP_WHY_CHECK) && kp_interrupted())
			return -1;
	}
	return add(budget, KP_CATEGORY_UNKNOWN, false, NULL, -1, end - start);
}

/* Adds a time in which the thread was runnable: it was throttled, or it waited for a CPU. */
static int was_runnable(struct kp_budget *budget, const struct kp_why_gap *gap, int64_t start, int64_t end)
{
	const struct kp_why_pid *pid = &budget->why->pids.items[gap->pid];
	const bool preempted = gap->runnable == gap->start && !gap->is_new && !gap->wait;
	const enum kp_category category = preempted ? KP_CATEGORY_PREEMPTED : KP_CATEGORY_QUEUED;
	size_t i;

	KP_FIND(i, pid->throttles.count, pid->throttles.items[i].end <= start);
	for (; i < pid->throttles.count && pid->throttles.items[i].start < end; i++) {
		const struct kp_why_wait *throttle = &pid->throttles.items[i];
		const int64_t from = throttle->start > start ? throttle->start : start;
		const int64_t to = throttle->end < end ? throttle->end : end;

		if (waited_for_cpu(budget, gap->next->cpu, category, start, from) ||
		    add(budget, KP_CATEGORY_THROTTLED, kp_why_is_inferred(throttle),
			kp_why_cgroup(budget->why, throttle), -1, to - from))
			return -1;
		start = to;
	}
	return waited_for_cpu(budget, gap->next->cpu, category, start, end);
}

/* Adds a time in which the thread slept. */
static int slept(struct kp_budget *budget, const struct kp_why_gap *gap, int64_t time)
{
	struct kp_strings *strings = &budget->why->strings;
	const struct kp_str *what = gap->in && !kp_why_is_user(gap->in) ? gap->in->name : NULL;
	const int64_t other = gap->wake && gap->wake->waker > 0 ?
		kp_why_at(budget->why, gap->wake->waker, gap->wake->at) : -1;
	const char *reason;

	if (time <= 0)
		return 0;
	if (gap->lock)
		return add(budget, KP_CATEGORY_LOCK, is_inferred(gap->lock->name), gap->lock->name, other, time);
	if (!gap->wait || gap->wait->event == KUTRACE_MADE_WAITZ)
		return add(budget, KP_CATEGORY_UNKNOWN, false, what, other, time);
	reason = kp_why_reason_name((int)(gap->wait->event - KUTRACE_MADE_WAITA));
	what = kp_strings_add(strings, reason, strlen(reason));
	return what ? add(budget, KP_CATEGORY_WAIT, kp_why_is_inferred(gap->wait), what, other, time) : -1;
}

/* Adds a time that no row and no gap of the thread explains. @absent: the thread may not have existed. */
static int not_shown(struct kp_budget *budget, bool absent, int64_t start, int64_t end)
{
	const struct kp_why *why = budget->why;
	size_t i;

	KP_FIND(i, why->pauses.count, why->pauses.items[i].start < start);
	for (i -= i > 0; i < why->pauses.count && why->pauses.items[i].start < end; i++) {
		const struct kp_why_pause *pause = &why->pauses.items[i];
		const int64_t from = pause->start > start ? pause->start : start;
		const int64_t to = pause->end < end ? pause->end : end;

		if (to <= from)
			continue;
		if (not_shown(budget, absent, start, from) || add(budget, KP_CATEGORY_OFF, false, NULL, -1, to - from))
			return -1;
		start = to;
	}
	if (start < why->complete && start < end) {
		const int64_t to = why->complete < end ? why->complete : end;

		if (add(budget, KP_CATEGORY_MISSING, false, NULL, -1, to - start))
			return -1;
		start = to;
	}
	return add(budget, absent ? KP_CATEGORY_ABSENT : KP_CATEGORY_UNKNOWN, false, NULL, -1, end - start);
}

static int64_t between(int64_t low, int64_t value, int64_t high)
{
	return value < low ? low : value > high ? high : value;
}

/* Adds a part of the time before the run @next of the thread, in which it did not run. */
static int add_gap(struct kp_budget *budget, size_t index, size_t next, int64_t start, int64_t end)
{
	const struct kp_why *why = budget->why;
	const struct kp_why_pid *pid = &why->pids.items[index];
	struct kp_why_gap gap;
	int64_t sleep, runnable;

	if (next == pid->runs.count || !kp_why_is_gap(why, pid, next))
		return not_shown(budget, !next || next == pid->runs.count, start, end);
	kp_why_explain(why, index, next, &gap);
	sleep = between(start, gap.start, end);
	runnable = between(sleep, gap.runnable, end);
	return not_shown(budget, !next, start, sleep) || slept(budget, &gap, runnable - sleep) ||
	       was_runnable(budget, &gap, runnable, end) ? -1 : 0;
}

int kp_budget_thread(struct kp_budget *budget, size_t index, int64_t start, int64_t end)
{
	const struct kp_why_pid *pid = &budget->why->pids.items[index];
	size_t i = kp_why_run_after(pid->runs.items, pid->runs.count, start);
	int status = 0;

	while (start < end && !status) {
		const struct kp_why_run *run = i < pid->runs.count ? &pid->runs.items[i] : NULL;
		int64_t to = end;

		if (run && run->start > start) {
			to = run->start < end ? run->start : end;
			status = add_gap(budget, index, i, start, to);
		} else if (run) {
			to = between(start, run->end, end);
			status = add_rows(budget, run, -1, start, to);
			i++;
		} else {
			status = add_gap(budget, index, i, start, to);
		}
		start = to;
		if (!(i % KP_WHY_CHECK) && kp_interrupted())
			status = -1;
	}
	return status;
}

int kp_budget_cpus(struct kp_budget *budget, int64_t start, int64_t end)
{
	int status = 0;

	for (uint32_t n = 0; n < budget->why->cpu_count && !status; n++) {
		const struct kp_why_cpu *cpu = budget->why->cpus[n];
		int64_t at = start;
		size_t i;

		if (!cpu)
			continue;
		i = kp_why_run_after(cpu->runs.items, cpu->runs.count, start);
		for (; i < cpu->runs.count && at < end && cpu->runs.items[i].start < end && !status; i++) {
			const struct kp_why_run *run = &cpu->runs.items[i];
			const int64_t from = between(at, run->start, end), to = between(from, run->end, end);

			status = not_shown(budget, false, at, from) ||
				 add_rows(budget, run, budget->why->pids.items[run->pid].pid ? (int64_t)run->pid : -1,
					  from, to) ? -1 : 0;
			at = to;
		}
		if (!status)
			status = not_shown(budget, false, at, end);
	}
	return status;
}

static int by_time(const void *a, const void *b)
{
	const struct kp_budget_line *x = a, *y = b;

	KP_COMPARE(y->time, x->time);
	KP_COMPARE(x->category, y->category);
	KP_COMPARE(x->other, y->other);
	return x->what && y->what ? strcmp(x->what->text, y->what->text) : 0;
}

void kp_budget_sort(struct kp_budget *budget)
{
	if (budget->lines.count)
		qsort(budget->lines.items, budget->lines.count, sizeof(*budget->lines.items), by_time);
	/* the map has the old indexes */
	kp_map_free(&budget->place);
	budget->place = (struct kp_map){0};
}
