// SPDX-License-Identifier: GPL-2.0-only
/*
 * Back end for stock kernels: probes on the tracepoints the kernel has, found
 * by name, plus a return probe for the end of page faults and, before 6.4,
 * kprobes for IPI sends. Attached only while recording, so that a loaded module
 * costs nothing.
 *
 * Probes run in whatever context the tracepoint is in, NMI included, with
 * preemption off (ku_compat.h). They record and return; they never sleep, never
 * take a lock that the traced code can hold. No kprobe can be put on them.
 */
#include <linux/cpumask.h>
#include <linux/interrupt.h>
#include <linux/kprobes.h>
#include <linux/mm_types.h>
#include <linux/sched/signal.h>
#include <linux/signal.h>
#include <linux/slab.h>
#include <linux/tracepoint.h>
#include <asm/irq_regs.h>
#include <asm/syscall.h>
#include <asm/trapnr.h>
#include <asm/unistd.h>

#include "ku_aux.h"
#include "ku_compat.h"
#include "ku_emit.h"
#include "ku_hooks.h"
#include "ku_numberless.h"
#include "ku_session.h"
#include "ku_time.h"
#include "ku_tracepoints.h"

/* ---- system calls ---- */

/*
 * The event number of a system call: 64-bit ones below 512 at 0x800, the rest
 * of them and 32-bit ones at 0xC00, what has no number of its own at 0xDFE.
 * Called with nr outside 0..511 or from a 32-bit task only.
 */
static noinline u32 __kprobes ku_syscall_event(int nr, bool compat)
{
	if (compat && (unsigned int)nr < KUTRACE_COUNT_SYSCALL32)
		return KUTRACE_CALL_SYSCALL32 + nr;
	if (!compat && (unsigned int)nr < KUTRACE_COUNT_SYSCALL64)
		return KUTRACE_CALL_SYSCALL64 + nr;
	if (!compat && nr >= KUTRACE_COUNT_SYSCALL64 &&
	    nr < KUTRACE_COUNT_SYSCALL64 + KUTRACE_COUNT_SYSCALL32)
		return KUTRACE_CALL_SYSCALL32 + nr - KUTRACE_COUNT_SYSCALL64;
	return KUTRACE_CALL_SYSOTHER;
}

static __always_inline bool ku_compat_task(void)
{
#ifdef TS_COMPAT
	return unlikely(current_thread_info()->status & TS_COMPAT);
#else
	return false;
#endif
}

static noinline void __kprobes ku_sys_enter_other(struct pt_regs *regs, long id)
{
	bool compat = ku_compat_task();
	u32 event = ku_syscall_event((int)id, compat);
	unsigned long arg = compat ? regs->bx : regs->di;

	if (event == KUTRACE_CALL_SYSOTHER)
		arg = id;
	if (id == -1 || id == (compat ? KU_NR32_SIGRETURN : KU_NRX32_RT_SIGRETURN))
		ku_numberless_begin(event);
	ku_emit(KU_EVENT(event) | (u16)arg);
}

static notrace void __kprobes ku_sys_enter(void *data, struct pt_regs *regs, long id)
{
	ku_probe_guard();

	if (likely((unsigned long)id < KUTRACE_COUNT_SYSCALL64 && !ku_compat_task()))
		ku_emit(KU_EVENT(KUTRACE_CALL_SYSCALL64 + id) | (u16)regs->di);
	else
		ku_sys_enter_other(regs, id);
}

static noinline void __kprobes ku_sys_exit_other(struct pt_regs *regs, long ret)
{
	int id = syscall_get_nr(current, regs);
	u32 event;

	/* Sigreturn comes back without a number: it restored all registers. */
	if (unlikely(id == -1))
		event = ku_numberless_end(ku_compat_task() ?
			KUTRACE_CALL_SYSCALL32 + KU_NR32_RT_SIGRETURN :
			KUTRACE_CALL_SYSCALL64 + __NR_rt_sigreturn);
	else
		event = ku_syscall_event(id, ku_compat_task());
	ku_emit_return(event, ret);
}

/*
 * Merging needs no look at the task: a 32-bit call before would have another event
 * number. A number that has no event of its own is not merged here.
 */
static notrace void __kprobes ku_sys_exit(void *data, struct pt_regs *regs, long ret)
{
	ku_probe_guard();

	if (unlikely(!ku_merge_syscall(regs->orig_ax, ret)))
		ku_sys_exit_other(regs, ret);
}

/* ---- scheduler, wakeups, names ---- */

static void __kprobes ku_sched_switch(void *data, bool preempt, struct task_struct *prev,
				      struct task_struct *next, unsigned int prev_state)
{
	ku_probe_guard();

	ku_emit_switch(next, (u32)next->pid);
}

static void __kprobes ku_wakeup(void *data, struct task_struct *task)
{
	ku_probe_guard();

	ku_emit_wakeup(task, (u32)task->pid);
}

static void __kprobes ku_task_new(void *data, struct task_struct *task, ku_clone_flags flags)
{
	ku_probe_guard();

	ku_sessions_name(KUTRACE_NAME_PID, task->pid, task->comm,
			 strnlen(task->comm, TASK_COMM_LEN));
}

/* Comes before the change, with the task's alloc_lock held. */
static void __kprobes ku_task_rename(void *data, struct task_struct *task, const char *comm)
{
	ku_probe_guard();

	ku_sessions_name(KUTRACE_NAME_PID, task->pid, comm,
			 strnlen(comm, TASK_COMM_LEN - 1));
}

void __kprobes ku_hook_exec(struct task_struct *task, pid_t old_pid)
{
	unsigned long flags;

	if (old_pid == task->pid)
		return;
	/* An interrupt must not wake somebody in between. */
	local_irq_save(flags);
	ku_emit_switch(task, (u32)task->pid);
	local_irq_restore(flags);
}

static void __kprobes ku_sched_exec(void *data, struct task_struct *task, pid_t old_pid,
				    struct linux_binprm *bprm)
{
	ku_probe_guard();

	ku_hook_exec(task, old_pid);
}

/* ---- interrupts ---- */

static void __kprobes ku_irq_entry(void *data, int irq, struct irqaction *action)
{
	ku_probe_guard();

	ku_emit(KU_EVENT(KUTRACE_CALL_IRQ + ku_irq_event(irq, action)) | (u16)irq);
}

static void __kprobes ku_irq_return(void *data, int irq, struct irqaction *action, int ret)
{
	ku_probe_guard();

	ku_emit_return(KUTRACE_CALL_IRQ + ku_irq_event(irq, action), ret);
}

static void __kprobes ku_softirq_entry(void *data, unsigned int vec)
{
	ku_probe_guard();

	ku_emit(KU_EVENT(KUTRACE_CALL_BH) | (u16)vec);
}

static void __kprobes ku_softirq_exit(void *data, unsigned int vec)
{
	ku_probe_guard();

	ku_emit_return(KUTRACE_CALL_BH, 0);
}

static void __kprobes ku_timer_entry(void *data, int vector)
{
	ku_probe_guard();

	ku_emit(KU_EVENT(KUTRACE_CALL_IRQ + KUTRACE_VECTOR_LOCAL_TIMER));
}

/* The sample behind the interrupt it belongs to, as the original has it. */
static void __kprobes ku_timer_exit(void *data, int vector)
{
	ku_probe_guard();
	struct pt_regs *regs = get_irq_regs();

	ku_emit_return(KUTRACE_CALL_IRQ + KUTRACE_VECTOR_LOCAL_TIMER, 0);
	if (regs && instruction_pointer(regs))
		ku_emit2(KU_EVENT(KUTRACE_PC_U) | ku_cpu_read(mhz),
			 instruction_pointer(regs));
}

#define KU_VECTOR_PROBES(name, id) \
static void __kprobes ku_##name##_entry(void *data, int vector) \
{ \
	ku_probe_guard(); \
\
	ku_emit(KU_EVENT(KUTRACE_CALL_IRQ + KUTRACE_VECTOR_##id)); \
} \
KU_VECTOR_RETURN(name, id)

#define KU_VECTOR_RETURN(name, id) \
static void __kprobes ku_##name##_exit(void *data, int vector) \
{ \
	ku_probe_guard(); \
\
	ku_emit_return(KUTRACE_CALL_IRQ + KUTRACE_VECTOR_##id, 0); \
}

KU_VECTOR_PROBES(spurious, SPURIOUS)
KU_VECTOR_PROBES(apic_error, APIC_ERROR)
KU_VECTOR_PROBES(platform_ipi, PLATFORM_IPI)
KU_VECTOR_PROBES(irq_work, IRQ_WORK)
KU_VECTOR_PROBES(reschedule, RESCHEDULE)
KU_VECTOR_PROBES(call_function, CALL_FUNCTION)
KU_VECTOR_PROBES(call_single, CALL_SINGLE)
KU_VECTOR_PROBES(threshold, THRESHOLD)
KU_VECTOR_PROBES(deferred_error, DEFERRED_ERROR)
KU_VECTOR_PROBES(thermal, THERMAL)

/* The tracepoint comes after an NMI handler has run and says how long it took. */
static void __kprobes ku_nmi(void *data, void *handler, s64 delta_ns, int handled)
{
	ku_probe_guard();

	ku_emit_past(KU_EVENT(KUTRACE_CALL_IRQ + KUTRACE_VECTOR_NMI),
		     ku_ns_to_counts(ku_int_ns(delta_ns), 0));
	ku_emit_return(KUTRACE_CALL_IRQ + KUTRACE_VECTOR_NMI, handled);
}

/* ---- IPI sends ---- */

static void __kprobes ku_ipi_send_mask(const struct cpumask *mask)
{
	unsigned int cpu;

	for_each_cpu(cpu, mask)
		ku_emit(KU_EVENT(KUTRACE_IPI) | cpu);
}

#if KU_IPI_KPROBES

static int __kprobes ku_ipi_cpu_pre(struct kprobe *probe, struct pt_regs *regs)
{
	ku_emit(KU_EVENT(KUTRACE_IPI) | (u32)regs_get_kernel_argument(regs, 0));
	return 0;
}

static int __kprobes ku_ipi_mask_pre(struct kprobe *probe, struct pt_regs *regs)
{
	ku_ipi_send_mask((const struct cpumask *)regs_get_kernel_argument(regs, 0));
	return 0;
}

static struct kprobe ku_ipi_kprobes[] = {
	{ .symbol_name = "native_smp_send_reschedule", .pre_handler = ku_ipi_cpu_pre },
	{ .symbol_name = "native_send_call_func_single_ipi",
	  .pre_handler = ku_ipi_cpu_pre },
	{ .symbol_name = "native_send_call_func_ipi", .pre_handler = ku_ipi_mask_pre },
};

static bool ku_ipi_attached[ARRAY_SIZE(ku_ipi_kprobes)];

/* A kprobe cannot be registered twice without a fresh struct. */
static bool ku_ipi_attach(void)
{
	bool all = true;
	int i;

	for (i = 0; i < ARRAY_SIZE(ku_ipi_kprobes); i++) {
		struct kprobe *probe = &ku_ipi_kprobes[i];

		*probe = (struct kprobe){ .symbol_name = probe->symbol_name,
					  .pre_handler = probe->pre_handler };
		ku_ipi_attached[i] = register_kprobe(probe) == 0;
		all &= ku_ipi_attached[i];
	}
	return all;
}

static void ku_ipi_detach(void)
{
	int i;

	for (i = 0; i < ARRAY_SIZE(ku_ipi_kprobes); i++) {
		if (ku_ipi_attached[i])
			unregister_kprobe(&ku_ipi_kprobes[i]);
		ku_ipi_attached[i] = false;
	}
}

#else

static bool ku_ipi_attach(void)
{
	return false;
}

static void ku_ipi_detach(void)
{
}

#endif

static void __kprobes ku_ipi_send_cpu(void *data, unsigned int cpu, unsigned long callsite,
				      void *callback)
{
	ku_probe_guard();

	ku_emit(KU_EVENT(KUTRACE_IPI) | cpu);
}

static void __kprobes ku_ipi_send_cpumask(void *data, const struct cpumask *mask,
					  unsigned long callsite, void *callback)
{
	ku_probe_guard();

	ku_ipi_send_mask(mask);
}

/* ---- traps ---- */

static void __kprobes ku_page_fault(void *data, unsigned long address, struct pt_regs *regs,
				    unsigned long error_code)
{
	ku_probe_guard();

	ku_emit(KU_EVENT(KUTRACE_CALL_TRAP + X86_TRAP_PF) | (u16)error_code);
}

/*
 * Traps other than page faults have no tracepoint, but those that raise a
 * signal leave their number and error code behind. Only the call is recorded:
 * where it ends, nobody can see.
 */
static void __kprobes ku_signal(void *data, int sig, struct kernel_siginfo *info,
				struct task_struct *task, int group, int result)
{
	ku_probe_guard();
	const struct thread_struct *thread = &current->thread;

	/* Not SEND_SIG_NOINFO (0) or SEND_SIG_PRIV (1), which are no pointers. */
	if (task != current || (unsigned long)info <= 1 || info->si_code <= 0)
		return;
	if (sig != SIGSEGV && sig != SIGBUS && sig != SIGFPE && sig != SIGILL &&
	    sig != SIGTRAP)
		return;
	if (thread->trap_nr == X86_TRAP_PF || thread->trap_nr > X86_TRAP_IRET)
		return;
	ku_emit(KU_EVENT(KUTRACE_CALL_TRAP + thread->trap_nr) |
		(u16)thread->error_code);
}

#if KU_FAULT_KRETPROBE

/*
 * handle_mm_fault() is most of a page fault. Called with registers it is for a
 * real one; get_user_pages() passes none. A fault to be retried comes again.
 */
static int __kprobes ku_fault_entry(struct kretprobe_instance *instance, struct pt_regs *regs)
{
	return !regs_get_kernel_argument(regs, 3);
}

static int __kprobes ku_fault_return(struct kretprobe_instance *instance, struct pt_regs *regs)
{
	if (!(regs_return_value(regs) & (__force unsigned long)VM_FAULT_RETRY))
		ku_emit_return(KUTRACE_CALL_TRAP + X86_TRAP_PF, 0);
	return 0;
}

/* Faults sleep, so as many may be under way as there are tasks in them. */
#define KU_FAULT_INSTANCES 1024

static struct kretprobe ku_fault_probe;
static bool ku_fault_attached;
static u64 ku_fault_missed;

static bool ku_fault_attach(void)
{
	ku_fault_probe = (struct kretprobe){
		.kp.symbol_name = "handle_mm_fault",
		.entry_handler = ku_fault_entry,
		.handler = ku_fault_return,
		.maxactive = KU_FAULT_INSTANCES,
	};
	ku_fault_attached = register_kretprobe(&ku_fault_probe) == 0;
	return ku_fault_attached;
}

static void ku_fault_detach(void)
{
	if (!ku_fault_attached)
		return;
	unregister_kretprobe(&ku_fault_probe);
	ku_fault_missed += ku_fault_probe.nmissed;
	ku_fault_attached = false;
}

static u64 ku_tp_missed(void)
{
	return ku_fault_missed + (ku_fault_attached ? ku_fault_probe.nmissed : 0);
}

#else

static bool ku_fault_attach(void)
{
	return false;
}

static void ku_fault_detach(void)
{
}

static u64 ku_tp_missed(void)
{
	return 0;
}

#endif

/* ---- idle, frequency ---- */

static void __kprobes ku_cpu_idle(void *data, unsigned int state, unsigned int cpu)
{
	ku_probe_guard();

	if (state != (unsigned int)-1)
		ku_emit(KU_EVENT(KUTRACE_MWAIT) | state);
}

/* Often another CPU's frequency: then only its next block and sample show it. */
static void __kprobes ku_cpu_frequency(void *data, unsigned int khz, unsigned int cpu)
{
	ku_probe_guard();

	if (cpu >= nr_cpu_ids)
		return;
	WRITE_ONCE(per_cpu(ku_cpu, cpu).mhz, khz / 1000);
	if (cpu == raw_smp_processor_id())
		ku_emit(KU_EVENT(KUTRACE_PSTATE2) | khz / 1000);
}

/* ---- the table ---- */

struct ku_tp {
	const char *name;
	void *probe;
	u32 category;		/* KUTRACE_MASK_* */
	struct tracepoint *tp;
	bool attached;
};

#define KU_TP(name_, probe_, category_) \
	{ .name = #name_, .probe = probe_, .category = KUTRACE_MASK_##category_ }

/* Returns before calls: what is attached in between then shows no lone calls. */
static struct ku_tp ku_tps[] = {
	KU_TP(task_newtask, ku_task_new, PROCESS),
	KU_TP(task_rename, ku_task_rename, PROCESS),
	KU_TP(sched_process_exec, ku_sched_exec, PROCESS),
	KU_TP(sched_switch, ku_sched_switch, SCHED),
	KU_TP(sched_waking, ku_wakeup, WAKEUP),
	KU_TP(sched_wakeup_new, ku_wakeup, WAKEUP),
	KU_TP(sys_exit, ku_sys_exit, SYSCALL),
	KU_TP(sys_enter, ku_sys_enter, SYSCALL),
	KU_TP(irq_handler_exit, ku_irq_return, IRQ),
	KU_TP(irq_handler_entry, ku_irq_entry, IRQ),
	KU_TP(softirq_exit, ku_softirq_exit, SOFTIRQ),
	KU_TP(softirq_entry, ku_softirq_entry, SOFTIRQ),
	KU_TP(local_timer_exit, ku_timer_exit, IRQ),
	KU_TP(local_timer_entry, ku_timer_entry, IRQ),
	KU_TP(spurious_apic_exit, ku_spurious_exit, IRQ),
	KU_TP(spurious_apic_entry, ku_spurious_entry, IRQ),
	KU_TP(error_apic_exit, ku_apic_error_exit, IRQ),
	KU_TP(error_apic_entry, ku_apic_error_entry, IRQ),
	KU_TP(x86_platform_ipi_exit, ku_platform_ipi_exit, IPI),
	KU_TP(x86_platform_ipi_entry, ku_platform_ipi_entry, IPI),
	KU_TP(irq_work_exit, ku_irq_work_exit, IPI),
	KU_TP(irq_work_entry, ku_irq_work_entry, IPI),
	KU_TP(reschedule_exit, ku_reschedule_exit, IPI),
	KU_TP(reschedule_entry, ku_reschedule_entry, IPI),
	KU_TP(call_function_exit, ku_call_function_exit, IPI),
	KU_TP(call_function_entry, ku_call_function_entry, IPI),
	KU_TP(call_function_single_exit, ku_call_single_exit, IPI),
	KU_TP(call_function_single_entry, ku_call_single_entry, IPI),
	KU_TP(threshold_apic_exit, ku_threshold_exit, IRQ),
	KU_TP(threshold_apic_entry, ku_threshold_entry, IRQ),
	KU_TP(deferred_error_apic_exit, ku_deferred_error_exit, IRQ),
	KU_TP(deferred_error_apic_entry, ku_deferred_error_entry, IRQ),
	KU_TP(thermal_apic_exit, ku_thermal_exit, IRQ),
	KU_TP(thermal_apic_entry, ku_thermal_entry, IRQ),
	KU_TP(nmi_handler, ku_nmi, IRQ),
	KU_TP(ipi_send_cpu, ku_ipi_send_cpu, IPI),
	KU_TP(ipi_send_cpumask, ku_ipi_send_cpumask, IPI),
	KU_TP(page_fault_user, ku_page_fault, TRAP),
	KU_TP(page_fault_kernel, ku_page_fault, TRAP),
	KU_TP(signal_generate, ku_signal, TRAP),
	KU_TP(cpu_idle, ku_cpu_idle, IDLE),
	KU_TP(cpu_frequency, ku_cpu_frequency, FREQ),
};

/* Does not build where a tracepoint calls its probe with other arguments. */
static void __maybe_unused ku_tp_check(void)
{
	KU_CHECK(task_newtask, ku_task_new);
	KU_CHECK(task_rename, ku_task_rename);
	KU_CHECK(sched_process_exec, ku_sched_exec);
	KU_CHECK(sched_switch, ku_sched_switch);
	KU_CHECK(sched_waking, ku_wakeup);
	KU_CHECK(sched_wakeup_new, ku_wakeup);
	KU_CHECK(sys_exit, ku_sys_exit);
	KU_CHECK(sys_enter, ku_sys_enter);
	KU_CHECK(irq_handler_exit, ku_irq_return);
	KU_CHECK(irq_handler_entry, ku_irq_entry);
	KU_CHECK(softirq_exit, ku_softirq_exit);
	KU_CHECK(softirq_entry, ku_softirq_entry);
	/* One prototype for all vectors: that of the macros. */
	KU_CHECK(local_timer_exit, ku_timer_exit);
	KU_CHECK(local_timer_entry, ku_timer_entry);
	KU_CHECK(spurious_apic_exit, ku_spurious_exit);
	KU_CHECK(spurious_apic_entry, ku_spurious_entry);
	KU_CHECK(nmi_handler, ku_nmi);
	KU_CHECK_IPI(ipi_send_cpu, ku_ipi_send_cpu);
	KU_CHECK_IPI(ipi_send_cpumask, ku_ipi_send_cpumask);
	KU_CHECK(page_fault_user, ku_page_fault);
	KU_CHECK(page_fault_kernel, ku_page_fault);
	KU_CHECK(signal_generate, ku_signal);
	KU_CHECK(cpu_idle, ku_cpu_idle);
	KU_CHECK(cpu_frequency, ku_cpu_frequency);
}

/* Without these there is no trace to speak of. */
static const char * const ku_tp_required[] = {
	"sched_switch", "sys_enter", "sys_exit",
};

static bool ku_have_ipi_sends, ku_have_fault_end;

static struct ku_tp *ku_tp_find(const char *name)
{
	int i;

	for (i = 0; i < ARRAY_SIZE(ku_tps); i++)
		if (!strcmp(ku_tps[i].name, name))
			return &ku_tps[i];
	return NULL;
}

static void ku_tp_match(struct tracepoint *tp, void *data)
{
	struct ku_tp *mine = ku_tp_find(tp->name);

	if (mine)
		mine->tp = tp;
}

static bool ku_ipi_on, ku_fault_on;

/* The timer's sample is recorded by the probe of its interrupt's end. */
static bool ku_tp_wanted(const struct ku_tp *tp, u32 categories)
{
	if (categories & KUTRACE_MASK_PCSAMPLE && !strncmp(tp->name, "local_timer", 11))
		return true;
	return tp->category & categories;
}

/* In the order of the table, and the other way round when they go. */
static void ku_tp_detach(u32 categories)
{
	int i;

	if (ku_fault_on && !(categories & KUTRACE_MASK_TRAP)) {
		ku_fault_detach();
		ku_fault_on = false;
	}
	if (ku_ipi_on && !(categories & KUTRACE_MASK_IPI)) {
		ku_ipi_detach();
		ku_ipi_on = false;
	}
	for (i = ARRAY_SIZE(ku_tps) - 1; i >= 0; i--) {
		if (!ku_tps[i].attached || ku_tp_wanted(&ku_tps[i], categories))
			continue;
		tracepoint_probe_unregister(ku_tps[i].tp, ku_tps[i].probe, NULL);
		ku_tps[i].attached = false;
	}
}

static int ku_tp_attach(u32 categories)
{
	static u32 before;
	int i, err;

	if (categories & KUTRACE_MASK_TRAP && !ku_fault_on) {
		ku_have_fault_end = ku_fault_attach();
		ku_fault_on = true;
	}
	for (i = 0; i < ARRAY_SIZE(ku_tps); i++) {
		if (!ku_tps[i].tp || ku_tps[i].attached ||
		    !ku_tp_wanted(&ku_tps[i], categories))
			continue;
		err = tracepoint_probe_register(ku_tps[i].tp, ku_tps[i].probe, NULL);
		if (err) {
			pr_err("kutrace: cannot attach to tracepoint %s: %d\n",
			       ku_tps[i].name, err);
			ku_tp_detach(before);
			return err;
		}
		ku_tps[i].attached = true;
	}
	if (categories & KUTRACE_MASK_IPI && !ku_ipi_on) {
		ku_have_ipi_sends = ku_tp_find("ipi_send_cpu")->tp || ku_ipi_attach();
		ku_ipi_on = true;
	}
	ku_tp_detach(categories);
	before = categories;
	return 0;
}

static void ku_tp_synchronize(void)
{
	tracepoint_synchronize_unregister();
}

static int ku_tp_init(void)
{
	int i;

	for_each_kernel_tracepoint(ku_tp_match, NULL);
	for (i = 0; i < ARRAY_SIZE(ku_tp_required); i++) {
		if (!ku_tp_find(ku_tp_required[i])->tp) {
			pr_err("kutrace: this kernel has no tracepoint %s\n",
			       ku_tp_required[i]);
			return -EOPNOTSUPP;
		}
	}
	return 0;
}

static void ku_tp_exit(void)
{
}

static u32 ku_tp_categories(void)
{
	u32 mask = KUTRACE_MASK_MARK;
	int i;

	for (i = 0; i < ARRAY_SIZE(ku_tps); i++)
		if (ku_tps[i].tp)
			mask |= ku_tps[i].category;
	if (ku_tp_find("local_timer_entry")->tp)
		mask |= KUTRACE_MASK_PCSAMPLE;
	return mask;
}

static u32 ku_tp_caveats(void)
{
	u32 caveats = KUTRACE_CAVEAT_SCHED_ENTRY | KUTRACE_CAVEAT_TRAPS |
		      KUTRACE_CAVEAT_IRQ_ACTION | KUTRACE_CAVEAT_NMI_TIME;

	caveats |= ku_have_fault_end ? KUTRACE_CAVEAT_FAULT_END :
				       KUTRACE_CAVEAT_FAULT_NO_END;
	if (!ku_have_ipi_sends)
		caveats |= KUTRACE_CAVEAT_IPI_SEND;
	if (!ku_tp_find("local_timer_entry")->tp)
		caveats |= KUTRACE_CAVEAT_PC;
	return caveats;
}

const struct ku_hooks ku_hooks_tp = {
	.backend = KUTRACE_BACKEND_TRACEPOINTS,
	.init = ku_tp_init,
	.exit = ku_tp_exit,
	.attach = ku_tp_attach,
	.synchronize = ku_tp_synchronize,
	.categories = ku_tp_categories,
	.caveats = ku_tp_caveats,
	.missed = ku_tp_missed,
};
