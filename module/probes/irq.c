// SPDX-License-Identifier: GPL-2.0-only
/* Tracepoints of interrupt handlers and softirqs. Rules of probes: tp.h. */
#include <linux/interrupt.h>
#include <linux/kprobes.h>
#include <trace/events/irq.h>

#include "arch/entry.h"
#include "compat/tracepoints.h"
#include "compat/version.h"
#include "core/emit.h"
#include "probes/pc.h"
#include "probes/shared.h"
#include "probes/tp.h"

/*
 * Returns the argument of an interrupt's event: its irq. An IPI has no argument. The same holds on
 * architectures where IPIs have their own tracepoints.
 */
static __always_inline u16 ku_irq_arg(int irq, u32 code)
{
	if (KU_ARCH_IPI_IS_IRQ &&
	    (code == KUTRACE_VECTOR_RESCHEDULE || code == KUTRACE_VECTOR_CALL_FUNCTION ||
	     code == KUTRACE_VECTOR_IRQ_WORK || code == KUTRACE_VECTOR_PLATFORM_IPI))
		return 0;
	return (u16)irq;
}

static void __kprobes ku_irq_entry(void *data, int irq, struct irqaction *action)
{
	ku_probe_guard();
	u32 code;

	if (ku_arch_irq_left_out(action))
		return;
	code = ku_irq_event(irq, action);
	ku_emit(KU_EVENT(KUTRACE_CALL_IRQ + code) | ku_irq_arg(irq, code));
}

static void __kprobes ku_irq_return(void *data, int irq, struct irqaction *action, int ret)
{
	ku_probe_guard();
	u32 code;

	if (ku_arch_irq_left_out(action))
		return;
	code = ku_irq_event(irq, action);
	ku_emit_return(KUTRACE_CALL_IRQ + code, ret);
	if (KU_ARCH_TIMER_IS_IRQ && code == KUTRACE_VECTOR_LOCAL_TIMER)
		ku_pc_sample();
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

/*
 * Categories that these tracepoints record. Where the timer is a device interrupt, the end of this
 * interrupt records the PC sample. The ring drops events of kinds that the mask excludes.
 */
#define KU_IRQ_MASK \
	(KUTRACE_MASK_IRQ | (KU_ARCH_TIMER_IS_IRQ ? KUTRACE_MASK_PCSAMPLE : 0) | \
	 (KU_ARCH_IPI_IS_IRQ ? KUTRACE_MASK_IPI : 0))

/* Returns are attached before calls, so that no call is recorded without its return. */
static struct ku_tp ku_irq_tps[] = {
	KU_TP_OLD(irq_handler_exit, device_interrupt_exit, ku_irq_return, KU_IRQ_MASK),
	KU_TP_OLD(irq_handler_entry, device_interrupt_entry, ku_irq_entry, KU_IRQ_MASK),
	KU_TP(softirq_exit, ku_softirq_exit, KUTRACE_MASK_SOFTIRQ),
	KU_TP(softirq_entry, ku_softirq_entry, KUTRACE_MASK_SOFTIRQ),
};

const struct ku_tp_table ku_tps_irq = KU_TP_TABLE(ku_irq_tps);

static void __maybe_unused ku_irq_check(void)
{
	KU_CHECK(irq_handler_exit, ku_irq_return);
	KU_CHECK(irq_handler_entry, ku_irq_entry);
	KU_CHECK(softirq_exit, ku_softirq_exit);
	KU_CHECK(softirq_entry, ku_softirq_entry);
}
