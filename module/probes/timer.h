/* SPDX-License-Identifier: GPL-2.0-only */
/* The callback of a timer that a CPU runs now. Preemption disabled. */
#ifndef KU_PROBES_TIMER_H
#define KU_PROBES_TIMER_H

#include <linux/percpu.h>
#include <linux/sched.h>

/* Bit 0: a callback runs on this CPU, or is interrupted. Bit 1: the same in a hard interrupt. */
DECLARE_PER_CPU(unsigned int, ku_timers_running);

/* Records the timer whose callback wakes @task, unless the wakeup belongs to other code. */
void ku_timer_wakes(struct task_struct *task);

/* Must be called before the wakeup of @task is recorded. Costs few instructions without a timer. */
static __always_inline void ku_timer_woken(struct task_struct *task)
{
	if (unlikely(this_cpu_read(ku_timers_running)))
		ku_timer_wakes(task);
}

/* Forgets all callbacks. Their tracepoints must be detached. */
void ku_timer_reset(void);

#endif
