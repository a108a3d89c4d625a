/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the parts of the stock kernels' kutrace_test.ko know of each other; see counters.c.
 */
#ifndef KU_EXACT_H
#define KU_EXACT_H

#include <linux/errno.h>
#include <linux/types.h>

/* The address of what the kernel calls so, exported or not; NULL: there is none. */
void *ku_exact_symbol(const char *name);

/* make.c: so many of a kind, now; -EINVAL: there is no such kind. */
int ku_exact_make_init(void);
void ku_exact_make_exit(void);
int ku_exact_make(const char *what, unsigned int number, unsigned int count);

/* vector.c, of which no architecture but x86 has any: the same of interrupts by their vector. */
#ifdef CONFIG_X86
int ku_exact_vector_init(void);
void ku_exact_vector_exit(void);
int ku_exact_vector(unsigned int vector, unsigned int count);
#else
static inline int ku_exact_vector_init(void)
{
	return 0;
}

static inline void ku_exact_vector_exit(void)
{
}

static inline int ku_exact_vector(unsigned int vector, unsigned int count)
{
	return -EOPNOTSUPP;
}
#endif

/*
 * interrupts.c of x86, ipis.c elsewhere: what the kernel counts of interrupts that are no device's.
 * Reads a CPU's, on it, at the instant; shows them, a line each; whether an irq is among them.
 */
struct seq_file;

int ku_exact_interrupts_init(void);
void ku_exact_interrupts_read(int cpu);
void ku_exact_interrupts_show(struct seq_file *seq, int cpu);
bool ku_exact_interrupts_own(unsigned int irq);

/* idle.c: an idle driver, of which the kernel counts how often each state was entered. */
#define KU_EXACT_IDLE_STATES	2

int ku_exact_idle(unsigned int on);
unsigned long ku_exact_idle_usage(int cpu, unsigned int state);

#endif
