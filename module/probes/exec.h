/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A thread other than the leader execs: it goes on under the leader's pid. Called by the
 * probes of both back ends.
 */
#ifndef KU_EXEC_H
#define KU_EXEC_H

#include <linux/sched.h>

/* For both back ends. Preemption off. */
void ku_hook_exec(struct task_struct *task, pid_t old_pid);

#endif
