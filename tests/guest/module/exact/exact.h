/* SPDX-License-Identifier: GPL-2.0-only */
/* Functions that the parts of the stock kernels' kutrace_test.ko share; see counters.c. */
#ifndef KU_EXACT_H
#define KU_EXACT_H

#include <linux/errno.h>
#include <linux/types.h>

/*
 * Returns the address of the kernel's symbol @name, exported or not, or NULL. A function that calls
 * a function by this address must be __nocfi: if the kernel uses a function's address nowhere, it
 * erases the type that kCFI checks.
 */
void *ku_exact_symbol(const char *name);

/* make.c: makes @count events of the kind @what now. Returns -EINVAL if there is no such kind. */
int ku_exact_make_init(void);
void ku_exact_make_exit(void);
int ku_exact_make(const char *what, unsigned int number, unsigned int count);

/* vector.c, only on x86: makes @count interrupts with that vector on this CPU. */
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

struct seq_file;

/*
 * The kernel's counters of interrupts that belong to no device: interrupts.c on x86, ipis.c on
 * other architectures.
 */
int ku_exact_interrupts_init(void);
/* Reads the counters of this CPU. */
void ku_exact_interrupts_read(int cpu);
/* Prints a line for each counter. */
void ku_exact_interrupts_show(struct seq_file *seq, int cpu);
/* Returns true if one of the counters counts @irq. */
bool ku_exact_interrupts_own(unsigned int irq);

/* idle.c: an idle driver. The kernel counts how often each of its states was entered. */
#define KU_EXACT_IDLE_STATES	2

int ku_exact_idle(unsigned int on);
unsigned long ku_exact_idle_usage(int cpu, unsigned int state);

#endif
