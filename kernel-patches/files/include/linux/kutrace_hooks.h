/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The list of KUtrace's hooks: name, prototype, arguments. A file that includes this list defines
 * KUTRACE_HOOK before; see <linux/kutrace.h>.
 */
KUTRACE_HOOK(syscall_enter, (struct pt_regs *regs, unsigned int nr),
	     (regs, nr));
KUTRACE_HOOK(syscall_enter_other, (struct pt_regs *regs, unsigned int nr),
	     (regs, nr));
KUTRACE_HOOK(syscall_exit, (struct pt_regs *regs), (regs));
KUTRACE_HOOK(syscall_uncalled, (struct pt_regs *regs), (regs));
KUTRACE_HOOK(syscall32_enter, (struct pt_regs *regs, unsigned int nr),
	     (regs, nr));
KUTRACE_HOOK(syscall32_exit, (struct pt_regs *regs), (regs));
KUTRACE_HOOK(syscall32_uncalled, (struct pt_regs *regs), (regs));
KUTRACE_HOOK(trap_enter, (unsigned int trap, unsigned long error_code),
	     (trap, error_code));
KUTRACE_HOOK(trap_exit, (unsigned int trap), (trap));
KUTRACE_HOOK(irq_enter, (unsigned int vector), (vector));
KUTRACE_HOOK(irq_exit, (unsigned int vector), (vector));
KUTRACE_HOOK(device_enter, (unsigned int vector, struct irq_desc *desc),
	     (vector, desc));
KUTRACE_HOOK(device_exit, (unsigned int vector, struct irq_desc *desc),
	     (vector, desc));
KUTRACE_HOOK(softirq_enter, (unsigned int kind), (kind));
KUTRACE_HOOK(softirq_exit, (unsigned int kind), (kind));
KUTRACE_HOOK(sched_enter, (void), ());
KUTRACE_HOOK(sched_exit, (void), ());
KUTRACE_HOOK(sched_switch, (struct task_struct *next), (next));
KUTRACE_HOOK(wakeup, (struct task_struct *task), (task));
KUTRACE_HOOK(ipi, (unsigned int cpu), (cpu));
KUTRACE_HOOK(ipi_mask, (const struct cpumask *mask), (mask));
KUTRACE_HOOK(idle, (unsigned int state), (state));
KUTRACE_HOOK(idle_exit, (unsigned int state), (state));
KUTRACE_HOOK(frequency, (unsigned int cpu, unsigned int khz), (cpu, khz));
KUTRACE_HOOK(pc_sample, (struct pt_regs *regs), (regs));
KUTRACE_HOOK(task_name, (struct task_struct *task, const char *comm),
	     (task, comm));
KUTRACE_HOOK(task_exec, (struct task_struct *task, pid_t old_pid),
	     (task, old_pid));
KUTRACE_HOOK(task_exit, (struct task_struct *task), (task));
KUTRACE_HOOK(packet_rx, (const struct sk_buff *skb, unsigned int offset),
	     (skb, offset));
KUTRACE_HOOK(packet_tx, (const struct sk_buff *skb, unsigned int offset),
	     (skb, offset));
KUTRACE_HOOK(lock, (const void *lock, unsigned int step), (lock, step));
