// SPDX-License-Identifier: BSD-3-Clause
/*
 * Finds threads that spend much of their time on a CPU in page faults. Must not count the faults of a
 * program that only begins: there are at most some hundreds.
 */
#include "base/text.h"
#include "report/findings/detectors.h"

#define LEAST	1000	/* faults; to start a program takes a hundred to some hundreds */
#define SHARE	20	/* percent of the thread's time on a CPU */

static void end(struct kp_findings *findings, struct kp_finding_sum *sums)
{
	static const char name[] = "page_fault";
	char time[KP_TIME_TEXT], ran[KP_TIME_TEXT];

	for (size_t i = 0; i < findings->why->pids.count; i++) {
		const struct kp_why_pid *pid = &findings->why->pids.items[i];
		struct kp_finding_sum *sum = &sums[i];

		for (size_t k = 0; pid->pid && k < pid->runs.count; k++) {
			const struct kp_why_run *run = &pid->runs.items[k];
			const struct kp_why_exec *execs = findings->why->cpus[run->cpu]->execs.items;

			for (size_t n = run->first; n <= run->last; n++)
				if (execs[n].event >= KUTRACE_CALL_TRAP && execs[n].event < KUTRACE_CALL_IRQ &&
				    !strncmp(execs[n].name->text, name, strlen(name)))
					kp_finding_part(sum, i, execs[n].start, execs[n].end,
							execs[n].end - execs[n].start, 0, execs[n].name);
		}
		if (sum->count < LEAST || !kp_finding_counts(findings, sum->time) ||
		    sum->time * 100 < SHARE * kp_finding_ran(pid))
			continue;
		kp_finding_add(findings, &kp_detect_faults, i, sum,
			       "%s spent %s of its %s on CPUs in %" PRIu64 " page faults.",
			       kp_finding_name(findings, (int64_t)i), kp_time_text(sum->time, time),
			       kp_time_text(kp_finding_ran(pid), ran), sum->count);
	}
}

const struct kp_detector kp_detect_faults = {
	.key = "page_faults", .end = end,
	.advice = "Reuse memory instead of returning it to the kernel (M_TRIM_THRESHOLD of malloc), use huge pages, or touch memory in advance (MAP_POPULATE).",
};
