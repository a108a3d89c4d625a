// SPDX-License-Identifier: BSD-3-Clause
/*
 * Finds times in which the machine or a CPU did not run. Must not count a time of the whole machine
 * once for each CPU.
 */
#include "base/text.h"
#include "report/findings/detectors.h"

/* Adds the rows of one CPU with the event @event. */
static void add_cpu(const struct kp_why_cpu *cpu, int64_t event, struct kp_finding_sum *sum)
{
	for (size_t i = 0; i < cpu->runs.count; i++) {
		const struct kp_why_run *run = &cpu->runs.items[i];

		for (size_t k = run->first; run->stopped && k <= run->last; k++) {
			const struct kp_why_exec *exec = &cpu->execs.items[k];

			if (exec->event == event)
				kp_finding_part(sum, run->pid, exec->start, exec->end,
						exec->end - exec->start, run->pid + 1, exec->name);
		}
	}
}

/* Returns whether a stop interrupted the idle task of a CPU. */
static bool interrupts_idle(const struct kp_why *why, const struct kp_finding_sum *sum)
{
	return sum->culprit && !why->pids.items[sum->culprit - 1].pid;
}

static void report(struct kp_findings *findings, struct kp_finding_sum *sum, const char *what, bool everyone)
{
	char time[KP_TIME_TEXT], longest[KP_TIME_TEXT], times[KP_FINDING_TIMES];
	const size_t victim = sum->culprit - 1;
	const bool inferred = sum->what && kp_is_inferred(sum->what->text, sum->what->len);

	if (!kp_finding_counts(findings, sum->time))
		return;
	/* nothing in the trace is the cause */
	sum->culprit = 0;
	kp_finding_add(findings, &kp_detect_stopped, victim, sum,
		       "%s stood still%s %s, for %s in all. The longest stop took %s, and interrupted %s.",
		       what, inferred ? " (inferred)" : "", kp_finding_times(sum->count, times), kp_time_text(sum->time, time),
		       kp_time_text(sum->longest, longest), kp_finding_name(findings, (int64_t)victim));
	if (!findings->no_memory)
		findings->list.items[findings->list.count - 1].everyone = everyone;
}

static void end(struct kp_findings *findings, struct kp_finding_sum *sums)
{
	const struct kp_why *why = findings->why;
	struct kp_finding_sum machine = {0};
	char name[40];

	(void)sums;
	for (uint32_t n = 0; n < why->cpu_count; n++) {
		struct kp_finding_sum stolen = {0}, one = {0};

		if (!why->cpus[n])
			continue;
		/* each CPU has a row of a stop of the machine; take a CPU that ran a program */
		add_cpu(why->cpus[n], KUTRACE_MADE_STOPPED, &one);
		if (one.time > machine.time ||
		    (one.time && one.time == machine.time && interrupts_idle(why, &machine) && !interrupts_idle(why, &one)))
			machine = one;
		add_cpu(why->cpus[n], KUTRACE_MADE_STOLEN, &stolen);
		snprintf(name, sizeof(name), "CPU %" PRIu32, n);
		report(findings, &stolen, name, false);
	}
	report(findings, &machine, "The machine", true);
}

const struct kp_detector kp_detect_stopped = {
	.key = "stopped", .end = end,
	.advice = "Look outside this system: at the load and limits of the host of the virtual machine, or at the firmware.",
};
