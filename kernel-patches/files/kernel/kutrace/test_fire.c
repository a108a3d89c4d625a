// SPDX-License-Identifier: GPL-2.0-only
/*
 * Causes a given number of exceptions in kernel mode, interrupts of this CPU by vector,
 * softirqs, irq work, or function calls on other CPUs. A notifier handles the exceptions,
 * which would otherwise be fatal.
 */
#include <linux/entry-common.h>
#include <linux/irq_work.h>
#include <linux/kdebug.h>
#include <linux/preempt.h>
#include <linux/smp.h>
#include <linux/interrupt.h>
#include <asm/apic.h>
#include <asm/mce.h>
#include <asm/msr.h>
#include <asm/nmi.h>
#include <asm/special_insns.h>
#include <asm/trapnr.h>

#include "test.h"

/* The number of the trap that is being raised, or -1. */
static int ku_test_raising = -1;
static unsigned int ku_test_taken;

static const struct {
	unsigned int trap;
	const char *entry;
} ku_test_entries[] = {
	{ X86_TRAP_TS, "asm_exc_invalid_tss" },
	{ X86_TRAP_NP, "asm_exc_segment_not_present" },
	{ X86_TRAP_SS, "asm_exc_stack_segment" },
	{ X86_TRAP_AC, "asm_exc_alignment_check" },
	{ X86_TRAP_DF, "asm_exc_double_fault" },
};

/* Leaves the handler of a double fault, which does not return. */
static void __nocfi ku_test_leave_double_fault(struct pt_regs *regs)
{
	void (*leave)(struct pt_regs *regs, irqentry_state_t state);
	irqentry_state_t state = { .lockdep = true };

	leave = ku_test_symbol("irqentry_nmi_exit");
	if (!leave)
		return;
	__acquire(RCU);	/* by the notifier chain */
	rcu_read_unlock();
	leave(regs, state);
	ku_test_leave(regs);
}

static int ku_test_notified(struct notifier_block *block, unsigned long why, void *data)
{
	struct die_args *args = data;

	if (user_mode(args->regs) || (why != DIE_TRAP && why != DIE_INT3) ||
	    args->trapnr != READ_ONCE(ku_test_raising))
		return NOTIFY_DONE;
	ku_test_taken++;
	if (args->trapnr == X86_TRAP_DF)
		ku_test_leave_double_fault(args->regs);
	return NOTIFY_STOP;
}

static struct notifier_block ku_test_die = {
	.notifier_call = ku_test_notified,
	.priority = INT_MAX,
};

static int ku_test_nmi(unsigned int type, struct pt_regs *regs)
{
	if (READ_ONCE(ku_test_raising) != X86_TRAP_NMI)
		return NMI_DONE;
	ku_test_taken++;
	return NMI_HANDLED;
}

/* Raises an exception without an error code by an instruction. */
static int ku_test_interrupt(unsigned int trap)
{
	switch (trap) {
	case X86_TRAP_DB:
		asm volatile("int $1");
		return 0;
	case X86_TRAP_BP:
		asm volatile("int3");
		return 0;
	case X86_TRAP_OF:
		asm volatile("int $4");
		return 0;
	case X86_TRAP_BR:
		asm volatile("int $5");
		return 0;
	case X86_TRAP_NM:
		/* The handler warns and clears the bit. */
		preempt_disable();
		write_cr0(read_cr0() | X86_CR0_TS);
		asm volatile("fnop");
		preempt_enable();
		return 0;
	case X86_TRAP_OLD_MF:
		asm volatile("int $9");
		return 0;
	case X86_TRAP_SPURIOUS:
		asm volatile("int $15");
		return 0;
	case X86_TRAP_MC:
		preempt_disable();
		wrmsr(MSR_IA32_MCG_STATUS, MCG_STATUS_RIPV, 0);
		asm volatile("int $18");
		preempt_enable();
		return 0;
	case X86_TRAP_XF:
		asm volatile("int $19");
		return 0;
	}
	return -EINVAL;
}

static int ku_test_raise_one(unsigned int trap)
{
	void *handler;
	int i;

	for (i = 0; i < ARRAY_SIZE(ku_test_entries); i++) {
		if (ku_test_entries[i].trap != trap)
			continue;
		handler = ku_test_symbol(ku_test_entries[i].entry);
		if (!handler)
			return -ENOENT;
		ku_test_raise(handler, 0);
		return 0;
	}
	return ku_test_interrupt(trap);
}

/* Returns true if the kernel calls the notifier for this trap. */
static bool ku_test_is_told(unsigned int trap)
{
	return trap != X86_TRAP_DB && trap != X86_TRAP_NM && trap != X86_TRAP_SPURIOUS &&
	       trap != X86_TRAP_MC;
}

int ku_test_exception(unsigned int trap, unsigned int count)
{
	unsigned int i;
	int err = 0;

	ku_test_taken = 0;
	WRITE_ONCE(ku_test_raising, trap);
	for (i = 0; i < count && !err; i++)
		err = ku_test_raise_one(trap);
	WRITE_ONCE(ku_test_raising, -1);
	if (!err && ku_test_is_told(trap) && ku_test_taken != count)
		err = -EIO;
	return err;
}

/* Acknowledges an interrupt whose handler does not: it would block all others. */
static void ku_test_acknowledge(unsigned int vector)
{
	if (apic->read(APIC_ISR + ((vector & ~0x1f) >> 1)) & (1U << (vector & 0x1f)))
		apic->write(APIC_EOI, APIC_EOI_ACK);
}

int ku_test_vector(unsigned int vector, unsigned int count)
{
	unsigned int i;

	if (vector > 255 || (vector < FIRST_EXTERNAL_VECTOR && vector != NMI_VECTOR))
		return -EINVAL;
	ku_test_taken = 0;
	WRITE_ONCE(ku_test_raising, vector);
	for (i = 0; i < count; i++) {
		preempt_disable();
		if (vector == NMI_VECTOR)
			apic->send_IPI(smp_processor_id(), NMI_VECTOR);
		else
			apic->send_IPI_self(vector);
		ku_test_delay_ms(1);
		if (vector == SPURIOUS_APIC_VECTOR)
			ku_test_acknowledge(vector);
		preempt_enable();
	}
	WRITE_ONCE(ku_test_raising, -1);
	return vector == NMI_VECTOR && ku_test_taken != count ? -EIO : 0;
}

int __nocfi ku_test_softirq(unsigned int kind, unsigned int count)
{
	void (*raise)(unsigned int kind) = ku_test_symbol("raise_softirq");
	unsigned int i;

	if (!raise)
		return -ENOENT;
	if (kind >= NR_SOFTIRQS)
		return -EINVAL;
	for (i = 0; i < count; i++) {
		/* Enabling bottom halves runs the softirq. */
		local_bh_disable();
		raise(kind);
		local_bh_enable();
	}
	return 0;
}

static void ku_test_work_done(struct irq_work *work)
{
}

int ku_test_irq_work(unsigned int unused, unsigned int count)
{
	struct irq_work work;
	unsigned int i;

	init_irq_work(&work, ku_test_work_done);
	for (i = 0; i < count; i++) {
		if (!irq_work_queue(&work))
			return -EIO;
		irq_work_sync(&work);
	}
	return 0;
}

static void ku_test_called(void *calls)
{
	(*(unsigned int *)calls)++;
}

int ku_test_call(unsigned int cpu, unsigned int count)
{
	unsigned int i, calls = 0;
	int err = 0;

	for (i = 0; i < count && !err; i++)
		err = smp_call_function_single(cpu, ku_test_called, &calls, 1);
	return err ?: calls == count ? 0 : -EIO;
}

int ku_test_fire_init(void)
{
	int err = register_die_notifier(&ku_test_die);

	if (err)
		return err;
	err = register_nmi_handler(NMI_LOCAL, ku_test_nmi, 0, "kutrace_test");
	if (err)
		unregister_die_notifier(&ku_test_die);
	return err;
}

void ku_test_fire_exit(void)
{
	unregister_nmi_handler(NMI_LOCAL, "kutrace_test");
	unregister_die_notifier(&ku_test_die);
}
