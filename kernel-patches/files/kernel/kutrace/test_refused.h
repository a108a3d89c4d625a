/* SPDX-License-Identifier: GPL-2.0-only */
/* Counts the page faults that the kernel refuses; see test_refused.c. */
#ifndef KUTRACE_TEST_REFUSED_H
#define KUTRACE_TEST_REFUSED_H

struct task_struct;

/*
 * Starts (@on is 1) or stops (0) counting. Must be off when the module is unloaded. May sleep.
 * Returns 0, or the error of register_kprobe().
 */
int ku_test_refused(unsigned int on, unsigned int unused);

/*
 * Selects the task whose refused page faults are also counted separately. The count begins at 0,
 * unless the task is selected already. Any context.
 */
void ku_test_refused_task(struct task_struct *task);

/* Reads the number of refused page faults: of all tasks, and of the selected one. Any context. */
void ku_test_refused_read(unsigned long *all, unsigned long *of_task);

#endif
