/* SPDX-License-Identifier: BSD-3-Clause */
/* Finds the times in which at least one CPU was idle. */
#ifndef KP_REPORT_IDLE_H
#define KP_REPORT_IDLE_H

#include "report/why.h"

/* An interval with an idle CPU. Intervals do not overlap and are in order of time. */
struct kp_idle_part {
	int64_t start, end;
	int64_t before;		/* length of all earlier intervals together */
};

struct kp_idle {
	KP_VECTOR(struct kp_idle_part) parts;
};

/* Collects the idle times of all CPUs. The caller calls kp_idle_free(). Returns 0, or -1 without memory. */
int kp_idle_find(struct kp_idle *idle, const struct kp_why *why);
/* Returns how long a CPU was idle between two times. */
int64_t kp_idle_between(const struct kp_idle *idle, int64_t start, int64_t end);
void kp_idle_free(struct kp_idle *idle);

#endif
