// SPDX-License-Identifier: GPL-2.0-only
/* arm64: hooks of exceptions and interrupts in a patched kernel: see probes/patched.h. */
#include <linux/irq.h>
#include <linux/irqdesc.h>
#include <linux/kprobes.h>
#include <linux/preempt.h>
#include <asm/esr.h>
#include <asm/kutrace.h>

#include "arch/entry.h"
#include "core/emit.h"
#include "probes/patched.h"
#include "probes/pc.h"
#include "probes/shared.h"

/* Returns the event of an exception with syndrome @esr. */
static __always_inline u32 ku_static_trap(u32 esr)
{
	return KUTRACE_CALL_TRAP + (ku_arch_esr_is_page_fault(esr) ? KU_ARCH_TRAP_PAGE_FAULT :
					KUTRACE_TRAP_ARM64 + (u32)ESR_ELx_EC(esr));
}

/*
 * Returns the error code that x86 would have for this page fault: page present (1), write (2), user
 * mode (4), instruction fetch (16). Cache maintenance does not count as a write, as in the kernel.
 */
static __always_inline u32 ku_static_fault_error(u32 esr)
{
	u32 class = ESR_ELx_EC(esr);
	bool fetch = class == ESR_ELx_EC_IABT_LOW || class == ESR_ELx_EC_IABT_CUR;
	bool user = class == ESR_ELx_EC_IABT_LOW || class == ESR_ELx_EC_DABT_LOW;

	return ((esr & ESR_ELx_FSC_TYPE) == ESR_ELx_FSC_PERM ? 1 : 0) |
	       (!fetch && (esr & ESR_ELx_WNR) && !(esr & ESR_ELx_CM) ? 2 : 0) |
	       (user ? 4 : 0) | (fetch ? 16 : 0);
}

void __kprobes ku_static_trap_enter(unsigned int trap, unsigned long error_code)
{
	ku_emit(KU_EVENT(ku_static_trap(trap)) |
		(ku_arch_esr_is_page_fault(trap) ? ku_static_fault_error(trap) : (u16)trap));
}

void __kprobes ku_static_trap_exit(unsigned int trap)
{
	ku_emit_return(ku_static_trap(trap), 0);
}

void __kprobes ku_static_trap_exit_alone(unsigned int trap)
{
	ku_static_return_alone(ku_static_trap(trap), 0);
}

/* Returns the event that x86 has for the same purpose of an IPI: tools need no arm64 case. */
static __always_inline u32 ku_static_ipi_event(unsigned int kind)
{
	switch (kind) {
	case KUTRACE_ARM64_IPI_RESCHEDULE:
		return KUTRACE_CALL_IRQ + KUTRACE_VECTOR_RESCHEDULE;
	case KUTRACE_ARM64_IPI_CALL_FUNCTION:
		return KUTRACE_CALL_IRQ + KUTRACE_VECTOR_CALL_FUNCTION;
	case KUTRACE_ARM64_IPI_IRQ_WORK:
		return KUTRACE_CALL_IRQ + KUTRACE_VECTOR_IRQ_WORK;
	default:
		return KUTRACE_CALL_IRQ + KUTRACE_VECTOR_PLATFORM_IPI;
	}
}

void __kprobes ku_static_irq_enter(unsigned int vector)
{
	ku_emit_ordered(KU_EVENT(ku_static_ipi_event(vector)));
}

void __kprobes ku_static_irq_exit(unsigned int vector)
{
	ku_emit_return(ku_static_ipi_event(vector), 0);
}

/*
 * An NMI must not take the lock for naming an interrupt. So interrupts that arrive as NMIs, such as
 * those of performance counters, are recorded as NMI, with their irq.
 */
static __always_inline u32 ku_static_irq_code(struct irq_desc *desc)
{
	return unlikely(in_nmi()) ? KUTRACE_VECTOR_NMI : ku_irq_event_of(desc);
}

void __kprobes ku_static_device_enter(unsigned int vector, struct irq_desc *desc)
{
	ku_emit(KU_EVENT(KUTRACE_CALL_IRQ + ku_static_irq_code(desc)) |
		(u16)irq_desc_get_irq(desc));
}

void __kprobes ku_static_device_exit(unsigned int vector, struct irq_desc *desc)
{
	u32 code = ku_static_irq_code(desc);

	ku_emit_return(KUTRACE_CALL_IRQ + code, 0);
	if (code == KUTRACE_VECTOR_LOCAL_TIMER)
		ku_pc_sample();
}
