// SPDX-License-Identifier: BSD-3-Clause
/*
 * Finds threads that lose much of their time on a CPU to interrupts and their softirqs. Must not count
 * a softirq that the thread's own system call caused: it follows the call without an interrupt.
 */
#include "base/text.h"
#include "report/findings/detectors.h"

#define SHARE	10	/* percent of the thread's time; below it, the timer alone can be the cause */

static bool is_interrupt(const struct kp_why_exec *exec)
{
	return exec->event >= KUTRACE_CALL_IRQ && exec->event < KUTRACE_CALL_BH;
}

static void add_run(struct kp_finding_sum *sum, const struct kp_why_cpu *cpu, const struct kp_why_run *run)
{
	bool after_interrupt = false;

	for (size_t i = run->first; i <= run->last; i++) {
		const struct kp_why_exec *exec = &cpu->execs.items[i];
		const bool counts = is_interrupt(exec) || (exec->event == KUTRACE_CALL_BH && after_interrupt);

		if (exec->event != KUTRACE_CALL_BH)
			after_interrupt = is_interrupt(exec);
		if (counts)
			kp_finding_part(sum, run->pid, exec->start, exec->end, exec->end - exec->start, 0, exec->name);
	}
}

static void end(struct kp_findings *findings, struct kp_finding_sum *sums)
{
	char time[KP_TIME_TEXT], longest[KP_TIME_TEXT];

	for (size_t i = 0; i < findings->why->pids.count; i++) {
		const struct kp_why_pid *pid = &findings->why->pids.items[i];
		struct kp_finding_sum *sum = &sums[i];

		/* softirqs are the work of ksoftirqd, and kernel threads have no user to be disturbed */
		if (!pid->pid || kp_finding_is_kernel(pid))
			continue;
		for (size_t k = 0; k < pid->runs.count; k++)
			add_run(sum, findings->why->cpus[pid->runs.items[k].cpu], &pid->runs.items[k]);
		if (!kp_finding_counts(findings, sum->time) || sum->time * 100 < SHARE * kp_finding_ran(pid))
			continue;
		kp_finding_add(findings, &kp_detect_interrupts, i, sum,
			       "Interrupts took %s of the %s in which %s had a CPU, in %" PRIu64 " parts, the longest in %s.",
			       kp_time_text(sum->time, time), kp_time_text(kp_finding_ran(pid), longest),
			       kp_finding_name(findings, (int64_t)i), sum->count, sum->what->text);
	}
}

const struct kp_detector kp_detect_interrupts = {
	.key = "interrupts", .end = end,
	.advice = "Move the interrupts to other CPUs (/proc/irq/NUMBER/smp_affinity, receive packet steering), or the thread (taskset).",
};
