// SPDX-License-Identifier: GPL-2.0-only
/*
 * Makes interrupts without a pause: a thread on each CPU calls all other CPUs. Each call queues irq
 * work, whose interrupt comes directly after the call's interrupt. The threads also start timers.
 * NMIs can interrupt all of these. See conserve.h.
 */
#include <linux/cpumask.h>
#include <linux/delay.h>
#include <linux/err.h>
#include <linux/irq_work.h>
#include <linux/kthread.h>
#include <linux/percpu.h>
#include <linux/sched.h>
#include <linux/smp.h>
#include <linux/types.h>
#include <asm/apic.h>
#include <asm/nmi.h>

#include "conserve.h"

static struct apic **ku_hammer_apic;
static bool ku_hammer_nmis;
static bool ku_hammer_on;

static DEFINE_PER_CPU(struct task_struct *, ku_hammer_task);
static DEFINE_PER_CPU(struct irq_work, ku_hammer_work);
static DEFINE_PER_CPU(u32, ku_hammer_sent);

/* Call with interrupts off. The NMI comes immediately. */
static void ku_hammer_nmi_here(void)
{
	if (!READ_ONCE(ku_hammer_nmis))
		return;
	this_cpu_inc(ku_hammer_sent);
	(*ku_hammer_apic)->send_IPI(smp_processor_id(), NMI_VECTOR);
}

static int ku_hammer_nmi(unsigned int type, struct pt_regs *regs)
{
	/* Two NMIs that come at the same time are handled as one. */
	return this_cpu_xchg(ku_hammer_sent, 0) ? NMI_HANDLED : NMI_DONE;
}

static void ku_hammer_worked(struct irq_work *work)
{
	ku_hammer_nmi_here();
}

/* Called by another CPU, in an interrupt. */
static void ku_hammer_called(void *unused)
{
	irq_work_queue(this_cpu_ptr(&ku_hammer_work));
	ku_hammer_nmi_here();
}

static int ku_hammer(void *unused)
{
	unsigned int round = 0;

	while (!kthread_should_stop()) {
		preempt_disable();
		smp_call_function(ku_hammer_called, NULL, round & 1);
		irq_work_queue(this_cpu_ptr(&ku_hammer_work));
		preempt_enable();
		/* Let a timer expire, and let other tasks use the CPU for a moment. */
		if (++round % 4 == 0)
			usleep_range(50, 400);
		cond_resched();
	}
	return 0;
}

void ku_conserve_hammer_stop(void)
{
	int cpu;

	if (!ku_hammer_on)
		return;
	for_each_possible_cpu(cpu) {
		struct task_struct **task = per_cpu_ptr(&ku_hammer_task, cpu);

		if (*task)
			kthread_stop(*task);
		*task = NULL;
	}
	WRITE_ONCE(ku_hammer_nmis, false);
	/* This call comes after all calls that were sent without waiting. */
	on_each_cpu(ku_hammer_called, NULL, 1);
	for_each_possible_cpu(cpu)
		irq_work_sync(per_cpu_ptr(&ku_hammer_work, cpu));
	ku_hammer_on = false;
}

int ku_conserve_hammer_start(bool nmis)
{
	int cpu;

	if (ku_hammer_on)
		return -EBUSY;
	ku_hammer_on = true;
	WRITE_ONCE(ku_hammer_nmis, nmis);
	for_each_online_cpu(cpu) {
		struct task_struct *task = kthread_create(ku_hammer, NULL, "hammer/%d", cpu);

		if (IS_ERR(task)) {
			ku_conserve_hammer_stop();
			return PTR_ERR(task);
		}
		kthread_bind(task, cpu);
		*per_cpu_ptr(&ku_hammer_task, cpu) = task;
	}
	for_each_possible_cpu(cpu)
		if (*per_cpu_ptr(&ku_hammer_task, cpu))
			wake_up_process(*per_cpu_ptr(&ku_hammer_task, cpu));
	return 0;
}

int ku_conserve_hammer_init(void *(*symbol)(const char *name))
{
	int cpu;

	ku_hammer_apic = symbol("apic");
	if (!ku_hammer_apic)
		return -ENOENT;
	for_each_possible_cpu(cpu)
		init_irq_work(per_cpu_ptr(&ku_hammer_work, cpu), ku_hammer_worked);
	return register_nmi_handler(NMI_LOCAL, ku_hammer_nmi, 0, "kutrace_conserve");
}

void ku_conserve_hammer_exit(void)
{
	unregister_nmi_handler(NMI_LOCAL, "kutrace_conserve");
}
