// SPDX-License-Identifier: GPL-2.0-only
/*
 * Back end for patched kernels: what the hooks of <linux/kutrace.h> call. The
 * in-tree core owns their keys and call targets; this registers with it while
 * the module is loaded, and has keys on only while recording.
 *
 * Hooks run with preemption off in any context, NMI included. They record and
 * return; they never sleep, never take a lock that the hooked code can hold.
 *
 * No kprobe can be put on them: its breakpoint is an exception, which the hook of
 * exceptions records, which would come upon the same breakpoint.
 */
#include <linux/capability.h>
#include <linux/cpumask.h>
#include <linux/irq.h>
#include <linux/irqdesc.h>
#include <linux/kprobes.h>
#include <linux/kutrace.h>
#include <linux/moduleparam.h>
#include <linux/ptrace.h>
#include <linux/skbuff.h>
#include <asm/irq_vectors.h>
#include <asm/syscall.h>
#include <asm/trapnr.h>
#include <asm/unistd.h>

#include "ku_aux.h"
#include "ku_dev.h"
#include "ku_emit.h"
#include "ku_hooks.h"
#include "ku_numberless.h"
#include "ku_session.h"

/* ---- system calls ---- */

/*
 * The event of a call by a 64-bit or x32 task beyond what has an event number of
 * its own in the 64-bit range; 0 for the control call, which is not recorded.
 */
static __always_inline u32 ku_static_event64(u32 nr)
{
	if (likely(nr < KUTRACE_COUNT_SYSCALL64))
		return KUTRACE_CALL_SYSCALL64 + nr;
	if (nr == __NR_kutrace_control)
		return 0;
#ifdef __X32_SYSCALL_BIT
	nr &= ~(u32)__X32_SYSCALL_BIT;
#endif
	if (nr < KUTRACE_COUNT_SYSCALL64)
		return KUTRACE_CALL_SYSCALL64 + nr;
	if (nr < KUTRACE_COUNT_SYSCALL64 + KUTRACE_COUNT_SYSCALL32)
		return KUTRACE_CALL_SYSCALL32 + nr - KUTRACE_COUNT_SYSCALL64;
	return KUTRACE_CALL_SYSOTHER;
}

/* -1: a filter or a debugger has decided that it shall not be made. */
static void __kprobes ku_static_syscall_enter_other(struct pt_regs *regs, unsigned int nr)
{
	u32 event = ku_static_event64(nr == -1U ? (u32)regs->orig_ax : nr);
	u64 arg = regs->di;

	if (event == KUTRACE_CALL_SYSOTHER)
		arg = nr;
	if ((u32)regs->orig_ax == -1U || (u32)regs->orig_ax == KU_NRX32_RT_SIGRETURN)
		ku_numberless_begin(event);
	if (event)
		ku_emit(KU_EVENT(event) | (u16)arg);
}

/* Only numbers that the kernel knows come here. */
static_assert(NR_syscalls <= KUTRACE_COUNT_SYSCALL64);

static void __kprobes ku_static_syscall_enter(struct pt_regs *regs, unsigned int nr)
{
	ku_emit_call(KUTRACE_CALL_SYSCALL64, nr, (u16)regs->di);
}

/* Sigreturn comes back without a number: it restored all registers. */
static u32 __kprobes ku_static_numberless64(void)
{
	return ku_numberless_end(KUTRACE_CALL_SYSCALL64 + __NR_rt_sigreturn);
}

static u32 __kprobes ku_static_return64(const struct pt_regs *regs)
{
	return (u32)regs->orig_ax == -1U ? ku_static_numberless64() :
					   ku_static_event64((u32)regs->orig_ax);
}

static noinline void __kprobes ku_static_exit_numberless(struct pt_regs *regs)
{
	u32 event = ku_static_numberless64();

	if (event)
		ku_emit_return(event, (s64)regs->ax);
}

/* Every larger result comes here: what calls functions is apart, so this needs no stack. */
static noinline void __kprobes ku_static_exit_other(struct pt_regs *regs)
{
	u32 event;

	if (unlikely((u32)regs->orig_ax == -1U)) {
		ku_static_exit_numberless(regs);
		return;
	}
	event = ku_static_event64((u32)regs->orig_ax);
	if (event)
		ku_emit_return(event, (s64)regs->ax);
}

static void __kprobes ku_static_syscall_exit(struct pt_regs *regs)
{
	if (unlikely(!ku_emit_call_return((s64)regs->ax)))
		ku_static_exit_other(regs);
}

/*
 * Where context switches go unrecorded, the call before may be another task's: nothing
 * that can sleep is merged.
 */
static void __kprobes ku_static_return_alone(u32 event, u64 retval)
{
	ku_emit(KU_EVENT(event | KUTRACE_RETURN_BIT) | (u16)retval);
}

static void __kprobes ku_static_syscall_exit_alone(struct pt_regs *regs)
{
	u32 event = ku_static_return64(regs);

	if (event)
		ku_static_return_alone(event, regs->ax);
}

static u32 __kprobes ku_static_event32(u32 nr)
{
	return nr < KUTRACE_COUNT_SYSCALL32 ? KUTRACE_CALL_SYSCALL32 + nr :
					      KUTRACE_CALL_SYSOTHER;
}

static void __kprobes ku_static_syscall32_enter(struct pt_regs *regs, unsigned int nr)
{
	u32 event = ku_static_event32(nr);

	if (nr == -1U || nr == KU_NR32_SIGRETURN)
		ku_numberless_begin(event);
	ku_emit(KU_EVENT(event) | (u16)(event == KUTRACE_CALL_SYSOTHER ? nr : regs->bx));
}

static u32 __kprobes ku_static_return32(const struct pt_regs *regs)
{
	if ((u32)regs->orig_ax == -1U)
		return ku_numberless_end(KUTRACE_CALL_SYSCALL32 + KU_NR32_RT_SIGRETURN);
	return ku_static_event32((u32)regs->orig_ax);
}

static void __kprobes ku_static_syscall32_exit(struct pt_regs *regs)
{
	ku_emit_return(ku_static_return32(regs), (s32)regs->ax);
}

static void __kprobes ku_static_syscall32_exit_alone(struct pt_regs *regs)
{
	ku_static_return_alone(ku_static_return32(regs), regs->ax);
}

/* ---- traps, interrupts, softirqs ---- */

static void __kprobes ku_static_trap_enter(unsigned int trap, unsigned long error_code)
{
	ku_emit(KU_EVENT(KUTRACE_CALL_TRAP + (trap & 0xFF)) | (u16)error_code);
}

static void __kprobes ku_static_trap_exit(unsigned int trap)
{
	ku_emit_return(KUTRACE_CALL_TRAP + (trap & 0xFF), 0);
}

static void __kprobes ku_static_trap_exit_alone(unsigned int trap)
{
	ku_static_return_alone(KUTRACE_CALL_TRAP + (trap & 0xFF), 0);
}

/* Event number 255 is the softirqs', and the one it gave way to is KVM's. */
static __always_inline u32 ku_static_vector(unsigned int vector)
{
	if (unlikely(vector == SPURIOUS_APIC_VECTOR))
		return KUTRACE_CALL_IRQ + KUTRACE_VECTOR_SPURIOUS;
#ifdef POSTED_INTR_NESTED_VECTOR
	if (unlikely(vector == POSTED_INTR_NESTED_VECTOR))
		return KUTRACE_CALL_IRQ + KUTRACE_VECTOR_POSTED_NESTED;
#endif
	return KUTRACE_CALL_IRQ + (vector & 0xFF);
}

static void __kprobes ku_static_irq_enter(unsigned int vector)
{
	ku_emit(KU_EVENT(ku_static_vector(vector)));
}

static void __kprobes ku_static_irq_exit(unsigned int vector)
{
	ku_emit_return(ku_static_vector(vector), 0);
}

/*
 * A device's interrupt is known by its irq, which is the same on all CPUs; the
 * vector comes with its return. One that belongs to nothing has its vector only.
 */
static void __kprobes ku_static_device_enter(unsigned int vector, struct irq_desc *desc)
{
	if (unlikely(!desc)) {
		ku_emit(KU_EVENT(KUTRACE_CALL_IRQ + KUTRACE_VECTOR_OTHER) | vector);
		return;
	}
	ku_emit(KU_EVENT(KUTRACE_CALL_IRQ + ku_irq_event_of(desc)) |
		(u16)irq_desc_get_irq(desc));
}

static void __kprobes ku_static_device_exit(unsigned int vector, struct irq_desc *desc)
{
	u32 code = KUTRACE_VECTOR_OTHER;

	if (likely(desc))
		code = ku_irq_event_of(desc);
	ku_emit_return(KUTRACE_CALL_IRQ + code, (s8)vector);
}

static void __kprobes ku_static_softirq_enter(unsigned int kind)
{
	ku_emit(KU_EVENT(KUTRACE_CALL_BH) | (u16)kind);
}

static void __kprobes ku_static_softirq_exit(unsigned int kind)
{
	ku_emit_return(KUTRACE_CALL_BH, 0);
}

static void __kprobes ku_static_pc_sample(struct pt_regs *regs)
{
	ku_emit2(KU_EVENT(KUTRACE_PC_U) | ku_cpu_read(mhz), instruction_pointer(regs));
}

/* ---- scheduler, wakeups, IPIs, idle, frequency ---- */

static void __kprobes ku_static_sched_enter(void)
{
	ku_emit(KU_EVENT(KUTRACE_CALL_SCHED));
}

static void __kprobes ku_static_sched_exit(void)
{
	ku_emit_return(KUTRACE_CALL_SCHED, 0);
}

static void __kprobes ku_static_sched_switch(struct task_struct *next)
{
	ku_emit_switch(next, (u32)next->pid);
}

static void __kprobes ku_static_wakeup(struct task_struct *task)
{
	ku_emit_wakeup(task, (u32)task->pid);
}

static void __kprobes ku_static_ipi(unsigned int cpu)
{
	ku_emit(KU_EVENT(KUTRACE_IPI) | cpu);
}

static void __kprobes ku_static_ipi_mask(const struct cpumask *mask)
{
	unsigned int cpu;

	for_each_cpu(cpu, mask)
		ku_static_ipi(cpu);
}

static void __kprobes ku_static_idle(unsigned int state)
{
	ku_emit(KU_EVENT(KUTRACE_MWAIT) | state);
}

static void __kprobes ku_static_idle_exit(unsigned int state)
{
	ku_emit(KU_EVENT(KUTRACE_MONITOREX) | state);
}

/* Often another CPU's frequency: then only its next block and sample show it. */
static void __kprobes ku_static_frequency(unsigned int cpu, unsigned int khz)
{
	if (cpu >= nr_cpu_ids)
		return;
	WRITE_ONCE(per_cpu(ku_cpu, cpu).mhz, khz / 1000);
	if (cpu == raw_smp_processor_id())
		ku_emit(KU_EVENT(KUTRACE_PSTATE2) | khz / 1000);
}

/* ---- names ---- */

/* A rename comes with the task's alloc_lock held. */
static void __kprobes ku_static_task_name(struct task_struct *task, const char *comm)
{
	ku_sessions_name(KUTRACE_NAME_PID, (u32)task->pid, comm,
			 strnlen(comm, TASK_COMM_LEN - 1));
}

static void __kprobes ku_static_task_exec(struct task_struct *task, pid_t old_pid)
{
	ku_hook_exec(task, old_pid);
}

static void __kprobes ku_static_task_exit(struct task_struct *task)
{
	ku_emit(KU_EVENT(KUTRACE_TASKEXIT) | (u32)task->pid);
}

/* ---- packets ---- */

#define KU_PAYLOAD_BYTES	32
#define KU_FILTER_BYTES		24

static unsigned long long net_mask[KU_FILTER_BYTES / 8];
module_param_array(net_mask, ullong, NULL, 0444);
MODULE_PARM_DESC(net_mask, "which bits of a packet's first 24 bytes of payload are compared, three little-endian words (default 0,0,0: none)");

static unsigned long long net_match[KU_FILTER_BYTES / 8];
module_param_array(net_match, ullong, NULL, 0444);
MODULE_PARM_DESC(net_match, "and what they must be for the packet to be recorded");

/*
 * The packet's number: its first 32 bytes of payload as eight words, XORed; what
 * is not there is zero. Packets without payload are not recorded.
 */
static void __kprobes ku_static_packet(u32 event, const struct sk_buff *skb, unsigned int offset)
{
	union {
		u64 filter[KU_FILTER_BYTES / 8];
		u32 words[KU_PAYLOAD_BYTES / 4];
	} payload = {};
	unsigned int len = min(skb->len - offset, (unsigned int)KU_PAYLOAD_BYTES);
	u32 hash = 0;
	int i;

	if (skb->len <= offset ||
	    skb_copy_bits(skb, (int)offset, &payload, (int)len))
		return;
	for (i = 0; i < ARRAY_SIZE(payload.filter); i++)
		if ((payload.filter[i] ^ net_match[i]) & net_mask[i])
			return;
	for (i = 0; i < ARRAY_SIZE(payload.words); i++)
		hash ^= payload.words[i];
	ku_emit(KU_EVENT(event) | hash);
}

static void __kprobes ku_static_packet_rx(const struct sk_buff *skb, unsigned int offset)
{
	ku_static_packet(KUTRACE_RX_PKT, skb, offset);
}

static void __kprobes ku_static_packet_tx(const struct sk_buff *skb, unsigned int offset)
{
	ku_static_packet(KUTRACE_TX_PKT, skb, offset);
}

/* ---- locks ---- */

/* By a number that says nothing of the address, which does not leave the kernel. */
static void __kprobes ku_static_lock(const void *lock, unsigned int step)
{
	static const u32 events[] = {
		[KUTRACE_LOCK_CONTENDED] = KUTRACE_LOCKNOACQ,
		[KUTRACE_LOCK_ACQUIRED] = KUTRACE_LOCKACQ,
		[KUTRACE_LOCK_FREED] = KUTRACE_LOCKWAKEUP,
	};

	if (step != KUTRACE_LOCK_GIVEN_UP)
		ku_emit(KU_EVENT(events[step]) | ku_lock_number(lock));
}

/* ---- registration ---- */

static u64 ku_static_control(u64 command, u64 arg)
{
	return ku_dev_syscall(command, arg);
}

#define KU_OPS(how) \
	.version = KUTRACE_OPS_VERSION, \
	.size = sizeof(struct kutrace_ops), \
	.on_syscall_enter = ku_static_syscall_enter, \
	.on_syscall_enter_other = ku_static_syscall_enter_other, \
	.on_syscall_exit = ku_static_syscall_exit##how, \
	.on_syscall32_enter = ku_static_syscall32_enter, \
	.on_syscall32_exit = ku_static_syscall32_exit##how, \
	.on_trap_enter = ku_static_trap_enter, \
	.on_trap_exit = ku_static_trap_exit##how, \
	.on_irq_enter = ku_static_irq_enter, \
	.on_irq_exit = ku_static_irq_exit, \
	.on_device_enter = ku_static_device_enter, \
	.on_device_exit = ku_static_device_exit, \
	.on_softirq_enter = ku_static_softirq_enter, \
	.on_softirq_exit = ku_static_softirq_exit, \
	.on_sched_enter = ku_static_sched_enter, \
	.on_sched_exit = ku_static_sched_exit, \
	.on_sched_switch = ku_static_sched_switch, \
	.on_wakeup = ku_static_wakeup, \
	.on_ipi = ku_static_ipi, \
	.on_ipi_mask = ku_static_ipi_mask, \
	.on_idle = ku_static_idle, \
	.on_idle_exit = ku_static_idle_exit, \
	.on_frequency = ku_static_frequency, \
	.on_pc_sample = ku_static_pc_sample, \
	.on_task_name = ku_static_task_name, \
	.on_task_exec = ku_static_task_exec, \
	.on_task_exit = ku_static_task_exit, \
	.on_packet_rx = ku_static_packet_rx, \
	.on_packet_tx = ku_static_packet_tx, \
	.on_lock = ku_static_lock, \
	.control = ku_static_control

static const struct kutrace_ops ku_static_ops = { KU_OPS() };
static const struct kutrace_ops ku_static_ops_alone = { KU_OPS(_alone) };

static const struct kutrace_ops *ku_static_registered;

/* The kernel's categories and the trace's go by the same bits. */
#define KU_SAME_BIT(name) \
	static_assert((int)KUTRACE_HOOK_##name == (int)KUTRACE_CAT_##name)
KU_SAME_BIT(SYSCALL);
KU_SAME_BIT(TRAP);
KU_SAME_BIT(IRQ);
KU_SAME_BIT(SOFTIRQ);
KU_SAME_BIT(SCHED);
KU_SAME_BIT(WAKEUP);
KU_SAME_BIT(IPI);
KU_SAME_BIT(IDLE);
KU_SAME_BIT(FREQ);
KU_SAME_BIT(PCSAMPLE);
KU_SAME_BIT(PROCESS);
KU_SAME_BIT(NET);
KU_SAME_BIT(LOCK);

static int ku_static_init(void)
{
	bool switches = kutrace_compiled() & KUTRACE_MASK_SCHED;
	int err;

	ku_lock_number_init();
	ku_static_registered = switches ? &ku_static_ops : &ku_static_ops_alone;
	err = kutrace_register(ku_static_registered);
	if (err == -EBUSY)
		pr_err("kutrace: somebody else has registered with the kernel's hooks\n");
	return err;
}

static void ku_static_exit(void)
{
	kutrace_unregister(ku_static_registered);
}

static int ku_static_attach(u32 categories)
{
	kutrace_enable(categories);
	return 0;
}

/* Hooks run with preemption off, and ku_synchronize() waits for that by itself. */
static void ku_static_synchronize(void)
{
}

static u32 ku_static_categories(void)
{
	return kutrace_compiled() | KUTRACE_MASK_MARK;
}

/* What a compiled-out category takes away is said by categories. */
static u32 ku_static_caveats(void)
{
	return 0;
}

static u64 ku_static_missed(void)
{
	return 0;
}

const struct ku_hooks ku_hooks_static = {
	.backend = KUTRACE_BACKEND_PATCHED,
	.init = ku_static_init,
	.exit = ku_static_exit,
	.attach = ku_static_attach,
	.synchronize = ku_static_synchronize,
	.categories = ku_static_categories,
	.caveats = ku_static_caveats,
	.missed = ku_static_missed,
};
