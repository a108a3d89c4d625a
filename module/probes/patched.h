/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the hooks of <linux/kutrace.h> call that are the same on every architecture; see
 * probes/x86/patched.h for what they may do. Registered by backends/patched.c.
 */
#ifndef KU_PROBES_PATCHED_H
#define KU_PROBES_PATCHED_H

#include <linux/types.h>

struct cpumask;
struct sk_buff;
struct task_struct;

/* patched_sched.c: the scheduler, wakeups, IPIs, idle, frequency, names */
void ku_static_sched_enter(void);
void ku_static_sched_exit(void);
void ku_static_sched_switch(struct task_struct *next);
void ku_static_wakeup(struct task_struct *task);
void ku_static_ipi(unsigned int cpu);
void ku_static_ipi_mask(const struct cpumask *mask);
void ku_static_idle(unsigned int state);
void ku_static_idle_exit(unsigned int state);
void ku_static_frequency(unsigned int cpu, unsigned int khz);
void ku_static_task_name(struct task_struct *task, const char *comm);
void ku_static_task_exec(struct task_struct *task, pid_t old_pid);
void ku_static_task_exit(struct task_struct *task);

/* net.c */
void ku_static_packet_rx(const struct sk_buff *skb, unsigned int offset);
void ku_static_packet_tx(const struct sk_buff *skb, unsigned int offset);

/* lock.c */
void ku_static_lock(const void *lock, unsigned int step);

#endif
