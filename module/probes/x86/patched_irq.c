// SPDX-License-Identifier: GPL-2.0-only
/* x86: hooks of traps and interrupts in a patched kernel: see probes/patched.h. */
#include <linux/kprobes.h>
#include <asm/irq_vectors.h>

#include "core/emit.h"
#include "probes/patched.h"
#include "probes/x86/device.h"

void __kprobes ku_static_trap_enter(unsigned int trap, unsigned long error_code)
{
	ku_emit(KU_EVENT(KUTRACE_CALL_TRAP + (trap & 0xFF)) | (u16)error_code);
}

void __kprobes ku_static_trap_exit(unsigned int trap)
{
	ku_emit_return(KUTRACE_CALL_TRAP + (trap & 0xFF), 0);
}

void __kprobes ku_static_trap_exit_alone(unsigned int trap)
{
	ku_static_return_alone(KUTRACE_CALL_TRAP + (trap & 0xFF), 0);
}

/*
 * Returns the event of a vector. Event number 255 belongs to the softirqs. So the spurious
 * interrupt takes the number of a vector of KVM, and that vector takes another number.
 */
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

void __kprobes ku_static_irq_enter(unsigned int vector)
{
	ku_emit_ordered(KU_EVENT(ku_static_vector(vector)));
}

void __kprobes ku_static_irq_exit(unsigned int vector)
{
	ku_emit_return(ku_static_vector(vector), 0);
}

void __kprobes ku_static_device_enter(unsigned int vector, struct irq_desc *desc)
{
	ku_device_begin(vector, desc);
}

void __kprobes ku_static_device_exit(unsigned int vector, struct irq_desc *desc)
{
	ku_device_end(vector, desc);
}
