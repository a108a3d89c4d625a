/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the parts of kutrace_test.ko know of each other; see test.c.
 */
#ifndef KUTRACE_TEST_H
#define KUTRACE_TEST_H

#include <linux/seq_file.h>
#include <linux/types.h>

struct pt_regs;

/* The address of a kernel function that is not exported; NULL if there is none. */
void *ku_test_symbol(const char *name);
/* By what number a trace knows that lock. */
u32 ku_test_lock_number(const void *lock);

/*
 * Waits without sleeping, by the clock: mdelay() counts loops, and a guest that gets no CPU
 * while it boots calibrates these wrongly. Context: any.
 */
void ku_test_delay_ms(unsigned int ms);

/* test_counters.c: every counter of the kernel at one instant, which is marked. */
int ku_test_counters_init(void);
int ku_test_counters_show(struct seq_file *seq);

/* test_fire.c: events made on purpose. */
int ku_test_fire_init(void);
void ku_test_fire_exit(void);
int ku_test_exception(unsigned int trap, unsigned int count);
int ku_test_vector(unsigned int vector, unsigned int count);
int ku_test_softirq(unsigned int kind, unsigned int count);
int ku_test_irq_work(unsigned int unused, unsigned int count);
int ku_test_call(unsigned int cpu, unsigned int count);

/* test_irq.c: an interrupt's action freed while its name is being recorded. */
int ku_test_free_irq(unsigned int irq, unsigned int unused);

/* test_power.c: a cpuidle and a cpufreq driver that only count. */
int ku_test_idle(unsigned int on, unsigned int unused);
int ku_test_freq(unsigned int fast, unsigned int count);
void ku_test_power_show(struct seq_file *seq);
void ku_test_power_exit(void);
unsigned long ku_test_idle_usage(int cpu, unsigned int state);
#define KU_TEST_IDLE_STATES	2
/* As in the top byte of a state's flags. */
#define KU_TEST_IDLE_HINT(state)	(0x10u * ((state) + 1))

/* test_lock.c: a task that has to wait for a lock. */
int ku_test_lock(const char *name, unsigned int count);
void ku_test_lock_show(struct seq_file *seq);

/* test_entry.S */
void ku_test_raise(void *handler, unsigned long error_code);
void ku_test_leave(struct pt_regs *regs);

#endif
