// SPDX-License-Identifier: GPL-2.0-only
/*
 * Counts no refused page faults: where page faults are recorded in handle_mm_fault(), those that
 * the kernel refuses are not in the trace. See test_refused.h.
 */
#include <linux/sched.h>

#include "test_refused.h"

int ku_test_refused(unsigned int on, unsigned int unused)
{
	return 0;
}

void ku_test_refused_task(struct task_struct *task)
{
}

void ku_test_refused_read(unsigned long *all, unsigned long *of_task)
{
	*all = 0;
	*of_task = 0;
}
