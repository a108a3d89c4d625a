// SPDX-License-Identifier: BSD-3-Clause
/*
 * Finds threads whose exit takes long, for example because the kernel must free much memory. Must not
 * count the time before the exit call.
 */
#include "base/text.h"
#include "report/findings/detectors.h"

#define LEAST	(50 * KP_MS)	/* an exit of a small program takes up to some ms, and up to 20 ms on an emulated machine */

static bool is_exit(const struct kp_why_exec *exec)
{
	return exec->event >= KUTRACE_CALL_SYSCALL64 && exec->event < KUTRACE_CALL_SCHED &&
	       (!strcmp(exec->name->text, "exit") || !strcmp(exec->name->text, "exit_group"));
}

static void end(struct kp_findings *findings, struct kp_finding_sum *sums)
{
	char time[KP_TIME_TEXT];

	for (size_t i = 0; i < findings->why->pids.count; i++) {
		const struct kp_why_pid *pid = &findings->why->pids.items[i];
		const struct kp_why_exec *begin = NULL;
		int64_t until;

		if (!pid->pid || !pid->runs.count)
			continue;
		/* the thread never leaves the call: search backwards for its first row */
		for (size_t k = pid->runs.count, other = 0; k-- > 0 && !other;) {
			const struct kp_why_run *run = &pid->runs.items[k];
			const struct kp_why_exec *execs = findings->why->cpus[run->cpu]->execs.items;

			for (size_t n = run->last + 1; n-- > run->first && !other;) {
				if (is_exit(&execs[n]))
					begin = &execs[n];
				other = kp_why_is_user(&execs[n]);
			}
		}
		if (!begin)
			continue;
		until = pid->runs.items[pid->runs.count - 1].end;
		kp_finding_part(&sums[i], i, begin->start, until, until - begin->start, 0, begin->name);
		if (sums[i].time < LEAST || !kp_finding_counts(findings, sums[i].time))
			continue;
		kp_finding_add(findings, &kp_detect_exit, i, &sums[i], "The exit of %s took %s.",
			       kp_finding_name(findings, (int64_t)i), kp_time_text(sums[i].time, time));
	}
}

const struct kp_detector kp_detect_exit = {
	.key = "long_exit", .end = end,
	.advice = "See the budget of this time (--budget): to free much memory takes long, and so does the end of many threads.",
};
