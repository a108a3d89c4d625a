/* SPDX-License-Identifier: GPL-2.0-only */
/* Functions that the files of kutrace_test.ko share; see test.c. */
#ifndef KUTRACE_TEST_H
#define KUTRACE_TEST_H

#include <linux/seq_file.h>
#include <linux/types.h>

struct pt_regs;

/*
 * Returns the address of a kernel function that is not exported, or NULL if there is none. Callers
 * of that function must be __nocfi: where the kernel does not take a function's address, it erases
 * the type that kCFI checks. It also erases ENDBR, so indirect branch tracking must be off.
 */
void *ku_test_symbol(const char *name);
/* Returns the number that a trace has for the lock. */
u32 ku_test_lock_number(const void *lock);

/*
 * Waits without sleeping, by the clock. mdelay() counts loops, whose calibration is wrong in a
 * guest that got no CPU while it booted. Any context.
 */
void ku_test_delay_ms(unsigned int ms);

/* test_counters.c: reads the kernel's counters at one instant, which it marks in the trace. */
int ku_test_counters_init(void);
int ku_test_counters_show(struct seq_file *seq);

/* test_fire.c: causes events. */
int ku_test_fire_init(void);
void ku_test_fire_exit(void);
int ku_test_exception(unsigned int trap, unsigned int count);
int ku_test_vector(unsigned int vector, unsigned int count);
int ku_test_softirq(unsigned int kind, unsigned int count);
int ku_test_irq_work(unsigned int unused, unsigned int count);
int ku_test_call(unsigned int cpu, unsigned int count);

/* test_irq.c: frees an interrupt's action while a hook records its name. */
int ku_test_free_irq(unsigned int irq, unsigned int unused);

/* test_power.c: a cpuidle driver and a cpufreq driver, which count. */
int ku_test_idle(unsigned int on, unsigned int unused);
int ku_test_freq(unsigned int fast, unsigned int count);
void ku_test_power_show(struct seq_file *seq);
void ku_test_power_exit(void);
unsigned long ku_test_idle_usage(int cpu, unsigned int state);
#define KU_TEST_IDLE_STATES	2
/* The mwait hint, which is in the top byte of a state's flags. */
#define KU_TEST_IDLE_HINT(state)	(0x10u * ((state) + 1))

/* test_lock.c: makes a task wait for a lock. */
int ku_test_lock(const char *name, unsigned int count);
void ku_test_lock_show(struct seq_file *seq);

/* test_entry.S */
void ku_test_raise(void *handler, unsigned long error_code);
void ku_test_leave(struct pt_regs *regs);

#endif
