// SPDX-License-Identifier: BSD-3-Clause
/* Sums and texts that detectors have in common (report/findings/finding.h). Must not print anything. */
#include "report/findings/finding.h"

#include <stdarg.h>
#include <stdio.h>

/*
 * One wait beside an idle CPU counts from this time on: the kernel does not move a task that ran in
 * the last 500 us (sched_migration_cost_ns).
 */
#define BESIDE_LEAST	(KP_MS / 2)

void kp_finding_part(struct kp_finding_sum *sum, size_t thread, int64_t start, int64_t end, int64_t time, size_t culprit,
		     const struct kp_str *what)
{
	if (!sum->count++ || start < sum->first)
		sum->first = start;
	if (end > sum->last)
		sum->last = end;
	sum->time += time;
	if (sum->span_count < KP_FINDING_SPANS)
		sum->spans[sum->span_count++] = (struct kp_finding_span){ thread, start };
	if (time <= sum->longest)
		return;
	sum->longest = time;
	sum->longest_at = start;
	sum->culprit = culprit;
	sum->what = what;
}

bool kp_finding_counts(const struct kp_findings *findings, int64_t cost)
{
	return cost >= KP_MS && cost >= (findings->why->to - findings->why->from) / 100;
}

void kp_finding_add(struct kp_findings *findings, const struct kp_detector *detector, size_t victim,
		    const struct kp_finding_sum *sum, const char *fmt, ...)
{
	struct kp_finding finding = {
		.detector = detector, .cost = sum->time, .start = sum->first, .end = sum->last, .victim = victim,
		.culprit = (int64_t)sum->culprit - 1, .count = sum->count,
	};
	char text[KP_FINDING_SENTENCE];
	va_list args;

	va_start(args, fmt);
	vsnprintf(text, sizeof(text), fmt, args);
	va_end(args);
	finding.sentence = kp_strings_add(&findings->why->strings, text, strlen(text));
	memcpy(finding.spans, sum->spans, sizeof(finding.spans));
	if (!finding.sentence || KP_APPEND(&findings->list, finding))
		findings->no_memory = true;
}

int64_t kp_finding_ran(const struct kp_why_pid *pid)
{
	int64_t time = 0;

	for (size_t i = 0; i < pid->runs.count; i++)
		time += pid->runs.items[i].end - pid->runs.items[i].start - pid->runs.items[i].stopped;
	return time;
}

const char *kp_finding_name(const struct kp_findings *findings, int64_t index)
{
	return index >= 0 ? findings->why->pids.items[index].name->text : "idle";
}

bool kp_finding_is_kernel(const struct kp_why_pid *pid)
{
	char number[24];
	const size_t len = (size_t)snprintf(number, sizeof(number), ".%" PRId64, pid->pid);
	const struct kp_str *name = pid->name;
	const bool ends = name->len > len && !memcmp(name->text + name->len - len, number, len);

	return kp_is_kernel_name(name->text, ends ? name->len - len : name->len);
}

const char *kp_finding_times(uint64_t count, char text[KP_FINDING_TIMES])
{
	if (count == 1)
		return "once";
	snprintf(text, KP_FINDING_TIMES, "%" PRIu64 " times", count);
	return text;
}

bool kp_finding_is_recorder(const struct kp_why_pid *pid)
{
	return kp_is_name_of(pid->name->text, pid->name->len, KP_WHY_RECORDER);
}

size_t kp_finding_taken(const struct kp_findings *findings, const struct kp_why_gap *gap,
			struct kp_finding_taken parts[KP_FINDING_TAKEN])
{
	const struct kp_why *why = findings->why;
	const struct kp_why_cpu *cpu = why->cpus[gap->next->cpu];
	size_t i, count = 0;

	if (gap->end <= gap->runnable || gap->throttled)
		return 0;
	i = kp_why_run_after(cpu->runs.items, cpu->runs.count, gap->runnable);
	for (size_t steps = 0; steps < KP_FINDING_TAKEN && i < cpu->runs.count && cpu->runs.items[i].start < gap->end;
	     i++, steps++) {
		const struct kp_why_run *run = &cpu->runs.items[i];
		const int64_t from = run->start > gap->runnable ? run->start : gap->runnable;
		const int64_t to = run->end < gap->end ? run->end : gap->end;

		if (from >= to || !why->pids.items[run->pid].pid || run->pid == gap->pid || run->stopped)
			continue;
		parts[count++] = (struct kp_finding_taken){ run->pid, from, to, kp_idle_between(&findings->idle, from, to) };
	}
	return count;
}

void kp_finding_beside(const struct kp_findings *findings, struct kp_finding_sum *sums, const struct kp_why_gap *gap)
{
	struct kp_finding_taken parts[KP_FINDING_TAKEN];
	const struct kp_finding_taken *most = NULL;
	int64_t beside = 0;
	size_t count;

	if (gap->end - gap->runnable < BESIDE_LEAST || kp_finding_is_kernel(&findings->why->pids.items[gap->pid]))
		return;
	count = kp_finding_taken(findings, gap, parts);
	for (size_t i = 0; i < count; i++) {
		beside += parts[i].beside;
		if (!most || parts[i].beside > most->beside)
			most = &parts[i];
	}
	if (beside >= BESIDE_LEAST)
		kp_finding_part(&sums[gap->pid], gap->pid, gap->start, gap->end, beside,
				most->pid + 1, NULL);
}
