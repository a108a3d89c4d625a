/* SPDX-License-Identifier: GPL-2.0-only */
/* Functions for several files of probes. Preemption disabled, if not stated. */
#ifndef KU_PROBES_SHARED_H
#define KU_PROBES_SHARED_H

#include <linux/sched.h>
#include <linux/types.h>

struct irq_desc;
struct irqaction;
struct pt_regs;

/* ---- syscall.c: tracepoints of system calls; direct hooks call the same functions ---- */

/* @id: number of the call, or -1; the task's state determines the ABI. @data: unused. */
void ku_sys_enter(void *data, struct pt_regs *regs, long id);
/* @ret: result of the call. Its number is in @regs. */
void ku_sys_exit(void *data, struct pt_regs *regs, long ret);

/* ---- numberless.c: system calls that return without their number ---- */

/*
 * Remembers @event for the running task, which may return without the number. Necessary for each
 * event that differs from the @usual one of ku_numberless_end(). Any context but NMI.
 */
void ku_numberless_begin(u32 event);
/* Returns the remembered event, or @usual, for a return without number. Any context but NMI. */
u32 ku_numberless_end(u32 usual);
/* Forgets all events. No system calls may be recorded meanwhile. */
void ku_numberless_reset(void);

/* ---- sched.c ---- */

/* Identifies a task that calls exec. Records a context switch if it had another pid before. */
void ku_hook_exec(struct task_struct *task, pid_t old_pid);

/* ---- irq_number.c: event numbers and names of device interrupts ---- */

int ku_irq_init(void);
void ku_irq_exit(void);
/* Adds all names again at their next use. Numbers do not change. Sessions may be recording. */
void ku_irq_reset(void);
u32 ku_irq_event(int irq, const struct irqaction *action);
u32 ku_irq_event_of(struct irq_desc *desc);

/* ---- lock.c: numbers that identify kernel locks in a trace ---- */

/* Process context. Must be called before locks are recorded. */
void ku_lock_number_init(void);
/* Any context. */
u32 ku_lock_number(const void *lock);

/* ---- lock_name.c: names of these numbers ---- */

#if defined(CONFIG_STACKTRACE) && defined(CONFIG_KALLSYMS)
/*
 * Adds the name of a lock that the running task waits for, on its first use after a reset. @number:
 * ku_lock_number(@lock). Context: any, preemption off; does nothing in an NMI.
 */
void ku_lock_name(const void *lock, u32 number);
/* Adds all names again at their next use. Sessions may be recording. */
void ku_lock_name_reset(void);
#else
static inline void ku_lock_name(const void *lock, u32 number) {}
static inline void ku_lock_name_reset(void) {}
#endif

/* ---- all numbered objects ---- */

/* Adds the names of interrupts and locks again at their next use. Sessions may be recording. */
static inline void ku_name_again(void)
{
	ku_irq_reset();
	ku_lock_name_reset();
}

#endif
