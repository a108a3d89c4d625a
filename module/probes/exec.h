/* SPDX-License-Identifier: GPL-2.0-only */
/* When a thread that is not the leader executes a program, it gets the leader's pid. */
#ifndef KU_EXEC_H
#define KU_EXEC_H

#include <linux/sched.h>

/* Records a context switch if @task had another pid before. Preemption disabled. */
void ku_hook_exec(struct task_struct *task, pid_t old_pid);

#endif
