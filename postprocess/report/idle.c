// SPDX-License-Identifier: BSD-3-Clause
/*
 * Joins the idle times of all CPUs (report/idle.h). Must not count a time in which the CPU did not
 * run as idle.
 */
#include "report/idle.h"

static int by_start(const void *a, const void *b)
{
	const struct kp_idle_part *x = a, *y = b;

	KP_COMPARE(x->start, y->start);
	return 0;
}

static int add_run(struct kp_idle *idle, const struct kp_why_cpu *cpu, const struct kp_why_run *run)
{
	if (!run->stopped)
		return KP_APPEND(&idle->parts, (struct kp_idle_part){ run->start, run->end, 0 });
	for (size_t i = run->first; i <= run->last; i++) {
		const struct kp_why_exec *exec = &cpu->execs.items[i];

		if (!kp_why_is_stopped(exec) &&
		    KP_APPEND(&idle->parts, (struct kp_idle_part){ exec->start, exec->end, 0 }))
			return -1;
	}
	return 0;
}

/* Joins intervals that touch or overlap. The intervals must be sorted. */
static void join(struct kp_idle *idle)
{
	struct kp_idle_part *parts = idle->parts.items;
	size_t count = 0;

	for (size_t i = 0; i < idle->parts.count; i++) {
		struct kp_idle_part *last = count ? &parts[count - 1] : NULL;

		if (last && parts[i].start <= last->end) {
			if (parts[i].end > last->end)
				last->end = parts[i].end;
			continue;
		}
		parts[count] = parts[i];
		parts[count].before = last ? last->before + last->end - last->start : 0;
		count++;
	}
	idle->parts.count = count;
}

int kp_idle_find(struct kp_idle *idle, const struct kp_why *why)
{
	memset(idle, 0, sizeof(*idle));
	for (uint32_t n = 0; n < why->cpu_count; n++) {
		const struct kp_why_cpu *cpu = why->cpus[n];

		for (size_t i = 0; cpu && i < cpu->runs.count; i++)
			if (!why->pids.items[cpu->runs.items[i].pid].pid && add_run(idle, cpu, &cpu->runs.items[i]))
				return -1;
	}
	if (idle->parts.count)
		qsort(idle->parts.items, idle->parts.count, sizeof(*idle->parts.items), by_start);
	join(idle);
	return 0;
}

/* Returns how long a CPU was idle from the beginning of the trace to @at. */
static int64_t idle_until(const struct kp_idle *idle, int64_t at)
{
	const struct kp_idle_part *part;
	size_t i;

	KP_FIND(i, idle->parts.count, idle->parts.items[i].start < at);
	if (!i)
		return 0;
	part = &idle->parts.items[i - 1];
	return part->before + (part->end < at ? part->end : at) - part->start;
}

int64_t kp_idle_between(const struct kp_idle *idle, int64_t start, int64_t end)
{
	return end > start ? idle_until(idle, end) - idle_until(idle, start) : 0;
}

void kp_idle_free(struct kp_idle *idle)
{
	free(idle->parts.items);
}
