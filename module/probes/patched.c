// SPDX-License-Identifier: GPL-2.0-only
/*
 * Hooks that are the same on all architectures in a patched kernel: scheduler, IPIs, power, names,
 * softirqs, PC samples and locks. See patched.h.
 */
#include <linux/cpumask.h>
#include <linux/kprobes.h>
#include <linux/kutrace.h>
#include <linux/percpu.h>
#include <linux/ptrace.h>
#include <linux/sched.h>

#include "arch/entry.h"
#include "core/emit.h"
#include "probes/patched.h"
#include "probes/shared.h"
#include "record/all.h"

void __kprobes ku_static_sched_enter(void)
{
	ku_emit(KU_EVENT(KUTRACE_CALL_SCHED));
}

void __kprobes ku_static_sched_exit(void)
{
	ku_emit_return(KUTRACE_CALL_SCHED, 0);
}

void __kprobes ku_static_sched_switch(struct task_struct *next)
{
	ku_emit_switch(next, (u32)next->pid);
}

void __kprobes ku_static_wakeup(struct task_struct *task)
{
	ku_emit_wakeup(task, (u32)task->pid);
}

void __kprobes ku_static_ipi(unsigned int cpu)
{
	ku_emit_ordered(KU_EVENT(KUTRACE_IPI) | cpu);
}

void __kprobes ku_static_ipi_mask(const struct cpumask *mask)
{
	unsigned int cpu;

	for_each_cpu(cpu, mask)
		ku_static_ipi(cpu);
}

void __kprobes ku_static_idle(unsigned int state)
{
	ku_emit(KU_EVENT(KUTRACE_MWAIT) | state);
}

void __kprobes ku_static_idle_exit(unsigned int state)
{
	ku_emit_ordered(KU_EVENT(KUTRACE_MONITOREX) | state);
}

/* If @cpu is not this CPU, only the next block and PC sample of @cpu have the new value. */
void __kprobes ku_static_frequency(unsigned int cpu, unsigned int khz)
{
	if (cpu >= nr_cpu_ids)
		return;
	WRITE_ONCE(per_cpu(ku_cpu, cpu).mhz, khz / 1000);
	if (cpu == raw_smp_processor_id())
		ku_emit(KU_EVENT(KUTRACE_PSTATE2) | khz / 1000);
}

/* Called for a rename with the task's alloc_lock held. */
void __kprobes ku_static_task_name(struct task_struct *task, const char *comm)
{
	ku_sessions_name_task(task, comm);
}

void __kprobes ku_static_task_exec(struct task_struct *task, pid_t old_pid)
{
	if (unlikely(ku_arch_exec_nr(task) >= 0))
		ku_numberless_begin(KUTRACE_CALL_SYSCALL64 + ku_arch_exec_nr(task));
	ku_hook_exec(task, old_pid);
}

void __kprobes ku_static_task_exit(struct task_struct *task)
{
	ku_emit(KU_EVENT(KUTRACE_TASKEXIT) | (u32)task->pid);
}

void __kprobes ku_static_softirq_enter(unsigned int kind)
{
	ku_emit(KU_EVENT(KUTRACE_CALL_BH) | (u16)kind);
}

void __kprobes ku_static_softirq_exit(unsigned int kind)
{
	ku_emit_return(KUTRACE_CALL_BH, 0);
}

void __kprobes ku_static_pc_sample(struct pt_regs *regs)
{
	ku_emit2(KU_EVENT(KUTRACE_PC_U) | ku_cpu_read(mhz), instruction_pointer(regs));
}

void __kprobes ku_static_lock(const void *lock, unsigned int step)
{
	static const u32 events[] = {
		[KUTRACE_LOCK_CONTENDED] = KUTRACE_LOCKNOACQ,
		[KUTRACE_LOCK_ACQUIRED] = KUTRACE_LOCKACQ,
		[KUTRACE_LOCK_FREED] = KUTRACE_LOCKWAKEUP,
	};

	u32 number;

	if (step == KUTRACE_LOCK_GIVEN_UP)
		return;
	number = ku_lock_number(lock);
	ku_emit_ordered(KU_EVENT(events[step]) | number);
	if (step == KUTRACE_LOCK_CONTENDED)
		ku_lock_name(lock, number);
}
