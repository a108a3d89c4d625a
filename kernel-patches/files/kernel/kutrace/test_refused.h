/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * How many page faults the kernel has refused; see test_refused.c.
 */
#ifndef KUTRACE_TEST_REFUSED_H
#define KUTRACE_TEST_REFUSED_H

struct task_struct;

/*
 * Begins to count (on is 1), or ends it (0). Must be off when the module goes.
 * Returns 0, or what register_kprobe() says. Context: may sleep.
 */
int ku_test_refused(unsigned int on, unsigned int unused);

/*
 * Whose page faults are counted apart, too: from now on, from 0, if it is not the one that
 * they are counted of already. Context: any.
 */
void ku_test_refused_task(struct task_struct *task);

/* So many were refused: all, and that task's. Context: any. */
void ku_test_refused_read(unsigned long *all, unsigned long *of_task);

#endif
