/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * x86: records the beginning and the end of a device interrupt. Preemption disabled, in a hard
 * interrupt. A device interrupt is identified by its irq, which is the same on all CPUs. Its return
 * has the vector. An interrupt without a descriptor has only its vector.
 */
#ifndef KU_X86_DEVICE_H
#define KU_X86_DEVICE_H

#include <linux/irq.h>
#include <linux/irqdesc.h>

#include "core/emit.h"
#include "probes/shared.h"

/* Records the beginning. @desc is NULL if the vector has no interrupt. */
static __always_inline void ku_device_begin(unsigned int vector, struct irq_desc *desc)
{
	if (unlikely(!desc)) {
		ku_emit(KU_EVENT(KUTRACE_CALL_IRQ + KUTRACE_VECTOR_OTHER) | vector);
		return;
	}
	ku_emit(KU_EVENT(KUTRACE_CALL_IRQ + ku_irq_event_of(desc)) |
		(u16)irq_desc_get_irq(desc));
}

/* Records the end. */
static __always_inline void ku_device_end(unsigned int vector, struct irq_desc *desc)
{
	u32 code = KUTRACE_VECTOR_OTHER;

	if (likely(desc))
		code = ku_irq_event_of(desc);
	ku_emit_return(KUTRACE_CALL_IRQ + code, (s8)vector);
}

#endif
