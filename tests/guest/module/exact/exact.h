/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the parts of the stock kernels' kutrace_test.ko know of each other; see counters.c.
 */
#ifndef KU_EXACT_H
#define KU_EXACT_H

#include <linux/types.h>

/* The address of what the kernel calls so, exported or not; NULL: there is none. */
void *ku_exact_symbol(const char *name);

/* make.c: so many of a kind, now; -EINVAL: there is no such kind. */
int ku_exact_make_init(void);
void ku_exact_make_exit(void);
int ku_exact_make(const char *what, unsigned int number, unsigned int count);

/* idle.c: an idle driver, of which the kernel counts how often each state was entered. */
#define KU_EXACT_IDLE_STATES	2

int ku_exact_idle(unsigned int on);
unsigned long ku_exact_idle_usage(int cpu, unsigned int state);

#endif
