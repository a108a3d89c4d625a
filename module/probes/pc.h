/* SPDX-License-Identifier: GPL-2.0-only */
/* PC samples: the instruction that the timer has interrupted. */
#ifndef KU_PC_H
#define KU_PC_H

#include <linux/ptrace.h>
#include <asm/irq_regs.h>

#include "core/emit.h"

/* Records the sample after the timer interrupt, as KUtrace 3 does. Context: in the interrupt. */
static __always_inline void ku_pc_sample(void)
{
	struct pt_regs *regs = get_irq_regs();

	if (regs && instruction_pointer(regs))
		ku_emit2(KU_EVENT(KUTRACE_PC_U) | ku_cpu_read(mhz), instruction_pointer(regs));
}

#endif
